//! What one game brings: its record and its number, what it changes in the index, and the positions
//! that come in for it. Much of this is put together before it is written, all in one batch.

use crate::book::archive::{ArchivedGame, LearnedGame};
use crate::book::endings::Ending;
use crate::book::index_write::{Indexing, Passage, Role};
use crate::book::key::NodeKey;
use crate::book::learn::Learned;
use crate::book::list::GameNumber;
use crate::book::recount::{positions_between, seen_between};
use crate::book::store::{Batch, Reader, StoreError};
use crate::othello::Color;

/// A game with its positions.
pub struct Path {
    pub fingerprint: u128,
    pub game: ArchivedGame,
    /// From the start on, with the colour to move.
    pub positions: Vec<(NodeKey, Color)>,
}

impl Path {
    pub fn of(fingerprint: u128, game: ArchivedGame, plies: u8) -> Path {
        // The last position that counts has this number.
        let positions = positions_between(&game, 0..plies.saturating_add(1));
        Path {
            fingerprint,
            game,
            positions,
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = NodeKey> {
        self.positions.iter().map(|(key, _)| *key)
    }
}

/// A game that was looked up.
pub struct Coming {
    pub path: Path,
    pub known: Option<LearnedGame>,
    /// None for a game that was learned as deep before.
    pub ending: Option<Ending>,
}

impl Coming {
    /// Positions that were counted before.
    fn counted_before(&self) -> u8 {
        self.known.as_ref().map_or(0, |known| known.counted)
    }

    /// As what it was counted before.
    fn counted_as(&self) -> Option<&ArchivedGame> {
        self.known.as_ref().and_then(|known| known.game.as_ref())
    }

    /// Positions up to where the ending is another one.
    fn kept(&self) -> u8 {
        // No game has more positions than fit a byte.
        let length = self.path.positions.len();
        let kept = |ending: &Ending| ending.kept.min(length);
        self.ending.as_ref().map_or(length, kept) as u8
    }

    /// What the book is to know of it, but for its number where it has none yet.
    fn record(&self, plies: u8) -> LearnedGame {
        let is_deeper = self.ending.is_some();
        let coming = LearnedGame {
            plies: if is_deeper { plies } else { 0 },
            counted: if is_deeper { self.kept() } else { 0 },
            game: Some(self.path.game.clone()),
            number: None,
        };
        match &self.known {
            Some(known) => known.clone().join(coming),
            None => coming,
        }
    }
}

/// What is put together to be written at once.
pub struct Lesson<'a> {
    pub plies: u8,
    /// The positions of all games are wanted.
    pub wants: bool,
    pub batch: Batch<'a>,
    pub indexing: Indexing,
    pub learned: Learned,
    /// Positions of better endings than those that were played.
    pub instead: Vec<NodeKey>,
    pub wanted: Vec<NodeKey>,
}

impl Lesson<'_> {
    pub fn take(&mut self, reader: &Reader<'_>, coming: Coming) -> Result<(), StoreError> {
        let mut record = coming.record(self.plies);
        let game = record.game.as_ref().unwrap_or(&coming.path.game);
        let number = self.number(&coming, &record, game);
        record.number = Some(number);
        if coming.known.as_ref() != Some(&record) {
            self.batch.put_game(coming.path.fingerprint, &record);
        }
        // Of two records of one game the one that says more stands, whichever came first.
        if let (Some(old), Some(new)) = (coming.counted_as(), &record.game)
            && !old.counts_like(new)
        {
            self.batch.recount_game(coming.path.fingerprint);
        }
        if self.wants {
            self.wanted.extend(coming.path.keys());
        }
        let (before, kept) = (coming.counted_before(), coming.kept());
        let Some(ending) = coming.ending else {
            self.learned.known += 1;
            return Ok(());
        };
        self.learned.games += 1;
        let played = coming.path.positions.iter().take(kept.into());
        let beyond = played.clone().skip(before.into());
        // What was taken out of the book on purpose stays out, and what only it leads to.
        let learned_before: Vec<NodeKey> =
            played.take(before.into()).map(|(key, _)| *key).collect();
        let comes_in = before == 0 || !reader.contains(&learned_before)?.contains(&false);
        let role = if comes_in {
            Role::ComesIn
        } else {
            Role::Counted
        };
        let passage = |position: &(NodeKey, Color)| Passage::of(game, number, *position, role);
        self.indexing.see_all(beyond.map(passage));
        if comes_in {
            self.instead.extend(ending.instead);
        }
        Ok(())
    }

    /// The number of a game whose record becomes this one; the index hears what is new.
    fn number(&mut self, coming: &Coming, record: &LearnedGame, game: &ArchivedGame) -> GameNumber {
        match (record.number, coming.counted_as()) {
            (Some(number), Some(old)) if old != game => {
                self.indexing.change(number, old, game);
                number
            }
            (Some(number), _) => number,
            (None, _) => {
                let number = self.indexing.number(coming.path.fingerprint, game);
                let before = coming.counted_before();
                if before > 0 {
                    // An early book counted it, but did not know its moves.
                    let seen = seen_between(game, number, 0..before, Role::Listed);
                    self.indexing.see_all(seen);
                }
                number
            }
        }
    }
}
