//! What one move may cost.

use crate::search::time::Budget;
use std::time::Duration;

/// The limits of one move.
#[derive(Clone, Copy, Default, Debug)]
pub struct Allowance {
    pub time: Option<Budget>,
    /// What is left for the rest of the game, for players who divide it in their own way; none
    /// where there is no clock, or the time of a move is not saved for the next.
    pub remaining: Option<Duration>,
    pub nodes: Option<u64>,
}

impl Allowance {
    pub fn time(budget: Budget) -> Allowance {
        Allowance {
            time: Some(budget),
            ..Allowance::default()
        }
    }

    pub fn nodes(nodes: u64) -> Allowance {
        Allowance {
            nodes: Some(nodes),
            ..Allowance::default()
        }
    }

    /// The longest a move may take; none without a limit of time.
    pub fn longest(&self) -> Option<Duration> {
        self.time.map(|budget| budget.hard)
    }

    /// What is left after a part of the time has gone by.
    pub(super) fn after(self, elapsed: Duration) -> Allowance {
        let time = self.time.map(|budget| Budget {
            soft: budget.soft.saturating_sub(elapsed),
            hard: budget.hard.saturating_sub(elapsed),
        });
        let remaining = self.remaining.map(|left| left.saturating_sub(elapsed));
        Allowance {
            time,
            remaining,
            ..self
        }
    }
}
