//! What the evaluation looks at (section 3.1), seen by the player to move, and its weights for each
//! of the 59 stages of the game (3.2).
//!
//! The paper calls the listed features the major ones; the number of pieces, of which 3.2 says that
//! few are good early and many late, is here one more. With the number of pieces given, who moves
//! last is given too, so parity is what a stage gives to the player to move.

use std::sync::LazyLock;

pub const FEATURES: usize = 7;
pub const NAMES: [&str; FEATURES] = [
    "moves",
    "frontier squares",
    "corners",
    "X-squares",
    "C-squares",
    "parity",
    "pieces",
];

/// From 5 pieces on the board to 63.
pub const STAGES: usize = 59;
const FIRST_STAGE: u32 = 5;

/// Each corner, its X-square and its two C-squares.
pub const CORNERS: [u64; 4] = [1, 1 << 7, 1 << 56, 1 << 63];
pub const X_SQUARES: [u64; 4] = [1 << 9, 1 << 14, 1 << 49, 1 << 54];
pub const C_SQUARES: [u64; 4] = [
    1 << 1 | 1 << 8,
    1 << 6 | 1 << 15,
    1 << 48 | 1 << 57,
    1 << 55 | 1 << 62,
];

/// The player's count less the opponent's of each feature, in the order of [`NAMES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features(pub [i32; FEATURES]);

/// The features, and the number of moves they were made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    pub features: Features,
    pub moves: u32,
}

/// The stage of a board with so many pieces.
pub fn stage(pieces: u32) -> usize {
    (pieces.max(FIRST_STAGE) - FIRST_STAGE).min(STAGES as u32 - 1) as usize
}

/// The pieces on the board in a stage.
pub const fn pieces(stage: usize) -> u32 {
    stage as u32 + FIRST_STAGE
}

/// A weight of 1 is so many: whole numbers make the same values on every machine.
const UNIT: f64 = 10_000.0;
const MAGIC: [u8; 8] = *b"chen\0\0\0\x01";

/// The weights of all stages, in ten-thousandths of a disc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights([[i32; FEATURES]; STAGES]);

/// Bytes that are no weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("these are not the weights of Chen's evaluation: {0} bytes")]
pub struct NotWeights(usize);

impl Weights {
    /// Those that came out of the training; made by `emilia train players`.
    pub fn shipped() -> &'static Weights {
        static SHIPPED: LazyLock<Weights> = LazyLock::new(|| {
            let bytes = include_bytes!("../../../book/players/chen.bin");
            Weights::from_bytes(bytes).unwrap_or_else(|_| Weights::untrained())
        });
        &SHIPPED
    }

    /// Set by hand, as the paper's were before the training: only signs and sizes by its words.
    pub fn untrained() -> Weights {
        let discs = [0.6, -0.3, 10.0, -5.0, -1.5, 1.0, 0.0];
        let mut weights = Weights([[0; FEATURES]; STAGES]);
        for stage in 0..STAGES {
            weights.set(stage, discs);
        }
        weights
    }

    pub fn set(&mut self, stage: usize, discs: [f64; FEATURES]) {
        self.0[stage] = discs.map(|weight| (weight * UNIT).round() as i32);
    }

    /// In discs.
    pub fn get(&self, stage: usize) -> [f64; FEATURES] {
        self.0[stage].map(|weight| f64::from(weight) / UNIT)
    }

    /// The value of a board with so many pieces, in hundredths of a disc.
    pub fn value(&self, features: Features, pieces: u32) -> i32 {
        let weights = &self.0[stage(pieces)];
        let products = weights.iter().zip(features.0);
        let sum: i32 = products.map(|(weight, feature)| weight * feature).sum();
        (sum / 100).clamp(-6400, 6400)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.0.iter().flatten();
        let numbers = weights.flat_map(|weight| weight.to_le_bytes());
        MAGIC.into_iter().chain(numbers).collect()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, NotWeights> {
        let wrong = NotWeights(bytes.len());
        let numbers = bytes.strip_prefix(&MAGIC).ok_or(wrong.clone())?;
        if numbers.len() != 4 * FEATURES * STAGES {
            return Err(wrong);
        }
        let mut weights = Weights([[0; FEATURES]; STAGES]);
        let places = weights.0.iter_mut().flatten();
        for (place, number) in places.zip(numbers.as_chunks().0) {
            *place = i32::from_le_bytes(*number);
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Bits, Grid};
    use super::*;
    use crate::othello::{Bitboard, Board};

    #[test]
    fn every_number_of_pieces_has_its_stage() {
        assert_eq!((stage(4), stage(5), stage(63), stage(64)), (0, 0, 58, 58));
        assert!((0..STAGES).all(|s| stage(pieces(s)) == s));
    }

    #[test]
    fn the_features_are_counted_as_the_paper_says() {
        let start = Bits::of(Board::START).features();
        assert_eq!((start.features.0, start.moves), ([0, 0, 0, 0, 0, -1, 0], 4));
        // a1 is the player's; b2 and b1 are the opponent's beside it, g7 and h2 beside empty ones.
        let own = Bitboard(CORNERS[0]);
        let bad = Bitboard(X_SQUARES[0] | 1 << 1 | X_SQUARES[3] | 1 << 15);
        let board = Board::new(own, bad).unwrap();
        let [_, _, corners, x, c, parity, pieces] = Bits::of(board).features().features.0;
        assert_eq!([corners, x, c, parity, pieces], [1, -1, -1, 1, -3]);
    }

    #[test]
    fn weights_survive_their_bytes_and_other_bytes_are_refused() {
        let weights = Weights::untrained();
        let bytes = weights.to_bytes();
        assert_eq!(Weights::from_bytes(&bytes), Ok(weights));
        assert!(Weights::from_bytes(&bytes[1..]).is_err());
        assert!(Weights::from_bytes(&bytes[..20]).is_err());
    }

    #[test]
    fn the_shipped_weights_were_trained_and_say_what_the_paper_found() {
        let weights = Weights::shipped();
        assert_ne!(weights, &Weights::untrained());
        let mean = |feature: usize, stages: std::ops::Range<usize>| {
            let count = stages.len() as f64;
            stages.map(|s| weights.get(s)[feature]).sum::<f64>() / count
        };
        // Corners are worth most, X-squares are bad, moves good, frontier squares slightly bad.
        assert!(mean(2, 15..50) > 3.0 && mean(3, 15..45) < -0.5);
        assert!(mean(0, 10..50) > 0.1 && mean(1, 10..50) < 0.0);
    }
}
