//! Plays the games of a match, several at a time, and sees to the rules and the clocks.

use super::contestant::{Chosen, Contestant, Failure};
use super::openings::Opening;
use super::spec::Spec;
use crate::engine::{GameClock, TimeControl};
use crate::games::{Date, Details, Forfeit, Game, MoveNote, Name};
use crate::othello::{Color, Score};
use crate::search::StopButton;
use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One of the two contestants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    First,
    Second,
}

impl Side {
    const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// Which game: two of each pair, from one opening, colours swapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    pub number: usize,
}

impl Pairing {
    pub const fn pair(self) -> usize {
        self.number / 2
    }

    /// Who plays Black.
    pub const fn black(self) -> Side {
        if self.number.is_multiple_of(2) {
            Side::First
        } else {
            Side::Second
        }
    }

    const fn side(self, color: Color) -> Side {
        match color {
            Color::Black => self.black(),
            Color::White => self.black().other(),
        }
    }
}

/// What became of a game.
#[derive(Clone, Debug)]
pub struct GameReport {
    pub pairing: Pairing,
    pub game: Game,
    /// The result for the first contestant; 64 when the other forfeits.
    pub discs: i32,
    /// Who lost before the end, and why.
    pub forfeit: Option<(Side, String)>,
    /// The time each contestant used.
    pub seconds: [f64; 2],
    /// The moves each contestant played from its book.
    pub book_moves: [u32; 2],
}

/// The conditions of a match.
pub struct Referee<'a> {
    pub specs: [&'a Spec; 2],
    /// At least one.
    pub openings: &'a [Opening],
    /// The clock of each contestant.
    pub controls: [Option<TimeControl>; 2],
    /// How long a contestant may be silent.
    pub patience: Duration,
    pub seed: u64,
}

type Contestants = [Option<Box<dyn Contestant>>; 2];

/// What a clock forgives before the referee stops waiting for an answer that is late anyway.
const GRACE: Duration = Duration::from_secs(2);

