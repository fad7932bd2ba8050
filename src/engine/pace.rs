//! How long the player thinks: a game clock, a time per move, or a number of nodes.

use super::allowance::Allowance;
use super::clock::{GameClock, TimeControl};

use crate::search::time::Budget;
use std::time::Duration;

/// The limits of thinking that hold for a whole game. Without any, the level alone decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    pub control: Option<TimeControl>,
    /// The same time for every move, where there is no clock.
    pub per_move: Option<Duration>,
    /// Nodes per move: the same moves on every machine, however busy.
    pub nodes: Option<u64>,
    /// Lost per move: the way to the referee and back.
    pub overhead: Duration,
}

impl Pace {
    /// A moment that covers a pipe and a busy machine; thirty moves of it are a third of a second.
    pub const OVERHEAD: Duration = Duration::from_millis(10);

    /// What one move may cost, with so many squares empty, on this clock.
    pub fn allowance(&self, clock: Option<&GameClock>, empties: u32) -> Allowance {
        self.allowance_with(clock, empties, self.overhead)
    }

    /// The same when moves are known to cost more than they should.
    pub fn allowance_with(
        &self,
        clock: Option<&GameClock>,
        empties: u32,
        overhead: Duration,
    ) -> Allowance {
        let time = clock
            .map(|clock| clock.budget(empties, overhead))
            .or_else(|| self.per_move.map(Budget::exactly));
        Allowance {
            time,
            remaining: clock.and_then(|clock| clock.plannable(empties, overhead)),
            nodes: self.nodes,
        }
    }

    /// A clock for each player, the first for Black, where games have clocks.
    pub fn clocks(&self) -> [Option<GameClock>; 2] {
        [self.control.map(GameClock::new); 2]
    }
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            control: None,
            per_move: None,
            nodes: None,
            overhead: Pace::OVERHEAD,
        }
    }
}
