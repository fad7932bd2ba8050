//! Means of two depths, where they are asked for: odd and even depths lean to opposite sides.

use super::Root;
use super::window::legal_range;
use crate::othello::kernel::Kernel;
use crate::search::limits::Step;
use crate::search::searcher::Bound;

impl<K: Kernel> Root<'_, '_, K> {
    /// The last of the two iterations whose mean is wanted: the other one tells where its value
    /// must lie for the mean to lie in the window.
    pub(super) fn iterate_for_mean(
        &mut self,
        step: Step,
        before: Step,
        (mut other, bound): (i32, Bound),
        window: (i32, i32),
        values: &mut [i32],
    ) -> Option<(i32, Bound)> {
        let (alpha, beta) = self.asker.window_of_mover(window);
        let range = |other: i32| legal_range(2 * alpha - other, 2 * beta - other);
        let found = self.iterate(step, Some(other), range(other))?;
        if bound == Bound::Exact || bound == found.1 || self.worker.stopped {
            return Some(found);
        }
        // Two bounds that do not say the same: the earlier one must be a value after all.
        (other, _) = self.iterate(before, Some(other), (-6500, 6500))?;
        if let Some(last) = values.last_mut() {
            *last = other;
        }
        self.iterate(step, Some(found.0), range(other))
    }

    /// The value of a move, or the mean of it and that of the depth before where means are asked
    /// for: the best move has one too, and they should compare.
    pub(super) fn mean_of(&mut self, place: usize, value: i32, step: Step) -> i32 {
        let at_end = step.plies >= self.board.empty_count();
        if !self.limits.average || at_end || step.plies < 2 {
            return value;
        }
        let m = &self.moves[place];
        let child_plies = step.plies - 2;
        self.worker.only_this_depth = true;
        let before = -self
            .worker
            .principal(m.board, &m.features, (-6500, 6500), child_plies);
        self.worker.only_this_depth = false;
        (before + value) / 2
    }
}
