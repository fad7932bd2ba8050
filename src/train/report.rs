//! How far static evaluations are from labels: by empty squares, by colour, by score.

use super::record::{DataError, Record, ShardReader, Source};
use crate::eval::Evaluator;
use crate::othello::kernel::{Job, Kernel, dispatch};
use std::path::Path;

/// Errors over a set of positions, in discs.
#[derive(Clone, Copy, Default, Debug)]
pub struct Accuracy {
    pub positions: u64,
    squares: f64,
    absolutes: f64,
    sum: f64,
}

impl Accuracy {
    fn add(&mut self, error: f64) {
        self.positions += 1;
        self.squares += error * error;
        self.absolutes += error.abs();
        self.sum += error;
    }

    fn mean(&self, total: f64) -> f64 {
        total / self.positions.max(1) as f64
    }

    /// Root mean square error.
    pub fn rmse(&self) -> f64 {
        self.mean(self.squares).sqrt()
    }

    /// Mean absolute error.
    pub fn mae(&self) -> f64 {
        self.mean(self.absolutes)
    }

    /// Mean error: above 0 the evaluation is too hopeful for the mover.
    pub fn bias(&self) -> f64 {
        self.mean(self.sum)
    }
}

/// Accuracy in groups of positions.
pub struct Report {
    pub by_empties: [Accuracy; 65],
    /// Black to move and White to move, by the number of discs: a pass exchanges the two.
    pub by_colour: [Accuracy; 2],
    /// By the label, within the limits of [`SCORES`].
    pub by_score: [Accuracy; SCORES.len() + 1],
}

/// Where one group of scores ends and the next begins, in discs.
pub const SCORES: [i16; 4] = [-20, -4, 4, 20];

/// Evaluates every record of a shard whose label comes from `source`, or all.
pub fn report(
    evaluator: &Evaluator,
    shard: &Path,
    source: Option<Source>,
    report: &mut Report,
) -> Result<(), DataError> {
    for record in ShardReader::open(shard)? {
        let record = record?;
        if source.is_some_and(|source| source != record.source) {
            continue;
        }
        let value = dispatch(Evaluate {
            evaluator,
            record: &record,
        });
        let error = f64::from(value - i32::from(record.label)) / 100.0;
        report.by_empties[record.board.empty_count() as usize].add(error);
        report.by_colour[record.board.disc_count() as usize % 2].add(error);
        let below = SCORES.iter().filter(|limit| 100 * **limit < record.label);
        report.by_score[below.count()].add(error);
    }
    Ok(())
}

impl Default for Report {
    fn default() -> Report {
        Report {
            by_empties: [Accuracy::default(); 65],
            by_colour: [Accuracy::default(); 2],
            by_score: [Accuracy::default(); SCORES.len() + 1],
        }
    }
}

struct Evaluate<'a> {
    evaluator: &'a Evaluator,
    record: &'a Record,
}

impl Job for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> i32 {
        let board = self.record.board;
        let features = self.evaluator.features(board);
        self.evaluator.evaluate(kernel, &features, board)
    }
}
