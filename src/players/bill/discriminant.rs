//! BILL 3.0: the probability of winning, from a quadratic discriminant of the features for each
//! number of discs.
//!
//! Positions of each class, won and lost, are taken as normally distributed; what separates them
//! best is g(x) = g_Win(x) − g_Loss(x) of the paper's equations (1) to (3), with equal priors.
//! Equation (4) of the paper is −2g, a slip of the sign and of the ½ in the printing, as (5) turns
//! g into a probability only if it is the logarithm of the odds. Here it is that.
//! The discriminant for N discs is made from positions with N − 2 to N + 2 discs. The paper does not
//! say what happens where positions are too few or all alike, as in the first moves: here such
//! stages use the nearest that has enough.

use super::features::{FEATURES, Features};
use super::matrix::Positive;

/// Coefficients of a discriminant: one constant, one for each feature, one for each pair.
pub const COEFFICIENTS: usize = 1 + FEATURES + FEATURES * (FEATURES + 1) / 2;

/// The stages: the number of discs on the board, up to 64.
pub const STAGES: usize = 65;

/// Of each class so many positions make a stage.
const ENOUGH: f64 = 100.0;

/// How many discs fewer or more the positions of a stage may have.
const NEIGHBOURS: usize = 2;

/// What is to be known of the positions of a class: how many, their sum, their products' sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Class {
    count: f64,
    sums: [f64; FEATURES],
    products: [[f64; FEATURES]; FEATURES],
}

impl Class {
    pub fn add(&mut self, features: &Features) {
        let x = features.map(f64::from);
        self.count += 1.0;
        for row in 0..FEATURES {
            self.sums[row] += x[row];
            for column in 0..FEATURES {
                self.products[row][column] += x[row] * x[column];
            }
        }
    }

    fn join(&mut self, other: &Class) {
        self.count += other.count;
        for row in 0..FEATURES {
            self.sums[row] += other.sums[row];
            for column in 0..FEATURES {
                self.products[row][column] += other.products[row][column];
            }
        }
    }

    pub fn mean(&self) -> [f64; FEATURES] {
        self.sums.map(|sum| sum / self.count.max(1.0))
    }

    /// The correlation of each pair of features, as in the paper's Table 1, and their spreads.
    pub fn correlations(&self) -> ([[f64; FEATURES]; FEATURES], [f64; FEATURES]) {
        let covariance = self.covariance();
        let spreads: [f64; FEATURES] = std::array::from_fn(|i| covariance[i][i].max(0.0).sqrt());
        let of_pair = |row: usize, column: usize| {
            covariance[row][column] / (spreads[row] * spreads[column]).max(1e-9)
        };
        let correlations = std::array::from_fn(|row| std::array::from_fn(|c| of_pair(row, c)));
        (correlations, spreads)
    }

    fn covariance(&self) -> Vec<Vec<f64>> {
        let mean = self.mean();
        (0..FEATURES)
            .map(|row| {
                let products = self.products[row].iter().zip(mean);
                let covariances = products.map(|(sum, of_column)| {
                    (sum - self.count * mean[row] * of_column) / (self.count - 1.0)
                });
                covariances.collect()
            })
            .collect()
    }
}

/// Won and lost positions of one stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classes {
    pub win: Class,
    pub loss: Class,
}

/// g for one stage, as a polynomial.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Discriminant {
    pub coefficients: [f32; COEFFICIENTS],
}

impl Discriminant {
    /// That of two classes; none if there are too few positions or too much alike.
    pub fn of(classes: &Classes) -> Option<Discriminant> {
        let mut constant = 0.0;
        let mut linear = [0.0; FEATURES];
        let mut square = [[0.0; FEATURES]; FEATURES];
        for (class, sign) in [(&classes.win, 1.0), (&classes.loss, -1.0)] {
            if class.count < ENOUGH {
                return None;
            }
            let mean = class.mean();
            let covariance = Positive::of(&class.covariance())?;
            let inverse = covariance.inverse();
            constant -= sign * 0.5 * covariance.log_determinant();
            for row in 0..FEATURES {
                for column in 0..FEATURES {
                    let of_pair = sign * inverse[row][column];
                    constant -= 0.5 * of_pair * mean[row] * mean[column];
                    linear[row] += of_pair * mean[column];
                    square[row][column] -= 0.5 * of_pair;
                }
            }
        }
        let mut coefficients = Vec::with_capacity(COEFFICIENTS);
        coefficients.push(constant);
        coefficients.extend(linear);
        for (row, of_row) in square.iter().enumerate() {
            coefficients.push(of_row[row]);
            coefficients.extend(of_row[row + 1..].iter().map(|of_pair| 2.0 * of_pair));
        }
        Some(Discriminant {
            coefficients: std::array::from_fn(|i| coefficients[i] as f32),
        })
    }

