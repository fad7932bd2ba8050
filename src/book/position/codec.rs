//! Records as bytes: fixed sizes, big-endian, the format version in front. The only place that
//! knows bincode.

use crate::book::node::{Alternative, Bounds, Derived, Evaluation, Found, Level, Node, Origin, Value};
use crate::book::statistics::Statistics;
use crate::othello::{Score, Square};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The format that this program writes. A larger one is refused, not guessed at.
pub const FORMAT: u8 = 1;

/// No record is longer.
const LIMIT: usize = 64;

/// Bytes that are no record of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    #[error("the record is empty")]
    Empty,
    #[error("the record has format {0}; this program knows formats up to {FORMAT}")]
    Newer(u8),
    #[error("the record has {found} bytes instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("the record's {field} cannot be {found}")]
    Field { field: &'static str, found: i64 },
    #[error("the record cannot be coded: {0}")]
    Other(String),
}

/// A node on the disk. Rarely used fields come last: what is the same in all records costs
/// nothing once a block is compressed.
#[derive(Serialize, Deserialize)]
struct NodeRecord {
    version: u8,
    /// Bits 0–1: the origin; bit 2: the alternative is a limit, not a move.
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

const NODE_BYTES: usize = 20;
const NO_VALUE: i16 = i16::MIN;
const NO_SQUARE: u8 = 64;
const LIMIT_FLAG: u8 = 4;
/// Beside the selectivity in per cent.
const SOLVED: u8 = 0x80;

#[derive(Serialize, Deserialize)]
struct StatisticsRecord {
    version: u8,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    disc_sum: i64,
    /// 0 in both: no game was dated.
    first_year: u16,
    last_year: u16,
}

const STATISTICS_BYTES: usize = 29;

/// What a book remembers about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Profile {
    version: u8,
    /// Seconds since 1970.
    pub created: u64,
    /// The deepest ply that games were learned to.
    pub plies: u8,
    /// The lowest number of games that a position needed to come in.
    pub min_games: u32,
}

const PROFILE_BYTES: usize = 14;

impl Profile {
    pub const fn new(created: u64) -> Profile {
        Profile {
            version: FORMAT,
            created,
            plies: 0,
            min_games: u32::MAX,
        }
    }
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_big_endian()
        .with_fixed_int_encoding()
        .with_limit::<LIMIT>()
}

fn to_bytes<const N: usize>(record: &impl Serialize) -> [u8; N] {
    let mut bytes = [0; N];
    // Only a record of another size could fail here; the golden bytes in the tests pin the sizes.
    let written = bincode::serde::encode_into_slice(record, &mut bytes, config());
    debug_assert_eq!(written.ok(), Some(N));
    bytes
}

/// The version in front of a record is one that this program knows.
pub fn check_format(bytes: &[u8]) -> Result<(), CodecError> {
    match bytes.first() {
        None => Err(CodecError::Empty),
        Some(&version) if version > FORMAT => Err(CodecError::Newer(version)),
        Some(0) => Err(CodecError::Field {
            field: "format",
            found: 0,
        }),
        Some(_) => Ok(()),
    }
}

fn from_bytes<R: DeserializeOwned>(bytes: &[u8], expected: usize) -> Result<R, CodecError> {
    check_format(bytes)?;
    let found = bytes.len();
    if found != expected {
        return Err(CodecError::Length { found, expected });
    }
    bincode::serde::decode_from_slice(bytes, config())
        .map(|(record, _)| record)
        .map_err(|error| CodecError::Other(error.to_string()))
}

fn field<T>(
    field: &'static str,
    found: impl Into<i64> + Copy,
    value: Option<T>,
) -> Result<T, CodecError> {
    value.ok_or(CodecError::Field {
        field,
        found: found.into(),
    })
}

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

pub fn node_to_bytes(node: &Node) -> [u8; NODE_BYTES] {
    let origin = match node.origin {
        Origin::Game => 0,
        Origin::Expansion => 1,
        Origin::Import => 2,
    };
    let evaluation = node.evaluation.map(|evaluation| evaluation.level);
    let alternative = node.alternative.map(|alternative| alternative.level);
    let (alternative_move, alternative_value, limit) =
        match node.alternative.map(|alternative| alternative.found) {
            Some(Found::Move(square, value)) => (Some(square), Some(value), 0),
            Some(Found::NoneAbove(value)) => (None, Some(value), LIMIT_FLAG),
            None => (None, None, 0),
        };
    to_bytes(&NodeRecord {
        version: FORMAT,
        flags: origin | limit,
        value: raw_value(node.derived.value),
        best: raw_square(node.derived.best),
        lower: node.derived.bounds.lower.discs() as i8,
        upper: node.derived.bounds.upper.discs() as i8,
        lines: node.derived.lines,
        evaluation: raw_value(node.evaluation.map(|evaluation| evaluation.value)),
        evaluation_depth: evaluation.map_or(0, |level| level.depth),
        evaluation_surety: surety(evaluation),
        alternative_move: raw_square(alternative_move),
        alternative: raw_value(alternative_value),
        alternative_depth: alternative.map_or(0, |level| level.depth),
        alternative_surety: surety(alternative),
    })
}

