//! A book on its way into a file.

use super::ExchangeError;
use super::lines_below::LinesBelow;
use crate::book::Watcher;
use crate::book::key::Layer;
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, Found};
use crate::book::scan::{self, Link, Scanned};
use crate::book::store::{Reader, StoreError};

/// Positions between two looks at the watcher.
pub const AT_ONCE: usize = 1 << 14;

/// The positions of one layer as files hold them. An alternative that is no legal move, which only
/// a damaged book has, is left out: who reads the file would refuse all of it.
pub fn layer_to_write(
    reader: &Reader<'_>,
    layer: Layer,
    statistics: bool,
) -> Result<Vec<Scanned>, StoreError> {
    let mut rows = scan::layer(reader, layer, statistics)?;
    for row in &mut rows {
        let is_legal = |found: Found| match found.square() {
            Some(square) => row.key.board().legal_moves().contains(square),
            None => true,
        };
        let alternative = row.node.alternative;
        row.node.alternative = alternative.filter(|known| is_legal(known.found));
    }
    Ok(rows)
}

/// What the record of a position may tell of one below it.
#[derive(Clone, Copy)]
pub struct Continuation {
    pub derived: Derived,
    pub lines: u32,
}

/// A layer with all that a record of another program is made of.
pub struct LayerOfRecords<'a> {
    pub rows: Vec<Scanned>,
    lines: Vec<u32>,
    below: LayerTable<Continuation>,
    watcher: &'a dyn Watcher,
}

/// Shows a book layer by layer, from the start on.
pub fn for_each_layer_of_records(
    reader: &Reader<'_>,
    statistics: bool,
    watcher: &dyn Watcher,
    mut see: impl FnMut(&LayerOfRecords<'_>) -> Result<(), ExchangeError>,
) -> Result<(), ExchangeError> {
    let mut counted = LinesBelow::count(reader, watcher)?;
    let mut rows = layer_to_write(reader, Layer::EMPTY, statistics)?;
    let mut lines = counted.next_layer()?;
    for layer in Layer::all() {
        let rows_below = match layer.next() {
            Some(below) => layer_to_write(reader, below, statistics)?,
            None => Vec::new(),
        };
        let lines_below = counted.next_layer()?;
        let continuations = rows_below.iter().zip(&lines_below).map(|(row, lines)| {
            let continuation = Continuation {
                derived: row.node.derived,
                lines: *lines,
            };
            (row.key, continuation)
        });
        see(&LayerOfRecords {
            rows,
            lines,
            below: LayerTable::new(continuations.collect()),
            watcher,
        })?;
        rows = rows_below;
        lines = lines_below;
    }
    Ok(())
}

impl LayerOfRecords<'_> {
    /// Makes a record of every position, on all cores, and puts them in order, each with the
    /// number of lines below its position.
    pub fn put_records<R: Send>(
        &self,
        make: impl Fn(&Scanned, &[Link<Continuation>]) -> R + Sync,
        mut put: impl FnMut(R, u32) -> Result<(), ExchangeError>,
    ) -> Result<(), ExchangeError> {
        for (rows, lines) in self.rows.chunks(AT_ONCE).zip(self.lines.chunks(AT_ONCE)) {
            if self.watcher.should_stop() {
                return Err(ExchangeError::Interrupted);
            }
            let records = scan::map_with_links(rows, &self.below, &make);
            for (record, lines) in records.into_iter().zip(lines) {
                put(record, *lines)?;
            }
            self.watcher.done(rows.len() as u64);
        }
        Ok(())
    }
}
