//! The records of positions.
//!
//! Format 1 had the number of lines below a position in its record, and neither the engines nor
//! the moves that a solved alternative looked at. Such records are read, never written.

use super::{CodecError, FORMAT, field, from_bytes, to_bytes};
use crate::book::key::NodeKey;
use crate::book::node::{
    Alternative, Bounds, Derived, EngineNumber, Evaluation, Found, Level, Node, Origin, Value,
};
use crate::othello::{Bitboard, Score, Square};
use serde::{Deserialize, Serialize};

/// The format before positions knew their engines.
const FORMAT_WITH_LINES: u8 = 1;

/// A node on the disk. Rarely used fields come last: what is the same in all records costs
/// nothing once a block is compressed. Behind it, if the alternative is solved, the moves that it
/// looked at: a bit for each legal move by its number.
#[derive(Serialize, Deserialize)]
struct NodeRecord {
    version: u8,
    /// Bits 0–1: the origin; then the flags below.
    flags: u8,
    value: i16,
    best: u8,
    lower: i8,
    upper: i8,
    evaluation: i16,
    evaluation_depth: u8,
    evaluation_surety: u8,
    evaluation_engine: u8,
    alternative_move: u8,
    alternative: i16,
    alternative_depth: u8,
    alternative_surety: u8,
    alternative_engine: u8,
}

/// The same in format 1.
#[derive(Serialize, Deserialize)]
struct NodeRecordWithLines {
    version: u8,
    flags: u8,
    value: i16,
    best: u8,
    lower: i8,
    upper: i8,
    lines: u32,
    evaluation: i16,
    evaluation_depth: u8,
    evaluation_surety: u8,
    alternative_move: u8,
    alternative: i16,
    alternative_depth: u8,
    alternative_surety: u8,
}

impl From<NodeRecordWithLines> for NodeRecord {
    fn from(old: NodeRecordWithLines) -> NodeRecord {
        NodeRecord {
            version: FORMAT,
            flags: old.flags | if old.lines > 1 { LEADS_ON } else { 0 },
            value: old.value,
            best: old.best,
            lower: old.lower,
            upper: old.upper,
            evaluation: old.evaluation,
            evaluation_depth: old.evaluation_depth,
            evaluation_surety: old.evaluation_surety,
            evaluation_engine: EngineNumber::UNKNOWN.0,
            alternative_move: old.alternative_move,
            alternative: old.alternative,
            alternative_depth: old.alternative_depth,
            // What it looked at is unknown, so it proves nothing any more.
            alternative_surety: old.alternative_surety & !SOLVED,
            alternative_engine: EngineNumber::UNKNOWN.0,
        }
    }
}

const NODE_BYTES: usize = 18;
const NODE_BYTES_WITH_LINES: usize = 20;
/// The moves that a solved alternative looked at.
const AMONG_BYTES: usize = 4;
const NO_VALUE: i16 = i16::MIN;
const NO_SQUARE: u8 = 64;
const ORIGIN: u8 = 3;
/// The alternative is a limit, not a move.
const LIMIT_FLAG: u8 = 4;
/// The alternative is a move that is worth no less.
const AT_LEAST: u8 = 8;
const LEADS_ON: u8 = 16;
/// Beside the selectivity in per cent.
const SOLVED: u8 = 0x80;

fn value(name: &'static str, raw: i16) -> Result<Option<Value>, CodecError> {
    if raw == NO_VALUE {
        return Ok(None);
    }
    field(name, raw, Value::new(raw.into())).map(Some)
}

fn square(name: &'static str, raw: u8) -> Result<Option<Square>, CodecError> {
    if raw == NO_SQUARE {
        return Ok(None);
    }
    field(name, raw, Square::new(raw)).map(Some)
}

fn raw_value(value: Option<Value>) -> i16 {
    // A value is within ±6400.
    value.map_or(NO_VALUE, |value| value.centidiscs() as i16)
}

fn raw_square(square: Option<Square>) -> u8 {
    square.map_or(NO_SQUARE, |square| square.index() as u8)
}

fn surety(level: Option<Level>) -> u8 {
    level.map_or(0, |level| {
        level.selectivity & !SOLVED | if level.solved { SOLVED } else { 0 }
    })
}

fn level(depth: u8, surety: u8) -> Level {
    Level {
        depth,
        selectivity: surety & !SOLVED,
        solved: surety & SOLVED != 0,
    }
}

/// A node's record: as long as it needs to be.
pub struct NodeBytes {
    bytes: [u8; NODE_BYTES + AMONG_BYTES],
    length: usize,
}

impl AsRef<[u8]> for NodeBytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

