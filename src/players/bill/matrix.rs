//! Symmetric positive matrices, a few rows large: enough to invert a covariance or to solve a
//! regression's normal equations.

/// A matrix taken apart into a lower triangle and its mirror image (Cholesky).
#[derive(Clone, Debug)]
pub struct Positive {
    lower: Vec<Vec<f64>>,
}

impl Positive {
    /// Of a symmetric matrix; none if it is not positive, as of features that depend on each other.
    pub fn of(matrix: &[Vec<f64>]) -> Option<Positive> {
        let size = matrix.len();
        let mut lower = vec![vec![0.0; size]; size];
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = matrix[row][column] - known;
                lower[row][column] = if row == column {
                    // What rounding leaves of a zero counts as zero.
                    if rest.is_nan() || rest <= 1e-9 * matrix[row][row].abs() || rest <= 0.0 {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / lower[column][column]
                };
            }
        }
        Some(Positive { lower })
    }

    /// The x for which the matrix times x is `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.lower.len();
        let mut x = right.to_vec();
        for row in 0..size {
            let known: f64 = (0..row).map(|k| self.lower[row][k] * x[k]).sum();
            x[row] = (x[row] - known) / self.lower[row][row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|k| self.lower[k][row] * x[k]).sum();
            x[row] = (x[row] - known) / self.lower[row][row];
        }
        x
    }

    pub fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.lower.len();
        (0..size)
            .map(|column| {
                let mut unit = vec![0.0; size];
                unit[column] = 1.0;
                self.solve(&unit)
            })
            .collect()
    }

    /// The natural logarithm of the determinant.
    pub fn log_determinant(&self) -> f64 {
        let diagonal = self.lower.iter().enumerate().map(|(row, line)| line[row]);
        2.0 * diagonal.map(f64::ln).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![
            vec![4.0, 2.0, 0.5],
            vec![2.0, 3.0, 1.0],
            vec![0.5, 1.0, 2.0],
        ];
        let positive = Positive::of(&matrix).unwrap();
        let inverse = positive.inverse();
        for (row, line) in matrix.iter().enumerate() {
            // The inverse is as symmetric as the matrix: its rows are its columns.
            for (column, of_inverse) in inverse.iter().enumerate() {
                let product: f64 = line.iter().zip(of_inverse).map(|(a, b)| a * b).sum();
                let expected = f64::from(u8::from(row == column));
                assert!((product - expected).abs() < 1e-12);
            }
        }
        // By hand: 4(6 − 1) − 2(4 − 0.5) + 0.5(2 − 1.5) = 13.25.
        assert!((positive.log_determinant() - 13.25_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn features_that_depend_on_each_other_make_no_positive_matrix() {
        assert!(Positive::of(&[vec![1.0, 2.0], vec![2.0, 4.0]]).is_none());
        assert!(Positive::of(&[vec![0.0]]).is_none());
    }
}
