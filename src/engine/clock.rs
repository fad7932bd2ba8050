//! Tournament clocks: main time, increment, byo-yomi. The referee and the player read the same
//! one. Nothing here looks at the time; durations are handed in.

use crate::search::time::{Budget, Clock};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a player gets for a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    pub main: Duration,
    /// Given back after each move.
    pub increment: Duration,
    /// What comes when the main time is used up.
    pub byo_yomi: Option<ByoYomi>,
}

/// So many moves in each period; a period begins anew once they are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByoYomi {
    pub period: Duration,
    /// At least 1.
    pub moves: u32,
}

impl TimeControl {
    pub const fn sudden_death(main: Duration) -> TimeControl {
        TimeControl {
            main,
            increment: Duration::ZERO,
            byo_yomi: None,
        }
    }
}

/// A text that is no time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no time control: write seconds or minutes:seconds for the game, then if you like \
     +SECONDS per move and /SECONDS or /SECONDSxMOVES of byo-yomi, as in 60, 5:00+2, 300/30x5"
)]
pub struct NotATimeControl(String);

impl FromStr for TimeControl {
    type Err = NotATimeControl;

    fn from_str(text: &str) -> Result<TimeControl, NotATimeControl> {
        let read = || {
            let (rest, byo_yomi) = match text.split_once('/') {
                None => (text, None),
                Some((rest, period)) => {
                    let (period, moves) = period.split_once('x').unwrap_or((period, "1"));
                    let byo_yomi = ByoYomi {
                        period: seconds(period).filter(|period| !period.is_zero())?,
                        moves: moves.trim().parse().ok().filter(|&moves| moves > 0)?,
                    };
                    (rest, Some(byo_yomi))
                }
            };
            let (main, increment) = match rest.split_once('+') {
                None => (rest, Duration::ZERO),
                Some((main, increment)) => (main, seconds(increment)?),
            };
            let control = TimeControl {
                main: seconds(main)?,
                increment,
                byo_yomi,
            };
            let some = !control.main.is_zero() || control.byo_yomi.is_some();
            some.then_some(control)
        };
        read().ok_or_else(|| NotATimeControl(text.chars().take(30).collect()))
    }
}

/// `90`, `0.5`, `5:00`: not more than a day.
fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (minutes, seconds) = match text.split_once(':') {
        Some((minutes, seconds)) => (minutes.parse::<u32>().ok()?, seconds),
        None => (0, text),
    };
    let seconds: f64 = seconds.parse().ok()?;
    let total = f64::from(minutes) * 60.0 + seconds;
    (seconds >= 0.0 && total <= 86_400.0)
        .then(|| Duration::try_from_secs_f64(total).ok())
        .flatten()
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.main.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        match self.byo_yomi {
            None => Ok(()),
            Some(ByoYomi { period, moves: 1 }) => write!(f, "/{}", period.as_secs_f64()),
            Some(ByoYomi { period, moves }) => write!(f, "/{}x{moves}", period.as_secs_f64()),
        }
    }
}

/// The flag fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of time by {0:?}")]
pub struct OutOfTime(pub Duration);

/// One player's clock during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    control: TimeControl,
    main: Duration,
    /// What is left of the current period, and for how many moves, once the main time is gone.
    period: Option<(Duration, u32)>,
}

impl GameClock {
    pub fn new(control: TimeControl) -> GameClock {
        let mut clock = GameClock {
            control,
            main: control.main,
            period: None,
        };
        if clock.main.is_zero() {
            clock.begin_period();
        }
        clock
    }

    pub const fn control(&self) -> TimeControl {
        self.control
    }

    /// What is left of the main time, or of the period.
    pub fn remaining(&self) -> Duration {
        self.period.map_or(self.main, |(left, _)| left)
    }

    /// The moves still to make in the period; none during the main time.
    pub fn moves_of_period(&self) -> Option<u32> {
        self.period.map(|(_, moves)| moves)
    }

    /// Sets the clock to what a referee says it shows; `moves` of a period, or of the main time.
    pub fn set(&mut self, remaining: Duration, moves: Option<u32>) {
        match moves.filter(|&moves| moves > 0) {
            Some(moves) => {
                self.main = Duration::ZERO;
                self.period = Some((remaining, moves));
            }
            None => {
                self.main = remaining;
                self.period = None;
            }
        }
    }

    /// A move took this long.
    pub fn spend(&mut self, elapsed: Duration) -> Result<(), OutOfTime> {
        let mut elapsed = elapsed;
        if self.period.is_none() {
            if let Some(left) = self.main.checked_sub(elapsed) {
                self.main = left + self.control.increment;
                return Ok(());
            }
            elapsed -= self.main;
            self.main = Duration::ZERO;
            self.begin_period();
        }
        let Some((left, moves)) = self.period else {
            return Err(OutOfTime(elapsed));
        };
        let Some(left) = left.checked_sub(elapsed) else {
            self.period = Some((Duration::ZERO, moves));
            return Err(OutOfTime(elapsed - left));
        };
        self.period = Some((left, moves - 1));
        if moves == 1 {
            self.begin_period();
        }
        Ok(())
    }

    fn begin_period(&mut self) {
        let begin = |rule: ByoYomi| (rule.period, rule.moves.max(1));
        self.period = self.control.byo_yomi.map(begin);
    }

    /// A stall of the machine may come at any move, so a little is never planned for.
    fn reserve(&self) -> Duration {
        (self.control.main / 3).min(LONGEST_STALL)
    }

