//! Multi-ProbCut: a shallow search that lies far enough outside the window stands for the deep one.

use super::params::{PROBCUT_MAX_NESTING, PROBCUT_MIN_DEPTH};
use super::worker::Worker;
use crate::eval::Features;
use crate::othello::Board;
use crate::othello::kernel::Kernel;

impl<K: Kernel> Worker<'_, K> {
    /// The bound that a shallower search makes likely, if it lies outside (alpha, alpha + 1).
    #[inline(always)]
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
        empties: u32,
    ) -> Option<i32> {
        if self.probcut_nesting >= PROBCUT_MAX_NESTING || depth < PROBCUT_MIN_DEPTH {
            return None;
        }
        let cut = self.evaluator.probcut().cut(empties, depth);
        let shallow = u32::from(cut.shallow);
        let sigmas = self.selectivity.deviations();
        let margin = sigmas * i32::from(cut.deviation) / 100;
        // The static value decides which side is worth a search at all.
        let static_value = self.evaluator.evaluate(self.kernel, features, board);
        let static_margin = sigmas * i32::from(cut.static_deviation - cut.deviation) / 100;

        let mean = i32::from(cut.mean);
        let high = alpha + 1 + margin - mean;
        if high <= 6400 && static_value >= high - static_margin.max(0) {
            self.probcut_nesting += 1;
            let value = self.null_window(board, features, high - 1, shallow);
            self.probcut_nesting -= 1;
            if value >= high && !self.stopped {
                return Some(alpha + 1);
            }
        }
        let low = alpha - margin - mean;
        if low >= -6400 && static_value <= low + static_margin.max(0) {
            self.probcut_nesting += 1;
            let value = self.null_window(board, features, low, shallow);
            self.probcut_nesting -= 1;
            if value <= low && !self.stopped {
                return Some(alpha);
            }
        }
        None
    }
}
