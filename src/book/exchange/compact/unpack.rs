//! The compact form → positions, layer by layer from the start on.

use super::super::source::{Content, Input, See};
use super::super::{ExchangeError, Format, Incoming};
use super::columns::{Column, ColumnReader, damaged};
use super::record;
use super::{Header, NOTHING_EXPECTED};
use crate::book::absorb::Linker;
use crate::book::edge::Sign;
use crate::book::engine::Engines;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::Value;
use crate::book::note::Note;
use crate::othello::Board;
use std::io::Read;

/// A file that is read layer by layer, and again when the layers are wanted again.
struct Packed {
    input: Box<dyn Input>,
    positions: u64,
    engines: Engines,
    note: Option<Note>,
}

pub fn read(mut input: Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError> {
    let Unpacker {
        header,
        engines,
        note,
        ..
    } = Unpacker::new(&mut input)?;
    Ok(Box::new(Packed {
        input,
        positions: header.positions,
        engines,
        note,
    }))
}

impl Content for Packed {
    fn positions(&self) -> u64 {
        self.positions
    }

    fn engines(&self) -> &Engines {
        &self.engines
    }

    fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    fn for_each_chunk(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError> {
        self.input.rewind().map_err(ExchangeError::Io)?;
        let mut unpacker = Unpacker::new(&mut self.input)?;
        while let Some(rows) = unpacker.next_layer()? {
            if !see(rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// No honest file has more positions for its bytes; beyond, it would be a trap for the memory.
const POSITIONS_PER_BYTE: u64 = 64;
const POSITIONS_ANYWAY: u64 = 1 << 16;

/// Reads one layer after the other.
struct Unpacker<R> {
    header: Header,
    engines: Engines,
    note: Option<Note>,
    columns: ColumnReader<R>,
    layers: Box<dyn Iterator<Item = Layer> + Send>,
    /// The positions of the next layer that moves lead to.
    reached: Vec<Reached>,
    /// Needed once there are positions without parents: what they lead to first may also be
    /// reached from the start.
    linker: Option<Linker>,
    positions: u64,
}

struct Reached {
    key: NodeKey,
    expected: Value,
    /// The start is, and what a move leads to from above.
    linked: bool,
}

impl<R: Read> Unpacker<R> {
    fn new(mut input: R) -> Result<Unpacker<R>, ExchangeError> {
        let header = Header::read(&mut input)?;
        let mut columns = ColumnReader::new(input, header.columns());
        let engines = if header.has_engines() {
            take_engines(&mut columns)?
        } else {
            Engines::default()
        };
        let note = if header.has_note() {
            take_note(&mut columns)?
        } else {
            None
        };
        Ok(Unpacker {
            header,
            engines,
            note,
            columns,
            layers: Box::new(Layer::all()),
            reached: Vec::new(),
            linker: None,
            positions: 0,
        })
    }

    /// The positions of the next layer that has any, in order. None after the last one, when the
    /// whole file has been found right.
    fn next_layer(&mut self) -> Result<Option<Vec<Incoming>>, ExchangeError> {
        while let Some(layer) = self.layers.next() {
            let rows = self.take_layer(layer)?;
            if !rows.is_empty() {
                return Ok(Some(rows));
            }
        }
        if self.positions != self.header.positions {
            return Err(damaged("it has fewer positions than it says"));
        }
        self.columns.finish()?;
        Ok(None)
    }

    fn take_layer(&mut self, layer: Layer) -> Result<Vec<Incoming>, ExchangeError> {
        let mut here = std::mem::take(&mut self.reached);
        self.take_roots(layer, &mut here)?;
        here.sort_unstable_by_key(|one| one.key);
        if here
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.key == b.key))
        {
            return Err(damaged("a position is there twice"));
        }
        let mut rows = Vec::with_capacity(here.len());
        for one in here {
            self.columns.begin_record()?;
            let (node, counted) =
                record::take(&mut self.columns, self.header, one.key, one.expected)?;
            let expectation = record::expectation(&node, one.expected);
            self.take_children(one.key.board(), expectation)?;
            rows.push(Incoming {
                key: one.key,
                node,
                counted,
                linked: one.linked,
            });
        }
        match &mut self.linker {
            Some(linker) => linker.link(&mut rows),
            None if rows.iter().any(|row| !row.linked) => {
                self.linker = Some(Linker::after(&rows));
            }
            None => {}
        }
        Ok(rows)
    }

    fn take_roots(&mut self, layer: Layer, here: &mut Vec<Reached>) -> Result<(), ExchangeError> {
        self.columns.begin_record()?;
        let roots = self.columns.take_number(Column::Roots)?;
        self.count(roots)?;
        for _ in 0..roots {
            self.columns.begin_record()?;
            let mut bytes = [0; NodeKey::BYTES];
            for byte in &mut bytes {
                *byte = self.columns.take(Column::Roots)?;
            }
            let key = NodeKey::from_bytes(&bytes)
                .ok()
                .filter(|key| key.layer() == layer && !key.board().legal_moves().is_empty())
                .ok_or_else(|| damaged("a position without parents is none"))?;
            here.push(Reached {
                key,
                expected: NOTHING_EXPECTED,
                linked: key == NodeKey::of(Board::START),
            });
        }
        Ok(())
    }

    fn take_children(&mut self, board: Board, expectation: Value) -> Result<(), ExchangeError> {
        let children = self.columns.take(Column::Children)?;
        self.count(children.into())?;
        let mut moves = board.legal_moves().into_iter();
        for _ in 0..children {
            let skipped = self.columns.take(Column::Moves)?;
            let next = moves
                .nth(skipped.into())
                .and_then(|square| board.play(square).ok())
                .ok_or_else(|| damaged("a move is none"))?;
            let (next, sign) = if next.legal_moves().is_empty() {
                (next.pass(), Sign::Plus)
            } else {
                (next, Sign::Minus)
            };
            if next.legal_moves().is_empty() {
                return Err(damaged("a game goes on after its end"));
            }
            self.reached.push(Reached {
                key: NodeKey::of(next),
                expected: sign.value(expectation),
                linked: true,
            });
        }
        Ok(())
    }

    fn count(&mut self, more: u64) -> Result<(), ExchangeError> {
        self.positions = self.positions.saturating_add(more);
        let allowed = self.columns.bytes_read().saturating_mul(POSITIONS_PER_BYTE);
        if self.positions > self.header.positions
            || self.positions > allowed.saturating_add(POSITIONS_ANYWAY)
        {
            return Err(damaged(
                "it has more positions than it says, or than it can hold",
            ));
        }
        Ok(())
    }
}

fn take_engines<R: Read>(columns: &mut ColumnReader<R>) -> Result<Engines, ExchangeError> {
    columns.begin_record()?;
    let count = columns.take_number(Column::EngineNames)?;
    if count > u8::MAX.into() {
        return Err(damaged("it has more engines than there are numbers"));
    }
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(take_text(columns, Column::EngineNames)?);
    }
    Ok(Engines::of_names(names))
}

fn take_note<R: Read>(columns: &mut ColumnReader<R>) -> Result<Option<Note>, ExchangeError> {
    let text = take_text(columns, Column::Note)?;
    Note::new(&text).map_err(|reason| damaged(reason.to_string()))
}

/// A length and so many bytes.
fn take_text<R: Read>(
    columns: &mut ColumnReader<R>,
    column: Column,
) -> Result<String, ExchangeError> {
    let length = columns.take_number(column)?;
    let bytes: Vec<u8> = (0..length)
        .map(|_| columns.take(column))
        .collect::<Result<_, _>>()?;
    String::from_utf8(bytes).map_err(|_| damaged(format!("in the column {column:?} is no text")))
}

impl Header {
    fn read(input: &mut impl Read) -> Result<Header, ExchangeError> {
        let mut bytes = [0; Header::BYTES];
        input
            .read_exact(&mut bytes)
            .map_err(|problem| ExchangeError::of_reading(Format::Compact, problem))?;
        Header::from_bytes(&bytes)
    }
}
