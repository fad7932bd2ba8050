//! How long to think: a share of the clock for each move, and when to stop early.
//!
//! IAGO lost games on time and BILL spent its minutes where they mattered; both lessons are here.
//! Everything is a function of durations handed in, so that tests run on a clock of their own.

use std::time::Duration;

/// A player's clock at the start of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    pub remaining: Duration,
    /// Given back after each move.
    pub increment: Duration,
    /// Lost per move: the way to the referee and back, and the moment a search takes to stop.
    pub overhead: Duration,
}

/// What one move may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// No new iteration is begun that is likely to end after this.
    pub soft: Duration,
    /// The search is cut off here, whatever it is doing.
    pub hard: Duration,
}

impl Budget {
    /// The same for both: a fixed time per move.
    pub fn exactly(time: Duration) -> Budget {
        Budget {
            soft: time,
            hard: time,
        }
    }

    /// A fixed time is there to be used, however clear the move.
    pub(super) fn is_fixed(&self) -> bool {
        self.soft == self.hard
    }

    /// A share of the clock. `solvable` is the number of empties from which the engine solves
    /// within a moment: the moves after that cost nothing and need no share.
    pub fn for_move(clock: Clock, empties: u32, solvable: u32) -> Budget {
        // Every move still to come pays the overhead, also those that need no thought.
        let usable = clock
            .remaining
            .saturating_sub(clock.overhead * (empties / 2 + 2));
        // Our own moves until the endgame is solved; the one that solves it costs as much as
        // several others.
        let moves_to_go = empties.saturating_sub(solvable) / 2 + 4;
        let share = usable / moves_to_go + clock.increment * 3 / 4;
        let soft = share.min(usable);
        // An unclear position may take four shares, but never half of what is left.
        let hard = (share * 4).min(usable / 2).max(soft.min(usable / 2));
        // Half of what is left may be the limit of both: a game clock is never a fixed time.
        Budget {
            soft: soft.min(hard * 9 / 10),
            hard,
        }
    }

    /// Whether to begin another iteration, given what the search has spent, how long the last
    /// iteration took, and for how many iterations the best move has not changed.
    pub fn allows_another(
        &self,
        elapsed: Duration,
        last_iteration: Duration,
        unchanged_for: u32,
    ) -> bool {
        if self.is_fixed() {
            return elapsed < self.hard;
        }
        // A settled move needs no more proof: half the share will do.
        let soft = if unchanged_for >= 4 {
            self.soft / 2
        } else {
            self.soft
        };
        // The next iteration takes about twice as long as the last; one that would be cut off
        // half-way is wasted.
        elapsed < soft && elapsed + last_iteration < self.hard.max(soft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// How a search goes whose iterations double in length.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Manner {
        /// The first move stays the best.
        Settled,
        /// Every iteration has another best move.
        Unclear,
        /// The same, and each is cut off at the hard limit.
        Greedy,
    }

    /// Plays a whole game against a fake clock, and says what is left at the end, or that the flag
    /// fell.
    fn play(
        total: Duration,
        increment: Duration,
        overhead: Duration,
        manner: Manner,
    ) -> Option<Duration> {
        let mut remaining = total;
        for empties in (1..=60).rev().step_by(2) {
            let budget = Budget::for_move(
                Clock {
                    remaining,
                    increment,
                    overhead,
                },
                empties,
                20,
            );
            let mut elapsed = Duration::ZERO;
            let mut iteration = ms(1);
            let mut unchanged = 0;
            while budget.allows_another(elapsed, iteration, unchanged) {
                elapsed = (elapsed + iteration).min(budget.hard);
                iteration *= 2;
                unchanged = match manner {
                    Manner::Settled => unchanged + 1,
                    Manner::Unclear | Manner::Greedy => 0,
                };
            }
            if manner == Manner::Greedy {
                elapsed = elapsed.max(budget.hard);
            }
            remaining = remaining.checked_sub(elapsed + overhead)?;
            remaining += increment;
        }
        Some(remaining)
    }

    #[test]
    fn the_flag_never_falls_even_when_every_move_runs_to_its_hard_limit() {
        for (total, increment, overhead) in [
            (ms(1_000), ms(0), ms(5)),
            (ms(60_000), ms(0), ms(50)),
            (ms(5_000), ms(100), ms(10)),
            (ms(300_000), ms(2_000), ms(200)),
        ] {
            for manner in [Manner::Settled, Manner::Unclear, Manner::Greedy] {
                let left = play(total, increment, overhead, manner);
                assert!(left.is_some(), "{total:?} + {increment:?}, {manner:?}");
            }
        }
    }

    #[test]
    fn most_of_the_clock_is_used() {
        for total in [ms(5_000), ms(60_000), ms(900_000)] {
            for (manner, share) in [(Manner::Settled, 20), (Manner::Unclear, 100)] {
                let left = play(total, ms(0), ms(5), manner).unwrap();
                assert!(
                    left < total / share,
                    "{left:?} of {total:?} unused where moves are {manner:?}"
                );
            }
        }
    }

    #[test]
    fn half_of_the_clock_is_there_for_the_second_half_of_the_way_to_the_endgame() {
        let mut remaining = ms(60_000);
        // Each move takes its share; at 40 empties half of the moves before the endgame are played.
        for empties in (42..=60).rev().step_by(2) {
            let clock = Clock {
                remaining,
                increment: ms(0),
                overhead: ms(0),
            };
            remaining -= Budget::for_move(clock, empties, 20).soft;
        }
        assert!(
            (ms(30_000)..ms(45_000)).contains(&remaining),
            "{remaining:?}"
        );
    }

    #[test]
    fn a_settled_move_is_played_sooner() {
        let budget = Budget {
            soft: ms(100),
            hard: ms(400),
        };
        assert!(budget.allows_another(ms(60), ms(30), 0));
        assert!(!budget.allows_another(ms(60), ms(30), 4));
    }

    #[test]
    fn an_empty_clock_gives_an_empty_budget() {
        let clock = Clock {
            remaining: ms(3),
            increment: ms(0),
            overhead: ms(10),
        };
        assert_eq!(Budget::for_move(clock, 30, 20).hard, Duration::ZERO);
    }
}
