//! The special-purpose solver of the last eight empty squares.
//!
//! The paper says that there is one, not how it works. Here it is plain alpha-beta, moves into
//! quarters with an odd number of empty squares first.

use crate::othello::{Bitboard, Board};

/// Positions with so many empty squares or fewer are solved and not evaluated.
pub const SOLVED_FROM: u32 = 8;

/// The four quarters of the board.
const QUARTERS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// The final difference of discs for the player to move, within the window; counts nodes.
pub fn solve(board: Board, mut alpha: i32, beta: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let empties = board.empties().0;
    let odd = QUARTERS
        .iter()
        .filter(|&quarter| (empties & quarter).count_ones() % 2 == 1)
        .fold(0, |set, quarter| set | quarter);
    let mut best = None;
    for squares in [empties & odd, empties & !odd] {
        for square in Bitboard(squares) {
            let flips = board.flips(square);
            if flips.is_empty() {
                continue;
            }
            let child = board.play_unchecked(square, flips);
            let value = -solve(child, -beta, -alpha, nodes);
            best = best.max(Some(value));
            alpha = alpha.max(value);
            if alpha >= beta {
                return value;
            }
        }
    }
    match best {
        Some(value) => value,
        None if board.pass().legal_moves().is_empty() => board.final_score().discs(),
        None => -solve(board.pass(), -beta, -alpha, nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;

    fn brute_force(board: Board) -> i32 {
        let moves = board.legal_moves().into_iter();
        match moves
            .map(|square| -brute_force(board.play(square).unwrap()))
            .max()
        {
            Some(value) => value,
            None if board.is_over() => board.final_score().discs(),
            None => -brute_force(board.pass()),
        }
    }

    #[test]
    fn it_finds_what_brute_force_finds_within_any_window() {
        let mut random = Random::new(2);
        let mut seen = 0;
        while seen < 60 {
            let mut board = Board::START;
            while board.empty_count() > 6
                && let Some(square) = random.square(board.legal_moves())
            {
                board = board.play(square).unwrap();
            }
            if board.empty_count() > SOLVED_FROM {
                continue;
            }
            seen += 1;
            let truth = brute_force(board);
            assert_eq!(solve(board, -64, 64, &mut 0), truth);
            assert!(solve(board, truth, truth + 1, &mut 0) <= truth);
            assert!(solve(board, truth - 1, truth, &mut 0) >= truth);
        }
    }
}
