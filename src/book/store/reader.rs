//! Looking up what the book has on positions and games, now or as of a snapshot.

use super::follow::FolderNumber;
use super::tables::Flag;
use super::{Access, Store, StoreError, Table, View};
use crate::book::archive::LearnedGame;
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::statistics::Statistics;
use rocksdb::{ColumnFamily, DBPinnableSlice, ReadOptions, Snapshot};

/// A view of a book.
pub struct Reader<'a> {
    pub(super) store: &'a Store,
    pub(super) view: View<'a>,
    snapshot: Option<Snapshot<'a>>,
    /// For gets: making them anew for each costs as much as a look into a filter.
    options: ReadOptions,
    /// The state of the book that is seen, where that is certain.
    state: Option<State>,
}

/// Names a state of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    last_write: u64,
    /// Tables that are handed over whole have no number of a write.
    instance: u64,
    folder: FolderNumber,
}

impl State {
    pub(super) fn of(view: &View<'_>) -> State {
        let (instance, folder) = match view {
            View::Live(_) => (0, None),
            View::Still(seen) => (seen.number, seen.folder()),
        };
        State {
            last_write: view.latest_sequence_number(),
            instance,
            folder,
        }
    }

    /// The other is no later state of this book: it was replaced as a whole.
    pub fn is_of_another_book(&self, other: &State) -> bool {
        self.folder != other.folder
    }
}

/// What the book has on a position.
#[derive(Clone, Copy, Default, Debug)]
pub struct Record {
    pub node: Option<Node>,
    pub statistics: Option<Statistics>,
}

impl<'a> Reader<'a> {
    pub(super) fn latest(store: &'a Store) -> Reader<'a> {
        store.catch_up();
        Reader {
            store,
            view: store.db.now(),
            snapshot: None,
            options: ReadOptions::default(),
            state: None,
        }
    }

    pub(super) fn of_now(store: &'a Store) -> Reader<'a> {
        let db = match &store.db {
            Access::Writing(db) => db,
            Access::Reading(_) => {
                let latest = Reader::latest(store);
                let state = Some(State::of(&latest.view));
                return Reader { state, ..latest };
            }
        };
        let before = store.state();
        let snapshot = db.snapshot();
        // Otherwise something was written at this very moment, seen by the snapshot or not.
        let is_certain = store.state() == before;
        let mut options = ReadOptions::default();
        options.set_snapshot(&snapshot);
        Reader {
            store,
            view: View::Live(db),
            snapshot: Some(snapshot),
            options,
            state: is_certain.then_some(before),
        }
    }

    /// The state of the book that is seen, where that is certain. What was found in a state is
    /// true of it for ever.
    pub fn state(&self) -> Option<State> {
        self.state
    }

    /// Options for an iterator, which takes them for itself.
    pub(super) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        if let Some(snapshot) = &self.snapshot {
            options.set_snapshot(snapshot);
        }
        options
    }

    pub(super) fn family(&self, table: Table) -> Result<&ColumnFamily, StoreError> {
        self.store.family_in(&self.view, table)
    }

    pub(super) fn get(
        &self,
        table: Table,
        key: &[u8],
    ) -> Result<Option<DBPinnableSlice<'_>>, StoreError> {
        self.view
            .get_pinned_cf_opt(self.family(table)?, key, &self.options)
            .map_err(|problem| self.store.error(&problem))
    }

    pub fn node(&self, key: NodeKey) -> Result<Option<Node>, StoreError> {
        self.get(Table::Nodes, &key.to_bytes())?
            .map(|bytes| self.read_node(key, &bytes))
            .transpose()
    }

    /// Many at once, in the order of the keys given.
    pub fn nodes(&self, keys: &[NodeKey]) -> Result<Vec<Option<Node>>, StoreError> {
        self.read_many(Table::Nodes, keys, |key, bytes| self.read_node(key, bytes))
    }

    /// Which of these positions are in the book; rising order is fastest.
    pub fn contains(&self, keys: &[NodeKey]) -> Result<Vec<bool>, StoreError> {
        let keys: Vec<[u8; NodeKey::BYTES]> = keys.iter().map(|key| key.to_bytes()).collect();
        let found = self.get_many(Table::Nodes, &keys)?;
        Ok(found.iter().map(Option::is_some).collect())
    }

