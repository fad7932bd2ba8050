//! Mobility (section 4.4.2): the moves there are, and what may become moves.

use crate::othello::{Bitboard, Board};

/// Two counts as one value within ±1000 (equation 1): 4 against 1 is worth more than 15 against 11.
pub fn combined(own: i32, other: i32) -> i32 {
    1000 * (own - other) / (own + other + 2)
}

/// Squares that only one player can move to count twice, those that both can once.
pub fn current(own: Bitboard, other: Bitboard) -> i32 {
    let mutual = (own & other).count() as i32;
    let count = |moves: Bitboard| 2 * moves.count() as i32 - mutual;
    combined(count(own), count(other))
}

/// The sum of the three measures of potential mobility, within ±3000.
pub fn potential(board: Board) -> i32 {
    let own = Potential::of(board.opponent(), board.empties());
    let other = Potential::of(board.mover(), board.empties());
    combined(own.frontier, other.frontier)
        + combined(own.open_squares, other.open_squares)
        + combined(own.openings, other.openings)
}

/// What the discs of an opponent leave a player.
struct Potential {
    /// His discs beside empty squares.
    frontier: i32,
    /// Empty squares beside his discs.
    open_squares: i32,
    /// The same, counted once for each of his discs.
    openings: i32,
}

impl Potential {
    fn of(discs: Bitboard, empties: Bitboard) -> Potential {
        let count = |set: Bitboard| set.count() as i32;
        Potential {
            frontier: count(empties.around() & discs),
            open_squares: count(discs.around() & empties),
            openings: discs
                .shifted()
                .map(|step| count(step & empties))
                .iter()
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_to_one_is_worth_more_than_fifteen_to_eleven() {
        assert_eq!(combined(4, 1), 428);
        assert_eq!(combined(15, 11), 142);
        assert_eq!(combined(1, 4), -428);
        assert_eq!(combined(0, 0), 0);
    }

    #[test]
    fn what_both_can_reach_counts_half() {
        let own = Bitboard(0b1111);
        let other = Bitboard(0b11000);
        // 3 alone and 1 shared: 7; 1 alone and 1 shared: 3.
        assert_eq!(current(own, other), combined(7, 3));
    }

    #[test]
    fn the_start_is_even_and_its_counts_are_those_on_the_board() {
        assert_eq!(potential(Board::START), 0);
        let potential = Potential::of(Board::START.opponent(), Board::START.empties());
        // Two discs, each beside five empty squares, none of which is beside both.
        assert_eq!(potential.frontier, 2);
        assert_eq!(potential.openings, 10);
        assert_eq!(potential.open_squares, 10);
    }

    #[test]
    fn a_wall_of_own_discs_is_the_opponents_potential() {
        let wall = Bitboard(0x00ff_0000_0000_0000);
        let behind = Bitboard(0xff00_0000_0000_0000);
        let board = Board::new(wall, behind).unwrap();
        // Frontier discs, open squares and openings: nothing against 8, 8 and 22.
        let expected = combined(0, 8) + combined(0, 8) + combined(0, 22);
        assert_eq!(potential(board), expected);
        assert_eq!(potential(board.pass()), -expected);
    }
}
