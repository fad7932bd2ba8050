//! How the features become one value: the difference between BILL 2 and BILL 3.

use super::discriminant::{Discriminant, probability};
use super::features::Features;
use super::linear;

/// Points of the search for a unit of the logarithm of the odds.
const POINTS_OF_LOG_ODDS: f32 = 500.0;

/// The largest value of an evaluation: a won game stays above it.
const LIMIT: f32 = 500_000.0;

/// How BILL combines features.
pub enum Combination {
    /// BILL 2: a sum of weights.
    Linear,
    /// BILL 3: a discriminant for each number of discs, 64 being the last.
    Bayesian(Vec<Discriminant>),
}

impl Combination {
    /// What a position with so many discs is worth to the player to move.
    #[inline]
    pub fn value(&self, features: &Features, discs: u32) -> i32 {
        match self {
            Combination::Linear => linear::value(features),
            Combination::Bayesian(stages) => stages.get(discs as usize).map_or(0, |stage| {
                let points = POINTS_OF_LOG_ODDS * stage.log_odds(features);
                points.clamp(-LIMIT, LIMIT) as i32
            }),
        }
    }

    /// The probability of winning that a value of [`Combination::value`] stands for, where there is
    /// one.
    pub fn win_probability(&self, value: i32) -> Option<f64> {
        match self {
            Combination::Linear => None,
            Combination::Bayesian(_) => Some(probability(
                f64::from(value) / f64::from(POINTS_OF_LOG_ODDS),
            )),
        }
    }
}
