//! Parents without stored links: a parent occupies the same squares but the last move's, and keys
//! begin with the occupied squares. So one filtered look per disc that may have been the last
//! finds them all, transpositions included.

use crate::book::edge::{Destination, for_each_edge};
use crate::book::key::NodeKey;
use crate::book::store::{Reader, ShapeFinder, StoreError};
use crate::othello::{Bitboard, Board};

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
        self.look(board, last, |candidate| leads_to(candidate, key))
    }

    /// The same for a board on which the game is over, and which is no position of the book.
    pub fn before_the_end(&mut self, end: Board) -> Result<Vec<NodeKey>, StoreError> {
        let last = ends_of_turned_lines(end.mover()) | ends_of_turned_lines(end.opponent());
        // It is nobody's turn any more.
        let ends = [end.canonical(), end.pass().canonical()];
        self.look(end, last, |candidate| {
            let board = candidate.board();
            let after = |square| board.play(square).ok().map(Board::canonical);
            let mut after = board.legal_moves().into_iter().filter_map(after);
            after.any(|board| ends.contains(&board))
        })
    }

    /// The positions of the book that lack one of these discs and fit.
    fn look(
        &mut self,
        board: Board,
        last: Bitboard,
        fits: impl Fn(NodeKey) -> bool,
    ) -> Result<Vec<NodeKey>, StoreError> {
        let mut found = Vec::new();
        for square in last {
            let before = board.occupied() ^ square.into();
            self.shapes.find(before, |candidate| {
                if fits(candidate) {
                    found.push(candidate);
                }
            })?;
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
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
