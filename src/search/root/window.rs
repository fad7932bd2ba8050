//! Between which values an iteration searches, and what a value found there says.

use super::Root;
use crate::othello::kernel::Kernel;
use crate::search::limits::{Goal, Step};
use crate::search::params::ODD_EVEN_MARGIN;
use crate::search::searcher::Bound;

impl<K: Kernel> Root<'_, '_, K> {
    /// Between which values an iteration is to find out the value.
    pub fn range(&self, step: Step) -> (i32, i32) {
        let solving = step.plies >= self.board.empty_count();
        match (self.limits.goal, self.limits.window) {
            (Goal::Outcome, _) if solving => (-1, 1),
            (Goal::Window { alpha, beta }, _) if solving => {
                // The window is the asker's; an empty one is widened to ask about its lower end.
                let alpha = alpha.clamp(-65, 64);
                let beta = beta.clamp(alpha + 1, 65);
                let (low, high) = self.asker.window_of_mover((alpha, beta));
                (low * 100, high * 100)
            }
            (Goal::Depth { .. }, Some(window)) => {
                let (low, high) = self.asker.window_of_mover(window);
                // Earlier depths order the moves, and may lean to the other side.
                let margin = if solving { 0 } else { ODD_EVEN_MARGIN };
                legal_range(low - margin, high + margin)
            }
            _ => (-6500, 6500),
        }
    }
}

/// The part of a range that values can lie in, never empty.
pub fn legal_range(low: i32, high: i32) -> (i32, i32) {
    let low = low.clamp(-6500, 6499);
    (low, high.clamp(low + 1, 6500))
}

/// What a value says that a search with this window returned; no value lies beyond ±6500.
pub fn bound_in(value: i32, (alpha, beta): (i32, i32)) -> Bound {
    if value <= alpha && alpha > -6500 {
        Bound::AtMost
    } else if value >= beta && beta < 6500 {
        Bound::AtLeast
    } else {
        Bound::Exact
    }
}
