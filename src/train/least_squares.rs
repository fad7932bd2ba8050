//! Ridge least squares over sparse rows, by conjugate gradient.
//!
//! Every row has one weight per column of a few groups; the columns of a group share its weights.
//! The order of all sums is fixed by the data alone: rows are summed within a block, weights
//! within a group, so the number of threads does not change a single bit of the result.

use rayon::prelude::*;

/// Rows per block: a block's predictions stay in the first-level cache.
const BLOCK: usize = 2048;

/// Which weights the columns of a row choose from.
pub struct Group {
    /// Where the group's weights start.
    pub start: usize,
    /// How many weights it has (at most 2¹⁶).
    pub len: usize,
    /// The columns that share them.
    pub columns: Vec<usize>,
}

struct Block {
    rows: usize,
    /// Column after column, the chosen weight of each row within its group.
    indices: Vec<u16>,
    targets: Vec<f32>,
    weights: Vec<f32>,
}

/// The rows of a fit.
pub struct Problem {
    groups: Vec<Group>,
    columns: usize,
    /// Where the weights of each column start.
    starts: Vec<usize>,
    size: usize,
    blocks: Vec<Block>,
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub iterations: u32,
    /// The pull towards the prior, as a number of rows.
    pub ridge: f64,
}

impl Problem {
    pub fn new(groups: Vec<Group>) -> Problem {
        let columns = groups.iter().map(|group| group.columns.len()).sum();
        let mut starts = vec![0; columns];
        for group in &groups {
            for &column in &group.columns {
                starts[column] = group.start;
            }
        }
        let size = groups.iter().map(|g| g.start + g.len).max().unwrap_or(0);
        Problem {
            groups,
            columns,
            starts,
            size,
            blocks: Vec::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.blocks.iter().map(|block| block.rows).sum()
    }

    /// Adds rows: `indices` gives the chosen weight of each column, `target` and `weight` follow.
    pub fn extend(&mut self, rows: &[(Vec<u16>, f32, f32)]) {
        let columns = self.columns;
        let blocks: Vec<Block> = rows
            .par_chunks(BLOCK)
            .map(|rows| Block {
                rows: rows.len(),
                indices: (0..columns)
                    .flat_map(|column| rows.iter().map(move |row| row.0[column]))
                    .collect(),
                targets: rows.iter().map(|row| row.1).collect(),
                weights: rows.iter().map(|row| row.2).collect(),
            })
            .collect();
        self.blocks.extend(blocks);
    }

    /// The predictions of a block's rows.
    fn predict(&self, block: &Block, weights: &[f32]) -> Vec<f32> {
        let mut sums = vec![0f32; block.rows];
        for (indices, &start) in block.indices.chunks_exact(block.rows).zip(&self.starts) {
            let weights = &weights[start..];
            for (sum, &index) in sums.iter_mut().zip(indices) {
                *sum += weights[usize::from(index)];
            }
        }
        sums
    }

    /// For each weight, the sum of `value` over the rows that choose it.
    fn collect(&self, values: &[Vec<f32>]) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = self
            .groups
            .par_iter()
            .map(|group| {
                let mut sums = vec![0f64; group.len];
                for (block, values) in self.blocks.iter().zip(values) {
                    for &column in &group.columns {
                        let indices = &block.indices[column * block.rows..][..block.rows];
                        for (&index, &value) in indices.iter().zip(values) {
                            sums[usize::from(index)] += f64::from(value);
                        }
                    }
                }
                sums
            })
            .collect();
        let mut sums = vec![0f64; self.size];
        for (group, part) in self.groups.iter().zip(&parts) {
            sums[group.start..][..group.len].copy_from_slice(part);
        }
        sums
    }