pub fn node_to_bytes(key: NodeKey, node: &Node) -> NodeBytes {
    let origin = match node.origin {
        Origin::Game => 0,
        Origin::Expansion => 1,
        Origin::Import => 2,
    };
    let evaluation = node.evaluation.map(|evaluation| evaluation.level);
    let alternative = node.alternative.map(|alternative| alternative.level);
    let found = node.alternative.map(|alternative| alternative.found);
    let kind = match found {
        Some(Found::NoneAbove(_)) => LIMIT_FLAG,
        Some(Found::AtLeast(..)) => AT_LEAST,
        Some(Found::Move(..)) | None => 0,
    };
    let leads_on = if node.derived.leads_on { LEADS_ON } else { 0 };
    let record: [u8; NODE_BYTES] = to_bytes(&NodeRecord {
        version: FORMAT,
        flags: origin | kind | leads_on,
        value: raw_value(node.derived.value),
        best: raw_square(node.derived.best),
        lower: node.derived.bounds.lower.discs() as i8,
        upper: node.derived.bounds.upper.discs() as i8,
        evaluation: raw_value(node.evaluation.map(|evaluation| evaluation.value)),
        evaluation_depth: evaluation.map_or(0, |level| level.depth),
        evaluation_surety: surety(evaluation),
        evaluation_engine: node.evaluation.map_or(0, |evaluation| evaluation.engine.0),
        alternative_move: raw_square(found.and_then(Found::square)),
        alternative: raw_value(found.map(Found::value)),
        alternative_depth: alternative.map_or(0, |level| level.depth),
        alternative_surety: surety(alternative),
        alternative_engine: node
            .alternative
            .map_or(0, |alternative| alternative.engine.0),
    });
    let mut bytes = NodeBytes {
        bytes: [0; NODE_BYTES + AMONG_BYTES],
        length: NODE_BYTES,
    };
    let (front, back) = bytes.bytes.split_at_mut(NODE_BYTES);
    front.copy_from_slice(&record);
    if let Some(solved) = node.alternative.filter(|known| known.level.solved) {
        let numbers = numbers_of_moves(key, solved.among);
        back.copy_from_slice(&numbers.to_be_bytes());
        bytes.length = NODE_BYTES + AMONG_BYTES;
    }
    bytes
}

/// A bit for each of these that is a legal move, by its number. The last moves of a board with
/// more than 32 have none: of them a solved search then says nothing.
pub fn numbers_of_moves(key: NodeKey, moves: Bitboard) -> u32 {
    let legal = key.board().legal_moves().into_iter();
    let bits = legal
        .zip(0..32)
        .filter(|(square, _)| moves.contains(*square));
    bits.fold(0, |all, (_, number)| all | 1 << number)
}

/// The moves with these numbers.
pub fn moves_of_numbers(key: NodeKey, numbers: u32) -> Bitboard {
    let legal = key.board().legal_moves().into_iter();
    let named = legal
        .zip(0..32)
        .filter(|(_, number)| numbers >> number & 1 == 1);
    named.map(|(square, _)| square).collect()
}

