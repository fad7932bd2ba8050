//! Potentially parity-losing regions: parts of the board that a player cannot get into.
//!
//! Empty squares that touch, also by a corner, are one region. A player who can play into a region
//! neither now nor with the second of two moves in a row has lost access to it: the opponent may
//! wait with it until a pass is forced, and the last move of the game changes hands.

use crate::othello::{Bitboard, Board};

/// The regions of a set of squares.
fn regions(mut empties: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let mut region = empties & empties.wrapping_neg();
        if region == 0 {
            return None;
        }
        loop {
            let next = Bitboard(region).grown().0 & empties;
            if next == region {
                break;
            }
            region = next;
        }
        empties &= !region;
        Some(region)
    })
}

/// Where the player to move can play now, or with the second of two moves in a row.
fn within_two_moves(board: Board) -> Bitboard {
    let moves = board.legal_moves();
    let after = |square| {
        let next = board.play_unchecked(square, board.flips(square));
        next.pass().legal_moves()
    };
    moves
        .into_iter()
        .map(after)
        .fold(moves, |all, more| all | more)
}

/// How many regions the player to move has lost, and how many the other has.
pub fn lost_regions(board: Board) -> [i32; 2] {
    let empties = board.empties().0;
    let own = within_two_moves(board).0;
    let other = within_two_moves(board.pass()).0;
    let mut lost = [0, 0];
    for region in regions(empties) {
        lost[0] += i32::from(region & own == 0);
        lost[1] += i32::from(region & other == 0);
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;
    use crate::players::trials::board_of;

    #[test]
    fn squares_that_touch_at_a_corner_are_one_region() {
        let found: Vec<u64> = regions(1 | 1 << 9 | 1 << 7 | 1 << 63).collect();
        assert_eq!(found, [1 | 1 << 9, 1 << 7, 1 << 63]);
    }

    #[test]
    fn the_board_does_not_wrap_around_at_its_sides() {
        assert_eq!(regions(1 << 7 | 1 << 8).count(), 2);
        assert_eq!(regions(1 << 15 | 1 << 16).count(), 2);
    }

    #[test]
    fn a_hole_among_own_discs_is_lost_to_its_owner_alone() {
        // a1 is surrounded by X on all three lines: only O, with discs behind, can play there.
        let board = board_of([
            "-XXOOOOO", "XXOOOOOO", "XOXOOOOO", "OOOXOOOO", "OOOOXOOO", "OOOOOXOO", "OOOOOOX-",
            "OOOOOO--",
        ]);
        let [own, other] = lost_regions(board);
        assert_eq!((own, other), (1, 0));
        assert_eq!(lost_regions(board.pass()), [0, 1]);
    }

    #[test]
    fn access_that_a_second_move_in_a_row_opens_is_not_lost() {
        let mut random = Random::new(1);
        let mut opened = 0;
        for _ in 0..100 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let now = board.legal_moves().0;
                let reached = |region: u64| {
                    board.legal_moves().into_iter().any(|first| {
                        let again = board.play(first).unwrap().pass();
                        again.legal_moves().0 & region != 0
                    })
                };
                let all = regions(board.empties().0);
                let closed: Vec<u64> = all.filter(|region| region & now == 0).collect();
                let lost = closed.iter().filter(|&&region| !reached(region)).count();
                opened += closed.len() - lost;
                assert_eq!(lost_regions(board)[0], lost as i32);
                board = board.play(square).unwrap();
            }
        }
        assert!(opened > 20, "{opened}");
    }

    #[test]
    fn nothing_is_lost_at_the_start() {
        assert_eq!(lost_regions(Board::START), [0, 0]);
    }
}
