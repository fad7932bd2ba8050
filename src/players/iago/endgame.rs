//! What the next iteration searches for: the decision rule of section 4.3.
//!
//! A search to the end of the game by discs (evaluation 1) costs about as much as one of the normal
//! evaluation five plies less deep, one by outcome (evaluation 2) seven plies less deep.

use super::search::Goal;
use super::time::Forecast;

const DISCS_REACH: u32 = 5;
const OUTCOME_REACH: u32 = 7;

/// The next iteration after one of `done` plies; none to end the search.
pub fn next_goal(
    done: u32,
    empties: u32,
    deepest: u32,
    forecast: &Forecast,
    spent: f64,
    planned: f64,
) -> Option<Goal> {
    // The first iteration is always searched: there must be a move.
    let may_go_on = done == 0 || (done < deepest && forecast.allows_another(spent, planned));
    // Two more iterations and evaluation (1), which would then reach the end.
    let discs_later = done + 2 < deepest && forecast.allows(3, spent, planned);
    if !may_go_on {
        None
    } else if done > 0 && empties <= done + DISCS_REACH {
        Some(Goal::Discs)
    } else if done > 0 && empties <= done + OUTCOME_REACH && !discs_later {
        Some(Goal::Outcome)
    } else {
        Some(Goal::Depth(done + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations that cost 1, 4, 16, …
    fn forecast(iterations: i32) -> Forecast {
        let mut forecast = Forecast::default();
        for place in 0..iterations {
            let cost = 4f64.powi(place);
            forecast.observe(cost, cost);
        }
        forecast
    }

    fn goal(empties: u32, planned: f64) -> Option<Goal> {
        next_goal(6, empties, u32::MAX, &forecast(6), 0.0, planned)
    }

    #[test]
    fn within_five_more_plies_of_the_end_discs_are_counted() {
        assert_eq!(goal(11, 5000.0), Some(Goal::Discs));
        assert_eq!(goal(14, 5000.0), Some(Goal::Depth(7)));
    }

    #[test]
    fn within_seven_the_outcome_is_searched_unless_there_is_time_for_discs_later() {
        assert_eq!(goal(13, 5000.0), Some(Goal::Outcome));
        // 4096 + 16384 + 65536.
        assert_eq!(goal(13, 87_000.0), Some(Goal::Depth(7)));
        assert_eq!(goal(13, 86_000.0), Some(Goal::Outcome));
    }

    #[test]
    fn without_time_or_depth_the_search_ends_but_never_before_the_first_ply() {
        assert_eq!(goal(30, 4000.0), None);
        assert_eq!(goal(11, 4000.0), None);
        let none_done = next_goal(0, 30, 6, &Forecast::default(), 9.0, 0.0);
        assert_eq!(none_done, Some(Goal::Depth(1)));
        let deepest = next_goal(6, 30, 6, &forecast(6), 0.0, f64::INFINITY);
        assert_eq!(deepest, None);
    }
}
