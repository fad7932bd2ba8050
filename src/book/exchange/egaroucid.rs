//! Egaroucid's book, version 3: 25 bytes per position, without links. Little-endian; values in whole
//! discs; the most significant bit is a1, so that its boards are ours turned by half, and a move is
//! the number of its bit.
//!
//! What it can hold: positions, the value and its level, lines, and the best of the moves that are
//! not in the book with its own level.

use super::foreign::{
    Gatherer, Leaf, leaf_of, leave_out, level_of_number, number_of_level, value_of_discs,
    whole_discs,
};
use super::source::{Content, Input};
use super::writing::for_each_layer_of_records;
use super::{ExchangeError, Format};
use crate::book::Watcher;
use crate::book::absorb::Incoming;
use crate::book::key::NodeKey;
use crate::book::node::{EngineNumber, Evaluation, Found, Level, Node, Origin, Value};
use crate::book::scan::{Link, Scanned};
use crate::book::store::{Reader, Table};
use crate::othello::Square;
use std::io::{Read, Write};
use std::ops::Range;

const MAGIC: &[u8; 9] = b"DICUORAGE";
const ENGINE: &str = "egaroucid";
const VERSION: u8 = 3;
const HEADER_BYTES: usize = 14;
const RECORD_BYTES: usize = 25;
/// Where a record has the number of lines below its position.
const LINES: Range<usize> = 18..22;
const NO_MOVE: i8 = 65;
/// From here on a move is none.
const UNKNOWN_MOVE: i8 = 125;
const UNKNOWN_VALUE: i8 = -126;
const UNKNOWN_LEVEL: i8 = -1;