impl Referee<'_> {
    /// Plays these games and hands each to `done`, until there are no more or `done` says to stop.
    /// Games that run then are not counted.
    pub fn play(
        &self,
        games: impl Iterator<Item = Pairing> + Send,
        concurrency: usize,
        done: impl FnMut(GameReport) -> bool,
    ) {
        self.play_until(&StopButton::new(), games, concurrency, done);
    }

    /// The same, until somebody presses the button: in the middle of a search, too.
    pub fn play_until(
        &self,
        stop: &StopButton,
        games: impl Iterator<Item = Pairing> + Send,
        concurrency: usize,
        mut done: impl FnMut(GameReport) -> bool,
    ) {
        let games = Mutex::new(games);
        let stopped = AtomicBool::new(false);
        let (sender, reports) = channel();
        thread::scope(|scope| {
            for _ in 0..concurrency.max(1) {
                let sender = sender.clone();
                scope.spawn(|| {
                    let sender = sender;
                    let mut contestants: Contestants = [None, None];
                    let is_over = || stopped.load(Ordering::Relaxed) || stop.is_pressed();
                    while !is_over() {
                        let next = games.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(pairing) = next else { break };
                        let report = self.game(pairing, &mut contestants, stop, &is_over);
                        if report.is_some_and(|report| sender.send(report).is_err()) {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for report in &reports {
                if !done(report) {
                    stopped.store(true, Ordering::Relaxed);
                    break;
                }
            }
        });
    }

    /// One game; none if the match was stopped meanwhile.
    fn game(
        &self,
        pairing: Pairing,
        contestants: &mut Contestants,
        stop: &StopButton,
        is_over: &dyn Fn() -> bool,
    ) -> Option<GameReport> {
        let opening = &self.openings[pairing.pair() % self.openings.len()];
        let mut table = Table {
            game: opening.clone(),
            clocks: self.controls.map(|control| control.map(GameClock::new)),
            notes: vec![MoveNote::NONE; opening.moves().len()],
            seconds: [0.0; 2],
            book_moves: [0; 2],
        };
        let mut forfeit = None;
        for side in [Side::First, Side::Second] {
            if forfeit.is_none()
                && let Err(failure) = self.seat(side, pairing, &table, contestants, stop)
            {
                forfeit = Some((side, failure));
            }
        }
        while forfeit.is_none() && !table.game.is_over() {
            let side = pairing.side(table.game.position().turn);
            if let Err(failure) = self.step(side, &mut table, contestants) {
                forfeit = Some((side, failure));
            }
            // Whatever came of the move: nobody gave the contestant the time for it.
            if is_over() {
                return None;
            }
        }
        if is_over() {
            return None;
        }
        if let Some((side, failure)) = &forfeit {
            tracing::warn!(game = pairing.number + 1, %side, %failure, "forfeit");
            // Whatever state it is in: the next game gets a new one.
            contestants[*side as usize] = None;
        }
        self.report(pairing, table, forfeit)
    }

    fn seat(
        &self,
        side: Side,
        pairing: Pairing,
        table: &Table,
        contestants: &mut Contestants,
        stop: &StopButton,
    ) -> Result<(), Failure> {
        let place = &mut contestants[side as usize];
        let contestant = match place {
            Some(contestant) => contestant,
            None => place.insert(self.specs[side as usize].make(self.patience, stop)?),
        };
        let seed = self.seed.wrapping_add(pairing.number as u64);
        contestant.begin(&table.game, seed, self.controls[side as usize])
    }

    fn step(
        &self,
        side: Side,
        table: &mut Table,
        contestants: &mut Contestants,
    ) -> Result<(), Failure> {
        let clock = table.clocks[side as usize];
        let patience = clock.map_or(self.patience, |clock| {
            let period = clock
                .control()
                .byo_yomi
                .map_or(Duration::ZERO, |rule| rule.period);
            self.patience.min(clock.remaining() + period + GRACE)
        });
        let Some(contestant) = &mut contestants[side as usize] else {
            return Err(Failure::NotStarted("it is gone".into()));
        };
        let chosen = contestant.choose(&table.game, clock.as_ref(), patience)?;
        table.take(side, chosen)
    }

    fn report(
        &self,
        pairing: Pairing,
        table: Table,
        forfeit: Option<(Side, Failure)>,
    ) -> Option<GameReport> {
        let name = |color| Name::tidy(&self.specs[pairing.side(color) as usize].to_string());
        let sign = |side: Side| if side == Side::First { 1 } else { -1 };
        let black = sign(pairing.black());
        let discs = match &forfeit {
            Some((loser, _)) => -64 * sign(*loser),
            None => {
                let end = table.game.position();
                black * end.final_score(Color::Black).discs()
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let details = Details {
            black: name(Color::Black),
            white: name(Color::White),
            event: Name::tidy("Emilia match"),
            date: Date::parse(&now.as_secs().to_string()),
            result: Score::new(black * discs),
            forfeit: forfeit.as_ref().map(|(_, failure)| match failure {
                Failure::OutOfTime(_) | Failure::Silent(_) => Forfeit::OutOfTime,
                _ => Forfeit::Resigned,
            }),
            notes: table.notes.into(),
            ..Details::default()
        };
        Some(GameReport {
            pairing,
            game: table.game.to_game(details)?,
            discs,
            forfeit: forfeit.map(|(side, failure)| (side, failure.to_string())),
            seconds: table.seconds,
            book_moves: table.book_moves,
        })
    }
}

/// A game and what is measured while it is played; of each side, not of each colour.
struct Table {
    game: Opening,
    clocks: [Option<GameClock>; 2],
    notes: Vec<MoveNote>,
    seconds: [f64; 2],
    book_moves: [u32; 2],
}

impl Table {
    fn take(&mut self, side: Side, chosen: Chosen) -> Result<(), Failure> {
        let side = side as usize;
        self.seconds[side] += chosen.elapsed.as_secs_f64();
        self.book_moves[side] += u32::from(chosen.from_book);
        if let Some(clock) = &mut self.clocks[side] {
            clock
                .spend(chosen.elapsed)
                .map_err(|late| Failure::OutOfTime(late.0))?;
        }
        self.game
            .play(chosen.square)
            .map_err(|error| Failure::Illegal(error.to_string()))?;
        self.notes.push(MoveNote {
            discs: chosen.discs,
            seconds: Some(chosen.elapsed.as_secs_f32()),
        });
        Ok(())
    }
}
