//! Who can play in a match: whoever plays in this process, and programs that speak GTP or NBoard.

use crate::engine::{GameClock, GameInProgress, Lag, Pace, Plays, TimeControl};
use crate::machine::Timepiece;
use crate::othello::Square;
use crate::search::StopButton;
use std::time::Duration;

/// One side of a match. A contestant that has failed is thrown away and made anew.
pub trait Contestant {
    /// A new game begins with these moves played.
    fn begin(
        &mut self,
        game: &GameInProgress,
        seed: u64,
        control: Option<TimeControl>,
    ) -> Result<(), Failure>;

    /// A move for the player to move, who has a legal one. `patience` is the longest the referee
    /// waits, whatever the clock says.
    fn choose(
        &mut self,
        game: &GameInProgress,
        clock: Option<&GameClock>,
        patience: Duration,
    ) -> Result<Chosen, Failure>;
}

/// A move and what the contestant thinks of it, in discs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chosen {
    pub square: Square,
    pub discs: Option<f32>,
    pub from_book: bool,
    /// From the question to the answer; telling the program what it must know does not count.
    pub elapsed: Duration,
}

/// Why a contestant loses a game that is not over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("cannot be started: {0}")]
    NotStarted(String),
    #[error("crashed: its output ended{0}")]
    Crashed(String),
    #[error("was silent for {0:.0?}")]
    Silent(Duration),
    #[error("answered '{0}'")]
    Refused(String),
    #[error("made an illegal move: {0}")]
    Illegal(String),
    #[error("ran out of time by {0:.0?}")]
    OutOfTime(Duration),
    /// The referee, not the contestant, ended the game.
    #[error("was stopped")]
    Stopped,
}

/// Our own engine or a program of the papers, in this process.
pub struct Own {
    player: Box<dyn Plays>,
    pace: Pace,
    lag: Lag,
    stop: StopButton,
}

impl Own {
    pub fn new(player: Box<dyn Plays>, pace: Pace, stop: StopButton) -> Own {
        Own {
            player,
            pace,
            lag: Lag::new(pace.overhead),
            stop,
        }
    }
}

impl Contestant for Own {
    fn begin(
        &mut self,
        _game: &GameInProgress,
        seed: u64,
        _control: Option<TimeControl>,
    ) -> Result<(), Failure> {
        self.player.begin_game(seed);
        Ok(())
    }

    fn choose(
        &mut self,
        game: &GameInProgress,
        clock: Option<&GameClock>,
        _patience: Duration,
    ) -> Result<Chosen, Failure> {
        let began = Timepiece::start();
        let board = game.position().board;
        let lag = self.lag.expected();
        let allowance = self.pace.allowance_with(clock, board.empty_count(), lag);
        let decision = self.player.choose(board, allowance, &self.stop);
        if let Some(planned) = self.player.longest(allowance) {
            self.lag.observe(planned, began.elapsed());
        }
        Ok(Chosen {
            square: decision
                .square
                .ok_or_else(|| Failure::Refused("pass".into()))?,
            discs: decision.value.map(|value| value as f32 / 100.0),
            from_book: decision.is_from_book(),
            elapsed: began.elapsed(),
        })
    }
}
