//! A book → the compact form, layer by layer from the start on.

use super::super::ExchangeError;
use super::super::writing::{AT_ONCE, layer_to_write};
use super::columns::{Column, ColumnWriter};
use super::record;
use super::{Header, NOTHING_EXPECTED, VERSION};
use crate::book::Watcher;
use crate::book::edge::{Destination, Sign};
use crate::book::engine::Engines;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::Value;
use crate::book::note::Note;
use crate::book::scan::{self, Link, Scanned};
use crate::book::store::{Reader, Table};
use std::cell::Cell;
use std::io::Write;

/// Of each position of the next layer: what is expected of it, once a move has led there.
type Reached = LayerTable<Cell<Option<Value>>>;

/// Writes all positions of a book, with how people did there if `statistics` says so. Gives their
/// number.
pub fn pack(
    reader: &Reader<'_>,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    let positions = reader.count(Table::Nodes)?;
    let header = Header {
        version: VERSION,
        positions,
    };
    out.write_all(&header.to_bytes())
        .map_err(ExchangeError::Io)?;
    let mut columns = ColumnWriter::new(out);
    put_engines(&mut columns, &reader.engines()?);
    put_note(&mut columns, reader.note()?.as_ref());
    columns.end_record()?;
    let mut rows = layer_to_write(reader, Layer::EMPTY, statistics)?;
    let mut reached = unreached(&rows);
    for layer in Layer::all() {
        put_roots(&mut columns, &rows, &reached)?;
        let below = match layer.next() {
            Some(below) => layer_to_write(reader, below, statistics)?,
            None => Vec::new(),
        };
        let reached_below = unreached(&below);
        let expected: Vec<Value> = reached
            .iter()
            .map(|(_, expected)| expected.get().unwrap_or(NOTHING_EXPECTED))
            .collect();
        for (chunk, expected) in rows.chunks(AT_ONCE).zip(expected.chunks(AT_ONCE)) {
            if watcher.should_stop() {
                return Err(ExchangeError::Interrupted);
            }
            let none = scan::below_of(&[]);
            let children = scan::map_with_links(chunk, &none, |_, links| children(links));
            for ((row, expected), children) in chunk.iter().zip(expected).zip(children) {
                record::put(&mut columns, row, *expected);
                let expectation = record::expectation(&row.node, *expected);
                put_children(&mut columns, &children, &reached_below, expectation);
                columns.end_record()?;
            }
            watcher.done(chunk.len() as u64);
        }
        rows = below;
        reached = reached_below;
    }
    columns.finish()?.flush().map_err(ExchangeError::Io)?;
    Ok(positions)
}

/// How many, and of each the length of its name and the name.
fn put_engines<W: Write>(columns: &mut ColumnWriter<W>, engines: &Engines) {
    columns.put_number(Column::EngineNames, engines.iter().count() as u64);
    for (_, name) in engines.iter() {
        columns.put_number(Column::EngineNames, name.len() as u64);
        columns.put_all(Column::EngineNames, name.as_bytes());
    }
}

/// Its length and the text.
fn put_note<W: Write>(columns: &mut ColumnWriter<W>, note: Option<&Note>) {
    let text = note.map_or("", Note::as_str);
    columns.put_number(Column::Note, text.len() as u64);
    columns.put_all(Column::Note, text.as_bytes());
}

fn unreached(rows: &[Scanned]) -> Reached {
    LayerTable::new(rows.iter().map(|row| (row.key, Cell::new(None))).collect())
}

/// The start, and whatever else no position of the book leads to.
fn put_roots<W: Write>(
    columns: &mut ColumnWriter<W>,
    rows: &[Scanned],
    reached: &Reached,
) -> Result<(), ExchangeError> {
    let roots: Vec<NodeKey> = rows
        .iter()
        .zip(reached.iter())
        .filter(|(_, (_, expected))| expected.get().is_none())
        .map(|(row, _)| row.key)
        .collect();
    columns.put_number(Column::Roots, roots.len() as u64);
    columns.end_record()?;
    for root in roots {
        columns.put_all(Column::Roots, &root.to_bytes());
        columns.end_record()?;
    }
    Ok(())
}

/// A move to a position: its number among the legal ones.
struct Child {
    number: u8,
    to: NodeKey,
    sign: Sign,
}

fn children(links: &[Link]) -> Vec<Child> {
    let child = |(number, link): (u8, &Link)| match link.edge.to {
        Destination::Position { key: to, sign } => Some(Child { number, to, sign }),
        Destination::End(_) => None,
    };
    (0..).zip(links).filter_map(child).collect()
}

/// The positions that are reached from here first; the others are there already.
fn put_children<W: Write>(
    columns: &mut ColumnWriter<W>,
    children: &[Child],
    below: &Reached,
    expectation: Value,
) {
    let mut count = 0;
    let mut next = 0;
    for child in children {
        let Some(place) = below.get(child.to).filter(|place| place.get().is_none()) else {
            continue;
        };
        place.set(Some(child.sign.value(expectation)));
        columns.put(Column::Moves, child.number - next);
        next = child.number + 1;
        count += 1;
    }
    columns.put(Column::Children, count);
}
