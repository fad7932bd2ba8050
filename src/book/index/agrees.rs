//! Whether the index is what the games of the archive say, in one pass over each: the sums of what
//! is expected and of what is there are compared, so that it takes no memory.
//!
//! The rule: a game stands at each of its positions from the start on, as many as are counted, that
//! have a legal move; under the names of its two players and of its event; with its facts, and
//! with its fingerprint under its number, which is smaller than the next that is given. Nothing
//! else stands there.

use super::facts::{Facts, Row};
use super::key::IndexKey;
use super::list::{self, GameNumber};
use super::write::names;
use crate::book::archive::LearnedGame;
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::recount::positions_between;
use crate::book::store::{Reader, StoreError, Table, fingerprint};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// A part of the index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The games through positions with so many discs.
    Positions(u8),
    Events,
    Facts,
    Numbers,
    Players,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Positions(discs) => write!(f, "the games through positions with {discs} discs"),
            Part::Events => f.write_str("the games of events"),
            Part::Facts => f.write_str("the results and years of games"),
            Part::Numbers => f.write_str("the numbers of games"),
            Part::Players => f.write_str("the games of players"),
        }
    }
}

/// What stands in each part, whatever its order.
#[derive(Default)]
struct Sums(BTreeMap<Part, u128>);

impl Sums {
    fn add(&mut self, part: Part, what: &[&[u8]]) {
        let sum = self.0.entry(part).or_default();
        *sum = sum.wrapping_add(xxh3_128(&what.concat()));
    }

    fn add_game(&mut self, key: &IndexKey, game: GameNumber) {
        let part = match key {
            IndexKey::Position(key) => Part::Positions(key.layer().discs()),
            IndexKey::Event(_) => Part::Events,
            IndexKey::Player(_) => Part::Players,
            IndexKey::Facts(_) => Part::Facts,
            IndexKey::Number(_) => Part::Numbers,
        };
        self.add(part, &[&key.to_bytes(), &game.0.to_be_bytes()]);
    }

    fn add_position(&mut self, key: NodeKey, game: GameNumber) {
        let part = Part::Positions(key.layer().discs());
        self.add(part, &[&key.to_bytes(), &game.0.to_be_bytes()]);
    }

    fn add_facts(&mut self, game: GameNumber, facts: Facts) {
        self.add(Part::Facts, &[&game.0.to_be_bytes(), &facts.to_bytes()]);
    }

    fn add_number(&mut self, game: GameNumber, fingerprint: u128) {
        let row = [&game.0.to_be_bytes()[..], &fingerprint.to_be_bytes()];
        self.add(Part::Numbers, &row);
    }

    fn join(mut self, other: Sums) -> Sums {
        for (part, sum) in other.0 {
            let all = self.0.entry(part).or_default();
            *all = all.wrapping_add(sum);
        }
        self
    }
}

const GAMES_AT_ONCE: usize = 10_000;

/// The parts that are not what they should be. What cannot be read counts as not there.
pub fn wrong_parts(reader: &Reader<'_>) -> Result<Vec<Part>, StoreError> {
    let (expected, is_numbered) = of_games(reader)?;
    let mut found = of_rows(reader)?;
    if !is_numbered {
        found.add(Part::Numbers, &[]);
    }
    let Sums(mut sums) = found;
    for (part, sum) in expected.0 {
        let found = sums.entry(part).or_default();
        *found = found.wrapping_sub(sum);
    }
    let wrong = sums.into_iter().filter(|(_, rest)| *rest != 0);
    Ok(wrong.map(|(part, _)| part).collect())
}

/// What the games say, and whether each of them has a number that was given.
fn of_games(reader: &Reader<'_>) -> Result<(Sums, bool), StoreError> {
    let next = reader.next_game_if_legible()?;
    let mut sums = Sums::default();
    let mut is_numbered = next.is_some();
    let mut rows = reader.rows(Table::Games, None)?;
    loop {
        let mut games = Vec::new();
        while games.len() < GAMES_AT_ONCE
            && let Some((key, value)) = rows.next_row()?
        {
            let game = fingerprint(key)
                .ok()
                .zip(LearnedGame::from_bytes(value).ok());
            let Some((fingerprint, learned)) = game else {
                continue;
            };
            let Some(game) = learned.game else {
                continue;
            };
            match learned.number.filter(|number| Some(*number) < next) {
                Some(number) => games.push((fingerprint, number, game, learned.counted)),
                None => is_numbered = false,
            }
        }
        if games.is_empty() {
            return Ok((sums, is_numbered));
        }
        let some = games
            .par_iter()
            .fold(
                Sums::default,
                |mut sums, (fingerprint, number, game, counted)| {
                    sums.add_number(*number, *fingerprint);
                    sums.add_facts(*number, Facts::of(game));
                    for name in names(game) {
                        sums.add_game(&name, *number);
                    }
                    for (key, _) in positions_between(game, 0..*counted) {
                        sums.add_position(key, *number);
                    }
                    sums
                },
            )
            .reduce(Sums::default, Sums::join);
        sums = sums.join(some);
    }
}

/// What the index has.
fn of_rows(reader: &Reader<'_>) -> Result<Sums, StoreError> {
    let mut sums = Sums::default();
    let mut rows = reader.rows(Table::Index, None)?;
    while let Some((key, value)) = rows.next_row()? {
        let Ok(key) = IndexKey::from_bytes(key) else {
            continue;
        };
        match &key {
            IndexKey::Number(number) => {
                if let Ok(fingerprint) = fingerprint(value) {
                    sums.add_number(*number, fingerprint);
                }
            }
            IndexKey::Facts(row) => {
                for (game, facts) in Row::from_bytes(value).games(*row) {
                    sums.add_facts(game, facts);
                }
            }
            IndexKey::Position(_) | IndexKey::Event(_) | IndexKey::Player(_) => {
                for game in list::from_bytes(value).unwrap_or_default() {
                    sums.add_game(&key, game);
                }
            }
        }
    }
    let mut rows = reader.rows(Table::Statistics, None)?;
    while let Some((key, value)) = rows.next_row()? {
        if let Ok(key) = NodeKey::from_bytes(key)
            && let Ok(played) = codec::played_from_bytes(value)
            && let Some(only) = played.only
        {
            sums.add_position(key, only);
        }
    }
    Ok(sums)
}
