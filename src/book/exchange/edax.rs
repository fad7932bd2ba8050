//! Edax's book: a record per position with the moves into the book ("links") and the best of the
//! others ("leaf"). Little-endian; values in whole discs; boards with bit 0 on a1, the smallest of
//! the eight images; moves 0–63, 64 a pass, 65 none.
//!
//! What it can hold: positions, results of games, proven bounds, one level, and either the
//! alternative or the position's own value. A forced pass is a record of its own there, and none
//! here.

use super::foreign::{
    Gatherer, Leaf, SOLVED_LEVEL, leaf_of, leave_out, level_of_number, number_of_level,
    value_of_discs, whole_discs, with_their_images,
};
use super::source::{Content, Input};
use super::spool::temporary;
use super::writing::{Continuation, for_each_layer_of_records};
use super::{ExchangeError, Format};
use crate::book::Watcher;
use crate::book::absorb::Incoming;
use crate::book::edge::{Destination, Sign};
use crate::book::key::NodeKey;
use crate::book::node::{Bounds, Derived, EngineNumber, Evaluation, Node, Origin, Value};
use crate::book::scan::{Link, Scanned, into_the_book};
use crate::book::statistics::Statistics;
use crate::book::store::{Reader, Table};
use crate::othello::{Bitboard, Board, Square};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Read, Seek, Write};

const MAGIC: &[u8; 8] = b"XADEKOOB";
const ENGINE: &str = "edax";
const VERSION: u8 = 4;
const RELEASE: u8 = 4;
/// How far off its searches may be, in discs: what Edax adds to a value to get a bound.
const ERROR: i32 = 2;
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;
/// No value.
const UNKNOWN: i8 = -127;
const HEADER_BYTES: usize = 42;
const FIXED_BYTES: usize = 40;

