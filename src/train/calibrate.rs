//! Multi-ProbCut's numbers: how far shallow searches lie from deeper ones and from exact scores.
//!
//! Positions are searched to every depth with no selective cut; the means and standard deviations
//! of the differences, by empty squares and pair of depths of the same parity, are then fitted by one
//! smooth formula each, because a node's pair may be deeper than any measured.

use super::label::TABLE_BYTES;
use super::record::{DataError, ShardReader};
use crate::eval::{Calibration, Evaluator, Formulas};
use crate::othello::Board;
use crate::search::{Goal, Limits, Searcher, Selectivity};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Terms of a formula.
const N: usize = Calibration::TERMS;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The deepest search.
    pub depth: u32,
    /// Exact scores are found from this many empty squares on.
    pub solve_from: u32,
}

/// The spread of one pair of depths.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub empties: u32,
    /// The empty squares themselves where the deep value is exact.
    pub deep: u32,
    pub shallow: u32,
    pub positions: usize,
    /// Discs by which the deep value is higher, on average.
    pub mean: f64,
    /// Standard deviation in discs.
    pub deviation: f64,
}

/// For every `step`-th number of empty squares of the range, the first boards of the shards: at
/// most one of each game.
pub fn sample(
    shards: &[PathBuf],
    empties: RangeInclusive<u32>,
    step: usize,
    count: usize,
) -> Result<Vec<Vec<Board>>, DataError> {
    let wanted: Vec<u32> = empties.step_by(step).collect();
    let mut sets = vec![Vec::new(); wanted.len()];
    for path in shards {
        for record in ShardReader::open(path)? {
            let board = record?.board;
            let place = wanted.iter().position(|&e| e == board.empty_count());
            if let Some(set) = place.map(|i| &mut sets[i]).filter(|set| set.len() < count) {
                set.push(board);
            }
        }
        if sets.iter().all(|set| set.len() >= count) {
            break;
        }
    }
    Ok(sets)
}

/// Searches the positions, all with the same number of empty squares, to every depth.
pub fn measure(
    evaluator: &'static Evaluator,
    boards: &[Board],
    amount: Amount,
    done: impl Fn() + Sync,
) -> Vec<Spread> {
    let Some(empties) = boards.first().map(|board| board.empty_count()) else {
        return Vec::new();
    };
    let deepest = amount.depth.min(empties.saturating_sub(1));
    let values: Vec<Vec<f64>> = boards
        .par_iter()
        .with_max_len(1)
        .map_init(
            || Searcher::new(TABLE_BYTES).with_evaluator(evaluator),
            |searcher, &board| {
                searcher.clear();
                let value =
                    |limits: Limits| f64::from(searcher.search(board, &limits).value) / 100.0;
                let mut values: Vec<f64> = (0..=deepest)
                    .map(|plies| match plies {
                        0 => static_value(evaluator, board),
                        plies => value(Limits::new(Goal::Depth {
                            plies,
                            selectivity: Selectivity::Exact,
                        })),
                    })
                    .collect();
                if empties <= amount.solve_from {
                    values.push(value(Limits::solve()));
                }
                done();
                values
            },
        )
        .collect();
    let exact = deepest as usize + 1;
    let mut spreads = Vec::new();
    for deep in 1..=exact {
        if deep == exact && empties > amount.solve_from {
            break;
        }
        let (pairs, depth): (Vec<usize>, u32) = if deep == exact {
            ((0..deep).collect(), empties)
        } else {
            ((deep % 2..deep).step_by(2).collect(), deep as u32)
        };
        for shallow in pairs {
            let differences: Vec<f64> = values.iter().map(|v| v[deep] - v[shallow]).collect();
            let count = differences.len() as f64;
            let mean = differences.iter().sum::<f64>() / count;
            let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / count;
            spreads.push(Spread {
                empties,
                deep: depth,
                shallow: shallow as u32,
                positions: differences.len(),
                mean,
                deviation: variance.sqrt(),
            });
        }
    }
    spreads
}

fn static_value(evaluator: &Evaluator, board: Board) -> f64 {
    use crate::othello::kernel::Portable;
    let features = evaluator.features(board);
    f64::from(evaluator.evaluate(Portable, &features, board)) / 100.0
}

/// The formulas that fit the spreads best.
pub fn calibrate(spreads: &[Spread]) -> Calibration {
    let (exact, deeper): (Vec<Spread>, Vec<Spread>) = spreads
        .iter()
        .partition(|spread| spread.deep == spread.empties);
    let formulas = |spreads: &[Spread]| Formulas {
        deviation: fitted(spreads, |spread| spread.deviation.max(0.01).ln()),
        mean: fitted(spreads, |spread| spread.mean),
    };
    Calibration {
        deeper: formulas(&deeper),
        exact: formulas(&exact),
    }
}

/// Least squares for what is wanted of each spread, which is as heavy as its positions.
fn fitted(spreads: &[Spread], target: impl Fn(&Spread) -> f64) -> [f64; N] {
    let mut normal = [[0.0; N]; N];
    let mut right = [0.0; N];
    for spread in spreads {
        let terms = Calibration::terms(spread.empties, spread.deep, spread.shallow);
        let weight = spread.positions as f64;
        let target = target(spread);
        for i in 0..N {
            right[i] += weight * terms[i] * target;
            for j in 0..N {
                normal[i][j] += weight * terms[i] * terms[j];
            }
        }
    }
    // A little ridge: where the deep value is exact, two of the terms go together.
    for (i, row) in normal.iter_mut().enumerate() {
        row[i] += 1.0;
    }
    solved(normal, right)
}

/// Gauss's elimination for a positive definite matrix, which needs no pivots.
fn solved<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = matrix[column];
        for row in column + 1..N {
            let factor = matrix[row][column] / pivot[column];
            for (entry, above) in matrix[row].iter_mut().zip(&pivot) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|i| matrix[row][i] * solution[i]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved() {
        let solution = solved([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]);
        assert!((solution[0] - 1.0 / 11.0).abs() < 1e-12);
        assert!((solution[1] - 7.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn spreads_of_a_known_formula_give_it_back() {
        let truth = [0.9, 0.2, -0.1, 0.9, -0.3];
        let mut spreads = Vec::new();
        for empties in [10, 20, 30, 40, 50] {
            for deep in 2..9 {
                for shallow in (deep % 2..deep).step_by(2) {
                    let terms = Calibration::terms(empties, deep, shallow);
                    let log: f64 = terms.iter().zip(&truth).map(|(t, c)| t * c).sum();
                    spreads.push(Spread {
                        empties,
                        deep,
                        shallow,
                        positions: 100_000,
                        mean: -log,
                        deviation: log.exp(),
                    });
                }
            }
        }
        let found = calibrate(&spreads).deeper;
        for (i, truth) in truth.iter().enumerate() {
            assert!((found.deviation[i] - truth).abs() < 1e-3, "{found:?}");
            assert!((found.mean[i] + truth).abs() < 1e-3, "{found:?}");
        }
    }
}
