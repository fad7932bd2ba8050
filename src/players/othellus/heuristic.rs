//! The heuristics of the paper by name: which moves they consider, what a move earns, and what a
//! board is worth.
//!
//! Where the paper names no number: a square that a corner has made safe gains 30 (enlargeCornerArea
//! has "a constant, non-optimized changing value"), a disc beside an own one on an edge gains 5
//! (checkNeighbours).

use super::weights;
use crate::othello::{Bitboard, Board, Square};
use crate::players::Component;

const SAFE_BESIDE_CORNER: i32 = 30;
const NEIGHBOUR_ON_EDGE: i32 = 5;

/// What decides between moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heuristic {
    /// Any move.
    Random,
    /// mobPos: the matrix, and mobility by the stage of the game.
    Stages,
    /// mostFlipped: as many discs as possible.
    MostFlipped,
    /// lowSurroundings: squares whose neighbours are worth little to the opponent.
    LowSurroundings,
    /// enlargeCornerArea: with a corner, the squares beside it along the edges become good.
    Corners,
    /// checkNeighbours: rows of discs on the edges.
    Edges,
    /// Perpendicular or diagonal as the first answer, never parallel.
    Opening,
}

impl Heuristic {
    pub const fn player_name(self) -> &'static str {
        match self {
            Heuristic::Random => "othellus-random",
            Heuristic::Stages => "othellus",
            Heuristic::MostFlipped => "othellus-most-flipped",
            Heuristic::LowSurroundings => "othellus-low-surroundings",
            Heuristic::Corners => "othellus-corners",
            Heuristic::Edges => "othellus-edges",
            Heuristic::Opening => "othellus-opening",
        }
    }

    /// The moves to choose from: all legal ones, save in the opening.
    pub fn allowed(self, board: Board) -> Bitboard {
        let legal = board.legal_moves();
        if self != Heuristic::Opening || board.disc_count() != 5 {
            return legal;
        }
        // After a parallel answer the opponent can turn two discs at once.
        let not_parallel: Bitboard = legal
            .into_iter()
            .filter(|&square| {
                let next = board.play_unchecked(square, board.flips(square));
                let turns_two = |answer| next.flips(answer).count() > 1;
                !next.legal_moves().into_iter().any(turns_two)
            })
            .collect();
        if not_parallel.is_empty() {
            legal
        } else {
            not_parallel
        }
    }

    /// What a move earns for who makes it.
    pub fn gain(self, square: Square, flips: Bitboard) -> i32 {
        match self {
            Heuristic::MostFlipped => flips.count() as i32,
            Heuristic::LowSurroundings => -weights::surroundings(square),
            _ => 0,
        }
    }

    /// What a board is worth to the player to move.
    pub fn worth(self, board: Board) -> i32 {
        match self {
            Heuristic::Random | Heuristic::MostFlipped | Heuristic::LowSurroundings => 0,
            Heuristic::Stages | Heuristic::Opening => stages(board),
            Heuristic::Corners => stages(board) + difference(board, corner_areas),
            Heuristic::Edges => stages(board) + difference(board, neighbours_on_edges),
        }
    }

    pub fn components(self, board: Board) -> Vec<Component> {
        let part = |name, value: i32| Component {
            name,
            value: f64::from(value),
        };
        let mut parts = match self {
            Heuristic::Random | Heuristic::MostFlipped | Heuristic::LowSurroundings => {
                return Vec::new();
            }
            _ => vec![
                part("board weights", difference(board, weights::sum)),
                part("mobility by stage", mobility(board)),
            ],
        };
        match self {
            Heuristic::Corners => {
                parts.push(part("corner areas", difference(board, corner_areas)));
            }
            Heuristic::Edges => {
                parts.push(part("edge rows", difference(board, neighbours_on_edges)));
            }
            _ => {}
        }
        parts
    }
}

fn difference(board: Board, of: fn(Bitboard) -> i32) -> i32 {
    of(board.mover()) - of(board.opponent())
}

fn mobility(board: Board) -> i32 {
    let own = board.legal_moves().count() as i32;
    let other = board.pass().legal_moves().count() as i32;
    weights::mobility(board.disc_count()) * (own - other)
}

/// mobPos.
fn stages(board: Board) -> i32 {
    difference(board, weights::sum) + mobility(board)
}

/// The row from each corner along both edges, as far as the player has it.
fn corner_areas(own: Bitboard) -> i32 {
    let rows = [
        (0, 0, 1, 0),
        (0, 0, 0, 1),
        (7, 0, -1, 0),
        (7, 0, 0, 1),
        (0, 7, 1, 0),
        (0, 7, 0, -1),
        (7, 7, -1, 0),
        (7, 7, 0, -1),
    ];
    let safe = |(column, row, right, down): (i8, i8, i8, i8)| {
        let square = |step: i8| {
            let at = |from: i8, by: i8| (from + by * step) as u8;
            Square::at(at(column, right), at(row, down))
        };
        let length = (0..8)
            .take_while(|&step| own.contains(square(step)))
            .count();
        // The corner itself has its weight already.
        length.saturating_sub(1) as i32 * SAFE_BESIDE_CORNER
    };
    rows.into_iter().map(safe).sum()
}

/// Pairs of neighbours on each edge.
fn neighbours_on_edges(own: Bitboard) -> i32 {
    const TOP_AND_BOTTOM: u64 = 0x7f00_0000_0000_007f;
    const LEFT_AND_RIGHT: u64 = 0x0081_8181_8181_8181;
    let across = own.0 & own.0 >> 1 & TOP_AND_BOTTOM;
    let down = own.0 & own.0 >> 8 & LEFT_AND_RIGHT;
    (across.count_ones() + down.count_ones()) as i32 * NEIGHBOUR_ON_EDGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::trials::set;

    #[test]
    fn squares_beside_an_own_corner_become_good_as_far_as_the_row_reaches() {
        assert_eq!(corner_areas(set("b1 c1")), 0);
        assert_eq!(corner_areas(set("a1")), 0);
        assert_eq!(corner_areas(set("a1 b1 c1 e1")), 2 * SAFE_BESIDE_CORNER);
        assert_eq!(corner_areas(set("h8 h7 g8")), 2 * SAFE_BESIDE_CORNER);
    }

    #[test]
    fn rows_on_edges_count_by_their_pairs() {
        assert_eq!(neighbours_on_edges(set("c3 d3 e3")), 0);
        assert_eq!(neighbours_on_edges(set("c1 d1 e1")), 2 * NEIGHBOUR_ON_EDGE);
        assert_eq!(
            neighbours_on_edges(set("a3 a4 h7 h8")),
            2 * NEIGHBOUR_ON_EDGE
        );
        // h1 and a2 are neighbours in memory, not on the board.
        assert_eq!(neighbours_on_edges(set("h1 a2")), 0);
    }
}
