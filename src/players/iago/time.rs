//! How long to think about a move (section 4.1), and whether there is time for another iteration
//! (section 4.2).
//!
//! The paper draws the marginal values of the moves (figure 4-1) without numbers. Here: little for
//! the first move, which is a choice between four alike; then rising to move 46, about where the
//! endgame is searched to its end, and falling from there. The fractions reduced by hand are here
//! all those above 0.4. The 2.5 of 30 minutes that are kept back become a twelfth of the clock at
//! the start; the 10 seconds a move for turning discs become the 5 ms that every player here keeps
//! back. Beyond the paper, a search that has used twice its time ends even within a first-ply node,
//! and the branching factors are taken as 4 until they are known.

use crate::players::Thinking;
use crate::players::meter::RESERVE;
use std::time::Duration;

/// How far a search may run over its time for one more first-ply node.
pub const OVERRUN: f64 = 1.3;
/// Of the clock at the start of the game, kept back.
const KEPT_BACK: u32 = 12;
const LARGEST_FRACTION: f64 = 0.4;
/// With nothing limited.
const USUAL: Duration = Duration::from_secs(1);
/// Until the search has shown how the tree grows.
const USUAL_BRANCHING: f64 = 4.0;

/// The importance of each move, before anything is normalised.
fn marginal(move_number: u32) -> f64 {
    match move_number {
        0..=1 => 0.1,
        2..=46 => 1.0 + f64::from(move_number) / 46.0,
        _ => f64::from(63u32.saturating_sub(move_number)).max(1.0) / 16.0,
    }
}

/// Which part of the time left this move gets: of the moves from here on that are one's own.
pub fn fraction(move_number: u32) -> f64 {
    let still_to_come: f64 = (move_number..=60).step_by(2).map(marginal).sum();
    (marginal(move_number) / still_to_come).min(LARGEST_FRACTION)
}

/// What a move may use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allocation {
    /// What the search plans with: nodes where they are limited, seconds otherwise.
    pub planned: f64,
    /// Never exceeded.
    pub time: Option<Duration>,
    pub nodes: Option<u64>,
    /// The deepest iteration.
    pub depth: u32,
}

/// The allocation for a move; `at_start` is what the clock showed when the game began.
pub fn allocate(thinking: &Thinking, at_start: Option<Duration>, move_number: u32) -> Allocation {
    let depth = thinking.depth.unwrap_or(u32::MAX).max(1);
    let clocked = thinking.remaining.map(|remaining| {
        let kept_back = at_start.unwrap_or(remaining) / KEPT_BACK;
        let usable = remaining.saturating_sub(kept_back.max(2 * RESERVE));
        let planned = usable
            .mul_f64(fraction(move_number))
            .saturating_sub(RESERVE);
        (planned, (2 * planned).min(usable))
    });
    let unlimited = thinking.nodes.is_none() && thinking.depth.is_none();
    let each = thinking.per_move.or(unlimited.then_some(USUAL));
    let each = each.map(|time| {
        let longest = time.saturating_sub(RESERVE);
        (longest.div_f64(OVERRUN), longest)
    });
    let (planned, longest) = match clocked.or(each) {
        Some((planned, longest)) => (planned.as_secs_f64(), Some(longest)),
        None => (f64::INFINITY, None),
    };
    Allocation {
        planned: match thinking.nodes {
            Some(nodes) => nodes as f64 / OVERRUN,
            None => planned,
        },
        time: longest,
        nodes: thinking.nodes,
        depth,
    }
}

/// What the iterations of a search cost so far, and what the next will.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Of each finished iteration, the first of one ply.
    costs: Vec<f64>,
    /// Which part of the last iteration its first nodes took (three, or all there are).
    first_nodes: f64,
}

impl Default for Forecast {
    fn default() -> Forecast {
        Forecast {
            costs: Vec::new(),
            first_nodes: 1.0,
        }
    }
}

