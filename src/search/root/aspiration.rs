//! An iteration within a narrow window around the value expected, opened where the value lies
//! outside of it.

use super::Root;
use super::window::bound_in;
use crate::othello::kernel::Kernel;
use crate::search::limits::Step;
use crate::search::params::ASPIRATION;
use crate::search::searcher::Bound;
use crate::search::worker::Algorithm;

impl<K: Kernel> Root<'_, '_, K> {
    /// One iteration within a range; the best value first among the moves. None when it was
    /// stopped before any move beat the window.
    pub fn iterate(
        &mut self,
        step: Step,
        guess: Option<i32>,
        (low, high): (i32, i32),
    ) -> Option<(i32, Bound)> {
        let solving = step.plies >= self.board.empty_count();
        if self.worker.algorithm == Algorithm::Mtdf {
            return self.mtdf(step, guess.unwrap_or(0), (low, high));
        }
        let margin = if solving { 100 } else { ASPIRATION };
        let mut window = match guess {
            Some(guess) if self.worker.algorithm == Algorithm::NegaScout => {
                // An exact score is even: round the guess so that the window holds one.
                let centre = if solving {
                    (guess as f64 / 200.0).round() as i32 * 200
                } else {
                    guess
                };
                let alpha = (centre - margin).clamp(low, high - 1);
                (alpha, (centre + margin).clamp(alpha + 1, high))
            }
            _ => (low, high),
        };
        let mut widening = margin;
        loop {
            let found = self.search_moves(0, step.plies, window);
            if self.worker.stopped {
                return found.map(|value| (value, Bound::AtLeast));
            }
            let value = found?;
            widening *= 2;
            let Some(next) = moved_window(value, window, (low, high), widening, solving) else {
                return Some((value, bound_in(value, window)));
            };
            window = next;
        }
    }
}

/// Where to search again after a value outside the window: reaching further by so much, but not
/// beyond the range that was asked about. None when the value says all there is to say about it.
fn moved_window(
    value: i32,
    (alpha, beta): (i32, i32),
    (low, high): (i32, i32),
    reach: i32,
    solving: bool,
) -> Option<(i32, i32)> {
    // What a solver proved need not be proved again; a selective search may change its mind.
    if value <= alpha && value > low {
        let beta = if solving { value + 1 } else { beta };
        Some(((value - reach).max(low), beta))
    } else if value >= beta && value < high {
        let alpha = if solving { value - 1 } else { alpha };
        Some((alpha, (value + reach).min(high)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_moves_towards_the_value_and_never_beyond_what_was_asked() {
        let values = (-6400..=6400).step_by(200);
        for (low, high) in [(-6500, 6500), (-200, 300), (1000, 1100), (-6500, -6300)] {
            for centre in values.clone() {
                let alpha = (centre - 100).clamp(low, high - 1);
                let window = (alpha, (centre + 100).clamp(alpha + 1, high));
                for value in values.clone() {
                    for solving in [false, true] {
                        let next = moved_window(value, window, (low, high), 400, solving);
                        let Some((alpha, beta)) = next else {
                            // Nothing to ask: inside the window, or outside of the whole range.
                            let inside = window.0 < value && value < window.1;
                            assert!(inside || value <= low || value >= high);
                            continue;
                        };
                        assert!(low <= alpha && alpha < beta && beta <= high);
                        assert!(alpha < value && value < beta || !solving);
                        assert!(low < value && value < high);
                    }
                }
            }
        }
    }
}
