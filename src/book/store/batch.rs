//! Writes that happen together or not at all. What would not fit into memory goes into files: the
//! rows by position of a large batch of games.

use super::row_files::RowFiles;
use super::tables::{
    ENGINE_PREFIX, FORGOTTEN_PREFIX, IDENTITY_KEY, JOURNAL_PREFIX, NOTE_KEY, PROFILE_KEY,
    RECOUNT_PREFIX, TRIM_KEY, journal_key, memo_key,
};
use super::{BookId, Flag, Forgotten, Mark, Store, StoreError, Table};
use crate::book::archive::LearnedGame;
use crate::book::codec::{self, Profile};
use crate::book::journal::Entry;
use crate::book::key::NodeKey;
use crate::book::list::{self, GameNumber};
use crate::book::node::EngineNumber;
use crate::book::node::Node;
use crate::book::note::Note;
use crate::book::statistics::{Played, Statistics};
use crate::book::want::{Errand, Want};
use rocksdb::{ColumnFamily, WriteBatch};

/// A row by position takes about so much memory on its way through a batch and a write buffer.
const ROW_BYTES: u64 = 140;

/// Collects changes; [`Batch::commit`] makes them.
pub struct Batch<'a> {
    store: &'a Store,
    pub(super) writes: WriteBatch,
    large: Option<Large<'a>>,
    /// It says that all games are to be counted anew.
    recount: bool,
    nodes: &'a ColumnFamily,
    statistics: &'a ColumnFamily,
    counts: &'a ColumnFamily,
    dirty: &'a ColumnFamily,
    wanted: &'a ColumnFamily,
    games: &'a ColumnFamily,
    pub(super) index: &'a ColumnFamily,
    pub(super) meta: &'a ColumnFamily,
}

