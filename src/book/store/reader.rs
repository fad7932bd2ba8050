//! Looking things up, now or as of a snapshot.

use super::{
    Access, BookId, ENGINE_PREFIX, FORGOTTEN_PREFIX, Flag, Forgotten, IDENTITY_KEY, JOURNAL_PREFIX,
    Mark, PROFILE_KEY, RECOUNT_PREFIX, Store, StoreError, TRIM_KEY, Table, View, fingerprint,
    follow::FolderNumber, journal_key, memo_key,
};
use crate::book::archive::LearnedGame;
use crate::book::codec::{self, CodecError, Profile};
use crate::book::engine::Engines;
use crate::book::journal::Entry;
use crate::book::key::{Layer, NodeKey, canonical_shape, shape_bytes};
use crate::book::node::Node;
use crate::book::statistics::{Played, Statistics};
use crate::book::want::{Errand, Want};
use crate::othello::Bitboard;
use rocksdb::{ColumnFamily, DBPinnableSlice, DBRawIterator, ReadOptions, Snapshot};
use std::sync::{Mutex, PoisonError};

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

/// The last state of which somebody asked whether it is settled, and the answer.
#[derive(Default)]
pub(super) struct SettledAt(Mutex<Option<(State, bool)>>);

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

    pub fn flag(&self, flag: Flag) -> Result<bool, StoreError> {
        Ok(self.get(Table::Meta, flag.key())?.is_some())
    }

    /// The errand for which a sweep is due, if it is due for one.
    pub fn sweep_errand(&self) -> Result<Option<Errand>, StoreError> {
        let bytes = self.get(Table::Meta, Flag::SweepDue.key())?;
        Ok(bytes.and_then(|bytes| Errand::from_bytes(*bytes.get(1..)?.first_chunk()?)))
    }

    pub fn identity(&self) -> Result<Option<BookId>, StoreError> {
        let bytes = self.get(Table::Meta, IDENTITY_KEY)?;
        Ok(bytes.and_then(|bytes| Some(BookId(u128::from_be_bytes(*bytes.first_chunk()?)))))
    }

    /// The games that are to be counted again.
    pub fn games_to_recount(&self) -> Result<Vec<u128>, StoreError> {
        let mut games = Vec::new();
        self.for_each_about(RECOUNT_PREFIX, |name, _| {
            let name = name.try_into().ok();
            games.extend(name.map(u128::from_be_bytes));
            Ok(())
        })?;
        Ok(games)
    }

    /// Shows what the book remembers under keys that begin like this, without that beginning.
    fn for_each_about(
        &self,
        prefix: &[u8],
        mut show: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut options = self.options();
        options.set_iterate_range(rocksdb::PrefixRange(prefix));
        let family = self.family(Table::Meta)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, options);
        iterator.seek_to_first();
        while let Some((key, value)) = iterator.item() {
            show(&key[prefix.len()..], value)?;
            iterator.next();
        }
        iterator
            .status()
            .map_err(|problem| self.store.error(&problem))
    }

    /// What answers from elsewhere made of a position in an errand's run.
    pub fn journal_entry(&self, errand: Errand, key: NodeKey) -> Result<Option<Entry>, StoreError> {
        let name = journal_key(errand, key);
        self.get(Table::Meta, &name)?
            .map(|bytes| Entry::from_bytes(key, &bytes))
            .transpose()
            .map_err(|reason| self.store.record_error(Table::Meta, &name, reason))
    }

    /// Shows all positions that were answered from elsewhere in runs that are not over.
    pub fn for_each_journal_entry(
        &self,
        mut show: impl FnMut(Errand, NodeKey, Entry),
    ) -> Result<(), StoreError> {
        self.for_each_about(JOURNAL_PREFIX, |name, bytes| {
            let error = |reason| self.store.record_error(Table::Meta, name, reason);
            let wrong = || CodecError::Other("it is no row of the journal".into());
            let (errand, key) = name.split_first_chunk().ok_or_else(|| error(wrong()))?;
            let errand = Errand::from_bytes(*errand).ok_or_else(|| error(wrong()))?;
            let key = NodeKey::from_bytes(key)
                .map_err(|reason| self.store.record_error(Table::Meta, name, reason))?;
            show(errand, key, Entry::from_bytes(key, bytes).map_err(error)?);
            Ok(())
        })
    }

    /// The engines that this book's values come from.
    pub fn engines(&self) -> Result<Engines, StoreError> {
        let mut names = Vec::new();
        for number in 1..=u8::MAX {
            let key = [ENGINE_PREFIX, &[number]].concat();
            match self.get(Table::Meta, &key)? {
                Some(bytes) => names.push(String::from_utf8_lossy(&bytes).into_owned()),
                None => break,
            }
        }
        Ok(Engines::of_names(names))
    }

    /// What a trim that is under way takes out, as it said itself.
    pub fn trim(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.get(Table::Meta, TRIM_KEY)?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    /// Something was taken out of the book, and what follows from that is not settled yet.
    pub fn is_being_forgotten(&self, what: Forgotten) -> Result<bool, StoreError> {
        Ok(self.get(Table::Meta, &what.key())?.is_some())
    }

    /// Of anything.
    pub fn is_anything_being_forgotten(&self) -> Result<bool, StoreError> {
        let mut found = false;
        self.for_each_about(FORGOTTEN_PREFIX, |_, _| {
            found = true;
            Ok(())
        })?;
        Ok(found)
    }

    /// What an errand kept for after an interruption.
    pub fn memo(&self, errand: Errand) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.get(Table::Meta, &memo_key(errand))?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    /// The errands that want something of a position.
    pub fn wants(&self, key: NodeKey) -> Result<Vec<Want>, StoreError> {
        self.rows_at(Table::Wanted, key, |bytes, value| {
            Ok(self.store.read_want(bytes, value)?.1)
        })
    }

    /// Why a position is in the dirty queue, and for which errands; nothing if it is not.
    pub fn marks(&self, key: NodeKey) -> Result<Vec<(Mark, Option<Errand>)>, StoreError> {
        self.rows_at(Table::Dirty, key, |bytes, _| {
            let (_, mark, errand) = self.read_mark(bytes)?;
            Ok((mark, errand))
        })
    }

    /// The rows of a table whose keys begin with a position's.
    fn rows_at<T>(
        &self,
        table: Table,
        key: NodeKey,
        read: impl Fn(&[u8], &[u8]) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut options = self.options();
        options.set_iterate_lower_bound(key.to_bytes());
        options.set_iterate_upper_bound([&key.to_bytes()[..], &[u8::MAX; 3]].concat());
        let family = self.family(table)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, options);
        iterator.seek_to_first();
        let mut rows = Vec::new();
        while let Some((bytes, value)) = iterator.item() {
            rows.push(read(bytes, value)?);
            iterator.next();
        }
        iterator
            .status()
            .map_err(|problem| self.store.error(&problem))?;
        Ok(rows)
    }

    pub fn profile(&self) -> Result<Option<Profile>, StoreError> {
        self.get(Table::Meta, PROFILE_KEY)?
            .map(|bytes| codec::profile_from_bytes(&bytes))
            .transpose()
            .map_err(|reason| self.store.record_error(Table::Meta, PROFILE_KEY, reason))
    }

    /// The records of a table in order, or only those of one layer.
    pub fn rows(&self, table: Table, layer: Option<Layer>) -> Result<Rows<'_>, StoreError> {
        let mut options = self.options();
        // A scan is longer than a shape, and should not push everything else out of the cache.
        options.set_total_order_seek(true);
        options.fill_cache(false);
        if let Some(layer) = layer {
            options.set_iterate_lower_bound(layer.first_bytes());
            options.set_iterate_upper_bound(layer.end_bytes());
        }
        let family = self.family(table)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, options);
        iterator.seek_to_first();
        Ok(Rows {
            store: self.store,
            table,
            iterator,
            started: false,
        })
    }

    /// About how many records a table has, without counting them.
    pub fn estimated_records(&self, table: Table) -> Result<u64, StoreError> {
        self.store.estimated_records(table)
    }

    /// How many records a table has. Reads all their keys: about a second for a few millions.
    pub fn count(&self, table: Table) -> Result<u64, StoreError> {
        let mut rows = self.rows(table, None)?;
        let mut count = 0;
        while rows.next_row()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// No change waits to be carried up.
    pub fn is_settled(&self) -> Result<bool, StoreError> {
        let SettledAt(known) = &self.store.settled;
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        // The end of a queue that was worked off takes long to find.
        if let (Some(state), Some((at, settled))) = (self.state, *known())
            && state == at
        {
            return Ok(settled);
        }
        let settled = !self.flag(Flag::SweepDue)? && self.fullest_dirty_layer()?.is_none();
        if let Some(state) = self.state {
            *known() = Some((state, settled));
        }
        Ok(settled)
    }

    /// The fullest layer of the dirty queue.
    pub fn fullest_dirty_layer(&self) -> Result<Option<Layer>, StoreError> {
        let family = self.family(Table::Dirty)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, self.options());
        iterator.seek_to_last();
        let layer = match iterator.key() {
            Some(key) => Some(self.read_mark(key)?.0.layer()),
            None => None,
        };
        iterator
            .status()
            .map_err(|problem| self.store.error(&problem))?;
        Ok(layer)
    }

    /// A key of the dirty queue: the position, why it waits, and for which errand.
    pub fn read_mark(&self, bytes: &[u8]) -> Result<(NodeKey, Mark, Option<Errand>), StoreError> {
        let error = |reason| self.store.record_error(Table::Dirty, bytes, reason);
        let Some((key, [mark, errand @ ..])) = bytes.split_at_checked(NodeKey::BYTES) else {
            return Err(error(crate::book::key::KeyError::Length(bytes.len())));
        };
        let key = NodeKey::from_bytes(key).map_err(error)?;
        // An unknown reason is a reason all the same; the stronger one is safe.
        let mark = Mark::of_byte(*mark).unwrap_or(Mark::New);
        let errand = errand
            .first_chunk()
            .and_then(|bytes| Errand::from_bytes(*bytes));
        Ok((key, mark, errand))
    }

    /// A row of the list of what is wanted.
    pub fn read_want(&self, key: &[u8], value: &[u8]) -> Result<(NodeKey, Want), StoreError> {
        self.store.read_want(key, value)
    }

    /// Finds positions by the squares they occupy, as of now.
    pub fn shapes(&self) -> Result<ShapeFinder<'_>, StoreError> {
        let mut options = self.options();
        options.set_prefix_same_as_start(true);
        let family = self.family(Table::Nodes)?;
        Ok(ShapeFinder {
            store: self.store,
            iterator: self.view.raw_iterator_cf_opt(family, options),
        })
    }
}