impl Forecast {
    /// An iteration is finished; `first_nodes` is the cost of its first nodes.
    pub fn observe(&mut self, cost: f64, first_nodes: f64) {
        self.costs.push(cost);
        self.first_nodes = if cost > 0.0 {
            (first_nodes / cost).clamp(0.0, 1.0)
        } else {
            1.0
        };
    }

    /// How the tree grows by a ply of this depth, whose player is the one two plies before.
    fn branching(&self, depth: usize) -> f64 {
        let mut plies = (2..=self.costs.len()).rev();
        plies
            .find(|ply| ply % 2 == depth % 2)
            .map(|ply| self.costs[ply - 1] / self.costs[ply - 2].max(1e-9))
            .filter(|growth| growth.is_finite())
            .map_or(USUAL_BRANCHING, |growth| growth.clamp(1.0, 30.0))
    }

    /// What the next iterations cost, one after the other.
    pub fn next(&self) -> impl Iterator<Item = f64> + '_ {
        let mut cost = self.costs.last().copied().unwrap_or(0.0);
        (self.costs.len() + 1..).map(move |depth| {
            cost *= self.branching(depth);
            cost
        })
    }

    /// There is time for the first nodes of another iteration.
    pub fn allows_another(&self, spent: f64, planned: f64) -> bool {
        let cost = self.next().next().unwrap_or(0.0);
        spent + cost * self.first_nodes <= planned
    }

    /// There is time for so many whole iterations.
    pub fn allows(&self, iterations: usize, spent: f64, planned: f64) -> bool {
        spent + self.next().take(iterations).sum::<f64>() <= planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fractions_use_up_the_clock_and_the_first_move_hardly_any() {
        assert!(fraction(1) < 0.005);
        assert!(fraction(2) > 2.0 * fraction(1));
        for first in [1, 2] {
            let mut left = 1.0;
            for number in (first..=60).step_by(2) {
                left *= 1.0 - fraction(number);
            }
            assert!((0.0..0.2).contains(&left), "{left}");
        }
        assert!(fraction(45) > fraction(25) && fraction(60) <= LARGEST_FRACTION);
    }

    #[test]
    fn the_flag_never_falls_even_when_every_move_runs_to_its_limit_and_is_late() {
        for seconds in [0.2, 1.0, 5.0, 1800.0] {
            let at_start = Duration::from_secs_f64(seconds);
            let mut remaining = at_start;
            for number in 1..=60 {
                let thinking = Thinking {
                    remaining: Some(remaining),
                    ..Thinking::default()
                };
                let allocation = allocate(&thinking, Some(at_start), number);
                let used = allocation.time.unwrap() + Duration::from_micros(500);
                remaining = remaining.checked_sub(used).expect("the flag fell");
            }
        }
    }

    #[test]
    fn nodes_are_planned_in_nodes_and_nothing_limited_is_a_second() {
        let nodes = Thinking {
            nodes: Some(1300),
            ..Thinking::default()
        };
        assert_eq!(allocate(&nodes, None, 20).planned, 1000.0);
        let nothing = allocate(&Thinking::default(), None, 20);
        assert!(nothing.time.unwrap() < USUAL && nothing.planned > 0.7);
        let depth = Thinking {
            depth: Some(6),
            ..Thinking::default()
        };
        let deep = allocate(&depth, None, 20);
        assert_eq!((deep.depth, deep.time), (6, None));
        assert_eq!(deep.planned, f64::INFINITY);
    }

    #[test]
    fn the_forecast_follows_each_players_branching_factor() {
        let mut forecast = Forecast::default();
        for cost in [1.0, 2.0, 10.0, 20.0] {
            forecast.observe(cost, cost / 2.0);
        }
        let next: Vec<f64> = forecast.next().take(2).collect();
        assert_eq!(next, [100.0, 200.0]);
        assert!(forecast.allows_another(50.0, 100.0));
        assert!(!forecast.allows(1, 50.0, 100.0));
        assert!(!forecast.allows_another(51.0, 100.0));
    }
}
