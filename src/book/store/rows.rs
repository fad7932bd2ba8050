//! Rows of a table one after the other: all, those of a layer, those of a position or of a shape.

use super::{Mark, Reader, Store, StoreError, Table, fingerprint};
use crate::book::archive::LearnedGame;
use crate::book::codec::{self, CodecError};
use crate::book::key::{Layer, NodeKey, canonical_shape, shape_bytes};
use crate::book::node::Node;
use crate::book::statistics::{Played, Statistics};
use crate::book::want::{Errand, Want};
use crate::othello::Bitboard;
use rocksdb::DBRawIterator;

impl Reader<'_> {
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
