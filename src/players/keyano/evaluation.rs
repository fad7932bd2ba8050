//! The evaluation: four features, weighted by the stage of the game, that add up to the expected
//! final difference of discs.
//!
//! Mobility is the value of the number of disc-flipping directions, on the whole board and on each
//! quarter, own less the opponent's, four points being a disc; a region that a player has lost
//! access to costs him 64 points. The paper takes 64 away "when the player to move has lost access
//! to a potential parity-losing region"; here each region counts, for both players.
//! The three others are the sums of the patterns' values: vectors, corners, edges.

use super::directions::{DirectionTables, Directions};
use super::patterns::{Group, Kind, exchanged, for_each_pattern};
use crate::othello::Board;
use crate::players::bill::lines::{Indices, Side};

/// Mobility, vectors, corners, edges.
pub const FEATURES: usize = 4;

/// Numbers of directions from 0 to 35 have a value; more are as good as 35.
pub const COUNTS: usize = 36;

/// What a lost region costs, in points of mobility.
pub const LOST_REGION: i32 = 64;

/// One for each number of discs on the board.
pub const STAGES: usize = 65;

/// The values of an evaluation stay below a final result, in centi-discs.
const LIMIT: f32 = 6300.0;

/// The numbers that were learnt from games.
#[derive(Clone, PartialEq, Debug)]
pub struct Learnt {
    /// What so many directions are worth on the whole board, and on a quarter of it, in points.
    pub whole: [i16; COUNTS],
    pub quarter: [i16; COUNTS],
    /// The value of each configuration of each kind of pattern, seen by the player to move, in half
    /// discs.
    pub patterns: Vec<Vec<i8>>,
    /// What a unit of each feature is worth at each number of discs, in centi-discs.
    pub weights: Vec<[f32; FEATURES]>,
}

/// The evaluation with tables that follow from what was learnt.
pub struct Evaluation {
    directions: DirectionTables,
    learnt: Learnt,
    /// For each configuration the value for the first side when it is to move, and when it is not.
    by_side: Vec<Vec<[i8; 2]>>,
}

impl Evaluation {
    pub fn new(learnt: Learnt) -> Evaluation {
        let by_side = Kind::ALL
            .into_iter()
            .zip(&learnt.patterns)
            .map(|(kind, values)| {
                let both = values.iter().enumerate();
                both.map(|(configuration, &value)| {
                    [
                        value,
                        values[exchanged(kind, configuration)].saturating_neg(),
                    ]
                })
                .collect()
            })
            .collect();
        Evaluation {
            directions: DirectionTables::new(),
            learnt,
            by_side,
        }
    }

    /// The features for the player to move. `lost` is how many regions more the first side has lost
    /// than the second.
    #[inline]
    pub fn features(
        &self,
        board: Board,
        indices: &Indices,
        to_move: Side,
        lost: i32,
    ) -> [i32; FEATURES] {
        let [own, other] = self.directions.for_mover(indices, to_move);
        let mut patterns = [0; 3];
        for_each_pattern(board, indices, to_move, |kind, configuration| {
            let value = self.by_side[kind as usize][configuration][to_move as usize];
            patterns[kind.group() as usize] += i32::from(value);
        });
        let sign = match to_move {
            Side::First => 1,
            Side::Second => -1,
        };
        let mobility = self.worth(own) - self.worth(other) - sign * LOST_REGION * lost;
        [
            mobility,
            sign * patterns[Group::Vectors as usize],
            sign * patterns[Group::Corners as usize],
            sign * patterns[Group::Edges as usize],
        ]
    }

    /// The whole board's directions and those of the quarters, with equal weights.
    fn worth(&self, directions: Directions) -> i32 {
        let value = |values: &[i16; COUNTS], count: usize| i32::from(values[count.min(COUNTS - 1)]);
        let all = directions.iter().map(|&count| usize::from(count));
        let quarters: i32 = all
            .clone()
            .map(|count| value(&self.learnt.quarter, count))
            .sum();
        value(&self.learnt.whole, all.sum()) + quarters
    }

    /// The expected result for the player to move, in centi-discs.
    #[inline]
    pub fn value(&self, board: Board, indices: &Indices, to_move: Side, lost: i32) -> i32 {
        let features = self.features(board, indices, to_move, lost);
        let weights = &self.learnt.weights[board.disc_count() as usize];
        let sum: f32 = features
            .iter()
            .zip(weights)
            .map(|(&x, weight)| x as f32 * weight)
            .sum();
        sum.clamp(-LIMIT, LIMIT) as i32
    }
}

/// How many regions more the first side has lost than the second.
pub fn lost_by_first(board: Board, to_move: Side) -> i32 {
    let [own, other] = super::parity::lost_regions(board);
    match to_move {
        Side::First => own - other,
        Side::Second => other - own,
    }
}

/// Numbers that make every part of the evaluation count, for tests.
#[cfg(test)]
pub fn made_up() -> Learnt {
    Learnt {
        whole: std::array::from_fn(|count| 20 * (1.0 + count as f64).ln().round() as i16),
        quarter: std::array::from_fn(|count| 5 * (1.0 + count as f64).ln().round() as i16),
        patterns: Kind::ALL
            .into_iter()
            .map(|kind| {
                (0..kind.configurations())
                    .map(|configuration| {
                        // The same for mirror images.
                        let mirrored = super::patterns::mirror(kind, configuration);
                        let both = (configuration.min(mirrored) as u64).wrapping_mul(0x9e37_79b9);
                        ((both >> 16) % 21) as i8 - 10
                    })
                    .collect()
            })
            .collect(),
        weights: vec![[25.0, 5.0, 5.0, 5.0]; STAGES],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Random, Symmetry};

    #[test]
    fn the_value_is_the_same_under_symmetries_and_other_names_of_the_sides() {
        let evaluation = Evaluation::new(made_up());
        let mut random = Random::new(5);
        for _ in 0..10 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let value = |board: Board, side| {
                    let lost = lost_by_first(board, side);
                    evaluation.value(board, &Indices::of(board, side), side, lost)
                };
                let expected = value(board, Side::First);
                assert_eq!(value(board, Side::Second), expected);
                for symmetry in Symmetry::all() {
                    assert_eq!(value(board.under(symmetry), Side::First), expected);
                }
                board = board.play(square).unwrap();
            }
        }
    }

    #[test]
    fn a_lost_region_costs_64_points_of_mobility() {
        let evaluation = Evaluation::new(made_up());
        let (board, side) = (Board::START, Side::Second);
        let indices = Indices::of(board, side);
        let [with, without] = [1, 0].map(|lost| evaluation.features(board, &indices, side, lost));
        // The first side has lost one: good for the second, to move.
        assert_eq!(with[0], without[0] + 64);
        assert_eq!(with[1..], without[1..]);
    }

    #[test]
    fn more_directions_spread_over_more_quarters_are_worth_more() {
        let evaluation = Evaluation::new(made_up());
        let crowded = evaluation.worth([8, 0, 0, 0]);
        let spread = evaluation.worth([2, 2, 2, 2]);
        assert!(spread > crowded);
        assert!(evaluation.worth([3, 3, 3, 3]) > spread);
    }
}
