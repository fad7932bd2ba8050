//! The book below a position as a tree, the best moves first: for drawing.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::node::Value;
use crate::book::openings::{Opening, Openings};
use crate::book::store::{Reader, StoreError};
use crate::othello::{Position, Square};
use std::cmp::Reverse;
use std::collections::HashSet;

/// A position of the book and the move that led there.
#[derive(Clone, Debug)]
pub struct Branch {
    /// None at the root.
    pub square: Option<Square>,
    pub position: Position,
    /// Seen by the player who made the move; at the root by the one to move.
    pub value: Option<Value>,
    /// The result is proven.
    pub proven: bool,
    pub games: u32,
    /// Where the position has a name of its own.
    pub opening: Option<&'static Opening>,
    /// It was drawn before, with what is below it: another way leads there.
    pub again: bool,
    /// Moves of the book that are not drawn.
    pub more: usize,
    pub branches: Vec<Branch>,
}

/// How much to draw.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Moves from the root.
    pub depth: usize,
    /// Moves from each position.
    pub width: usize,
}

/// The tree below a position; none if the book does not have it.
pub fn tree(
    reader: &Reader<'_>,
    position: Position,
    extent: Extent,
) -> Result<Option<Branch>, StoreError> {
    let key = NodeKey::of(position.board);
    let Some(node) = reader.node(key)? else {
        return Ok(None);
    };
    let mut root = Branch {
        square: None,
        position,
        value: node.derived.value,
        proven: node.derived.bounds.is_exact(),
        games: games(reader, key)?,
        opening: Openings::shipped().at(position.board),
        again: false,
        more: 0,
        branches: Vec::new(),
    };
    grow(reader, &mut root, extent, &mut HashSet::from([key]))?;
    Ok(Some(root))
}

fn games(reader: &Reader<'_>, key: NodeKey) -> Result<u32, StoreError> {
    Ok(reader.statistics(key)?.map_or(0, |found| found.games))
}

fn grow(
    reader: &Reader<'_>,
    branch: &mut Branch,
    extent: Extent,
    drawn: &mut HashSet<NodeKey>,
) -> Result<(), StoreError> {
    let mut moves: Vec<(NodeKey, Branch)> = Vec::new();
    for edge in edges(branch.position.board) {
        let Destination::Position { key, sign } = edge.to else {
            continue;
        };
        // Symmetric moves to one position are one branch.
        if moves.iter().any(|(known, _)| *known == key) {
            continue;
        }
        let (Some(node), Ok(position)) = (reader.node(key)?, branch.position.play(edge.square))
        else {
            continue;
        };
        moves.push((
            key,
            Branch {
                square: Some(edge.square),
                position,
                value: node.derived.value.map(|value| sign.value(value)),
                proven: node.derived.bounds.is_exact(),
                games: games(reader, key)?,
                opening: Openings::shipped().at(position.board),
                again: false,
                more: 0,
                branches: Vec::new(),
            },
        ));
    }
    if extent.depth == 0 {
        branch.more = moves.len();
        return Ok(());
    }
    moves.sort_by_key(|(_, branch)| (Reverse((branch.value, branch.games)), branch.square));
    branch.more = moves.len().saturating_sub(extent.width);
    let below = Extent {
        depth: extent.depth - 1,
        ..extent
    };
    for (key, mut next) in moves.into_iter().take(extent.width) {
        if drawn.insert(key) {
            grow(reader, &mut next, below, drawn)?;
        } else {
            next.again = true;
        }
        branch.branches.push(next);
    }
    Ok(())
}
