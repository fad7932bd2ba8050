//! In how many ways one can go on from a position to a leaf of the book, which other programs keep
//! in their files. A book does not: one position more changes it for all above. It is counted when
//! a file is written.

use super::ExchangeError;
use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::scan::{self, Link};
use crate::book::store::Reader;

/// Of every position of a book.
pub struct LinesBelow {
    /// The fullest layer first, each in the order of keys.
    layers: Vec<Vec<u32>>,
}

impl LinesBelow {
    pub fn count(reader: &Reader<'_>, watcher: &dyn Watcher) -> Result<LinesBelow, ExchangeError> {
        let mut layers = Vec::new();
        let mut below = LayerTable::new(Vec::new());
        for layer in Layer::all().rev() {
            if watcher.should_stop() {
                return Err(ExchangeError::Interrupted);
            }
            let rows = scan::layer(reader, layer, false)?;
            let lines = scan::map_with_links(&rows, &below, |_, links| ways_on(links));
            let counted: Vec<(NodeKey, u32)> = rows
                .iter()
                .map(|row| row.key)
                .zip(lines.iter().copied())
                .collect();
            below = LayerTable::new(counted);
            layers.push(lines);
        }
        Ok(LinesBelow { layers })
    }

    /// Those of the next layer, from the emptiest on.
    pub fn next_layer(&mut self) -> Vec<u32> {
        self.layers.pop().unwrap_or_default()
    }
}

/// A leaf, which no move leads on from, counts one.
fn ways_on(links: &[Link<u32>]) -> u32 {
    scan::into_the_book(links)
        .filter_map(|link| link.below)
        .fold(0, u32::saturating_add)
        .max(1)
}