impl Store {
    fn read_want(&self, key: &[u8], value: &[u8]) -> Result<(NodeKey, Want), StoreError> {
        let error = |reason| self.record_error(Table::Wanted, key, reason);
        let wrong = CodecError::Other("it is no want".into());
        let Some((name, errand)) = key.split_at_checked(NodeKey::BYTES) else {
            return Err(self.record_error(Table::Wanted, key, wrong));
        };
        let name = NodeKey::from_bytes(name).map_err(error)?;
        let errand = errand.try_into().ok().and_then(Errand::from_bytes);
        let want = errand.zip(value.try_into().ok());
        let want = want.map(|(errand, bytes)| Want::from_bytes(errand, bytes));
        let want = want.ok_or_else(|| self.record_error(Table::Wanted, key, wrong))?;
        Ok((name, want))
    }
}

/// A key and its record.
pub type Row<'a> = (&'a [u8], &'a [u8]);

/// Records one after the other, borrowed from the database.
pub struct Rows<'a> {
    store: &'a Store,
    table: Table,
    iterator: DBRawIterator<'a>,
    started: bool,
}

impl Rows<'_> {
    /// The next key and record; none after the last.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        if self.started {
            self.iterator.next();
        }
        self.started = true;
        if !self.iterator.valid() {
            // The iterator also stops at what it cannot read.
            self.started = false;
            self.iterator
                .status()
                .map_err(|problem| self.store.error(&problem))?;
            return Ok(None);
        }
        Ok(self.iterator.item())
    }

    /// The next key of a position; none after the last.
    pub fn next_key(&mut self) -> Result<Option<NodeKey>, StoreError> {
        let (store, table) = (self.store, self.table);
        let Some((key, _)) = self.next_row()? else {
            return Ok(None);
        };
        let name = NodeKey::from_bytes(key);
        let name = name.map_err(|reason| store.record_error(table, key, reason))?;
        Ok(Some(name))
    }

    /// The next node; none after the last.
    pub fn next_node(&mut self) -> Result<Option<(NodeKey, Node)>, StoreError> {
        let (store, table) = (self.store, self.table);
        let Some((key, value)) = self.next_row()? else {
            return Ok(None);
        };
        let name =
            NodeKey::from_bytes(key).map_err(|reason| store.record_error(table, key, reason))?;
        let node = codec::node_from_bytes(name, value)
            .map_err(|reason| store.record_error(table, key, reason))?;
        Ok(Some((name, node)))
    }

    /// The next position with statistics; none after the last.
    pub fn next_statistics(&mut self) -> Result<Option<(NodeKey, Statistics)>, StoreError> {
        self.next_counted(codec::statistics_from_bytes)
    }

    /// The same with the game, where it is the only one.
    pub fn next_played(&mut self) -> Result<Option<(NodeKey, Played)>, StoreError> {
        self.next_counted(codec::played_from_bytes)
    }

    fn next_counted<T>(
        &mut self,
        read: fn(&[u8]) -> Result<T, CodecError>,
    ) -> Result<Option<(NodeKey, T)>, StoreError> {
        let (store, table) = (self.store, self.table);
        let Some((key, value)) = self.next_row()? else {
            return Ok(None);
        };
        let counted = read(value).map_err(|reason| store.record_error(table, key, reason))?;
        let name =
            NodeKey::from_bytes(key).map_err(|reason| store.record_error(table, key, reason))?;
        Ok(Some((name, counted)))
    }

    /// The next want; none after the last.
    pub fn next_want(&mut self) -> Result<Option<(NodeKey, Want)>, StoreError> {
        let store = self.store;
        let Some((key, value)) = self.next_row()? else {
            return Ok(None);
        };
        store.read_want(key, value).map(Some)
    }

    /// The next game with its fingerprint; none after the last.
    pub fn next_game(&mut self) -> Result<Option<(u128, LearnedGame)>, StoreError> {
        let (store, table) = (self.store, self.table);
        let Some((key, value)) = self.next_row()? else {
            return Ok(None);
        };
        let game = LearnedGame::from_bytes(value)
            .map_err(|reason| store.record_error(table, key, reason))?;
        let fingerprint =
            fingerprint(key).map_err(|reason| store.record_error(table, key, reason))?;
        Ok(Some((fingerprint, game)))
    }
}

/// Finds positions by the squares they occupy.
pub struct ShapeFinder<'a> {
    store: &'a Store,
    iterator: DBRawIterator<'a>,
}

impl ShapeFinder<'_> {
    /// Shows every position of the book that occupies these squares, or an image of them.
    pub fn find(
        &mut self,
        occupied: Bitboard,
        mut see: impl FnMut(NodeKey),
    ) -> Result<(), StoreError> {
        let shape = shape_bytes(canonical_shape(occupied));
        self.iterator.seek(shape);
        while let Some(key) = self.iterator.key().filter(|key| key.starts_with(&shape)) {
            let name = NodeKey::from_bytes(key)
                .map_err(|reason| self.store.record_error(Table::Nodes, key, reason))?;
            see(name);
            self.iterator.next();
        }
        self.iterator
            .status()
            .map_err(|problem| self.store.error(&problem))
    }
}
