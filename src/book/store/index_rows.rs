//! The rows of the index of games, and what a book counts of its games.

use super::tables::NEXT_GAME_KEY;
use super::{Batch, Flag, Reader, Store, StoreError, Table};
use crate::book::archive::LearnedGame;
use crate::book::codec::{self, CodecError};
use crate::book::facts::Row;
use crate::book::index_key::{FoldedName, IndexKey};
use crate::book::key::NodeKey;
use crate::book::list::{self, GameNumber};
use crate::book::statistics::Played;
use rocksdb::PrefixRange;
use std::path::Path;

/// The first bytes of keys are numbers of discs and letters.
const ALL_ROWS: [[u8; 1]; 2] = [[0], [u8::MAX]];

impl Reader<'_> {
    /// The book's folder.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Every game is in the index. The book of an older emilia has none.
    pub fn is_indexed(&self) -> Result<bool, StoreError> {
        Ok(self.has(Table::Index) && !self.flag(Flag::RecountDue)?)
    }

    /// The book of an older emilia lacks tables.
    pub fn has(&self, table: Table) -> bool {
        self.view.cf_handle(table.name()).is_some()
    }

    /// What the games of the book say about many positions; rising order is fastest.
    pub fn played(&self, keys: &[NodeKey]) -> Result<Vec<Option<Played>>, StoreError> {
        let table = Table::Statistics;
        self.read_many(table, keys, |key, bytes| {
            codec::played_from_bytes(bytes)
                .map_err(|reason| self.store.record_error(table, &key.to_bytes(), reason))
        })
    }

    /// The games through a position, in rising order.
    pub fn games_at(&self, key: NodeKey) -> Result<Vec<GameNumber>, StoreError> {
        match self.played(&[key])?.first() {
            Some(Some(Played {
                only: Some(only), ..
            })) => Ok(vec![*only]),
            Some(Some(_)) => self.list(&IndexKey::Position(key)),
            _ => Ok(Vec::new()),
        }
    }

    pub(in crate::book) fn list(&self, key: &IndexKey) -> Result<Vec<GameNumber>, StoreError> {
        let name = key.to_bytes();
        match self.get(Table::Index, &name)? {
            Some(bytes) => self.read_list(&name, &bytes),
            None => Ok(Vec::new()),
        }
    }

    fn read_list(&self, key: &[u8], bytes: &[u8]) -> Result<Vec<GameNumber>, StoreError> {
        list::from_bytes(bytes).map_err(|reason| self.store.record_error(Table::Index, key, reason))
    }

    /// The players or events that are meant by a name (see [`FoldedName::meant_among`]), each with
    /// the games; only the first of them if it is over before.
    pub(in crate::book) fn lists_named(
        &self,
        name: &str,
        kind: fn(FoldedName) -> IndexKey,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Vec<(String, Vec<GameNumber>)>, StoreError> {
        let name = FoldedName::of(name);
        let exact = self.list(&kind(name.clone()))?;
        if !exact.is_empty() {
            return Ok(vec![(name.as_str().to_owned(), exact)]);
        }
        let begin = kind(name).to_bytes();
        let mut options = self.options();
        options.set_iterate_range(PrefixRange(begin));
        let family = self.family(Table::Index)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, options);
        iterator.seek_to_first();
        let mut found = Vec::new();
        while !is_over()
            && let Some((key, bytes)) = iterator.item()
        {
            // Behind the letter.
            let name = String::from_utf8_lossy(key.get(1..).unwrap_or_default());
            found.push((name.into_owned(), self.read_list(key, bytes)?));
            iterator.next();
        }
        iterator
            .status()
            .map_err(|problem| self.store.error(&problem))?;
        Ok(found)
    }

    /// The fingerprints of games; none where there is no game of that number.
    pub fn fingerprints(&self, numbers: &[GameNumber]) -> Result<Vec<Option<u128>>, StoreError> {
        numbers
            .iter()
            .map(|number| {
                let key = IndexKey::Number(*number).to_bytes();
                let row = self.get(Table::Index, &key)?;
                row.map(|bytes| fingerprint(&bytes))
                    .transpose()
                    .map_err(|reason| self.store.record_error(Table::Index, &key, reason))
            })
            .collect()
    }

    /// Each of these games, if it is there.
    pub fn numbered_games(
        &self,
        numbers: &[GameNumber],
    ) -> Result<Vec<Option<LearnedGame>>, StoreError> {
        let names = self.fingerprints(numbers)?;
        let known: Vec<u128> = names.iter().copied().flatten().collect();
        let mut games = self.games(&known)?.into_iter();
        let found = names
            .into_iter()
            .map(|name| name.and_then(|_| games.next()?));
        Ok(found.collect())
    }

    pub(in crate::book) fn facts(&self, row: u32) -> Result<Row, StoreError> {
        let bytes = self.get(Table::Index, &IndexKey::Facts(row).to_bytes())?;
        Ok(bytes.map_or_else(Row::default, |bytes| Row::from_bytes(&bytes)))
    }

    /// The number of the game that is learned next.
    pub fn next_game(&self) -> Result<GameNumber, StoreError> {
        let Some(bytes) = self.get(Table::Meta, NEXT_GAME_KEY)? else {
            return Ok(GameNumber(0));
        };
        let number = bytes[..].try_into().map_err(|_| {
            let reason = CodecError::Length {
                found: bytes.len(),
                expected: 4,
            };
            self.store.record_error(Table::Meta, NEXT_GAME_KEY, reason)
        })?;
        Ok(GameNumber(u32::from_be_bytes(number)))
    }

    /// The same for those who find out from the games; none if the record is damaged.
    pub(in crate::book) fn next_game_if_legible(&self) -> Result<Option<GameNumber>, StoreError> {
        match self.next_game() {
            Err(StoreError::Record { .. }) => Ok(None),
            next => next.map(Some),
        }
    }
}

