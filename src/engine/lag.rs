//! How much more a move costs than was planned for it: a busy machine, slow pipes, a referee who
//! rounds. The clock's budget must leave room for it, or fast games are lost on time.

use std::time::Duration;

/// An estimate that follows what is observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lag {
    /// What is lost on every move, as far as is known beforehand.
    overhead: Duration,
    /// What was lost beyond it lately, on average.
    excess: Duration,
    /// What the last two moves lost beyond it.
    last: [Duration; 2],
}

impl Lag {
    pub const fn new(overhead: Duration) -> Lag {
        Lag {
            overhead,
            excess: Duration::ZERO,
            last: [Duration::ZERO; 2],
        }
    }

    /// A move that might cost `planned` cost `spent`.
    pub fn observe(&mut self, planned: Duration, spent: Duration) {
        let excess = spent.saturating_sub(planned + self.overhead);
        let [before, last] = self.last;
        self.last = [last, excess];
        // The middle one of three: what happens once is what the clock has a reserve for, and to
        // expect it of every move to come would leave no time for any.
        let usual = before
            .min(last)
            .max(before.min(excess))
            .max(last.min(excess));
        // Bad news counts at once, good news slowly: a flag falls only once.
        self.excess = if usual > self.excess {
            (self.excess + usual) / 2
        } else {
            (self.excess * 7 + usual) / 8
        };
    }

    /// What to count on for every move to come.
    pub fn expected(&self) -> Duration {
        self.overhead + self.excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{GameClock, TimeControl};

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn bad_news_counts_at_once_and_is_forgotten_slowly() {
        let mut lag = Lag::new(ms(10));
        lag.observe(ms(50), ms(55));
        assert_eq!(lag.expected(), ms(10));
        lag.observe(ms(50), ms(900));
        lag.observe(ms(50), ms(50));
        assert_eq!(lag.expected(), ms(10), "once is not often");
        lag.observe(ms(50), ms(100));
        assert_eq!(lag.expected(), ms(30));
        lag.observe(ms(50), ms(20));
        assert!(lag.expected() > ms(25) && lag.expected() < ms(30));
    }

    /// A game on a fake clock of which every searched move comes so much too late.
    fn survives(late: Duration) -> bool {
        let control = TimeControl::sudden_death(ms(1000));
        let mut clock = GameClock::new(control);
        let mut lag = Lag::new(ms(10));
        (1..=52).rev().step_by(2).all(|empties| {
            let budget = clock.budget(empties, lag.expected());
            // A search that ends within a moment is not interrupted by others.
            let late = if budget.hard > ms(2) { late } else { ms(1) };
            let spent = budget.hard + late;
            lag.observe(budget.hard, spent);
            clock.spend(spent).is_ok()
        })
    }

    #[test]
    fn a_machine_that_is_late_with_every_move_loses_no_game_of_a_second_on_time() {
        for late in [0, 5, 10, 20, 40, 60, 100] {
            assert!(survives(ms(late)), "{late} ms");
        }
    }
}
