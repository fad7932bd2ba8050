//! The evaluation (section 4.4): four components, weighted by coefficients that change with the
//! number of the move.
//!
//! The paper writes the coefficients for components that are normalised to ±1000. The edges run to
//! ±62400 (see `edges`), so ESAC is here 5 + MoveNumber/10 for a point of the edges; an internal
//! disc is one of 36, so 36 becomes 1000 for each; the three measures of potential mobility have 99
//! together, 33 each.

use super::edges::edge_stability;
use super::{internal, mobility};
use crate::othello::{Bitboard, Board};

const INTERNAL_STABILITY: i32 = 1000;
const POTENTIAL_MOBILITY: i32 = 33;
/// The largest value of current mobility.
const MOST_MOBILE: i32 = 1000;

/// What is counted one ply closer to the root and handed down to its terminal nodes.
#[derive(Clone, Copy, Debug)]
pub struct Inherited {
    /// The opponent's moves, just before his last one.
    pub opponents_moves: Bitboard,
    /// Internal stability, seen by the player to move at the terminal node.
    pub internal: i32,
}

impl Inherited {
    /// Of a position by itself, whose last move is not known.
    pub fn of(board: Board) -> Inherited {
        Inherited {
            opponents_moves: board.pass().legal_moves(),
            internal: internal::internal_stability(board),
        }
    }
}

/// The components with their weights, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Components {
    pub edge_stability: i32,
    pub internal_stability: i32,
    pub current_mobility: i32,
    pub potential_mobility: i32,
}

impl Components {
    pub fn of(board: Board) -> Components {
        let inherited = Inherited::of(board);
        let number = move_number(board);
        let moves = board.legal_moves();
        Components {
            edge_stability: weighted_edges(board, number),
            internal_stability: INTERNAL_STABILITY * inherited.internal,
            current_mobility: current_mobility_weight(number)
                * mobility::current(moves, inherited.opponents_moves),
            potential_mobility: POTENTIAL_MOBILITY * mobility::potential(board),
        }
    }
}

/// The number of the next move, 1 to 60.
pub fn move_number(board: Board) -> u32 {
    board.disc_count().saturating_sub(3).clamp(1, 60)
}

fn weighted_edges(board: Board, number: u32) -> i32 {
    edge_stability(board, number) * (50 + number as i32) / 10
}

/// CMAC.
fn current_mobility_weight(number: u32) -> i32 {
    let number = number as i32;
    if number <= 25 {
        50 + 2 * number
    } else {
        75 + number
    }
}

/// The value of a terminal node for the player to move, whose moves are counted last and only when
/// they can matter: a value outside the window may be a bound.
pub fn evaluate(
    board: Board,
    moves: impl FnOnce() -> Bitboard,
    inherited: Inherited,
    (alpha, beta): (i32, i32),
) -> i32 {
    let number = move_number(board);
    let without_moves = weighted_edges(board, number)
        + INTERNAL_STABILITY * inherited.internal
        + POTENTIAL_MOBILITY * mobility::potential(board);
    let weight = current_mobility_weight(number);
    let most = weight * MOST_MOBILE;
    if without_moves + most <= alpha {
        return without_moves + most;
    }
    if without_moves - most >= beta {
        return without_moves - most;
    }
    without_moves + weight * mobility::current(moves(), inherited.opponents_moves)
}

#[cfg(test)]
mod tests {
    use super::super::edges::RANGE;
    use super::*;
    use crate::othello::{MoveList, Position};

    #[test]
    fn the_coefficients_are_those_of_the_paper() {
        for number in 1..=60 {
            // ESAC is for edges normalised to 1000.
            let esac = 312.0 + 6.24 * f64::from(number);
            let here = f64::from(RANGE) / 1000.0 * f64::from(50 + number) / 10.0;
            assert!((esac - here).abs() < 1e-9, "{number}");
        }
        assert_eq!(current_mobility_weight(1), 52);
        assert_eq!(current_mobility_weight(25), 100);
        assert_eq!(current_mobility_weight(26), 101);
        assert_eq!(current_mobility_weight(60), 135);
        assert_eq!(INTERNAL_STABILITY * 36, 36 * 1000);
        assert_eq!(POTENTIAL_MOBILITY * 3, 99);
    }

    #[test]
    fn moves_are_numbered_from_one_to_sixty() {
        assert_eq!(move_number(Board::START), 1);
        let full = Board::new(Bitboard::ALL, Bitboard::EMPTY).unwrap();
        assert_eq!(move_number(full), 60);
    }

    #[test]
    fn an_evaluation_that_ends_early_is_on_the_right_side_of_the_window() {
        let line = MoveList::parse(Position::START, "f5d6c3d3c4f4f6f3e6e7").unwrap();
        let board = line.end.board;
        let inherited = Inherited::of(board);
        let value = |window| evaluate(board, || board.legal_moves(), inherited, window);
        let exact = value((i32::MIN, i32::MAX));
        let parts = Components::of(board);
        let sum = parts.edge_stability
            + parts.internal_stability
            + parts.current_mobility
            + parts.potential_mobility;
        assert_eq!(exact, sum);
        let never = |window| {
            let count = || panic!("the moves were counted");
            evaluate(board, count, inherited, window)
        };
        let high = exact + 300_000;
        assert!((exact..=high).contains(&never((high, high + 1))));
        let low = exact - 300_000;
        assert!((low..=exact).contains(&never((low - 1, low))));
    }
}
