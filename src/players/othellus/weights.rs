//! The matrix of square weights (figure 7) and the weight of mobility by the stage of the game.
//!
//! The paper calls the weights of mobility a simulated Gaussian, small or negative for about the
//! first 12 moves, high in the middle and falling towards the end, but prints no number; here a
//! bell around move 34 that is lowered by 2.

use crate::othello::{Bitboard, Square};

/// As printed, row by row.
const MATRIX: [[i32; 8]; 8] = [
    [100, -10, 11, 6, 6, 11, -10, 100],
    [-10, -20, 1, 2, 2, 1, -20, -10],
    [10, 1, 5, 4, 4, 5, 1, 10],
    [6, 2, 4, 2, 2, 4, 2, 6],
    [6, 2, 4, 2, 2, 4, 2, 6],
    [10, 1, 5, 4, 4, 5, 1, 10],
    [-10, -20, 1, 2, 2, 1, -20, -10],
    [100, -10, 11, 6, 6, 11, -10, 100],
];

/// The middle of the game, where a move more counts most.
const MIDDLE: f64 = 34.0;
const WIDTH: f64 = 11.0;
const HEIGHT: f64 = 12.0;
const LOWERED_BY: f64 = 2.0;

pub fn weight(square: Square) -> i32 {
    MATRIX[usize::from(square.row())][usize::from(square.column())]
}

/// The weights of the squares of a set together.
pub fn sum(squares: Bitboard) -> i32 {
    squares.into_iter().map(weight).sum()
}

/// The weights of the squares beside a square together.
pub fn surroundings(square: Square) -> i32 {
    sum(Bitboard::from(square).around())
}

/// What a legal move more than the opponent's is worth when the board has so many discs.
pub fn mobility(discs: u32) -> i32 {
    let turn = f64::from(discs) - 4.0;
    let bell = (-((turn - MIDDLE) / WIDTH).powi(2) / 2.0).exp();
    (HEIGHT * bell - LOWERED_BY).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_the_printed_one_with_its_crooked_a_squares() {
        assert_eq!(sum(Bitboard::CORNERS), 400);
        assert_eq!(weight(Square::at(2, 0)), 11);
        assert_eq!(weight(Square::at(0, 2)), 10);
        assert_eq!(sum(Bitboard::ALL), 456);
    }

    #[test]
    fn mobility_counts_in_the_middle_and_hardly_before_and_after() {
        assert!((4..=16).all(|discs| mobility(discs) <= 0));
        assert_eq!(mobility(38), 10);
        assert!(mobility(63) <= 0);
    }
}
