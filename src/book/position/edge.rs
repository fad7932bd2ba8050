//! Where moves lead. A forced pass is never a node: the edge of a move goes on to the next
//! position with a legal move, or to the end of the game.

use crate::book::key::NodeKey;
use crate::book::node::{Bounds, Value};
use crate::othello::kernel::{Kernel, Portable};
use crate::othello::{Board, Score, Square};

/// One legal move and where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub square: Square,
    pub to: Destination,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// A position with one disc more, where somebody can move.
    Position { key: NodeKey, sign: Sign },
    /// The game is over, with this result for the player who made the move.
    End(Score),
}

impl Edge {
    /// The position the move leads to, unless it ends the game.
    pub const fn child(&self) -> Option<NodeKey> {
        match self.to {
            Destination::Position { key, .. } => Some(key),
            Destination::End(_) => None,
        }
    }
}

/// How a value below an edge is seen from above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The turn changed.
    Minus,
    /// The opponent had to pass, so the same player moves again.
    Plus,
}

impl Sign {
    pub fn value(self, value: Value) -> Value {
        match self {
            Sign::Minus => -value,
            Sign::Plus => value,
        }
    }

    pub fn bounds(self, bounds: Bounds) -> Bounds {
        match self {
            Sign::Minus => Bounds {
                lower: -bounds.upper,
                upper: -bounds.lower,
            },
            Sign::Plus => bounds,
        }
    }
}

/// Shows every legal move of a board, by square.
pub fn for_each_edge(board: Board, see: impl FnMut(Edge)) {
    for_each_edge_with(Portable, board, see);
}

/// [`for_each_edge`] within a region that is compiled for the kernel's tier.
#[inline(always)]
pub fn for_each_edge_with<K: Kernel>(kernel: K, board: Board, mut see: impl FnMut(Edge)) {
    for square in board.legal_moves_with(kernel) {
        let next = board.play_unchecked(square, board.flips_with(kernel, square));
        let to = if !next.legal_moves_with(kernel).is_empty() {
            Destination::Position {
                key: NodeKey::of(next),
                sign: Sign::Minus,
            }
        } else if !next.pass().legal_moves_with(kernel).is_empty() {
            Destination::Position {
                key: NodeKey::of(next.pass()),
                sign: Sign::Plus,
            }
        } else {
            Destination::End(-next.final_score())
        };
        see(Edge { square, to });
    }
}

/// The same as a list, for those who do not count nanoseconds.
pub fn edges(board: Board) -> Vec<Edge> {
    let mut edges = Vec::new();
    for_each_edge(board, |edge| edges.push(edge));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    fn board(text: &str) -> Board {
        text.parse::<Position>().unwrap().board
    }

    #[test]
    fn the_four_first_moves_lead_to_one_position() {
        let edges = edges(Board::START);
        assert_eq!(edges.len(), 4);
        assert!(edges.iter().all(|edge| edge.to == edges[0].to));
        let Destination::Position { key, sign } = edges[0].to else {
            panic!("the game goes on");
        };
        assert_eq!((key.layer().discs(), sign), (5, Sign::Minus));
    }

    #[test]
    fn a_forced_pass_is_not_a_node() {
        let before = board("-OX-----------------------------------------------------XO------ X");
        let edges = edges(before);
        let a1 = edges.iter().find(|edge| edge.square.index() == 0).unwrap();
        let Destination::Position { key, sign } = a1.to else {
            panic!("Black still has c8");
        };
        assert_eq!(sign, Sign::Plus);
        assert!(!key.board().legal_moves().is_empty());
        assert_eq!(key.layer().discs(), 5);
    }

    #[test]
    fn a_finished_game_is_an_exact_result_for_the_player_who_moved() {
        let before = board("-OX------------------------------------------------------------- X");
        assert_eq!(edges(before)[0].to, Destination::End(Score::MAX));
    }
}
