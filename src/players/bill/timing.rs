//! How long BILL thinks: a share of the clock for each move, and the paper's three rules.
//!
//! After each iteration: below 40 % of the allocation, go on; between 40 % and 100 %, only if the
//! last two iterations disagree about the best move; above, stop. At 108 % an alarm ends the search.
//!
//! The paper does not say how the allocation follows from clock and move number, only that later
//! moves get more. Here the first endgame search counts as four moves, and the others grow from one
//! share at the start to two there; what the rules leave over goes to later moves by itself. A time
//! for every move, or a number of nodes, is used up, as there is nobody to save it for. Five
//! milliseconds for every move still to come and a tenth of a second (a fifth of what is left, if
//! that is less) are never touched, for stalls of the machine.

use crate::machine::Timepiece;
use crate::players::Thinking;
use crate::search::StopButton;
use std::time::Duration;

/// From this many empty squares on the end of the game is searched for.
pub const ENDGAME_FROM: u32 = 20;

const ENDGAME_SHARES: f64 = 4.0;
const RESERVE_PER_MOVE: Duration = Duration::from_millis(5);
const RESERVE: Duration = Duration::from_millis(100);
const WITHOUT_LIMITS: Duration = Duration::from_secs(1);
/// Nodes between two looks at the clock: less than a millisecond.
const NODES_PER_LOOK: u64 = 512;

/// What the clock gives a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allocation {
    time: Duration,
    /// The search is cut off here.
    alarm: Duration,
    /// A time for every move is there to be used.
    fixed: bool,
}

impl Allocation {
    /// A share of what is left.
    pub fn of_clock(remaining: Duration, empties: u32) -> Allocation {
        let own_moves = empties / 2 + 1;
        let reserve = RESERVE_PER_MOVE * (own_moves + 2) + (remaining / 5).min(RESERVE);
        let usable = remaining.saturating_sub(reserve);
        let time = if empties <= ENDGAME_FROM {
            // The endgame search; if it fails, the next one has the other half.
            usable / 2
        } else {
            let shares: f64 = (ENDGAME_FROM + 1..=empties)
                .rev()
                .step_by(2)
                .map(share)
                .sum();
            usable.mul_f64(share(empties) / (shares + ENDGAME_SHARES))
        };
        Allocation {
            time,
            alarm: (time * 108 / 100).min(usable),
            fixed: false,
        }
    }

    pub fn exactly(time: Duration) -> Allocation {
        Allocation {
            time,
            alarm: time,
            fixed: true,
        }
    }

    /// Whether another iteration is begun.
    pub fn goes_on(&self, elapsed: Duration, last_two_disagree: bool) -> bool {
        if self.fixed {
            return elapsed < self.time;
        }
        let used = elapsed.as_secs_f64() / self.time.as_secs_f64().max(1e-9);
        used < 0.4 || used < 1.0 && last_two_disagree
    }

    pub fn sounds_alarm(&self, elapsed: Duration) -> bool {
        elapsed >= self.alarm
    }
}

/// The shares of a move: from one at the start to two where the endgame begins.
fn share(empties: u32) -> f64 {
    let played = 60_u32.saturating_sub(empties);
    1.0 + f64::from(played) / f64::from(60 - ENDGAME_FROM)
}

/// Everything that may end a search.
pub struct Budget {
    started: Timepiece,
    allocation: Option<Allocation>,
    nodes: Option<u64>,
    /// The endgame searches have thresholds of their own where only the depth is limited.
    pub depth: Option<u32>,
    button: StopButton,
    /// The number of nodes at which the clock is looked at again. Some count many at once, so that
    /// no number is sure to come by.
    next_look: u64,
    over: bool,
}

impl Budget {
    pub fn new(thinking: &Thinking, empties: u32, button: &StopButton) -> Budget {
        let clock = thinking
            .remaining
            .map(|remaining| Allocation::of_clock(remaining, empties));
        let fixed = thinking.per_move.map(Allocation::exactly);
        let allocation = match (clock, fixed) {
            // The fixed time is used, as far as the clock allows.
            (Some(clock), Some(fixed)) => Some(Allocation::exactly(fixed.time.min(clock.alarm))),
            (clock, fixed) => clock.or(fixed),
        };
        let unlimited = thinking.nodes.is_none() && thinking.depth.is_none();
        let otherwise = unlimited.then(|| Allocation::exactly(WITHOUT_LIMITS));
        Budget {
            started: Timepiece::start(),
            allocation: allocation.or(otherwise),
            nodes: thinking.nodes,
            depth: thinking.depth,
            button: button.clone(),
            next_look: NODES_PER_LOOK,
            over: false,
        }
    }

