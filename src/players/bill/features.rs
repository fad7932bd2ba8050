//! The four features of a position: current mobility, potential mobility, sequence penalty, edges.

use super::edge::EdgeTable;
use super::lines::{Indices, Side};
use super::mobility::{LineTables, Mobility};
use super::possible::SITUATIONS;
use crate::othello::{Board, Square};

pub const FEATURES: usize = 4;

/// Seen by the player to move: mobility, potential mobility, sequences, edges.
pub type Features = [i32; FEATURES];

/// The X-squares b2, g2, b7 and g7.
const X_SQUARES: [Square; 4] = [
    Square::at(1, 1),
    Square::at(6, 1),
    Square::at(1, 6),
    Square::at(6, 6),
];

/// Each edge: its line, and the X-squares beside its first and its last corner.
const EDGES: [(usize, usize, usize); 4] = [(0, 0, 1), (7, 2, 3), (8, 0, 2), (15, 1, 3)];

/// The tables behind the features.
pub struct Knowledge {
    lines: LineTables,
    /// For each edge, what it is worth to the first side when it is to move, and when it is not.
    edges: Vec<[i16; 2]>,
}

impl Knowledge {
    /// With the probabilities of possible edge moves, in 255ths.
    pub fn new(probabilities: &[u8; SITUATIONS]) -> Knowledge {
        Knowledge {
            lines: LineTables::new(),
            edges: EdgeTable::new(probabilities).by_side(),
        }
    }

    /// The features of a board whose lines have these indices and where this side is to move.
    #[inline]
    pub fn features(&self, board: Board, indices: &Indices, to_move: Side) -> Features {
        let mobility = Mobility::of(&self.lines, board, indices, to_move);
        let edges = self.edges(board, indices, to_move);
        [
            mobility.current,
            mobility.potential,
            mobility.sequence,
            edges,
        ]
    }

    fn edges(&self, board: Board, indices: &Indices, to_move: Side) -> i32 {
        let (first, second) = match to_move {
            Side::First => (board.mover(), board.opponent()),
            Side::Second => (board.opponent(), board.mover()),
        };
        let states = X_SQUARES.map(|square| {
            usize::from(first.contains(square)) + 2 * usize::from(second.contains(square))
        });
        let sum: i32 = EDGES
            .iter()
            .map(|&(line, near, far)| {
                let index = indices.line(line) + 6561 * states[near] + 19683 * states[far];
                i32::from(self.edges[index][to_move as usize])
            })
            .sum();
        match to_move {
            Side::First => sum,
            Side::Second => -sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Random, Symmetry};
    use crate::players::bill::edge::{EDGE_SQUARES, edge_states};
    use crate::players::bill::lines::index_of;

    #[test]
    fn the_features_are_those_of_the_tables_whichever_name_the_sides_have() {
        let probabilities = [40; SITUATIONS];
        let knowledge = Knowledge::new(&probabilities);
        let table = EdgeTable::new(&probabilities);
        let mut random = Random::new(6);
        for _ in 0..20 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let of =
                    |board: Board, side| knowledge.features(board, &Indices::of(board, side), side);
                let features = of(board, Side::First);
                let edges: i32 = EDGE_SQUARES
                    .iter()
                    .map(|squares| table.value(index_of(&edge_states(board, squares))))
                    .sum();
                assert_eq!(features[3], edges);
                assert_eq!(features, of(board, Side::Second));
                for symmetry in Symmetry::all() {
                    assert_eq!(features, of(board.under(symmetry), Side::First));
                }
                board = board.play(square).unwrap();
            }
        }
    }
}
