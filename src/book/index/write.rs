//! What games change in the statistics of positions and in the index, collected and written in one
//! batch with the games themselves: after a kill all of it is there or nothing. Whoever collects
//! has the turn at games, because lists and sums are read before they are written.

use super::facts::{Facts, Row};
use super::key::{FoldedName, IndexKey};
use super::list::{self, GameNumber};
use crate::book::Watcher;
use crate::book::archive::ArchivedGame;
use crate::book::key::NodeKey;
use crate::book::statistics::{Played, Statistics};
use crate::book::store::{Batch, Reader, StoreError};
use crate::othello::{Color, Score};
use rayon::prelude::*;
use std::collections::BTreeMap;

const KEYS_PER_JOB: usize = 1024;
/// Positions that are looked up at once, on all cores.
const POSITIONS_AT_ONCE: usize = 1 << 16;

/// A game went through a position. Tens of millions wait together, so it is small.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    pub key: NodeKey,
    pub game: GameNumber,
    year: u16,
    /// In discs for whoever is to move.
    result: i8,
    role: Role,
}

/// Nobody knows the result.
const NO_RESULT: i8 = i8::MIN;

/// What a passage changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The game was counted there before: it comes onto the list.
    Listed,
    /// It is counted, too.
    Counted,
    /// And the position is to come into the book.
    ComesIn,
}

impl Passage {
    /// With this colour to move.
    pub fn of(
        game: &ArchivedGame,
        number: GameNumber,
        (key, turn): (NodeKey, Color),
        role: Role,
    ) -> Passage {
        Passage {
            key,
            game: number,
            // 0 is no year, and a score is within ±64.
            year: game.year.unwrap_or(0),
            result: game
                .result_for(turn)
                .map_or(NO_RESULT, |score| score.discs() as i8),
            role,
        }
    }

    /// What the game adds to the statistics.
    fn adds(&self) -> Statistics {
        if self.role == Role::Listed {
            return Statistics::default();
        }
        // No score is so low as the mark.
        let result = Score::new(self.result.into());
        Statistics::of_game(result, (self.year != 0).then_some(self.year))
    }
}

/// What so many passages take while they wait, and while they are put in order and written: a file's
/// filter takes eight bytes of each row until the file is whole.
pub const fn bytes_of_passages(count: usize) -> usize {
    count * (size_of::<Passage>() + 8)
}

/// What a game takes beside its positions: itself, short names and a row of each of its tables.
pub const GAME_BYTES: usize = 500;

/// Changes of the index.
pub struct Indexing {
    next: GameNumber,
    first: GameNumber,
    numbers: Vec<(GameNumber, u128)>,
    facts: BTreeMap<u32, Vec<(GameNumber, Option<Facts>)>>,
    added: BTreeMap<IndexKey, Vec<GameNumber>>,
    removed: BTreeMap<IndexKey, Vec<GameNumber>>,
    seen: Vec<Passage>,
}

impl Indexing {
    pub fn new(reader: &Reader<'_>) -> Result<Indexing, StoreError> {
        let next = reader.next_game()?;
        Ok(Indexing {
            next,
            first: next,
            numbers: Vec::new(),
            facts: BTreeMap::new(),
            added: BTreeMap::new(),
            removed: BTreeMap::new(),
            seen: Vec::new(),
        })
    }

    /// Gives a game its number.
    pub fn number(&mut self, fingerprint: u128, game: &ArchivedGame) -> GameNumber {
        let number = self.next;
        self.next = GameNumber(number.0 + 1);
        self.keep_number(number, fingerprint, game);
        number
    }

    /// Puts a game in that has its number already.
    pub fn keep_number(&mut self, number: GameNumber, fingerprint: u128, game: &ArchivedGame) {
        self.numbers.push((number, fingerprint));
        self.set_facts(number, Some(Facts::of(game)));
        for name in names(game) {
            self.added.entry(name).or_default().push(number);
        }
    }

    /// The record of a game became another one.
    pub fn change(&mut self, number: GameNumber, old: &ArchivedGame, new: &ArchivedGame) {
        self.set_facts(number, Some(Facts::of(new)));
        let (before, now) = (names(old), names(new));
        for name in before.iter().filter(|name| !now.contains(name)) {
            let removed = self.removed.entry(name.clone()).or_default();
            removed.push(number);
        }
        for name in now.into_iter().filter(|name| !before.contains(name)) {
            self.added.entry(name).or_default().push(number);
        }
    }

