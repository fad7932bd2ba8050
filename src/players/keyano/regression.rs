//! Linear regression by normal equations, for a handful of unknowns and any number of rows.

use crate::players::bill::matrix::Positive;

/// Equations are added one by one; what they say together is solved at the end.
pub struct Regression {
    matrix: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl Regression {
    pub fn new(unknowns: usize) -> Regression {
        Regression {
            matrix: vec![vec![0.0; unknowns]; unknowns],
            right: vec![0.0; unknowns],
        }
    }

    /// These unknowns, times these factors, should add up to the target.
    pub fn add(&mut self, terms: &[(usize, f64)], target: f64) {
        for &(row, factor) in terms {
            self.right[row] += factor * target;
            for &(column, other) in terms {
                self.matrix[row][column] += factor * other;
            }
        }
    }

    /// Adds what another regression collected.
    pub fn join(&mut self, other: &Regression) {
        for (row, more) in self.matrix.iter_mut().zip(&other.matrix) {
            for (sum, more) in row.iter_mut().zip(more) {
                *sum += more;
            }
        }
        for (sum, more) in self.right.iter_mut().zip(&other.right) {
            *sum += more;
        }
    }

    /// The unknowns; none if the equations do not decide them.
    pub fn solve(&self) -> Option<Vec<f64>> {
        Some(Positive::of(&self.matrix)?.solve(&self.right))
    }

    /// The unknowns with none of them negative: one that is, is left out (0) and the others are
    /// found again, the most negative first.
    pub fn solve_without_negatives(&self) -> Option<Vec<f64>> {
        let mut kept: Vec<usize> = (0..self.right.len()).collect();
        loop {
            let pick = |row: &[f64]| kept.iter().map(|&k| row[k]).collect::<Vec<f64>>();
            let part = Regression {
                matrix: kept.iter().map(|&k| pick(&self.matrix[k])).collect(),
                right: pick(&self.right),
            };
            let found = part.solve()?;
            let worst = (0..kept.len()).min_by(|&a, &b| found[a].total_cmp(&found[b]))?;
            if found[worst] >= 0.0 {
                let mut all = vec![0.0; self.right.len()];
                for (&place, value) in kept.iter().zip(found) {
                    all[place] = value;
                }
                return Some(all);
            }
            kept.remove(worst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_without_errors_give_their_unknowns_back() {
        let mut regression = Regression::new(3);
        for n in 0..20 {
            let x = [f64::from(n), f64::from(n * n % 7), f64::from(n % 3)];
            let target = 2.0 * x[0] - 3.0 * x[1] + 0.5 * x[2];
            regression.add(&[(0, x[0]), (1, x[1]), (2, x[2])], target);
        }
        let found = regression.solve().unwrap();
        for (found, expected) in found.iter().zip([2.0, -3.0, 0.5]) {
            assert!((found - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn a_negative_weight_is_left_out_and_the_others_found_again() {
        let mut regression = Regression::new(2);
        for n in 0..20 {
            let (a, b) = (f64::from(n), f64::from(n % 5));
            regression.add(&[(0, a), (1, b)], 3.0 * a - b);
        }
        let mut alone = Regression::new(1);
        for n in 0..20 {
            alone.add(&[(0, f64::from(n))], f64::from(3 * n - n % 5));
        }
        let found = regression.solve_without_negatives().unwrap();
        assert_eq!(found[1], 0.0);
        assert!((found[0] - alone.solve().unwrap()[0]).abs() < 1e-9);
    }

    #[test]
    fn too_few_equations_decide_nothing() {
        let mut regression = Regression::new(2);
        regression.add(&[(0, 1.0), (1, 1.0)], 1.0);
        assert!(regression.solve().is_none());
    }
}