    /// The logarithm of the odds of winning.
    #[inline]
    pub fn log_odds(&self, features: &Features) -> f32 {
        let x = features.map(|feature| feature as f32);
        let (linear, pairs) = self.coefficients[1..].split_at(FEATURES);
        let mut g = self.coefficients[0];
        let mut pair = pairs.iter();
        for row in 0..FEATURES {
            let mut slope = linear[row];
            for (of_column, coefficient) in x[row..].iter().zip(&mut pair) {
                slope += coefficient * of_column;
            }
            g += slope * x[row];
        }
        g
    }
}

/// The paper's equation (5).
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The discriminants of all stages, from the classes by number of discs.
pub fn discriminants(classes: &[Classes; STAGES]) -> Option<Vec<Discriminant>> {
    let found: Vec<Option<Discriminant>> = (0..STAGES)
        .map(|discs| {
            let mut joined = Classes::default();
            let near = discs.saturating_sub(NEIGHBOURS)..=(discs + NEIGHBOURS).min(STAGES - 1);
            for stage in &classes[near] {
                joined.win.join(&stage.win);
                joined.loss.join(&stage.loss);
            }
            Discriminant::of(&joined)
        })
        .collect();
    let nearest = |discs: usize| {
        let there = found
            .iter()
            .enumerate()
            .filter(|(_, stage)| stage.is_some());
        there
            .min_by_key(|(stage, _)| stage.abs_diff(discs))
            .and_then(|(_, stage)| *stage)
    };
    (0..STAGES).map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;

    /// About normally distributed: the sum of twelve even ones.
    fn normal(random: &mut Random, mean: f64, spread: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| random.below(1 << 20) as f64).sum();
        mean + spread * (sum / f64::from(1 << 20) - 6.0)
    }

    /// A class of two features with these means, spreads and correlation; the other two are noise.
    fn class(random: &mut Random, means: [f64; 2], spreads: [f64; 2], correlation: f64) -> Class {
        let mut class = Class::default();
        for _ in 0..20_000 {
            let a = normal(random, 0.0, 1.0);
            let b = correlation * a
                + (1.0 - correlation * correlation).sqrt() * normal(random, 0.0, 1.0);
            let noise = [0; 2].map(|_| normal(random, 0.0, 300.0));
            class.add(&[
                (means[0] + spreads[0] * a).round() as i32,
                (means[1] + spreads[1] * b).round() as i32,
                noise[0].round() as i32,
                noise[1].round() as i32,
            ]);
        }
        class
    }

    #[test]
    fn of_equal_spreads_the_odds_are_those_of_the_textbook() {
        let mut random = Random::new(1);
        let classes = Classes {
            win: class(&mut random, [400.0, 0.0], [200.0, 300.0], 0.0),
            loss: class(&mut random, [-400.0, 0.0], [200.0, 300.0], 0.0),
        };
        let discriminant = Discriminant::of(&classes).unwrap();
        // ln(odds) = 2·400·x / 200² for these two classes: 0.02 x.
        for x in [-300, -100, 0, 50, 200] {
            let found = f64::from(discriminant.log_odds(&[x, 100, -50, 80]));
            assert!((found - 0.02 * f64::from(x)).abs() < 0.25, "{x}: {found}");
        }
    }

    #[test]
    fn classes_that_differ_only_in_how_features_go_together_are_told_apart() {
        // No linear combination separates these: both means are zero.
        let mut random = Random::new(2);
        let classes = Classes {
            win: class(&mut random, [0.0; 2], [300.0; 2], 0.8),
            loss: class(&mut random, [0.0; 2], [300.0; 2], -0.8),
        };
        let discriminant = Discriminant::of(&classes).unwrap();
        let chance = |a, b| probability(discriminant.log_odds(&[a, b, 0, 0]).into());
        assert!(chance(300, 300) > 0.9 && chance(-300, -300) > 0.9);
        assert!(chance(300, -300) < 0.1 && chance(-300, 300) < 0.1);
        assert!((chance(0, 0) - 0.5).abs() < 0.05);
    }

    #[test]
    fn a_stage_without_positions_borrows_from_the_nearest() {
        let mut random = Random::new(3);
        let mut classes = [Classes::default(); STAGES];
        classes[40] = Classes {
            win: class(&mut random, [400.0, 0.0], [200.0, 300.0], 0.0),
            loss: class(&mut random, [-400.0, 0.0], [200.0, 300.0], 0.0),
        };
        let all = discriminants(&classes).unwrap();
        assert_eq!(all.len(), STAGES);
        assert!(all.iter().all(|stage| *stage == all[40]));
        assert!(discriminants(&[Classes::default(); STAGES]).is_none());
    }

    #[test]
    fn even_odds_are_a_probability_of_one_half() {
        assert_eq!(probability(0.0), 0.5);
        assert!((probability(2.0) - 2.0_f64.exp() / (2.0_f64.exp() + 1.0)).abs() < 1e-12);
    }
}