    /// Takes a game out, but for its positions.
    pub fn remove(&mut self, number: GameNumber, game: &ArchivedGame) {
        self.set_facts(number, None);
        for name in names(game) {
            self.removed.entry(name).or_default().push(number);
        }
    }

    fn set_facts(&mut self, number: GameNumber, facts: Option<Facts>) {
        let row = self.facts.entry(Row::number_of(number)).or_default();
        row.push((number, facts));
    }

    /// How many passages were seen.
    pub fn seen(&self) -> usize {
        self.seen.len()
    }

    pub fn see_all(&mut self, seen: impl IntoIterator<Item = Passage>) {
        self.seen.extend(seen);
    }

    /// Gives the positions that come in, in rising order; none if the watcher stopped it, and then the
    /// batch is to be dropped: only one that is large asks.
    pub fn write(
        self,
        reader: &Reader<'_>,
        batch: &mut Batch<'_>,
        watcher: &dyn Watcher,
    ) -> Result<Option<Vec<NodeKey>>, StoreError> {
        for (number, fingerprint) in self.numbers {
            batch.put_number(number, fingerprint);
        }
        if self.next != self.first {
            batch.set_next_game(self.next);
        }
        for (number, changes) in self.facts {
            let mut row = reader.facts(number)?;
            for (game, facts) in changes {
                row.set(game, facts);
            }
            batch.put_facts(number, &row);
        }
        let mut added = self.added;
        for (key, mut numbers) in self.removed {
            numbers.sort_unstable();
            let left = list::without(&reader.list(&key)?, &numbers);
            batch.put_list(&key, &left);
        }
        for (key, numbers) in &mut added {
            numbers.sort_unstable();
            batch.add_to_list(key, numbers);
        }
        batch.expect_passages(self.seen.len())?;
        count(self.seen, reader, batch, watcher)
    }
}

/// The rows in which a game stands by name.
pub(super) fn names(game: &ArchivedGame) -> Vec<IndexKey> {
    let players = [&game.black, &game.white].into_iter().flatten();
    let mut names: Vec<IndexKey> = players
        .map(|name| IndexKey::Player(FoldedName::of(name)))
        .collect();
    names.dedup();
    let event = game.event.iter();
    names.extend(event.map(|name| IndexKey::Event(FoldedName::of(name))));
    names
}

/// Adds games to the statistics of their positions and to their lists. A position of one game has
/// no list: when the second one comes, both go onto one.
fn count(
    mut seen: Vec<Passage>,
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    watcher: &dyn Watcher,
) -> Result<Option<Vec<NodeKey>>, StoreError> {
    seen.par_sort_unstable_by_key(|seen| (seen.key, seen.game));
    let mut positions = seen.chunk_by(|one, next| one.key == next.key);
    let mut games = Vec::new();
    loop {
        let some: Vec<&[Passage]> = positions.by_ref().take(POSITIONS_AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        if batch.is_large() && watcher.should_stop() {
            return Ok(None);
        }
        let known: Vec<Vec<Option<Played>>> = some
            .par_chunks(KEYS_PER_JOB)
            .map(|positions| {
                let keys: Vec<NodeKey> = positions.iter().map(|seen| seen[0].key).collect();
                reader.played(&keys)
            })
            .collect::<Result<_, _>>()?;
        for (seen, known) in some.iter().zip(known.into_iter().flatten()) {
            let key = seen[0].key;
            games.clear();
            games.extend(seen.iter().map(|seen| seen.game));
            let mut played = Played::default();
            match known {
                None => played.only = Some(seen[0].game).filter(|_| seen.len() == 1),
                Some(known) => {
                    played.statistics = known.statistics;
                    games.extend(known.only);
                    games.sort_unstable();
                    games.dedup();
                }
            }
            for seen in *seen {
                played.statistics.add(&seen.adds());
            }
            batch.put_played(key, &played);
            if played.only.is_none() {
                batch.add_to_games_at(key, &games);
            }
        }
    }
    // In the room of what came, as far as that goes.
    seen.retain(|seen| seen.role == Role::ComesIn);
    seen.dedup_by_key(|seen| seen.key);
    Ok(Some(seen.into_iter().map(|seen| seen.key).collect()))
}
