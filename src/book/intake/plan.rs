//! How much of its games a book takes in.

use crate::book::admit::KEYS_PER_JOB;
use crate::book::codec::Profile;
use crate::book::key::Layer;
use crate::book::store::{Reader, StoreError, Table};

/// What to take from games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Positions after at most this many moves.
    pub plies: u8,
    /// Only positions that this many games reached; 1 or less takes all.
    pub min_games: u32,
    /// Write whenever this many games have come together, or no more of them fit into what the book
    /// may take of memory. The more, the fewer records are written twice, but the more is lost when
    /// the process is killed.
    pub games_at_once: usize,
}

impl Plan {
    /// What a book takes from games: what is asked for, or what it took before.
    pub fn for_book(
        profile: &Profile,
        plies: Option<u8>,
        min_games: Option<u32>,
        usual_plies: u8,
    ) -> Plan {
        let (usual_plies, usual_games) = if profile.is_fresh() {
            (usual_plies, 1)
        } else {
            (profile.plies, profile.min_games)
        };
        Plan {
            plies: plies.unwrap_or(usual_plies),
            min_games: min_games.unwrap_or(usual_games),
            games_at_once: usize::MAX,
        }
    }

    /// How many positions of the games that a book knows would come in by this plan, and do not
    /// by its profile.
    pub fn would_bring_in(&self, reader: &Reader<'_>) -> Result<u64, StoreError> {
        let mut positions = 0;
        for layer in Layer::all() {
            let mut keys = Vec::new();
            let mut rows = reader.rows(Table::Statistics, Some(layer))?;
            while let Some((key, statistics)) = rows.next_statistics()? {
                if statistics.games >= self.min_games {
                    keys.push(key);
                }
            }
            for keys in keys.chunks(KEYS_PER_JOB) {
                let there = reader.contains(keys)?;
                positions += there.iter().filter(|there| !**there).count() as u64;
            }
        }
        Ok(positions)
    }

    /// Brings in more than a book with this profile takes.
    pub fn is_wider_than(&self, profile: &Profile) -> bool {
        !profile.is_fresh()
            && (self.plies > profile.plies || self.min_games.max(1) < profile.min_games)
    }
}
