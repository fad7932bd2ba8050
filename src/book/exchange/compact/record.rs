//! One position as columns. What searches found is kept to the last bit; a value is written as the
//! difference from what the positions above it let expect.

use crate::book::node::{
    Alternative, Derived, Evaluation, Found, Level, Node, Origin, Value,
};
use crate::book::statistics::Statistics;
use super::super::ExchangeError;
use super::columns::{Column, ColumnReader, ColumnWriter, damaged};
use crate::othello::{Bitboard, Square};
use std::io::{Read, Write};

/// Bits of a position's kind: the lowest two are its origin.
const ORIGIN: u8 = 0b11;
const EVALUATED: u8 = 1 << 2;
const EVALUATION_WHOLE: u8 = 1 << 3;
const ALTERNATIVE_MOVE: u8 = 1 << 4;
const ALTERNATIVE_LIMIT: u8 = 1 << 5;
const ALTERNATIVE_WHOLE: u8 = 1 << 6;
const COUNTED: u8 = 1 << 7;

/// In a level's byte, beside the selectivity.
const SOLVED: u8 = 0x80;
/// In a move's byte: a square, not the number of a legal move. Only a damaged book needs it.
const BY_SQUARE: u8 = 0x80;

/// A value of hundredths comes in two bytes, one of whole discs in one.
struct ValueColumns {
    high: Column,
    low: Column,
}

const EVALUATION: ValueColumns = ValueColumns {
    high: Column::EvaluationHigh,
    low: Column::EvaluationLow,
};
const ALTERNATIVE: ValueColumns = ValueColumns {
    high: Column::AlternativeHigh,
    low: Column::AlternativeLow,
};

/// The value that the positions below are likely to be near: the best that is known without them.
pub fn expectation(node: &Node, expected: Value) -> Value {
    match (node.evaluation, node.alternative) {
        (Some(evaluation), _) => evaluation.value,
        (None, Some(alternative)) => match alternative.found {
            Found::Move(_, value) | Found::NoneAbove(value) => value,
        },
        (None, None) => expected,
    }
}

pub fn put<W: Write>(
    out: &mut ColumnWriter<W>,
    node: &Node,
    counted: Option<&Statistics>,
    expected: Value,
    legal: Bitboard,
) {
    let mut kind = match node.origin {
        Origin::Game => 0,
        Origin::Expansion => 1,
        Origin::Import => 2,
    };
    if let Some(Evaluation { value, level }) = node.evaluation {
        kind |= EVALUATED;
        put_level(
            out,
            [Column::EvaluationDepth, Column::EvaluationSurety],
            level,
        );
        if put_value(out, &EVALUATION, value, expected) {
            kind |= EVALUATION_WHOLE;
        }
    }
    if let Some(Alternative { found, level }) = node.alternative {
        put_level(
            out,
            [Column::AlternativeDepth, Column::AlternativeSurety],
            level,
        );
        let value = match found {
            Found::Move(square, value) => {
                kind |= ALTERNATIVE_MOVE;
                let number = legal.into_iter().position(|one| one == square);
                // No board has more than 64 moves.
                let byte = number.map_or(BY_SQUARE | square.index() as u8, |n| n as u8);
                out.put(Column::AlternativeMove, byte);
                value
            }
            Found::NoneAbove(value) => {
                kind |= ALTERNATIVE_LIMIT;
                value
            }
        };
        let expected = node.evaluation.map_or(expected, |own| own.value);
        if put_value(out, &ALTERNATIVE, value, expected) {
            kind |= ALTERNATIVE_WHOLE;
        }
    }
    if let Some(counted) = counted {
        kind |= COUNTED;
        put_statistics(out, counted);
    }
    out.put(Column::Kinds, kind);
}

pub fn take<R: Read>(
    input: &mut ColumnReader<R>,
    expected: Value,
    legal: Bitboard,
) -> Result<(Node, Option<Statistics>), ExchangeError> {
    let kind = input.take(Column::Kinds)?;
    let origin = match kind & ORIGIN {
        0 => Origin::Game,
        1 => Origin::Expansion,
        2 => Origin::Import,
        _ => return Err(damaged("a position has an unknown origin")),
    };
    let mut evaluation = None;
    if kind & EVALUATED != 0 {
        let level = take_level(input, [Column::EvaluationDepth, Column::EvaluationSurety])?;
        let value = take_value(input, &EVALUATION, kind & EVALUATION_WHOLE != 0, expected)?;
        evaluation = Some(Evaluation { value, level });
    }
    let mut alternative = None;
    let (is_move, is_limit) = (kind & ALTERNATIVE_MOVE != 0, kind & ALTERNATIVE_LIMIT != 0);
    if is_move && is_limit {
        return Err(damaged("an alternative is both a move and a limit"));
    }
    if is_move || is_limit {
        let level = take_level(input, [Column::AlternativeDepth, Column::AlternativeSurety])?;
        let square = if is_move {
            Some(take_move(input, legal)?)
        } else {
            None
        };
        let expected = evaluation.map_or(expected, |own| own.value);
        let value = take_value(input, &ALTERNATIVE, kind & ALTERNATIVE_WHOLE != 0, expected)?;
        let found = match square {
            Some(square) => Found::Move(square, value),
            None => Found::NoneAbove(value),
        };
        alternative = Some(Alternative { found, level });
    }
    let counted = if kind & COUNTED != 0 {
        Some(take_statistics(input)?)
    } else {
        None
    };
    let node = Node {
        origin,
        evaluation,
        alternative,
        derived: Derived::LEAF,
    };
    Ok((node, counted))
}

