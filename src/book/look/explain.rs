//! On what a value rests: the line of best moves down to the search, or the end of the game, that
//! it comes from.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::node::{Level, Node};
use crate::book::store::{Reader, StoreError};
use crate::othello::{Position, Score, Square};

/// One position of the line.
#[derive(Clone, Debug)]
pub struct Step {
    /// In the orientation that was asked in, with a forced pass made.
    pub position: Position,
    pub node: Node,
    pub support: Support,
}

/// What a position's value rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// The next position of the line, after this move.
    Book(Square),
    /// A search found this move, which has no value in the book.
    Alternative(Square, Level),
    /// The move ends the game, with this result for the player who makes it.
    End(Square, Score),
    /// A search of the position itself.
    Evaluation(Level),
    /// The value is unknown, or no longer follows from what is below: a propagation is due.
    Nothing,
}

impl Support {
    pub const fn square(self) -> Option<Square> {
        match self {
            Support::Book(square) | Support::Alternative(square, _) | Support::End(square, _) => {
                Some(square)
            }
            Support::Evaluation(_) | Support::Nothing => None,
        }
    }
}

/// The line from a position on; empty if the book does not have it.
pub fn explain(reader: &Reader<'_>, position: Position) -> Result<Vec<Step>, StoreError> {
    let mut steps = Vec::new();
    let mut next = Some(position);
    while let Some(position) = next.take() {
        let position = position.after_forced_pass();
        let (key, symmetry) = NodeKey::with_symmetry(position.board);
        let Some(node) = reader.node(key)? else {
            break;
        };
        let as_asked = |square| symmetry.inverse().apply_to_square(square);
        let support = match node.derived.best.map(as_asked) {
            Some(best) => support_of(reader, position, &node, best, as_asked)?,
            None => match node.evaluation {
                Some(own) if node.derived.value.is_some() => Support::Evaluation(own.level),
                _ => Support::Nothing,
            },
        };
        if let Support::Book(best) = support {
            next = position.play(best).ok();
        }
        steps.push(Step {
            position,
            node,
            support,
        });
    }
    Ok(steps)
}

fn support_of(
    reader: &Reader<'_>,
    position: Position,
    node: &Node,
    best: Square,
    as_asked: impl Fn(Square) -> Square,
) -> Result<Support, StoreError> {
    let edge = edges(position.board)
        .into_iter()
        .find(|edge| edge.square == best);
    match edge.map(|edge| edge.to) {
        Some(Destination::End(score)) => return Ok(Support::End(best, score)),
        Some(Destination::Position { key, .. })
            if reader
                .node(key)?
                .is_some_and(|child| child.derived.value.is_some()) =>
        {
            return Ok(Support::Book(best));
        }
        _ => {}
    }
    Ok(match node.alternative {
        Some(known) if known.found.square().map(as_asked) == Some(best) => {
            Support::Alternative(best, known.level)
        }
        _ => Support::Nothing,
    })
}