/// The row of a game's number, and the key of a game.
pub(in crate::book) fn fingerprint(bytes: &[u8]) -> Result<u128, CodecError> {
    let bytes = bytes.try_into().map_err(|_| CodecError::Length {
        found: bytes.len(),
        expected: 16,
    })?;
    Ok(u128::from_be_bytes(bytes))
}

impl Store {
    /// Removes the files that have nothing but rows of the index, without reading them.
    pub(in crate::book) fn drop_index_files(&self) -> Result<(), StoreError> {
        let [begin, end] = ALL_ROWS;
        self.db()?
            .delete_file_in_range_cf(self.family(Table::Index)?, begin, end)
            .map_err(|problem| self.error(&problem))
    }
}

impl Batch<'_> {
    /// Adds games to a list.
    pub(in crate::book) fn add_to_list(&mut self, key: &IndexKey, games: &[GameNumber]) {
        let bytes = list::to_bytes(games);
        self.writes.merge_cf(self.index, key.to_bytes(), bytes);
    }

    /// Replaces a list; nobody's is none.
    pub(in crate::book) fn put_list(&mut self, key: &IndexKey, games: &[GameNumber]) {
        if games.is_empty() {
            self.remove(Table::Index, &key.to_bytes());
        } else {
            let bytes = list::to_bytes(games);
            self.writes.put_cf(self.index, key.to_bytes(), bytes);
        }
    }

    pub(in crate::book) fn put_number(&mut self, number: GameNumber, fingerprint: u128) {
        let key = IndexKey::Number(number).to_bytes();
        self.writes
            .put_cf(self.index, key, fingerprint.to_be_bytes());
    }

    pub(in crate::book) fn put_facts(&mut self, number: u32, row: &Row) {
        let key = IndexKey::Facts(number).to_bytes();
        self.writes.put_cf(self.index, key, row.to_bytes());
    }

    pub(in crate::book) fn set_next_game(&mut self, number: GameNumber) {
        self.writes
            .put_cf(self.meta, NEXT_GAME_KEY, number.0.to_be_bytes());
    }

    /// Forgets the whole index.
    pub(in crate::book) fn remove_index(&mut self) {
        let [begin, end] = ALL_ROWS;
        self.writes.delete_range_cf(self.index, begin, end);
    }
}