    /// Everything about many positions, in the order of the keys given; rising order is fastest.
    pub fn records(&self, keys: &[NodeKey]) -> Result<Vec<Record>, StoreError> {
        let nodes = self.nodes(keys)?;
        let counted = |table| self.counted_of_many(table, keys);
        let (learned, counts) = (counted(Table::Statistics)?, counted(Table::Counts)?);
        let records = nodes.into_iter().zip(learned.into_iter().zip(counts));
        let record = |(node, (learned, counts))| Record {
            node,
            statistics: Statistics::better_known(learned, counts),
        };
        Ok(records.map(record).collect())
    }

    /// The records of a table at these keys, as `read` understands a key and its bytes.
    pub(super) fn read_many<T>(
        &self,
        table: Table,
        keys: &[NodeKey],
        read: impl Fn(NodeKey, &[u8]) -> Result<T, StoreError>,
    ) -> Result<Vec<Option<T>>, StoreError> {
        let bytes: Vec<[u8; NodeKey::BYTES]> = keys.iter().map(|key| key.to_bytes()).collect();
        self.get_many(table, &bytes)?
            .into_iter()
            .zip(keys)
            .map(|(found, key)| found.map(|bytes| read(*key, &bytes)).transpose())
            .collect()
    }

    pub(super) fn get_many<const N: usize>(
        &self,
        table: Table,
        keys: &[[u8; N]],
    ) -> Result<Vec<Option<DBPinnableSlice<'_>>>, StoreError> {
        let sorted = keys.is_sorted();
        let family = self.family(table)?;
        self.view
            .batched_multi_get_cf_opt(family, keys, sorted, &self.options)
            .into_iter()
            .map(|found| found.map_err(|problem| self.store.error(&problem)))
            .collect()
    }

    fn read_node(&self, key: NodeKey, bytes: &[u8]) -> Result<Node, StoreError> {
        codec::node_from_bytes(key, bytes).map_err(|reason| {
            self.store
                .record_error(Table::Nodes, &key.to_bytes(), reason)
        })
    }

    /// What people did with a position, in the games of the book or of files that counted more.
    pub fn statistics(&self, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        Ok(Statistics::better_known(
            self.counted(Table::Statistics, key)?,
            self.counted(Table::Counts, key)?,
        ))
    }

    /// An error where statistics are not to be carried to where nobody could count them again.
    pub fn must_be_counted(&self) -> Result<(), StoreError> {
        match self.flag(Flag::HalfCounted)? {
            true => Err(StoreError::HalfCounted {
                path: self.path().to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// What the games of the book say.
    pub fn learned(&self, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        self.counted(Table::Statistics, key)
    }

    /// The same of many positions, in the order of the keys given; rising order is fastest.
    pub fn learned_of_many(&self, keys: &[NodeKey]) -> Result<Vec<Option<Statistics>>, StoreError> {
        self.counted_of_many(Table::Statistics, keys)
    }

    /// Counts of games that are not in the book.
    pub fn counts(&self, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        self.counted(Table::Counts, key)
    }

    fn counted(&self, table: Table, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        let key = key.to_bytes();
        self.get(table, &key)?
            .map(|bytes| self.read_statistics(table, &key, &bytes))
            .transpose()
    }

    fn counted_of_many(
        &self,
        table: Table,
        keys: &[NodeKey],
    ) -> Result<Vec<Option<Statistics>>, StoreError> {
        self.read_many(table, keys, |key, bytes| {
            self.read_statistics(table, &key.to_bytes(), bytes)
        })
    }

    fn read_statistics(
        &self,
        table: Table,
        key: &[u8],
        bytes: &[u8],
    ) -> Result<Statistics, StoreError> {
        codec::statistics_from_bytes(bytes)
            .map_err(|reason| self.store.record_error(table, key, reason))
    }

    /// Each of these games, if it was learned.
    pub fn games(&self, fingerprints: &[u128]) -> Result<Vec<Option<LearnedGame>>, StoreError> {
        let keys: Vec<[u8; 16]> = fingerprints.iter().map(|one| one.to_be_bytes()).collect();
        let found = self.get_many(Table::Games, &keys)?;
        let read = |(found, key): (Option<DBPinnableSlice<'_>>, &[u8; 16])| {
            found
                .map(|bytes| LearnedGame::from_bytes(&bytes))
                .transpose()
                .map_err(|reason| self.store.record_error(Table::Games, key, reason))
        };
        found.into_iter().zip(&keys).map(read).collect()
    }
}
