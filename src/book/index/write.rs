//! What games change in the statistics of positions and in the index, collected and written in one
//! batch with the games themselves: after a kill all of it is there or nothing. Whoever collects
//! has the turn at games, because lists and sums are read before they are written.

use super::facts::{Facts, Row};
use super::key::{FoldedName, IndexKey};
use super::list::{self, GameNumber};
use crate::book::archive::ArchivedGame;
use crate::book::key::NodeKey;
use crate::book::statistics::{Played, Statistics};
use crate::book::store::{Batch, Reader, StoreError};
use rayon::prelude::*;
use std::collections::BTreeMap;

const KEYS_PER_JOB: usize = 1024;

/// A game went through a position.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    pub key: NodeKey,
    pub game: GameNumber,
    /// What it adds there; nothing if it was counted before.
    pub adds: Statistics,
    /// The position is to come into the book.
    pub comes_in: bool,
}

impl Passage {
    /// The same where the game is in the statistics already.
    pub fn counted_before(self) -> Passage {
        Passage {
            adds: Statistics::default(),
            ..self
        }
    }
}

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

    pub fn see_all(&mut self, seen: impl IntoIterator<Item = Passage>) {
        self.seen.extend(seen);
    }

    /// Gives the positions that come in, in rising order.
    pub fn write(
        self,
        reader: &Reader<'_>,
        batch: &mut Batch<'_>,
    ) -> Result<Vec<NodeKey>, StoreError> {
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
        count(self.seen, reader, batch)
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
) -> Result<Vec<NodeKey>, StoreError> {
    seen.par_sort_unstable_by_key(|seen| (seen.key, seen.game));
    let positions: Vec<&[Passage]> = seen.chunk_by(|one, next| one.key == next.key).collect();
    let known: Vec<Vec<Option<Played>>> = positions
        .par_chunks(KEYS_PER_JOB)
        .map(|positions| {
            let keys: Vec<NodeKey> = positions.iter().map(|seen| seen[0].key).collect();
            reader.played(&keys)
        })
        .collect::<Result<_, _>>()?;
    let mut come_in = Vec::new();
    let mut games = Vec::new();
    for (seen, known) in positions.iter().zip(known.into_iter().flatten()) {
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
            played.statistics.add(&seen.adds);
        }
        batch.put_played(key, &played);
        if played.only.is_none() {
            batch.add_to_list(&IndexKey::Position(key), &games);
        }
        if seen.iter().any(|seen| seen.comes_in) {
            come_in.push(key);
        }
    }
    Ok(come_in)
}
