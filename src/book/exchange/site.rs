//! A book for a page without a server: what `page/site-book.js` reads as a whole.
//!
//! Unlike the compact form it holds what was derived, so that a browser has nothing to work out:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic `EMILIAPG` |
//! | 4 | length of the next, little-endian |
//! | | JSON: `positions`, `layers` (where the positions of each number of discs begin), `levels`, `columns`, and whatever else the page should know |
//! | | the columns: of all positions, in the order of keys, the lowest byte of the number, then the next one |
//!
//! All of it is packed with gzip, which browsers unpack.

use super::ExchangeError;
use super::writing::{AT_ONCE, layer_to_write};
use crate::book::Watcher;
use crate::book::edge::{Edge, edges};
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Level, Node, Origin, Value};
use crate::book::scan::Scanned;
use crate::book::store::Reader;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, json};
use std::collections::HashMap;
use std::io::Write;

const MAGIC: &[u8; 8] = b"EMILIAPG";
const NO_VALUE: i64 = -32768;
const NO_SQUARE: i64 = 64;
const NO_LEVEL: i64 = 255;
const LEADS_ON: i64 = 4;

/// One number of each position.
struct Column {
    name: &'static str,
    bytes: usize,
    signed: bool,
}

const fn unsigned(name: &'static str, bytes: usize) -> Column {
    Column {
        name,
        bytes,
        signed: false,
    }
}

const fn signed(name: &'static str, bytes: usize) -> Column {
    Column {
        name,
        bytes,
        signed: true,
    }
}

const COLUMNS: [Column; 21] = [
    unsigned("occupied_high", 4),
    unsigned("occupied_low", 4),
    unsigned("mover_high", 4),
    unsigned("mover_low", 4),
    signed("value", 2),
    signed("lower", 1),
    signed("upper", 1),
    unsigned("best", 1),
    unsigned("flags", 1),
    unsigned("level", 1),
    unsigned("alternative", 1),
    signed("alternative_value", 2),
    unsigned("alternative_level", 1),
    unsigned("ways", 2),
    unsigned("games", 4),
    unsigned("wins", 4),
    unsigned("draws", 4),
    unsigned("losses", 4),
    signed("disc_sum", 4),
    unsigned("first_year", 2),
    unsigned("last_year", 2),
];

/// Writes a book for a site, with more of the JSON's fields than the positions need. Gives the
/// number of positions.
pub fn export_for_site(
    reader: &Reader<'_>,
    more: Map<String, serde_json::Value>,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    let mut site = Site::default();
    for layer in Layer::all() {
        site.layers.push(site.rows.len());
        site.take(&layer_to_write(reader, layer, true)?, watcher)?;
    }
    site.layers.push(site.rows.len());
    site.write(more, out).map_err(ExchangeError::Io)?;
    Ok(site.rows.len() as u64)
}

#[derive(Default)]
struct Site {
    rows: Vec<[i64; COLUMNS.len()]>,
    layers: Vec<usize>,
    levels: Vec<String>,
    /// From how many positions a move leads to one of the next layer.
    ways: HashMap<NodeKey, u16>,
}

impl Site {
    fn take(&mut self, rows: &[Scanned], watcher: &dyn Watcher) -> Result<(), ExchangeError> {
        let ways_here = std::mem::take(&mut self.ways);
        for chunk in rows.chunks(AT_ONCE) {
            if watcher.should_stop() {
                return Err(ExchangeError::Interrupted);
            }
            for row in chunk {
                let ways = ways_here.get(&row.key).copied().unwrap_or(0);
                let numbers = self.numbers(row, ways);
                self.rows.push(numbers);
                let mut children: Vec<NodeKey> = edges(row.key.board())
                    .iter()
                    .filter_map(Edge::child)
                    .collect();
                children.sort_unstable();
                children.dedup();
                for child in children {
                    let ways = self.ways.entry(child).or_default();
                    *ways = ways.saturating_add(1);
                }
            }
            watcher.done(chunk.len() as u64);
        }
        Ok(())
    }

    fn level(&mut self, level: Option<Level>) -> i64 {
        let Some(level) = level else {
            return NO_LEVEL;
        };
        let name = level.to_string();
        let known = self.levels.iter().position(|known| *known == name);
        let place = known.unwrap_or_else(|| {
            self.levels.push(name);
            self.levels.len() - 1
        });
        // So many levels no book has; whichever comes later has none.
        i64::try_from(place).map_or(NO_LEVEL, |place| place.min(NO_LEVEL))
    }

    fn numbers(&mut self, row: &Scanned, ways: u16) -> [i64; COLUMNS.len()] {
        let Scanned { key, node, counted } = row;
        let Node {
            origin,
            evaluation,
            alternative,
            derived,
        } = node;
        let board = key.board();
        let halves = |bits: u64| [(bits >> 32) as i64, i64::from(bits as u32)];
        let value = |value: Option<Value>| value.map_or(NO_VALUE, |v| v.centidiscs().into());
        let [occupied_high, occupied_low] = halves(board.occupied().0);
        let [mover_high, mover_low] = halves(board.mover().0);
        let best = derived.best.map_or(NO_SQUARE, |best| best.index() as i64);
        let origin = match origin {
            Origin::Game => 0,
            Origin::Expansion => 1,
            Origin::Import => 2,
        };
        let leads_on = if derived.leads_on { LEADS_ON } else { 0 };
        let named = alternative.and_then(|known| Some((known, known.found.square()?)));
        let statistics = counted.unwrap_or_default();
        let (first_year, last_year) = statistics.years.unwrap_or((0, 0));
        [
            occupied_high,
            occupied_low,
            mover_high,
            mover_low,
            value(derived.value),
            derived.bounds.lower.discs().into(),
            derived.bounds.upper.discs().into(),
            best,
            origin | leads_on,
            self.level(evaluation.map(|own| own.level)),
            named.map_or(NO_SQUARE, |(_, square)| square.index() as i64),
            value(named.map(|(known, _)| known.found.value())),
            self.level(named.map(|(known, _)| known.level)),
            ways.into(),
            statistics.games.into(),
            statistics.wins.into(),
            statistics.draws.into(),
            statistics.losses.into(),
            statistics.disc_sum.clamp(i32::MIN.into(), i32::MAX.into()),
            first_year.into(),
            last_year.into(),
        ]
    }

    fn write(
        &self,
        mut header: Map<String, serde_json::Value>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let columns: Vec<_> = COLUMNS
            .iter()
            .map(|column| json!({ "name": column.name, "bytes": column.bytes, "signed": column.signed }))
            .collect();
        header.insert("positions".into(), self.rows.len().into());
        header.insert("layers".into(), self.layers.as_slice().into());
        header.insert("levels".into(), self.levels.as_slice().into());
        header.insert("columns".into(), columns.into());
        let header = serde_json::to_vec(&header)?;
        let mut packer = GzEncoder::new(out, Compression::best());
        packer.write_all(MAGIC)?;
        // A header has some kilobytes.
        packer.write_all(&(header.len() as u32).to_le_bytes())?;
        packer.write_all(&header)?;
        for (place, column) in COLUMNS.iter().enumerate() {
            for byte in 0..column.bytes {
                let plane: Vec<u8> = self
                    .rows
                    .iter()
                    .map(|row| (row[place] >> (8 * byte)) as u8)
                    .collect();
                packer.write_all(&plane)?;
            }
        }
        packer.finish()?.flush()
    }
}
