//! Ridge least squares over sparse rows, by conjugate gradient.
//!
//! Every row has one weight per column of a few groups; the columns of a group share its weights.
//! What is to meet the target is a curve of their sum, taken as straight around where the weights
//! start from: Gauss and Newton's step.
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

/// One equation: these weights and the offset add up to the target.
pub struct Row {
    /// The chosen weight of each column within its group.
    pub indices: Vec<u16>,
    /// What something else than the weights adds to their sum.
    pub offset: f32,
    pub target: f32,
    /// How much the row counts.
    pub weight: f32,
    /// The target is the truth and no estimate of it.
    pub exact: bool,
}

/// Which rows a solution is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    All,
    Exact,
}

struct Block {
    rows: usize,
    /// Column after column, the chosen weight of each row within its group.
    indices: Vec<u16>,
    offsets: Vec<f32>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    /// The same with 0 for rows that are not exact.
    exact_weights: Vec<f32>,
}

impl Block {
    fn weights(&self, rows: Rows) -> &[f32] {
        match rows {
            Rows::All => &self.weights,
            Rows::Exact => &self.exact_weights,
        }
    }
}

/// The value that a sum of weights predicts, and how fast it rises there.
pub type Curve = fn(f32) -> (f32, f32);

/// The rows of a fit.
pub struct Problem {
    curve: Curve,
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
    pub fn new(groups: Vec<Group>, curve: Curve) -> Problem {
        let columns = groups.iter().map(|group| group.columns.len()).sum();
        let mut starts = vec![0; columns];
        for group in &groups {
            for &column in &group.columns {
                starts[column] = group.start;
            }
        }
        let size = groups.iter().map(|g| g.start + g.len).max().unwrap_or(0);
        Problem {
            curve,
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

    pub fn extend(&mut self, rows: &[Row]) {
        let columns = self.columns;
        let blocks: Vec<Block> = rows
            .par_chunks(BLOCK)
            .map(|rows| Block {
                rows: rows.len(),
                indices: (0..columns)
                    .flat_map(|column| rows.iter().map(move |row| row.indices[column]))
                    .collect(),
                offsets: rows.iter().map(|row| row.offset).collect(),
                targets: rows.iter().map(|row| row.target).collect(),
                weights: rows.iter().map(|row| row.weight).collect(),
                exact_weights: rows
                    .iter()
                    .map(|row| if row.exact { row.weight } else { 0.0 })
                    .collect(),
            })
            .collect();
        self.blocks.extend(blocks);
    }

    /// The sums of a block's rows.
    fn sums(&self, block: &Block, weights: &[f32]) -> Vec<f32> {
        let mut sums = vec![0f32; block.rows];
        for (indices, &start) in block.indices.chunks_exact(block.rows).zip(&self.starts) {
            let weights = &weights[start..];
            for (sum, &index) in sums.iter_mut().zip(indices) {
                *sum += weights[usize::from(index)];
            }
        }
        sums
    }

    /// For each weight, the sum of `values` over the blocks' rows that choose it.
    fn collect(&self, blocks: &[&Block], values: &[Vec<f32>]) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = self
            .groups
            .par_iter()
            .map(|group| {
                let mut sums = vec![0f64; group.len];
                for (block, values) in blocks.iter().zip(values) {
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

    /// The weights that minimise Σ weight·(target − curve)² + ridge·|weights − prior|² over these
    /// rows, if the curve is as steep everywhere as at the prior's sums.
    pub fn solve(&self, rows: Rows, prior: &[f64], effort: Effort) -> Vec<f64> {
        let single = |weights: &[f64]| -> Vec<f32> { weights.iter().map(|&w| w as f32).collect() };
        let counts = |block: &&Block| block.weights(rows).iter().any(|&weight| weight > 0.0);
        let blocks: Vec<&Block> = self.blocks.iter().filter(counts).collect();
        let prior_single = single(prior);
        let (steepness, errors): (Vec<Vec<f32>>, Vec<Vec<f32>>) = blocks
            .par_iter()
            .map(|block| {
                let sums = self.sums(block, &prior_single);
                let sums = sums.iter().zip(&block.offsets);
                sums.zip(&block.targets)
                    .zip(block.weights(rows))
                    .map(|(((sum, offset), target), weight)| {
                        let (value, slope) = (self.curve)(sum + offset);
                        (weight * slope * slope, (target - value) * weight * slope)
                    })
                    .unzip()
            })
            .unzip();
        // Jacobi: each weight is scaled by how often it is chosen.
        let scale: Vec<f64> = self
            .collect(&blocks, &steepness)
            .into_iter()
            .map(|count| 1.0 / (count + effort.ridge).max(1e-9))
            .collect();
        let mut residual = self.collect(&blocks, &errors);
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
            let moved: Vec<Vec<f32>> = blocks
                .par_iter()
                .zip(&steepness)
                .map(|(block, steepness)| {
                    let mut sums = self.sums(block, &along);
                    for (sum, steepness) in sums.iter_mut().zip(steepness) {
                        *sum *= steepness;
                    }
                    sums
                })
                .collect();
            let mut image = self.collect(&blocks, &moved);
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

    fn straight(sum: f32) -> (f32, f32) {
        (sum, 1.0)
    }

    /// Rows made from known weights.
    fn rows(count: usize, truth: &[f64]) -> Vec<Row> {
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
                Row {
                    indices: chosen.to_vec(),
                    offset: 0.0,
                    target: target as f32,
                    weight: 1.0,
                    exact: false,
                }
            })
            .collect()
    }

    #[test]
    fn known_weights_are_found_again() {
        let truth = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0, -1.0, 4.0];
        let rows = rows(5000, &truth);
        let mut problem = Problem::new(groups(), straight);
        problem.extend(&rows);
        let effort = Effort {
            iterations: 30,
            ridge: 1e-6,
        };
        let found = problem.solve(Rows::All, &[0.0; 8], effort);
        for Row {
            indices, target, ..
        } in &rows
        {
            let predicted = found[usize::from(indices[0])]
                + found[usize::from(indices[1])]
                + found[5 + usize::from(indices[2])];
            assert!((predicted - f64::from(*target)).abs() < 1e-3);
        }
    }

    #[test]
    fn a_curve_is_met_step_by_step() {
        let bent = |sum: f32| (sum * (1.0 - sum * sum / 600.0), 1.0 - sum * sum / 200.0);
        let truth = [1.0, -2.0, 0.5, 3.0, 0.0, 4.0, -1.0, 2.0];
        let mut rows = rows(5000, &truth);
        rows.iter_mut()
            .for_each(|row| row.target = bent(row.target).0);
        let mut problem = Problem::new(groups(), bent);
        problem.extend(&rows);
        let effort = Effort {
            iterations: 30,
            ridge: 1e-6,
        };
        let mut found = vec![0.0; 8];
        for _ in 0..4 {
            found = problem.solve(Rows::All, &found, effort);
        }
        for row in &rows {
            let [a, b, c] = [0, 1, 2].map(|column| usize::from(row.indices[column]));
            let (value, _) = bent((found[a] + found[b] + found[5 + c]) as f32);
            assert!((value - row.target).abs() < 1e-3);
        }
    }

    #[test]
    fn the_weights_leave_to_the_offset_what_it_explains() {
        let truth = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0, -1.0, 4.0];
        let mut rows = rows(5000, &truth);
        for (number, row) in rows.iter_mut().enumerate() {
            row.offset = (number % 11) as f32;
            row.target += row.offset;
        }
        let mut problem = Problem::new(groups(), straight);
        problem.extend(&rows);
        let effort = Effort {
            iterations: 30,
            ridge: 1e-6,
        };
        let found = problem.solve(Rows::All, &[0.0; 8], effort);
        assert!((found[0] + found[0] + found[5] - 9.0).abs() < 1e-2);
    }

    #[test]
    fn a_weight_no_row_chooses_keeps_its_prior() {
        let mut problem = Problem::new(groups(), straight);
        problem.extend(&[Row {
            indices: vec![0, 0, 0],
            offset: 0.0,
            target: 10.0,
            weight: 1.0,
            exact: false,
        }]);
        let prior = [0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        let effort = Effort {
            iterations: 8,
            ridge: 0.1,
        };
        let found = problem.solve(Rows::All, &prior, effort);
        assert_eq!((found[1], found[7]), (9.0, -4.0));
        assert!(found[0] > 3.0);
        // No row is exact, so there is nothing to correct the weights by.
        assert_eq!(problem.solve(Rows::Exact, &prior, effort), prior);
    }

    #[test]
    fn exact_rows_alone_decide_where_only_they_are_asked() {
        let estimates = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0, -1.0, 4.0];
        let truth = estimates.map(|weight| weight + 1.0);
        let mut exact = rows(500, &truth);
        exact.iter_mut().for_each(|row| row.exact = true);
        let mut problem = Problem::new(groups(), straight);
        problem.extend(&rows(5000, &estimates));
        problem.extend(&exact);
        let effort = Effort {
            iterations: 30,
            ridge: 1e-6,
        };
        let estimated = problem.solve(Rows::All, &[0.0; 8], effort);
        let corrected = problem.solve(Rows::Exact, &estimated, effort);
        let first = |found: &[f64]| found[0] + found[0] + found[5];
        // Ten in eleven rows say 9, the exact ones 12.
        assert!((first(&estimated) - (9.0 + 3.0 / 11.0)).abs() < 0.1);
        assert!((first(&corrected) - 12.0).abs() < 1e-3);
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
                let mut problem = Problem::new(groups(), straight);
                problem.extend(&rows(10_000, &truth));
                let effort = Effort {
                    iterations: 5,
                    ridge: 2.0,
                };
                problem.solve(Rows::All, &[0.25; 8], effort)
            })
        };
        let bits = |weights: Vec<f64>| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(solve(1)), bits(solve(3)));
    }
}
