//! In how many ways one can go on from a position to a leaf of the book, which other programs keep
//! in their files. A book does not: one position more changes it for all above. It is counted when
//! a file is written.

use super::ExchangeError;
use super::spool::temporary;
use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::scan::{self, Link};
use crate::book::store::Reader;
use crate::games::ScratchFile;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Of every position of a book; on the disk, where there are many.
pub struct LinesBelow {
    /// Four bytes for each position, the fullest layer first, each in the order of keys.
    file: BufWriter<ScratchFile>,
    /// How many positions the layers have, the fullest first.
    layers: Vec<usize>,
}

impl LinesBelow {
    pub fn count(reader: &Reader<'_>, watcher: &dyn Watcher) -> Result<LinesBelow, ExchangeError> {
        let mut counted_lines = LinesBelow {
            file: BufWriter::new(temporary()),
            layers: Vec::new(),
        };
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
            counted_lines.put(&lines).map_err(ExchangeError::Io)?;
        }
        Ok(counted_lines)
    }

    fn put(&mut self, lines: &[u32]) -> io::Result<()> {
        self.layers.push(lines.len());
        for number in lines {
            self.file.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }

    /// Those of the next layer, from the emptiest on.
    pub fn next_layer(&mut self) -> Result<Vec<u32>, ExchangeError> {
        self.read_last().map_err(ExchangeError::Io)
    }

    fn read_last(&mut self) -> io::Result<Vec<u32>> {
        let Some(positions) = self.layers.pop() else {
            return Ok(Vec::new());
        };
        let before: usize = self.layers.iter().sum();
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(4 * before as u64))?;
        let mut bytes = vec![0; 4 * positions];
        file.read_exact(&mut bytes)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().copied().map(u32::from_le_bytes).collect())
    }
}

/// A leaf, which no move leads on from, counts one.
fn ways_on(links: &[Link<u32>]) -> u32 {
    scan::into_the_book(links)
        .filter_map(|link| link.below)
        .fold(0, u32::saturating_add)
        .max(1)
}