    /// What may be divided among the moves to come, with so many squares empty and `overhead` lost
    /// on each; none once the main time is gone, for what is not used of a period is lost.
    pub fn plannable(&self, empties: u32, overhead: Duration) -> Option<Duration> {
        if self.period.is_some() {
            return None;
        }
        let own_moves = empties / 2 + 1;
        let lost = self.reserve() + (overhead + MOMENT) * own_moves;
        Some(self.main.saturating_sub(lost))
    }

    /// What the next move may cost, with so many squares empty. `overhead` is lost on the way to
    /// the referee and back.
    pub fn budget(&self, empties: u32, overhead: Duration) -> Budget {
        if let Some((left, moves)) = self.period {
            // What is not used of a period is lost, so all of it is used.
            return Budget::exactly((left / moves.max(1)).saturating_sub(overhead).max(MOMENT));
        }
        let clock = Clock {
            remaining: self.main.saturating_sub(self.reserve()),
            increment: self.control.increment,
            overhead: overhead + MOMENT,
        };
        let share = Budget::for_move(clock, empties, solvable_within(self.main));
        // A period waits behind the main time: a move may always cost its share of it.
        let period = self.control.byo_yomi.map_or(Duration::ZERO, |rule| {
            (rule.period / rule.moves.max(1)).saturating_sub(overhead)
        });
        Budget {
            soft: share.soft.max(period * 9 / 10).max(MOMENT),
            hard: share.hard.max(period).max(MOMENT),
        }
    }
}

/// The least a search gets: even a lost clock deserves more than the first legal move.
const MOMENT: Duration = Duration::from_millis(1);

/// How long a busy machine may keep a program waiting; 567 ms were seen on a virtual one whose
/// host was busy.
const LONGEST_STALL: Duration = Duration::from_millis(600);

/// From how many empties the engine solves in a small part of this time.
fn solvable_within(main: Duration) -> u32 {
    match main.as_secs() {
        0..=1 => 16,
        2..=4 => 20,
        5..=29 => 22,
        30..=299 => 24,
        _ => 26,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn time_controls_are_read_and_written() {
        for text in ["60", "0.5", "60+2", "300/30", "300+1/30x5", "0/5"] {
            assert_eq!(control(text).to_string(), text);
        }
        assert_eq!(control("5:00+2"), control("300+2"));
        for wrong in [
            "", "0", "x", "60+", "-1", "60/0", "60/5x0", "1e9", "nan", "9:-1",
        ] {
            let error = wrong.parse::<TimeControl>().unwrap_err().to_string();
            assert!(error.contains("as in 60"), "{wrong}: {error}");
        }
    }

    #[test]
    fn an_increment_comes_after_the_move_and_saves_nobody_before_it() {
        let mut clock = GameClock::new(control("1+10"));
        assert_eq!(clock.spend(ms(900)), Ok(()));
        assert_eq!(clock.remaining(), ms(10_100));
        let mut clock = GameClock::new(control("1+10"));
        assert_eq!(clock.spend(ms(1_200)), Err(OutOfTime(ms(200))));
    }

    #[test]
    fn a_period_begins_when_the_main_time_is_gone_and_again_after_its_moves() {
        let mut clock = GameClock::new(control("1/5x2"));
        assert_eq!(clock.spend(ms(3_000)), Ok(()));
        assert_eq!(
            (clock.remaining(), clock.moves_of_period()),
            (ms(3_000), Some(1))
        );
        assert_eq!(clock.spend(ms(3_000)), Ok(()));
        assert_eq!(
            (clock.remaining(), clock.moves_of_period()),
            (ms(5_000), Some(2))
        );
        assert_eq!(clock.spend(ms(5_100)), Err(OutOfTime(ms(100))));
    }

    /// Plays a game on a fake clock. Every move runs to its hard limit and pays the overhead.
    fn survives(text: &str, overhead: Duration) -> bool {
        let mut clock = GameClock::new(control(text));
        (1..=60).rev().step_by(2).all(|empties| {
            let budget = clock.budget(empties, overhead);
            clock.spend(budget.hard + overhead).is_ok()
        })
    }

    #[test]
    fn the_flag_never_falls_when_every_move_runs_to_its_hard_limit() {
        for text in [
            "1", "0.5", "60", "5+0.1", "300+2", "1/1", "0/0.1", "60/5x3", "10+1/2x5",
        ] {
            assert!(survives(text, ms(5)), "{text}");
        }
        assert!(survives("1", ms(10)));
    }

    #[test]
    fn what_can_be_planned_leaves_room_for_stalls_and_for_the_way_of_every_move() {
        let clock = GameClock::new(control("5"));
        assert_eq!(clock.plannable(60, ms(4)), Some(ms(5000 - 600 - 31 * 5)));
        assert_eq!(GameClock::new(control("0/5")).plannable(60, ms(4)), None);
        let mut spent = clock;
        spent.spend(ms(4_999)).unwrap();
        assert_eq!(spent.plannable(2, ms(4)), Some(ms(0)));
    }

    #[test]
    fn a_referees_word_counts() {
        let mut clock = GameClock::new(control("60/10x3"));
        clock.set(ms(2_000), Some(2));
        assert_eq!(clock.budget(40, ms(0)).hard, ms(1_000));
        clock.set(ms(30_000), None);
        assert_eq!(
            (clock.remaining(), clock.moves_of_period()),
            (ms(30_000), None)
        );
    }

    #[test]
    fn a_period_behind_the_main_time_is_used() {
        let with = GameClock::new(control("1/10")).budget(50, ms(10));
        let without = GameClock::new(control("1")).budget(50, ms(10));
        assert!(
            with.soft > ms(8_000) && without.soft < ms(100),
            "{with:?} {without:?}"
        );
    }
}
