//! The compact form → positions, layer by layer from the start on.

use crate::book::absorb::Linker;
use crate::book::edge::Sign;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::Value;
use super::super::{ExchangeError, Format, Incoming};
use super::columns::{Column, ColumnReader, damaged};
use super::record;
use super::{Header, NOTHING_EXPECTED};
use crate::othello::Board;
use std::io::Read;

/// No honest file has more positions for its bytes; beyond, it would be a trap for the memory.
const POSITIONS_PER_BYTE: u64 = 64;
const POSITIONS_ANYWAY: u64 = 1 << 16;

/// Reads one layer after the other.
pub struct Unpacker<R> {
    header: Header,
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
    pub fn new(mut input: R) -> Result<Unpacker<R>, ExchangeError> {
        Ok(Unpacker {
            header: Header::read(&mut input)?,
            columns: ColumnReader::new(input),
            layers: Box::new(Layer::all()),
            reached: Vec::new(),
            linker: None,
            positions: 0,
        })
    }

    /// How many positions the file says that it has.
    pub const fn positions(&self) -> u64 {
        self.header.positions
    }

    /// The positions of the next layer that has any, in order. None after the last one, when the
    /// whole file has been found right.
    pub fn next_layer(&mut self) -> Result<Option<Vec<Incoming>>, ExchangeError> {
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
            let board = one.key.board();
            let (node, counted) =
                record::take(&mut self.columns, one.expected, board.legal_moves())?;
            let expectation = record::expectation(&node, one.expected);
            self.take_children(board, expectation)?;
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

impl Header {
    fn read(input: &mut impl Read) -> Result<Header, ExchangeError> {
        let mut bytes = [0; Header::BYTES];
        input
            .read_exact(&mut bytes)
            .map_err(|problem| ExchangeError::of_reading(Format::Compact, problem))?;
        Header::from_bytes(&bytes)
    }
}