pub fn node_from_bytes(key: NodeKey, bytes: &[u8]) -> Result<Node, CodecError> {
    let (record, among) = if bytes.first() == Some(&FORMAT_WITH_LINES) {
        let old: NodeRecordWithLines = from_bytes(bytes, NODE_BYTES_WITH_LINES)?;
        (NodeRecord::from(old), None)
    } else {
        let (front, back) = bytes.split_at_checked(NODE_BYTES).unwrap_or((bytes, &[]));
        let record: NodeRecord = from_bytes(front, NODE_BYTES)?;
        let expected = if record.alternative_surety & SOLVED == 0 {
            0
        } else {
            AMONG_BYTES
        };
        if back.len() != expected {
            let (found, expected) = (bytes.len(), NODE_BYTES + expected);
            return Err(CodecError::Length { found, expected });
        }
        let numbers = back.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
        (record, numbers)
    };
    let origin = match record.flags & ORIGIN {
        0 => Some(Origin::Game),
        1 => Some(Origin::Expansion),
        2 => Some(Origin::Import),
        _ => None,
    };
    let origin =
        origin.filter(|_| record.flags & !(ORIGIN | LIMIT_FLAG | AT_LEAST | LEADS_ON) == 0);
    let score = |name, raw: i8| field(name, raw, Score::new(raw.into()));
    let evaluation = value("evaluation", record.evaluation)?.map(|value| Evaluation {
        value,
        level: level(record.evaluation_depth, record.evaluation_surety),
        engine: EngineNumber(record.evaluation_engine),
    });
    let alternative_move = square("alternative's move", record.alternative_move)?;
    let found = match (
        value("alternative", record.alternative)?,
        alternative_move,
        record.flags & (LIMIT_FLAG | AT_LEAST),
    ) {
        (Some(value), Some(square), 0) => Some(Found::Move(square, value)),
        (Some(value), Some(square), AT_LEAST) => Some(Found::AtLeast(square, value)),
        (Some(value), None, LIMIT_FLAG) => Some(Found::NoneAbove(value)),
        (None, None, 0) => None,
        _ => {
            return Err(CodecError::Field {
                field: "flags",
                found: record.flags.into(),
            });
        }
    };
    Ok(Node {
        origin: field("origin", record.flags, origin)?,
        evaluation,
        alternative: found.map(|found| Alternative {
            found,
            level: level(record.alternative_depth, record.alternative_surety),
            engine: EngineNumber(record.alternative_engine),
            among: match among {
                Some(numbers) => moves_of_numbers(key, numbers),
                None => key.board().legal_moves(),
            },
        }),
        derived: Derived {
            value: value("value", record.value)?,
            best: square("best move", record.best)?,
            bounds: Bounds {
                lower: score("lower bound", record.lower)?,
                upper: score("upper bound", record.upper)?,
            },
            leads_on: record.flags & LEADS_ON != 0,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::codec::{profile_from_bytes, statistics_from_bytes};
    use crate::othello::Board;
    use proptest::prelude::*;

    fn key() -> NodeKey {
        NodeKey::of(Board::START)
    }

    fn full_node() -> Node {
        let level = |depth, selectivity, solved| Level {
            depth,
            selectivity,
            solved,
        };
        Node {
            origin: Origin::Expansion,
            evaluation: Some(Evaluation {
                value: Value::new(-150).unwrap(),
                level: level(12, 82, false),
                engine: EngineNumber(3),
            }),
            alternative: Some(Alternative {
                found: Found::Move(Square::new(19).unwrap(), Value::new(-6400).unwrap()),
                level: level(20, 100, true),
                engine: EngineNumber(4),
                // The first and the last of the four legal moves.
                among: moves_of_numbers(key(), 0b1001),
            }),
            derived: Derived {
                value: Value::new(258),
                best: Square::new(37),
                bounds: Bounds {
                    lower: Score::new(-64).unwrap(),
                    upper: Score::new(64).unwrap(),
                },
                leads_on: true,
            },
        }
    }

    #[test]
    fn the_golden_bytes_of_nodes() {
        let fresh = node_to_bytes(key(), &Node::new(Origin::Game));
        let expected = [
            2, 0, 0x80, 0, 64, 0xc0, 0x40, 0x80, 0, 0, 0, 0, 64, 0x80, 0, 0, 0, 0,
        ];
        assert_eq!(fresh.as_ref(), expected);
        let full = node_to_bytes(key(), &full_node());
        let expected = [
            2, 17, 1, 2, 37, 0xc0, 0x40, 0xff, 0x6a, 12, 82, 3, 19, 0xe7, 0, 20, 0xe4, 4, 0, 0, 0,
            9,
        ];
        assert_eq!(full.as_ref(), expected);
        assert_eq!(node_from_bytes(key(), full.as_ref()), Ok(full_node()));
    }

    #[test]
    fn a_record_of_format_1_is_read_and_its_solved_alternative_proves_nothing() {
        let bytes = [
            1, 1, 1, 2, 37, 0xc0, 0x40, 1, 2, 3, 4, 0xff, 0x6a, 12, 82, 19, 0xe7, 0, 20, 0xe4,
        ];
        let mut expected = full_node();
        expected.evaluation.as_mut().unwrap().engine = EngineNumber::UNKNOWN;
        let alternative = expected.alternative.as_mut().unwrap();
        alternative.engine = EngineNumber::UNKNOWN;
        alternative.level.solved = false;
        alternative.among = key().board().legal_moves();
        assert_eq!(node_from_bytes(key(), &bytes), Ok(expected));
        let short = node_from_bytes(key(), &bytes[..19]).unwrap_err();
        assert_eq!(short.to_string(), "the record has 19 bytes instead of 20");
    }

    #[test]
    fn what_is_no_record_is_told_why() {
        let good = node_to_bytes(key(), &full_node()).as_ref().to_vec();
        let changed = |place: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[place] = byte;
            node_from_bytes(key(), &bytes).unwrap_err().to_string()
        };
        assert_eq!(node_from_bytes(key(), &[]), Err(CodecError::Empty));
        assert!(changed(0, 3).contains("format 3"));
        assert!(changed(0, 0).contains("format cannot be 0"));
        assert!(changed(1, 3).contains("origin"));
        assert!(changed(1, 128).contains("origin"));
        assert!(changed(1, LIMIT_FLAG).contains("flags"));
        assert!(changed(2, 0x70).contains("value"));
        assert!(changed(4, 65).contains("best move cannot be 65"));
        assert!(changed(5, 100).contains("lower bound"));
        let short = node_from_bytes(key(), &good[..21]).unwrap_err();
        assert_eq!(short.to_string(), "the record has 21 bytes instead of 22");
    }

    proptest! {
        #[test]
        fn no_bytes_panic_and_what_is_read_is_written_back(
            mut bytes in prop::collection::vec(any::<u8>(), 0..32),
        ) {
            let _ = statistics_from_bytes(&bytes);
            let _ = profile_from_bytes(&bytes);
            if let Some(version) = bytes.first_mut() {
                *version = FORMAT;
            }
            for length in [NODE_BYTES, NODE_BYTES + AMONG_BYTES] {
                bytes.resize(length, 0);
                if let Ok(node) = node_from_bytes(key(), &bytes) {
                    let written = node_to_bytes(key(), &node);
                    prop_assert_eq!(node_from_bytes(key(), written.as_ref()), Ok(node));
                }
            }
        }
    }
}
