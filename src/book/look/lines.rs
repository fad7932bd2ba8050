//! The lines of a book that matter most: the best one, and those that give away least.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::node::Value;
use crate::book::openings::{Opening, Openings};
use crate::book::store::{Reader, StoreError};
use crate::othello::{Board, Color, Position, Square, Symmetry};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// A line of best play from the start, but for moves in its beginning that gave something away.
#[derive(Clone, Debug)]
pub struct Line {
    pub moves: Vec<Square>,
    /// What Black gets in the end.
    pub value: Value,
    /// What both players together gave away.
    pub loss: Value,
    pub opening: Option<&'static Opening>,
}

const F5: Square = Square::at(5, 4);
/// Later than this, leaving best play makes no other line.
const LAST_PLY_TO_LEAVE: usize = 12;
/// Beginnings that are looked at before it must be enough, for a book of one opening.
const MOST_BEGINNINGS: usize = 2000;

/// The best lines, the best one first: of each opening the one that gives away least.
pub fn best_lines(reader: &Reader<'_>, count: usize) -> Result<Vec<Line>, StoreError> {
    let mut lines: Vec<Line> = Vec::new();
    let mut names = HashSet::new();
    let mut ends = HashSet::new();
    // By what is given away so far, then by length.
    let mut beginnings = BinaryHeap::from([Reverse((0, Vec::new()))]);
    for _ in 0..MOST_BEGINNINGS {
        let Some(Reverse((loss, mut moves))) = beginnings.pop() else {
            break;
        };
        let Some(mut position) = after(&moves) else {
            continue;
        };
        let mut value = None;
        loop {
            let choice = Choice::at(reader, position)?;
            if value.is_none() {
                value = choice
                    .value
                    .map(|value| seen_by_black(value, position.turn));
            }
            let Some((best, _)) = choice.best() else {
                break;
            };
            if moves.len() < LAST_PLY_TO_LEAVE {
                for (square, given) in choice.others() {
                    let mut leaving = moves.clone();
                    leaving.push(square);
                    beginnings.push(Reverse((loss + given, leaving)));
                }
            }
            // A best move is legal unless the record is damaged, which a check would tell.
            let Ok(next) = position.play(best) else {
                break;
            };
            moves.push(best);
            position = next;
        }
        let Some(value) = value else {
            continue;
        };
        let opening = Openings::shipped().of_moves(&moves);
        let is_new = ends.insert(NodeKey::of(position.board))
            && names.insert(opening.map(|opening| opening.name.as_str()));
        if is_new {
            lines.push(Line {
                moves: as_people_write(moves),
                value,
                loss: Value::new(loss).unwrap_or(Value::MAX),
                opening,
            });
            if lines.len() == count {
                break;
            }
        }
    }
    Ok(lines)
}

fn after(moves: &[Square]) -> Option<Position> {
    moves
        .iter()
        .try_fold(Position::START, |position, square| position.play(*square))
        .ok()
}

/// The same line turned so that it begins with f5.
fn as_people_write(mut moves: Vec<Square>) -> Vec<Square> {
    let turned = Symmetry::all().find(|symmetry| {
        let first = moves
            .first()
            .map(|square| symmetry.apply_to_square(*square));
        first == Some(F5) && Board::START.under(*symmetry) == Board::START
    });
    if let Some(symmetry) = turned {
        for square in &mut moves {
            *square = symmetry.apply_to_square(*square);
        }
    }
    moves
}

fn seen_by_black(value: Value, turn: Color) -> Value {
    match turn {
        Color::Black => value,
        Color::White => -value,
    }
}

/// The moves of a position that the book has a value of, the best one first.
struct Choice {
    value: Option<Value>,
    moves: Vec<(Square, Value)>,
}

impl Choice {
    fn at(reader: &Reader<'_>, position: Position) -> Result<Choice, StoreError> {
        let (key, symmetry) = NodeKey::with_symmetry(position.board);
        let Some(node) = reader.node(key)? else {
            return Ok(Choice {
                value: None,
                moves: Vec::new(),
            });
        };
        let best = node
            .derived
            .best
            .map(|square| symmetry.inverse().apply_to_square(square));
        let mut moves = Vec::new();
        for edge in edges(position.board) {
            let value = match edge.to {
                Destination::End(score) => Some(Value::of_score(score)),
                Destination::Position { key, sign } => reader
                    .node(key)?
                    .and_then(|child| child.derived.value)
                    .map(|value| sign.value(value)),
            };
            // The best move may be one that is not in the book: then the line ends with it.
            let value = value.or(node.derived.value.filter(|_| best == Some(edge.square)));
            if let Some(value) = value {
                moves.push((edge.square, value));
            }
        }
        moves.sort_by_key(|(square, value)| (best != Some(*square), Reverse(*value), *square));
        if best.is_none() {
            moves.clear();
        }
        Ok(Choice {
            value: node.derived.value,
            moves,
        })
    }

    fn best(&self) -> Option<(Square, Value)> {
        self.moves.first().copied()
    }

    /// The other moves with what each gives away, in hundredths of a disc.
    fn others(&self) -> impl Iterator<Item = (Square, i32)> {
        let best = self.best().map_or(0, |(_, value)| value.centidiscs());
        let others = self.moves.iter().skip(1);
        others.map(move |(square, value)| (*square, (best - value.centidiscs()).max(0)))
    }
}
