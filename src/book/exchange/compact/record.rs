//! One position as columns. What searches found is kept to the last bit; a value is written as the
//! difference from what the positions above it let expect.

use super::super::ExchangeError;
use super::Header;
use super::columns::{Column, ColumnReader, ColumnWriter, damaged};
use crate::book::codec::{moves_of_numbers, numbers_of_moves};
use crate::book::key::NodeKey;
use crate::book::node::{
    Alternative, Derived, EngineNumber, Evaluation, Found, Level, Node, Origin, Value,
};
use crate::book::scan::Scanned;
use crate::book::statistics::Statistics;
use crate::othello::{Bitboard, Square};
use std::io::{Read, Write};

/// Bits of a position's kind: the lowest two are its origin.
const ORIGIN: u8 = 0b11;
const EVALUATED: u8 = 1 << 2;
const EVALUATION_WHOLE: u8 = 1 << 3;
const ALTERNATIVE_MOVE: u8 = 1 << 4;
const ALTERNATIVE_LIMIT: u8 = 1 << 5;
/// A move that is worth no less: in version 1 nothing was both.
const ALTERNATIVE_AT_LEAST: u8 = ALTERNATIVE_MOVE | ALTERNATIVE_LIMIT;
const ALTERNATIVE_WHOLE: u8 = 1 << 6;
const COUNTED: u8 = 1 << 7;

/// In a level's byte, beside the selectivity.
const SOLVED: u8 = 0x80;

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
        (None, Some(alternative)) => alternative.found.value(),
        (None, None) => expected,
    }
}

pub fn put<W: Write>(out: &mut ColumnWriter<W>, row: &Scanned, expected: Value) {
    let Scanned { key, node, counted } = row;
    let mut kind = match node.origin {
        Origin::Game => 0,
        Origin::Expansion => 1,
        Origin::Import => 2,
    };
    if let Some(own) = node.evaluation {
        kind |= EVALUATED;
        put_level(
            out,
            [Column::EvaluationDepth, Column::EvaluationSurety],
            own.level,
        );
        out.put(Column::EvaluationEngine, own.engine.0);
        if put_value(out, &EVALUATION, own.value, expected) {
            kind |= EVALUATION_WHOLE;
        }
    }
    if let Some(alternative) = node.alternative {
        let Alternative {
            found,
            level,
            engine,
            among,
        } = alternative;
        put_level(
            out,
            [Column::AlternativeDepth, Column::AlternativeSurety],
            level,
        );
        out.put(Column::AlternativeEngine, engine.0);
        if level.solved {
            let left_out = numbers_of_moves(*key, !among);
            out.put_number(Column::LeftOut, left_out.into());
        }
        kind |= match found {
            Found::Move(..) => ALTERNATIVE_MOVE,
            Found::AtLeast(..) => ALTERNATIVE_AT_LEAST,
            Found::NoneAbove(_) => ALTERNATIVE_LIMIT,
        };
        if let Some(square) = found.square() {
            // How many legal moves come before it: fewer than 64.
            let before = Bitboard(square.bit() - 1) & key.board().legal_moves();
            out.put(Column::AlternativeMove, before.count() as u8);
        }
        let expected = node.evaluation.map_or(expected, |own| own.value);
        if put_value(out, &ALTERNATIVE, found.value(), expected) {
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
    header: Header,
    key: NodeKey,
    expected: Value,
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
        let engine = take_engine(input, header, Column::EvaluationEngine)?;
        let value = take_value(input, &EVALUATION, kind & EVALUATION_WHOLE != 0, expected)?;
        evaluation = Some(Evaluation {
            value,
            level,
            engine,
        });
    }
    let mut alternative = None;
    if kind & ALTERNATIVE_AT_LEAST != 0 {
        let expected = evaluation.map_or(expected, |own| own.value);
        alternative = Some(take_alternative(input, header, key, kind, expected)?);
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

fn take_alternative<R: Read>(
    input: &mut ColumnReader<R>,
    header: Header,
    key: NodeKey,
    kind: u8,
    expected: Value,
) -> Result<Alternative, ExchangeError> {
    let legal = key.board().legal_moves();
    let mut level = take_level(input, [Column::AlternativeDepth, Column::AlternativeSurety])?;
    // What it looked at is unknown, so it proves nothing.
    level.solved &= header.has_engines();
    let engine = take_engine(input, header, Column::AlternativeEngine)?;
    let among = if level.solved {
        take_among(input, key)?
    } else {
        legal
    };
    let square = if kind & ALTERNATIVE_MOVE != 0 {
        Some(take_move(input, legal)?)
    } else {
        None
    };
    let value = take_value(input, &ALTERNATIVE, kind & ALTERNATIVE_WHOLE != 0, expected)?;
    let found = match (square, kind & ALTERNATIVE_LIMIT != 0) {
        (Some(square), false) => Found::Move(square, value),
        (Some(square), true) if header.has_engines() => Found::AtLeast(square, value),
        (Some(_), true) => return Err(damaged("an alternative is both a move and a limit")),
        (None, _) => Found::NoneAbove(value),
    };
    Ok(Alternative {
        found,
        level,
        engine,
        among,
    })
}

fn take_engine<R: Read>(
    input: &mut ColumnReader<R>,
    header: Header,
    column: Column,
) -> Result<EngineNumber, ExchangeError> {
    if header.has_engines() {
        input.take(column).map(EngineNumber)
    } else {
        Ok(EngineNumber::UNKNOWN)
    }
}

/// All but those that were left out.
fn take_among<R: Read>(
    input: &mut ColumnReader<R>,
    key: NodeKey,
) -> Result<Bitboard, ExchangeError> {
    let left_out = u32::try_from(input.take_number(Column::LeftOut)?).ok();
    left_out
        .filter(|numbers| moves_of_numbers(key, *numbers).count() == numbers.count_ones())
        .map(|numbers| moves_of_numbers(key, !numbers))
        .ok_or_else(|| damaged("an alternative left out a move that is none"))
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
    let number = input.take(Column::AlternativeMove)?;
    let mut moves = legal.into_iter();
    moves
        .nth(number.into())
        .ok_or_else(|| damaged("an alternative is no legal move"))
}

/// One disc more than all results can have together: nobody told how many there are.
fn unknown_discs(counted: &Statistics) -> i64 {
    64 * counted.decided() as i64 + 1
}

fn put_statistics<W: Write>(out: &mut ColumnWriter<W>, counted: &Statistics) {
    out.put_number(Column::Games, counted.games.into());
    for results in [counted.wins, counted.draws, counted.losses] {
        out.put_number(Column::Results, results.into());
    }
    let sum = match counted.discs_unknown {
        true => unknown_discs(counted),
        false => counted.disc_sum,
    };
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
    let mut counted = Statistics {
        games,
        wins,
        draws,
        losses,
        disc_sum,
        discs_unknown: false,
        years,
    };
    if disc_sum == unknown_discs(&counted) {
        counted.disc_sum = 0;
        counted.discs_unknown = true;
    }
    if !counted.is_possible() {
        return Err(damaged("the results of a position do not add up"));
    }
    Ok(counted)
}