pub fn recognises(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

pub fn read(mut input: Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError> {
    let format = Format::Edax;
    let mut fill = |bytes: &mut [u8]| {
        input
            .read_exact(bytes)
            .map_err(|problem| ExchangeError::of_reading(format, problem))
    };
    let mut header = [0; HEADER_BYTES];
    fill(&mut header)?;
    let found = header[8];
    if found > VERSION {
        let known = VERSION;
        return Err(ExchangeError::Newer {
            format,
            found,
            known,
        });
    }
    // Bounds are proven where they meet, unless the file takes every search for exact.
    let proves = number(&header, 26) > 0 && number(&header, 30) > 0;
    let count = u64::try_from(number(&header, 38)).map_err(|_| ExchangeError::Damaged {
        format,
        what: "it has a negative number of positions".into(),
    })?;
    let mut gatherer = Gatherer::new(format);
    let engine = gatherer.engine(ENGINE);
    for record in 1..=count {
        let mut fixed = [0; FIXED_BYTES];
        fill(&mut fixed)?;
        let mut links = vec![0; 2 * usize::from(fixed[38]) + 2];
        fill(&mut links)?;
        let position = read_record(&gatherer, record, &fixed, &links, proves, engine)?;
        gatherer.add(position)?;
    }
    let mut rest = [0];
    if input.read(&mut rest).map_err(ExchangeError::Io)? > 0 {
        let what = "it has more positions than it says".into();
        return Err(ExchangeError::Damaged { format, what });
    }
    let content = gatherer.finish(|position, inside| {
        let node = &mut position.node;
        let names_a_move = node.alternative.is_some_and(|a| a.found.square().is_some());
        // Beside links or a leaf, the value only repeats what follows from them.
        let repeats = !inside.is_empty() || names_a_move;
        node.evaluation = node.evaluation.filter(|own| own.level.solved || !repeats);
    })?;
    Ok(Box::new(content))
}

fn number(bytes: &[u8], place: usize) -> i32 {
    bytes
        .get(place..)
        .and_then(<[u8]>::first_chunk)
        .map_or(0, |bytes| i32::from_le_bytes(*bytes))
}

fn small(bytes: &[u8], place: usize) -> i16 {
    bytes
        .get(place..)
        .and_then(<[u8]>::first_chunk)
        .map_or(0, |bytes| i16::from_le_bytes(*bytes))
}

fn discs(bytes: &[u8], place: usize) -> u64 {
    bytes
        .get(place..)
        .and_then(<[u8]>::first_chunk)
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn read_record(
    gatherer: &Gatherer,
    record: u64,
    fixed: &[u8; FIXED_BYTES],
    links: &[u8],
    proves: bool,
    engine: EngineNumber,
) -> Result<Incoming, ExchangeError> {
    let board = gatherer.board(record, discs(fixed, 0), discs(fixed, 8))?;
    let (key, symmetry) = NodeKey::with_symmetry(board);
    let moves = board.legal_moves();
    let square = |byte: u8| -> Result<Option<Square>, ExchangeError> {
        match byte {
            NO_MOVE => Ok(None),
            PASS if board.must_pass() => Ok(None),
            _ => Square::new(byte)
                .filter(|square| moves.contains(*square))
                .map(Some)
                .ok_or_else(|| gatherer.wrong(record, format!("has the illegal move {byte}"))),
        }
    };
    let level = level_of_number(fixed[39], board);
    let value = |number: i32| -> Result<Option<Value>, ExchangeError> {
        match value_of_discs(number) {
            Some(value) => Ok(Some(value)),
            None if number.abs() == i32::from(UNKNOWN.unsigned_abs()) => Ok(None),
            None => Err(gatherer.wrong(record, format!("has the value {number}"))),
        }
    };
    let mut pairs = links.chunks_exact(2);
    let leaf = pairs.next_back().unwrap_or(&[0, NO_MOVE]);
    let mut linked = Bitboard::EMPTY;
    for link in pairs {
        value(i32::from(link[0] as i8))?;
        if let Some(square) = square(link[1])? {
            linked = linked.with(symmetry.apply_to_square(square));
        }
    }
    let leaf_move = square(leaf[1])?;
    let alternative = value(i32::from(leaf[0] as i8))?
        .map(|value| Leaf {
            square: leaf_move,
            value,
            level,
        })
        .and_then(|leaf| leaf.alternative(board, symmetry, engine));

    let score = value(small(fixed, 32).into())?;
    let lower = value(small(fixed, 34).into())?;
    let upper = value(small(fixed, 36).into())?;
    if lower > upper && upper.is_some() {
        return Err(gatherer.wrong(record, "has a lower bound above the upper one"));
    }
    // The level is the leaf's: only bounds that meet prove the value itself.
    let meet = score.is_some() && lower == score && upper == score;
    let stated = fixed[39];
    let level = if meet && (proves || stated >= SOLVED_LEVEL) {
        level_of_number(SOLVED_LEVEL, board)
    } else {
        level_of_number(stated.min(SOLVED_LEVEL - 1), board)
    };
    // Level 0 without a proof was not searched at all.
    let searched = score.filter(|_| level.depth > 0 || level.solved);
    let results = [16, 20, 24].map(|place| number(fixed, place) as u32);
    let evaluation = searched.map(|value| Evaluation {
        value,
        level,
        engine,
    });
    let mut node = Node {
        evaluation,
        alternative,
        ..Node::new(Origin::Import)
    };
    leave_out(&mut node, || with_their_images(key, linked));
    Ok(Incoming {
        key,
        node,
        counted: counted(results)
            .ok_or_else(|| gatherer.wrong(record, "has more games than there are numbers"))?,
        linked: false,
    })
}

/// None inside if nothing was counted.
fn counted([wins, draws, losses]: [u32; 3]) -> Option<Option<Statistics>> {
    let games = wins.checked_add(draws)?.checked_add(losses)?;
    Some((games > 0).then_some(Statistics {
        games,
        wins,
        draws,
        losses,
        discs_unknown: true,
        ..Statistics::default()
    }))
}

pub fn write(
    reader: &Reader<'_>,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    // The number of records comes first in the file, and is known last.
    let mut body = BufWriter::new(temporary());
    let mut positions = 0;
    let mut records = 0u64;
    let level = level_of_book(reader)?;
    for_each_layer_of_records(reader, statistics, watcher, |layer| {
        let mut passes = BTreeMap::new();
        let record = |row: &Scanned, links: &[Link<Continuation>]| Record::of(row, links, level);
        layer.put_records(record, |record, lines| {
            let bytes = record.to_bytes(lines);
            body.write_all(&bytes).map_err(ExchangeError::Io)?;
            passes.extend(record.passes);
            Ok(())
        })?;
        for (board, behind) in &passes {
            let bytes = Record::of_pass(*board, behind, level).to_bytes(behind.lines);
            body.write_all(&bytes).map_err(ExchangeError::Io)?;
        }
        positions += layer.rows.len() as u64;
        records += (layer.rows.len() + passes.len()) as u64;
        Ok(())
    })?;
    let count = i32::try_from(records).map_err(|_| ExchangeError::TooMany {
        format: Format::Edax,
        positions,
    })?;
    out.write_all(&header(level, count))
        .map_err(ExchangeError::Io)?;
    let mut body = body
        .into_inner()
        .map_err(|error| ExchangeError::Io(error.into_error()))?;
    body.rewind().map_err(ExchangeError::Io)?;
    io::copy(&mut body, out).map_err(ExchangeError::Io)?;
    Ok(positions)
}

/// How hard the book was looked at: as most of what was searched and not solved. Edax has one level
/// for a book, and gives it to positions whose moves are all in it.
fn level_of_book(reader: &Reader<'_>) -> Result<u8, ExchangeError> {
    let mut count = [0u64; SOLVED_LEVEL as usize + 1];
    let mut rows = reader.rows(Table::Nodes, None)?;
    while let Some((_, node)) = rows.next_node()? {
        let own = node.evaluation.map(|own| own.level);
        let other = node.alternative.map(|other| other.level);
        for level in own.into_iter().chain(other) {
            count[usize::from(number_of_level(level))] += 1;
        }
    }
    let searched = (0..SOLVED_LEVEL).max_by_key(|level| count[usize::from(*level)]);
    let searched = searched.filter(|level| count[usize::from(*level)] > 0);
    let solved = count[usize::from(SOLVED_LEVEL)] > 0;
    Ok(searched.unwrap_or(if solved { SOLVED_LEVEL } else { 0 }))
}

fn header(level: u8, count: i32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&[VERSION, RELEASE]);
    // No date: the same book gives the same bytes.
    let numbers = [i32::from(level), 0, ERROR, ERROR, 0, count];
    for (place, number) in (18..).step_by(4).zip(numbers) {
        header[place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    header
}

/// A position as Edax writes it.
struct Record {
    board: Board,
    results: [u32; 3],
    value: Option<Value>,
    bounds: Bounds,
    level: u8,
    /// A value and a move each; the last one is the leaf.
    links_and_leaf: Vec<u8>,
    /// Where a move forces the opponent to pass: the board then, and what is known behind the
    /// pass.
    passes: Vec<(Board, Continuation)>,
}

impl Record {
    fn of(row: &Scanned, links: &[Link<Continuation>], level_of_book: u8) -> Record {
        let (board, symmetry) = row.key.board().canonical_with_symmetry();
        let Derived {
            value,
            best,
            bounds,
            ..
        } = row.node.derived;
        let mut links_and_leaf = Vec::new();
        let mut passes = Vec::new();
        for link in into_the_book(links) {
            let (Destination::Position { key, sign }, Some(below)) = (link.edge.to, link.below)
            else {
                continue;
            };
            let value = below.derived.value.map(|value| sign.value(value));
            let square = symmetry.apply_to_square(link.edge.square);
            links_and_leaf.extend(pair(value, Some(square)));
            if sign == Sign::Plus {
                passes.push((key.board().pass().canonical(), below));
            }
        }
        // Where there is no leaf, a move that ends the game and is the best one is told as such.
        let ends = links.iter().find_map(|link| match link.edge.to {
            Destination::End(score) if best == Some(link.edge.square) => {
                let square = symmetry.apply_to_square(link.edge.square);
                Some((square, Value::of_score(score)))
            }
            _ => None,
        });
        let leaf = leaf_of(&row.node, links, symmetry);
        links_and_leaf.extend(match (&leaf, ends) {
            (Some(leaf), _) => pair(Some(leaf.value), leaf.square),
            (None, Some((square, value))) => pair(Some(value), Some(square)),
            (None, None) => pair(None, None),
        });
        let level = match (&leaf, row.node.evaluation) {
            (Some(leaf), _) => number_of_level(leaf.level),
            (None, Some(own)) => number_of_level(own.level),
            // All of its moves are in the book: it is worth what the book is.
            (None, None) => level_of_book,
        };
        let counted = row.counted.unwrap_or_default();
        Record {
            board,
            results: [counted.wins, counted.draws, counted.losses],
            value,
            bounds,
            level,
            links_and_leaf,
            passes,
        }
    }

    /// The record between two moves of one player.
    fn of_pass(board: Board, behind: &Continuation, level_of_book: u8) -> Record {
        let value = behind.derived.value.map(|value| -value);
        let [score, _] = pair(value, None);
        let [no_value, no_move] = pair(None, None);
        Record {
            board,
            results: [0; 3],
            value,
            bounds: Sign::Minus.bounds(behind.derived.bounds),
            level: level_of_book,
            links_and_leaf: vec![score, PASS, no_value, no_move],
            passes: Vec::new(),
        }
    }

    fn to_bytes(&self, lines: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED_BYTES + self.links_and_leaf.len());
        bytes.extend(self.board.mover().0.to_le_bytes());
        bytes.extend(self.board.opponent().0.to_le_bytes());
        for number in self.results.into_iter().chain([lines]) {
            bytes.extend(number.to_le_bytes());
        }
        let Bounds { lower, upper } = self.bounds;
        let value = i16::from(self.value.map_or(UNKNOWN, whole_discs));
        for number in [value, lower.discs() as i16, upper.discs() as i16] {
            bytes.extend(number.to_le_bytes());
        }
        // A board has at most 33 moves.
        let links = (self.links_and_leaf.len() / 2 - 1) as u8;
        bytes.extend([links, self.level]);
        bytes.extend(&self.links_and_leaf);
        bytes
    }
}

/// A link, or the leaf.
fn pair(value: Option<Value>, square: Option<Square>) -> [u8; 2] {
    let score = value.map_or(UNKNOWN, whole_discs) as u8;
    [score, square.map_or(NO_MOVE, |square| square.index() as u8)]
}
