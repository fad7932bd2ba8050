//! The widest gaps of a book: positions that people reach most and that it has no value for.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::store::{Reader, StoreError};
use crate::othello::{Position, Square};
use std::collections::{BinaryHeap, HashSet};

/// A position without a value.
#[derive(Clone, Debug)]
pub struct Gap {
    /// One way to get there.
    pub moves: Vec<Square>,
    /// How many games of people did.
    pub games: u32,
}

/// Positions that are looked at before it must be enough.
const MOST_LOOKS: usize = 20_000;

/// The widest gaps, the widest first. Looks at the positions of a book in the order of their games,
/// and below none that is a gap.
pub fn gaps(reader: &Reader<'_>, count: usize) -> Result<Vec<Gap>, StoreError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let start = NodeKey::of(Position::START.board);
    let games = |key| -> Result<u32, StoreError> {
        Ok(reader.statistics(key)?.map_or(0, |found| found.games))
    };
    let mut waiting = BinaryHeap::from([(games(start)?, Vec::<Square>::new())]);
    for _ in 0..MOST_LOOKS {
        let Some((games_here, moves)) = waiting.pop() else {
            break;
        };
        if games_here == 0 || found.len() == count {
            break;
        }
        let Some(position) = after(&moves) else {
            continue;
        };
        let node = reader.node(NodeKey::of(position.board))?;
        if node.is_none_or(|node| node.derived.value.is_none()) {
            let games = games_here;
            found.push(Gap { moves, games });
            continue;
        }
        for edge in edges(position.board) {
            if let Destination::Position { key, .. } = edge.to
                && seen.insert(key)
            {
                let mut line = moves.clone();
                line.push(edge.square);
                waiting.push((games(key)?, line));
            }
        }
    }
    Ok(found)
}

/// Where moves lead; none if they are not legal, which those of a book are.
fn after(moves: &[Square]) -> Option<Position> {
    moves
        .iter()
        .try_fold(Position::START, |position, &square| position.play(square))
        .ok()
}
