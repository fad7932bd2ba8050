//! MTD(f): an iteration of null windows only.

use super::Root;
use super::window::bound_in;
use crate::othello::kernel::Kernel;
use crate::search::limits::Step;
use crate::search::params::MTDF_STRIDE;
use crate::search::searcher::Bound;

impl<K: Kernel> Root<'_, '_, K> {
    /// Each bound tells where to look next. Half-way between two bounds is
    /// never worse than one step from the last, which would creep up on values this fine.
    pub(super) fn mtdf(
        &mut self,
        step: Step,
        guess: i32,
        limits: (i32, i32),
    ) -> Option<(i32, Bound)> {
        let (mut lower, mut upper) = limits;
        let mut value = guess.clamp(lower + 1, upper - 1);
        let mut stride = MTDF_STRIDE;
        // Only a move that passed a window has proved itself; where all fail, their order is noise.
        let mut proved = None;
        while lower < upper {
            let beta = value.clamp(lower + 1, upper);
            value = self.search_moves(0, step.plies, (beta - 1, beta))?;
            if self.worker.stopped {
                return None;
            }
            if value < beta {
                upper = value;
            } else {
                lower = value;
                proved = self.moves.first().map(|m| m.square);
            }
            let middle = lower + (upper - lower) / 2;
            value = if lower == limits.0 {
                middle.max(upper - stride)
            } else if upper == limits.1 {
                middle.min(lower + stride)
            } else {
                middle + 1
            };
            stride *= 2;
        }
        let place = self.moves.iter().position(|m| Some(m.square) == proved);
        if let Some(place) = place {
            self.moves[..=place].rotate_right(1);
        }
        Some((lower, bound_in(lower, limits)))
    }
}