fn put_level<W: Write>(out: &mut ColumnWriter<W>, [depth, surety]: [Column; 2], level: Level) {
    let solved = if level.solved { SOLVED } else { 0 };
    out.put(depth, level.depth);
    out.put(surety, level.selectivity & !SOLVED | solved);
}

fn take_level<R: Read>(
    input: &mut ColumnReader<R>,
    [depth, surety]: [Column; 2],
) -> Result<Level, ExchangeError> {
    let depth = input.take(depth)?;
    let surety = input.take(surety)?;
    Ok(Level {
        depth,
        selectivity: surety & !SOLVED,
        solved: surety & SOLVED != 0,
    })
}

/// True if the value is in whole discs, as solved ones are.
fn put_value<W: Write>(
    out: &mut ColumnWriter<W>,
    columns: &ValueColumns,
    value: Value,
    expected: Value,
) -> bool {
    let centidiscs = value.centidiscs();
    if centidiscs % 100 == 0 {
        out.put(Column::Discs, (centidiscs / 100) as i8 as u8);
        return true;
    }
    // Within ±12 800, so the sign fits beside it.
    let difference = centidiscs - expected.centidiscs();
    let zigzag = (difference << 1 ^ difference >> 31) as u16;
    let [high, low] = zigzag.to_be_bytes();
    out.put(columns.high, high);
    out.put(columns.low, low);
    false
}

fn take_value<R: Read>(
    input: &mut ColumnReader<R>,
    columns: &ValueColumns,
    whole: bool,
    expected: Value,
) -> Result<Value, ExchangeError> {
    let centidiscs = if whole {
        100 * i32::from(input.take(Column::Discs)? as i8)
    } else {
        let zigzag = u16::from_be_bytes([input.take(columns.high)?, input.take(columns.low)?]);
        let zigzag = i32::from(zigzag);
        expected.centidiscs() + (zigzag >> 1 ^ -(zigzag & 1))
    };
    Value::new(centidiscs).ok_or_else(|| damaged("a value is beyond 64 discs"))
}

fn take_move<R: Read>(
    input: &mut ColumnReader<R>,
    legal: Bitboard,
) -> Result<Square, ExchangeError> {
    let byte = input.take(Column::AlternativeMove)?;
    let square = if byte & BY_SQUARE != 0 {
        Square::new(byte & !BY_SQUARE)
    } else {
        legal.into_iter().nth(usize::from(byte))
    };
    square.ok_or_else(|| damaged("an alternative is no move"))
}

fn put_statistics<W: Write>(out: &mut ColumnWriter<W>, counted: &Statistics) {
    out.put_number(Column::Games, counted.games.into());
    for results in [counted.wins, counted.draws, counted.losses] {
        out.put_number(Column::Results, results.into());
    }
    let sum = counted.disc_sum;
    out.put_number(Column::DiscSums, (sum << 1 ^ sum >> 63) as u64);
    let (first, last) = counted.years.unwrap_or((0, 0));
    out.put_number(Column::Years, first.into());
    if first != 0 {
        out.put_number(Column::Years, last.into());
    }
}

fn take_statistics<R: Read>(input: &mut ColumnReader<R>) -> Result<Statistics, ExchangeError> {
    fn within<T: TryFrom<u64>>(number: u64) -> Result<T, ExchangeError> {
        T::try_from(number).map_err(|_| damaged("a count is too large"))
    }
    let games = within(input.take_number(Column::Games)?)?;
    let mut results = [0u32; 3];
    for result in &mut results {
        *result = within(input.take_number(Column::Results)?)?;
    }
    let [wins, draws, losses] = results;
    let zigzag = input.take_number(Column::DiscSums)?;
    let disc_sum = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
    let first: u16 = within(input.take_number(Column::Years)?)?;
    let years = if first == 0 {
        None
    } else {
        Some((first, within(input.take_number(Column::Years)?)?))
    };
    let counted = Statistics {
        games,
        wins,
        draws,
        losses,
        disc_sum,
        years,
    };
    if !counted.is_possible() {
        return Err(damaged("the results of a position do not add up"));
    }
    Ok(counted)
}