impl<'a> Batch<'a> {
    pub(super) fn new(store: &'a Store) -> Result<Batch<'a>, StoreError> {
        Ok(Batch {
            store,
            writes: WriteBatch::default(),
            large: None,
            recount: false,
            nodes: store.family(Table::Nodes)?,
            statistics: store.family(Table::Statistics)?,
            counts: store.family(Table::Counts)?,
            dirty: store.family(Table::Dirty)?,
            wanted: store.family(Table::Wanted)?,
            games: store.family(Table::Games)?,
            index: store.family(Table::Index)?,
            meta: store.family(Table::Meta)?,
        })
    }

    /// Games go through so many positions that their rows are better written as files: then nodes,
    /// what games say of positions and their lists come in rising order of the keys, each table's.
    pub fn expect_passages(&mut self, passages: usize) -> Result<(), StoreError> {
        let room = self.store.options().shares().write_buffers.0;
        if self.large.is_none() && passages as u64 * ROW_BYTES > room {
            self.large = Some(Large::new(self.store)?);
        }
        Ok(())
    }

    /// It comes with a full sweep.
    pub fn is_large(&self) -> bool {
        self.large.is_some()
    }

    pub fn put_node(&mut self, key: NodeKey, node: &Node) {
        let bytes = codec::node_to_bytes(key, node);
        match &mut self.large {
            None => self.writes.put_cf(self.nodes, key.to_bytes(), bytes),
            Some(large) => large.keep(|large| large.nodes.put(&key.to_bytes(), bytes.as_ref())),
        }
    }

    /// Replaces what games of the book say.
    pub fn put_played(&mut self, key: NodeKey, played: &Played) {
        let bytes = codec::played_to_bytes(played);
        match &mut self.large {
            None => self.writes.put_cf(self.statistics, key.to_bytes(), bytes),
            Some(large) => large.keep(|large| large.statistics.put(&key.to_bytes(), &bytes)),
        }
    }

    /// Adds games to the list of a position.
    pub fn add_to_games_at(&mut self, key: NodeKey, games: &[GameNumber]) {
        let bytes = list::to_bytes(games);
        match &mut self.large {
            None => self.writes.merge_cf(self.index, key.to_bytes(), bytes),
            Some(large) => large.keep(|large| large.lists.merge(&key.to_bytes(), &bytes)),
        }
    }

    /// Replaces the counts of games that are not in the book.
    pub fn put_counts(&mut self, key: NodeKey, counted: &Statistics) {
        let bytes = codec::statistics_to_bytes(counted);
        self.writes.put_cf(self.counts, key.to_bytes(), bytes);
    }

    /// Puts a position into the dirty queue, for the errand whose work changed it if there is
    /// one. Different marks of one position do not replace each other.
    pub fn mark(&mut self, key: NodeKey, mark: Mark, errand: Option<Errand>) {
        self.writes
            .put_cf(self.dirty, mark_bytes(key, mark, errand), []);
    }

    pub fn unmark(&mut self, key: NodeKey, mark: Mark, errand: Option<Errand>) {
        self.writes
            .delete_cf(self.dirty, mark_bytes(key, mark, errand));
    }

    /// Wants a position to be searched. An errand wants one thing of a position.
    pub fn want(&mut self, key: NodeKey, want: Want) {
        self.writes
            .put_cf(self.wanted, want_bytes(key, want.errand), want.to_bytes());
    }

    pub fn unwant(&mut self, key: NodeKey, errand: Errand) {
        self.writes.delete_cf(self.wanted, want_bytes(key, errand));
    }

    /// Empties the dirty queue.
    pub fn unmark_all(&mut self) {
        // Every mark's first byte is a disc count.
        self.writes.delete_range_cf(self.dirty, [0u8], [u8::MAX]);
    }

    /// Remembers a game, and that it was learned.
    pub fn put_game(&mut self, fingerprint: u128, learned: &LearnedGame) {
        let key = fingerprint.to_be_bytes();
        self.writes.put_cf(self.games, key, learned.to_bytes());
    }

    /// What a game adds to its positions is to be counted again.
    pub fn recount_game(&mut self, fingerprint: u128) {
        let key = [RECOUNT_PREFIX, &fingerprint.to_be_bytes()].concat();
        self.writes.put_cf(self.meta, key, []);
    }

    /// Everything is counted.
    pub fn end_recount(&mut self) {
        self.lower(Flag::RecountDue);
        self.lower(Flag::HalfCounted);
        let end = [RECOUNT_PREFIX, &[u8::MAX; 17]].concat();
        self.writes
            .delete_range_cf(self.meta, RECOUNT_PREFIX, end.as_slice());
    }

    /// Forgets all that games of the book say about positions.
    pub fn remove_all_statistics(&mut self) {
        // Every key's first byte is a disc count.
        self.writes
            .delete_range_cf(self.statistics, [0u8], [u8::MAX]);
    }

    pub fn raise(&mut self, flag: Flag) {
        self.recount |= flag == Flag::RecountDue;
        self.writes.put_cf(self.meta, flag.key(), [codec::FORMAT]);
    }

    /// Raises [`Flag::SweepDue`] for an errand, in place of whomever it was raised for.
    pub fn raise_sweep(&mut self, errand: Option<Errand>) {
        let mut bytes = vec![codec::FORMAT];
        bytes.extend(errand.into_iter().flat_map(Errand::to_bytes));
        self.writes.put_cf(self.meta, Flag::SweepDue.key(), bytes);
    }

    pub fn lower(&mut self, flag: Flag) {
        self.writes.delete_cf(self.meta, flag.key());
    }

    pub fn set_profile(&mut self, profile: &Profile) {
        self.writes
            .put_cf(self.meta, PROFILE_KEY, codec::profile_to_bytes(profile));
    }

    pub fn set_identity(&mut self, id: BookId) {
        self.writes
            .put_cf(self.meta, IDENTITY_KEY, id.0.to_be_bytes());
    }

    pub fn set_note(&mut self, note: Option<&Note>) {
        match note {
            Some(note) => self.writes.put_cf(self.meta, NOTE_KEY, note.as_str()),
            None => self.writes.delete_cf(self.meta, NOTE_KEY),
        }
    }

    /// A trim has begun to take positions out, and goes on by the values as they are.
    pub fn begin_trim(&mut self, what: &[u8]) {
        self.writes.put_cf(self.meta, TRIM_KEY, what);
    }

    /// It is done, or values are to become others: nobody goes on with it.
    pub fn end_trim(&mut self) {
        self.writes.delete_cf(self.meta, TRIM_KEY);
    }

    /// Something leaves the book, and what follows from that is to be settled.
    pub fn note_forgotten(&mut self, what: Forgotten) {
        self.writes.put_cf(self.meta, what.key(), []);
    }

    /// It is settled.
    pub fn end_forgetting(&mut self) {
        let end = [FORGOTTEN_PREFIX, &[u8::MAX]].concat();
        self.writes
            .delete_range_cf(self.meta, FORGOTTEN_PREFIX, end.as_slice());
    }

    /// How many writes it has.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Keeps what an errand has to know after an interruption.
    pub fn keep_memo(&mut self, errand: Errand, memo: &[u8]) {
        self.writes.put_cf(self.meta, memo_key(errand), memo);
    }

    pub fn forget_memo(&mut self, errand: Errand) {
        self.writes.delete_cf(self.meta, memo_key(errand));
    }

    /// Writes down what answers from elsewhere made of a position.
    pub fn put_journal_entry(&mut self, errand: Errand, key: NodeKey, entry: &Entry) {
        let name = journal_key(errand, key);
        self.writes.put_cf(self.meta, name, entry.to_bytes(key));
    }

    pub fn remove_journal_entry(&mut self, errand: Errand, key: NodeKey) {
        self.writes.delete_cf(self.meta, journal_key(errand, key));
    }

    /// Nobody's answers for an errand are in doubt any more.
    pub fn close_journal(&mut self, errand: Errand) {
        let begin = [JOURNAL_PREFIX, &errand.to_bytes()].concat();
        // No key begins with such a byte: it is a disc count.
        let end = [&begin[..], &[u8::MAX]].concat();
        self.writes.delete_range_cf(self.meta, begin, end);
    }

    pub(super) fn name_engine(&mut self, number: EngineNumber, name: &str) {
        let key = [ENGINE_PREFIX, &[number.0]].concat();
        self.writes.put_cf(self.meta, key, name);
    }

    fn family(&self, table: Table) -> &'a ColumnFamily {
        match table {
            Table::Nodes => self.nodes,
            Table::Statistics => self.statistics,
            Table::Counts => self.counts,
            Table::Dirty => self.dirty,
            Table::Wanted => self.wanted,
            Table::Games => self.games,
            Table::Index => self.index,
            Table::Meta => self.meta,
        }
    }