    /// The weights that minimise Σ weight·(target − prediction)² + ridge·|weights − prior|².
    pub fn solve(&self, prior: &[f64], effort: Effort) -> Vec<f64> {
        let single = |weights: &[f64]| -> Vec<f32> { weights.iter().map(|&w| w as f32).collect() };
        // Jacobi: each weight is scaled by how often it is chosen.
        let shares: Vec<Vec<f32>> = self.blocks.iter().map(|b| b.weights.clone()).collect();
        let scale: Vec<f64> = self
            .collect(&shares)
            .into_iter()
            .map(|count| 1.0 / (count + effort.ridge).max(1e-9))
            .collect();
        let prior_single = single(prior);
        let errors: Vec<Vec<f32>> = self
            .blocks
            .par_iter()
            .map(|block| {
                let predicted = self.predict(block, &prior_single);
                predicted
                    .iter()
                    .zip(&block.targets)
                    .zip(&block.weights)
                    .map(|((p, t), w)| (t - p) * w)
                    .collect()
            })
            .collect();
        let mut residual = self.collect(&errors);
        drop(errors);
        let mut change = vec![0f64; self.size];
        let mut scaled: Vec<f64> = residual.iter().zip(&scale).map(|(r, s)| r * s).collect();
        let mut direction = scaled.clone();
        let mut size = dot(&residual, &scaled);
        for _ in 0..effort.iterations {
            if size <= 1e-12 {
                break;
            }
            let along = single(&direction);
            let moved: Vec<Vec<f32>> = self
                .blocks
                .par_iter()
                .map(|block| {
                    let mut sums = self.predict(block, &along);
                    for (sum, weight) in sums.iter_mut().zip(&block.weights) {
                        *sum *= weight;
                    }
                    sums
                })
                .collect();
            let mut image = self.collect(&moved);
            for (value, d) in image.iter_mut().zip(&direction) {
                *value += effort.ridge * d;
            }
            let curvature = dot(&direction, &image);
            if curvature <= 0.0 {
                break;
            }
            let step = size / curvature;
            for ((c, d), (r, i)) in change
                .iter_mut()
                .zip(&direction)
                .zip(residual.iter_mut().zip(&image))
            {
                *c += step * d;
                *r -= step * i;
            }
            for ((z, r), s) in scaled.iter_mut().zip(&residual).zip(&scale) {
                *z = r * s;
            }
            let next = dot(&residual, &scaled);
            let keep = next / size;
            size = next;
            for (d, z) in direction.iter_mut().zip(&scaled) {
                *d = z + keep * *d;
            }
        }
        for (weight, before) in change.iter_mut().zip(prior) {
            *weight += before;
        }
        change
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups() -> Vec<Group> {
        vec![
            Group {
                start: 0,
                len: 5,
                columns: vec![0, 1],
            },
            Group {
                start: 5,
                len: 3,
                columns: vec![2],
            },
        ]
    }

    /// Rows made from known weights.
    fn rows(count: usize, truth: &[f64]) -> Vec<(Vec<u16>, f32, f32)> {
        (0..count)
            .map(|i| {
                let chosen = [
                    (i * 7 % 5) as u16,
                    (i * i % 5) as u16,
                    (i * 3 / 2 % 3) as u16,
                ];
                let target = truth[usize::from(chosen[0])]
                    + truth[usize::from(chosen[1])]
                    + truth[5 + usize::from(chosen[2])];
                (chosen.to_vec(), target as f32, 1.0)
            })
            .collect()
    }

    #[test]
    fn known_weights_are_found_again() {
        let truth = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0, -1.0, 4.0];
        let rows = rows(5000, &truth);
        let mut problem = Problem::new(groups());
        problem.extend(&rows);
        let effort = Effort {
            iterations: 30,
            ridge: 1e-6,
        };
        let found = problem.solve(&[0.0; 8], effort);
        for (chosen, target, _) in &rows {
            let predicted = found[usize::from(chosen[0])]
                + found[usize::from(chosen[1])]
                + found[5 + usize::from(chosen[2])];
            assert!((predicted - f64::from(*target)).abs() < 1e-3);
        }
    }

    #[test]
    fn a_weight_no_row_chooses_keeps_its_prior() {
        let mut problem = Problem::new(groups());
        problem.extend(&[(vec![0, 0, 0], 10.0, 1.0)]);
        let prior = [0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        let effort = Effort {
            iterations: 8,
            ridge: 0.1,
        };
        let found = problem.solve(&prior, effort);
        assert_eq!((found[1], found[7]), (9.0, -4.0));
        assert!(found[0] > 3.0);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let truth = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0, -1.0, 4.0];
        let solve = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let mut problem = Problem::new(groups());
                problem.extend(&rows(10_000, &truth));
                let effort = Effort {
                    iterations: 5,
                    ridge: 2.0,
                };
                problem.solve(&[0.25; 8], effort)
            })
        };
        let bits = |weights: Vec<f64>| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(solve(1)), bits(solve(3)));
    }
}