    /// Asked at every node; once true, it stays so.
    #[inline]
    pub fn is_over(&mut self, nodes: u64) -> bool {
        if !self.over {
            let out_of_nodes = self.nodes.is_some_and(|limit| nodes >= limit);
            self.over = out_of_nodes || nodes >= self.next_look && self.is_stopped();
            if nodes >= self.next_look {
                self.next_look = nodes + NODES_PER_LOOK;
            }
        }
        self.over
    }

    fn is_stopped(&self) -> bool {
        let elapsed = self.started.elapsed();
        self.button.is_pressed()
            || self
                .allocation
                .is_some_and(|allocation| allocation.sounds_alarm(elapsed))
    }

    /// Whether time saved on this move is there for others.
    pub fn is_of_clock(&self) -> bool {
        self.allocation.is_some_and(|allocation| !allocation.fixed)
    }

    /// Whether to look at an iteration deeper than the last, of so many plies.
    pub fn goes_on(&mut self, nodes: u64, plies: u32, last_two_disagree: bool) -> bool {
        self.over |= self.is_stopped();
        let elapsed = self.started.elapsed();
        !self.is_over(nodes)
            && self.depth.is_none_or(|depth| plies < depth)
            && self
                .allocation
                .is_none_or(|allocation| allocation.goes_on(elapsed, last_two_disagree))
    }

    /// How many nodes can still be searched, judging by the speed up to now; none without a limit.
    pub fn nodes_left(&self, nodes: u64) -> Option<u64> {
        let by_time = self.allocation.map(|allocation| {
            let elapsed = self.started.elapsed();
            let left = allocation.alarm.saturating_sub(elapsed);
            let speed = nodes as f64 / elapsed.as_secs_f64().max(1e-6);
            (left.as_secs_f64() * speed) as u64
        });
        let by_nodes = self.nodes.map(|limit| limit.saturating_sub(nodes));
        match (by_time, by_nodes) {
            (Some(time), Some(nodes)) => Some(time.min(nodes)),
            (time, nodes) => time.or(nodes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_rules_of_40_and_100_and_108_per_cent_hold() {
        let allocation = Allocation {
            time: ms(1000),
            alarm: ms(1080),
            fixed: false,
        };
        assert!(allocation.goes_on(ms(399), false));
        assert!(!allocation.goes_on(ms(401), false));
        assert!(allocation.goes_on(ms(401), true));
        assert!(allocation.goes_on(ms(999), true));
        assert!(!allocation.goes_on(ms(1001), true));
        assert!(!allocation.sounds_alarm(ms(1079)));
        assert!(allocation.sounds_alarm(ms(1080)));
    }

    #[test]
    fn the_alarm_is_set_8_per_cent_after_the_allocation() {
        let allocation = Allocation::of_clock(Duration::from_secs(1800), 40);
        assert_eq!(allocation.alarm, allocation.time * 108 / 100);
    }

    #[test]
    fn later_moves_get_more_time() {
        let mut remaining = Duration::from_secs(1800);
        let mut last = Duration::ZERO;
        for empties in (22..=60).rev().step_by(2) {
            let allocation = Allocation::of_clock(remaining, empties);
            assert!(allocation.time > last, "{empties}");
            last = allocation.time;
            remaining -= allocation.time;
        }
    }

    #[test]
    fn a_game_in_which_every_move_runs_into_the_alarm_is_never_lost_on_time() {
        for seconds in [0.2, 1.0, 5.0, 1800.0] {
            let mut remaining = Duration::from_secs_f64(seconds);
            for empties in (1..=60).rev().step_by(2) {
                let alarm = Allocation::of_clock(remaining, empties).alarm;
                // And the machine stalls for four milliseconds each time.
                let spent = alarm + ms(4);
                assert!(spent < remaining, "{seconds} s, {empties} empties");
                remaining -= spent;
            }
        }
    }

    #[test]
    fn the_clock_is_looked_at_also_by_who_counts_many_nodes_at_once() {
        let button = StopButton::new();
        let mut budget = Budget::new(&Thinking::default(), 40, &button);
        assert!(!budget.is_over(700));
        button.press();
        assert!(!budget.is_over(701));
        assert!(budget.is_over(3_001));
        assert!(budget.is_over(3_002));
    }

    #[test]
    fn a_clock_that_has_run_down_gives_no_time_at_all() {
        assert_eq!(Allocation::of_clock(ms(20), 40).alarm, Duration::ZERO);
    }
}