pub fn recognises(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

pub fn read(mut input: Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError> {
    let format = Format::Egaroucid;
    let mut fill = |bytes: &mut [u8]| {
        input
            .read_exact(bytes)
            .map_err(|problem| ExchangeError::of_reading(format, problem))
    };
    let mut header = [0; HEADER_BYTES];
    fill(&mut header)?;
    let [.., found, a, b, c, d] = header;
    if found > VERSION {
        let known = VERSION;
        return Err(ExchangeError::Newer {
            format,
            found,
            known,
        });
    }
    let damaged = |what: &str| ExchangeError::Damaged {
        format,
        what: what.into(),
    };
    if found < VERSION {
        return Err(damaged(
            "it is of an older version; let Egaroucid save it anew",
        ));
    }
    let count = u64::try_from(i32::from_le_bytes([a, b, c, d]))
        .map_err(|_| damaged("it has a negative number of positions"))?;
    let mut gatherer = Gatherer::new(format);
    let engine = gatherer.engine(ENGINE);
    for record in 1..=count {
        let mut bytes = [0; RECORD_BYTES];
        fill(&mut bytes)?;
        let position = read_record(&gatherer, record, &bytes, engine)?;
        gatherer.add(position)?;
    }
    let mut rest = [0];
    if input.read(&mut rest).map_err(ExchangeError::Io)? > 0 {
        return Err(damaged("it has more positions than it says"));
    }
    let content = gatherer.finish(|position, inside| {
        let node = &mut position.node;
        leave_out(node, || inside);
        if !inside.is_empty() {
            // The value follows from the positions below.
            node.evaluation = None;
        } else if let (Some(own), Some(leaf)) = (node.evaluation, node.alternative) {
            let depth = |level: Level| (level.solved, level.depth);
            if depth(leaf.level) < depth(own.level) {
                // The deeper search of all moves knows better than the one that named a move.
                node.alternative = None;
            } else if let Found::Move(_, value) = leaf.found
                && (value, leaf.level) == (own.value, own.level)
            {
                // The value only repeats what the leaf says.
                node.evaluation = None;
            }
        }
    })?;
    Ok(Box::new(content))
}

fn read_record(
    gatherer: &Gatherer,
    record: u64,
    bytes: &[u8; RECORD_BYTES],
    engine: EngineNumber,
) -> Result<Incoming, ExchangeError> {
    let discs = |place: usize| {
        let bytes = bytes.get(place..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    // Half a turn is one of the symmetries, so the bits can be taken as they are.
    let board = gatherer.board(record, discs(0), discs(8))?;
    let (key, symmetry) = NodeKey::with_symmetry(board);
    let [
        ..,
        value,
        level,
        _,
        _,
        _,
        _,
        leaf_value,
        leaf_move,
        leaf_level,
    ] = bytes.map(|b| b as i8);
    let known = |value: i8, level: i8| -> Result<Option<(Value, Level)>, ExchangeError> {
        match value_of_discs(value.into()) {
            None if value.unsigned_abs() < UNKNOWN_VALUE.unsigned_abs() => {
                Err(gatherer.wrong(record, format!("has the value {value}")))
            }
            None => Ok(None),
            Some(_) if level <= 0 => Ok(None),
            Some(value) => Ok(Some((value, level_of_number(level.unsigned_abs(), board)))),
        }
    };
    let own = known(value, level)?;
    let square = match leaf_move {
        ..0 | NO_MOVE | UNKNOWN_MOVE.. => None,
        // A pass leads nowhere.
        64 if board.must_pass() => None,
        _ => Some(
            Square::new(leaf_move as u8)
                .filter(|square| board.legal_moves().contains(*square))
                .ok_or_else(|| {
                    gatherer.wrong(record, format!("has the illegal move {leaf_move}"))
                })?,
        ),
    };
    let alternative = known(leaf_value, leaf_level)?
        .map(|(value, level)| Leaf {
            square,
            value,
            level,
        })
        .and_then(|leaf| leaf.alternative(board, symmetry, engine));
    let evaluation = own.map(|(value, level)| Evaluation {
        value,
        level,
        engine,
    });
    Ok(Incoming {
        key,
        node: Node {
            evaluation,
            alternative,
            ..Node::new(Origin::Import)
        },
        counted: None,
        linked: false,
    })
}

pub fn write(
    reader: &Reader<'_>,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    let positions = reader.count(Table::Nodes)?;
    let count = i32::try_from(positions).map_err(|_| ExchangeError::TooMany {
        format: Format::Egaroucid,
        positions,
    })?;
    for part in [&MAGIC[..], &[VERSION], &count.to_le_bytes()] {
        out.write_all(part).map_err(ExchangeError::Io)?;
    }
    for_each_layer_of_records(reader, false, watcher, |layer| {
        layer.put_records(record_without_lines, |mut bytes, lines| {
            bytes[LINES].copy_from_slice(&lines.to_le_bytes());
            out.write_all(&bytes).map_err(ExchangeError::Io)
        })
    })?;
    Ok(positions)
}

fn record_without_lines<T>(row: &Scanned, links: &[Link<T>]) -> [u8; RECORD_BYTES] {
    let (board, symmetry) = row.key.board().canonical_with_symmetry();
    let leads_on = links.iter().any(|link| link.below.is_some());
    let leaf = leaf_of(&row.node, links, symmetry);
    // Without positions below, the value is the position's own; else it follows from them. A value
    // that rests on the end of the game alone has no level.
    let own = row.node.evaluation;
    let derived = &row.node.derived;
    let (value, level) = match (own, leads_on, &leaf) {
        (Some(own), false, _) => (Some(own.value), Some(own.level)),
        (Some(own), true, _) => (derived.value, Some(own.level)),
        (None, false, Some(leaf)) => {
            let best = derived.best.map(|square| symmetry.apply_to_square(square));
            let rests_on_it = best.is_some() && leaf.square == best;
            (derived.value, rests_on_it.then_some(leaf.level))
        }
        (None, _, leaf) => (derived.value, leaf.as_ref().map(|leaf| leaf.level)),
    };
    let level_byte = |level: Option<Level>| match level.map(number_of_level) {
        // Level 0 would read as not searched.
        Some(level) => level.max(1) as i8,
        None => UNKNOWN_LEVEL,
    };
    let mut bytes = [0; RECORD_BYTES];
    bytes[..8].copy_from_slice(&board.mover().0.to_le_bytes());
    bytes[8..16].copy_from_slice(&board.opponent().0.to_le_bytes());
    let byte = |value: Option<Value>| value.map_or(UNKNOWN_VALUE, whole_discs) as u8;
    bytes[16] = byte(value);
    bytes[17] = level_byte(level) as u8;
    bytes[22] = byte(leaf.as_ref().map(|leaf| leaf.value));
    bytes[23] = match &leaf {
        Some(leaf) => leaf
            .square
            .map_or(NO_MOVE as u8, |square| square.index() as u8),
        None => UNKNOWN_MOVE as u8,
    };
    bytes[24] = level_byte(leaf.as_ref().map(|leaf| leaf.level)) as u8;
    bytes
}