pub fn node_from_bytes(bytes: &[u8]) -> Result<Node, CodecError> {
    let record: NodeRecord = from_bytes(bytes, NODE_BYTES)?;
    let origin = match record.flags & !LIMIT_FLAG {
        0 => Some(Origin::Game),
        1 => Some(Origin::Expansion),
        2 => Some(Origin::Import),
        _ => None,
    };
    let score = |name, raw: i8| field(name, raw, Score::new(raw.into()));
    let evaluation = value("evaluation", record.evaluation)?.map(|value| Evaluation {
        value,
        level: level(record.evaluation_depth, record.evaluation_surety),
    });
    let limit = record.flags & LIMIT_FLAG != 0;
    let alternative_move = square("alternative's move", record.alternative_move)?;
    let found = match (
        value("alternative", record.alternative)?,
        alternative_move,
        limit,
    ) {
        (Some(value), Some(square), false) => Some(Found::Move(square, value)),
        (Some(value), None, true) => Some(Found::NoneAbove(value)),
        (None, None, false) => None,
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
        }),
        derived: Derived {
            value: value("value", record.value)?,
            best: square("best move", record.best)?,
            bounds: Bounds {
                lower: score("lower bound", record.lower)?,
                upper: score("upper bound", record.upper)?,
            },
            lines: record.lines,
        },
    })
}

pub fn statistics_to_bytes(statistics: &Statistics) -> [u8; STATISTICS_BYTES] {
    let (first_year, last_year) = statistics.years.unwrap_or((0, 0));
    to_bytes(&StatisticsRecord {
        version: FORMAT,
        games: statistics.games,
        wins: statistics.wins,
        draws: statistics.draws,
        losses: statistics.losses,
        disc_sum: statistics.disc_sum,
        first_year,
        last_year,
    })
}

pub fn statistics_from_bytes(bytes: &[u8]) -> Result<Statistics, CodecError> {
    let record: StatisticsRecord = from_bytes(bytes, STATISTICS_BYTES)?;
    Ok(Statistics {
        games: record.games,
        wins: record.wins,
        draws: record.draws,
        losses: record.losses,
        disc_sum: record.disc_sum,
        years: (record.first_year != 0).then_some((record.first_year, record.last_year)),
    })
}

pub fn profile_to_bytes(profile: &Profile) -> [u8; PROFILE_BYTES] {
    to_bytes(profile)
}

pub fn profile_from_bytes(bytes: &[u8]) -> Result<Profile, CodecError> {
    from_bytes(bytes, PROFILE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            }),
            alternative: Some(Alternative {
                found: Found::Move(Square::new(19).unwrap(), Value::new(-6400).unwrap()),
                level: level(20, 100, true),
            }),
            derived: Derived {
                value: Value::new(258),
                best: Square::new(37),
                bounds: Bounds {
                    lower: Score::new(-64).unwrap(),
                    upper: Score::new(64).unwrap(),
                },
                lines: 0x0102_0304,
            },
        }
    }

    #[test]
    fn the_golden_bytes_of_nodes() {
        let fresh = node_to_bytes(&Node::new(Origin::Game));
        let expected = [
            1, 0, 0x80, 0, 64, 0xc0, 0x40, 0, 0, 0, 1, 0x80, 0, 0, 0, 64, 0x80, 0, 0, 0,
        ];
        assert_eq!(fresh, expected);
        let full = node_to_bytes(&full_node());
        let expected = [
            1, 1, 1, 2, 37, 0xc0, 0x40, 1, 2, 3, 4, 0xff, 0x6a, 12, 82, 19, 0xe7, 0, 20, 0xe4,
        ];
        assert_eq!(full, expected);
        assert_eq!(node_from_bytes(&full), Ok(full_node()));
    }

    #[test]
    fn the_golden_bytes_of_statistics_and_the_rest() {
        let statistics = Statistics {
            games: 1,
            wins: 2,
            draws: 3,
            losses: 4,
            disc_sum: -2,
            years: Some((1977, 2015)),
        };
        let bytes = statistics_to_bytes(&statistics);
        let expected = [
            1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xfe, 7, 0xb9, 7, 0xdf,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(statistics_from_bytes(&bytes), Ok(statistics));
        let none = Statistics::default();
        assert_eq!(statistics_from_bytes(&statistics_to_bytes(&none)), Ok(none));

        let profile = Profile {
            plies: 40,
            min_games: 2,
            ..Profile::new(258)
        };
        let bytes = profile_to_bytes(&profile);
        assert_eq!(bytes, [1, 0, 0, 0, 0, 0, 0, 1, 2, 40, 0, 0, 0, 2]);
        assert_eq!(profile_from_bytes(&bytes), Ok(profile));
    }

    #[test]
    fn what_is_no_record_is_told_why() {
        let good = node_to_bytes(&full_node());
        let changed = |place: usize, byte: u8| {
            let mut bytes = good;
            bytes[place] = byte;
            node_from_bytes(&bytes).unwrap_err().to_string()
        };
        assert_eq!(node_from_bytes(&[]), Err(CodecError::Empty));
        assert!(changed(0, 2).contains("format 2"));
        assert!(changed(0, 0).contains("format cannot be 0"));
        assert!(changed(1, 3).contains("origin"));
        assert!(changed(1, LIMIT_FLAG).contains("flags"));
        assert!(changed(2, 0x70).contains("value"));
        assert!(changed(4, 65).contains("best move cannot be 65"));
        assert!(changed(5, 100).contains("lower bound"));
        let short = node_from_bytes(&good[..19]).unwrap_err();
        assert_eq!(short.to_string(), "the record has 19 bytes instead of 20");
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
            bytes.resize(NODE_BYTES, 0);
            if let Ok(node) = node_from_bytes(&bytes) {
                prop_assert_eq!(node_from_bytes(&node_to_bytes(&node)), Ok(node));
            }
        }
    }
}
