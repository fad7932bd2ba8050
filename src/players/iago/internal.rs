//! Internal stability (section 4.4.1.2): discs off the edges that are stable because on each of the
//! four lines through them a stable disc of the same colour, or the border of the board, is beside
//! them. Stability spreads from the corners.
//!
//! The paper keeps a set of squares to look at; here the whole board is looked at once more until
//! nothing is added, which marks the same squares.

use crate::othello::{Bitboard, Board};

/// The 36 squares off the edges.
pub const INTERNAL: Bitboard = Bitboard(0x007e_7e7e_7e7e_7e00);

/// Squares with no neighbour on one side of the line, for each of the four lines in the order of
/// [`Bitboard::shifted`]: falling diagonal, column, rising diagonal, row.
const AT_BORDER: [u64; 4] = [
    0xff81_8181_8181_81ff,
    0xff00_0000_0000_00ff,
    0xff81_8181_8181_81ff,
    0x8181_8181_8181_8181,
];

/// Stable internal discs of the player to move, less those of the opponent.
pub fn internal_stability(board: Board) -> i32 {
    if (board.occupied() & Bitboard::CORNERS).is_empty() {
        return 0;
    }
    let count = |discs| (stable(discs) & INTERNAL).count() as i32;
    count(board.mover()) - count(board.opponent())
}

/// The discs of one colour that stability reaches from the corners.
fn stable(discs: Bitboard) -> Bitboard {
    let mut found = discs & Bitboard::CORNERS;
    while !found.is_empty() {
        let beside = found.shifted();
        let mut held = discs;
        for (line, border) in AT_BORDER.into_iter().enumerate() {
            held &= beside[line] | beside[7 - line] | Bitboard(border);
        }
        let more = found | held;
        if more == found {
            break;
        }
        found = more;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::trials::set;

    #[test]
    fn nothing_is_stable_without_a_corner() {
        assert_eq!(stable(set("b1 c1 a2 b2")), Bitboard::EMPTY);
    }

    #[test]
    fn stability_spreads_from_a_corner_inwards() {
        let triangle = set("a1 b1 c1 a2 b2 a3");
        assert_eq!(stable(triangle), triangle);
        // b2 has nothing beside it on the rising diagonal.
        assert_eq!(stable(set("a1 b1 a2 b2")), set("a1 b1 a2"));
        let board = Board::new(triangle, set("h8 g8 h7 g7")).unwrap();
        assert_eq!(internal_stability(board), 1);
        assert_eq!(internal_stability(board.pass()), -1);
    }

    #[test]
    fn a_full_board_of_one_colour_is_all_stable() {
        let full = Board::new(Bitboard::ALL, Bitboard::EMPTY).unwrap();
        assert_eq!(internal_stability(full), 36);
    }
}