    /// Removes a record whatever its key is: for repairs.
    pub fn remove(&mut self, table: Table, key: &[u8]) {
        self.writes.delete_cf(self.family(table), key);
    }

    /// Puts a record whatever its bytes are: damage is made so.
    #[cfg(test)]
    pub fn put_raw(&mut self, table: Table, key: &[u8], bytes: &[u8]) {
        self.writes.put_cf(self.family(table), key, bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.large.is_none()
    }

    pub fn commit(self) -> Result<(), StoreError> {
        match self.large {
            None => self.store.write(self.writes),
            Some(large) => large.commit(self.writes, self.recount, usize::MAX),
        }
    }

    /// As if it were killed after so many tables of a large batch.
    #[cfg(test)]
    pub fn commit_in_part(self, tables: usize) -> Result<(), StoreError> {
        let large = self.large.expect("a large batch");
        large.commit(self.writes, self.recount, tables)
    }
}

/// The rows by position of a large batch.
struct Large<'a> {
    store: &'a Store,
    nodes: RowFiles<'a>,
    statistics: RowFiles<'a>,
    lists: RowFiles<'a>,
    failed: Option<StoreError>,
}

impl<'a> Large<'a> {
    fn new(store: &'a Store) -> Result<Large<'a>, StoreError> {
        Ok(Large {
            store,
            nodes: RowFiles::new(store, Table::Nodes)?,
            statistics: RowFiles::new(store, Table::Statistics)?,
            lists: RowFiles::new(store, Table::Index)?,
            failed: None,
        })
    }

    /// A batch is filled without asking each time; who makes the changes hears what went wrong.
    fn keep(&mut self, put: impl FnOnce(&mut Self) -> Result<(), StoreError>) {
        if self.failed.is_none() {
            self.failed = put(self).err();
        }
    }

    /// Hands over so many of its tables, and then all the other writes. The database takes one table
    /// after the other: until all is there the book says that it is to be counted anew and swept, so
    /// that a kill between them leaves nothing that is taken for true.
    fn commit(
        self,
        mut writes: WriteBatch,
        stays_due: bool,
        tables: usize,
    ) -> Result<(), StoreError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let mut files = [self.nodes, self.statistics, self.lists];
        for files in &mut files {
            files.finish()?;
        }
        let store = self.store;
        if !files[0].is_empty() {
            store.make_sweep_due()?;
        }
        if !store.reader().flag(Flag::RecountDue)? {
            let mut begin = store.batch()?;
            let flags = [Flag::RecountDue, Flag::HalfCounted];
            flags.into_iter().for_each(|flag| begin.raise(flag));
            begin.commit()?;
            if !stays_due {
                // Nobody else raises them meanwhile: who made this batch has the turn at games.
                let meta = store.family(Table::Meta)?;
                for flag in flags {
                    writes.delete_cf(meta, flag.key());
                }
            }
        }
        store.sync()?;
        for (files, _) in files.into_iter().zip(0..tables) {
            files.hand_over()?;
        }
        if tables == usize::MAX {
            store.write(writes)?;
        }
        Ok(())
    }
}

fn mark_bytes(key: NodeKey, mark: Mark, errand: Option<Errand>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(NodeKey::BYTES + 1 + Errand::BYTES);
    bytes.extend(key.to_bytes());
    bytes.push(mark.byte());
    bytes.extend(errand.into_iter().flat_map(Errand::to_bytes));
    bytes
}

fn want_bytes(key: NodeKey, errand: Errand) -> [u8; NodeKey::BYTES + Errand::BYTES] {
    let mut bytes = [0; NodeKey::BYTES + Errand::BYTES];
    let (front, back) = bytes.split_at_mut(NodeKey::BYTES);
    front.copy_from_slice(&key.to_bytes());
    back.copy_from_slice(&errand.to_bytes());
    bytes
}
