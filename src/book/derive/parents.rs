//! Parents without stored links: a parent occupies the same squares but the last move's, and keys
//! begin with the occupied squares. So one filtered look per disc that may have been the last
//! finds them all, transpositions included.

use crate::book::edge::{Destination, for_each_edge};
use crate::book::key::NodeKey;
use crate::book::store::{Reader, ShapeFinder, StoreError};
use crate::othello::Bitboard;

/// Finds the positions of the book with a move to a given one. Sees the book as it was when the
/// finder was made.
pub struct ParentFinder<'a> {
    shapes: ShapeFinder<'a>,
}

impl<'a> ParentFinder<'a> {
    pub fn new(reader: &'a Reader<'_>) -> Result<ParentFinder<'a>, StoreError> {
        Ok(ParentFinder {
            shapes: reader.shapes()?,
        })
    }

    /// All parents of a position, in order, each once.
    pub fn find(&mut self, key: NodeKey) -> Result<Vec<NodeKey>, StoreError> {
        let board = key.board();
        let mut last = ends_of_turned_lines(board.opponent());
        // Where the opponent cannot move, the mover may have moved before, too.
        if board.pass().legal_moves().is_empty() {
            last |= ends_of_turned_lines(board.mover());
        }
        let mut parents = Vec::new();
        for square in last {
            let before = board.occupied() ^ square.into();
            self.shapes.find(before, |candidate| {
                if leads_to(candidate, key) {
                    parents.push(candidate);
                }
            })?;
        }
        parents.sort_unstable();
        parents.dedup();
        Ok(parents)
    }
}

fn leads_to(from: NodeKey, to: NodeKey) -> bool {
    let mut found = false;
    for_each_edge(from.board(), |edge| {
        found |= matches!(edge.to, Destination::Position { key, .. } if key == to);
    });
    found
}

/// The discs that may have been played last by their owner: a move turns at least one disc, so
/// two more of his lie behind it in some direction.
fn ends_of_turned_lines(own: Bitboard) -> Bitboard {
    let beside = own.shifted();
    let ends = |direction: usize| {
        let behind_one = own & beside[direction];
        behind_one & behind_one.shifted()[direction]
    };
    (0..beside.len())
        .map(ends)
        .fold(Bitboard::EMPTY, |all, one| all | one)
}
