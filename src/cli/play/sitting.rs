//! A game between a person and the engine: whose turn it is, the clocks, what the engine thinks of
//! it. What is shown, and how, is the business of `plain` and `screen`.

use crate::book::{Known, Openings};
use crate::engine::{
    Decision, GameClock, GameInProgress, Judge, JudgedMove, Judgement, Pace, Plays, Skill, defaults,
};
use crate::games::{Details, Forfeit, Game, Name, open, save_as_typed};
use crate::othello::{Board, Color, Score, Square};
use crate::search::{Searcher, StopButton};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

/// Who sits where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seats {
    /// A person plays this colour, the engine the other.
    Person(Color),
    /// Two people at one keyboard.
    People,
    /// The engine plays itself.
    Engine,
}

impl Seats {
    pub fn is_person(self, color: Color) -> bool {
        match self {
            Seats::Person(own) => own == color,
            Seats::People => true,
            Seats::Engine => false,
        }
    }
}

/// How a game ended that has not run its course.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Resigned(Color),
    OutOfTime(Color),
}

pub struct Sitting {
    player: Arc<RwLock<Box<dyn Plays>>>,
    pub pace: Pace,
    pub seats: Seats,
    pub game: GameInProgress,
    pub clocks: [Option<GameClock>; 2],
    /// What the engine thought after each move, in hundredths of a disc for Black.
    pub values: Vec<Option<i32>>,
    pub stopped: Option<Stopped>,
}

impl Sitting {
    pub fn new(player: Box<dyn Plays>, pace: Pace, seats: Seats) -> Sitting {
        Sitting {
            player: Arc::new(RwLock::new(player)),
            pace,
            seats,
            game: GameInProgress::default(),
            clocks: pace.clocks(),
            values: Vec::new(),
            stopped: None,
        }
    }

    /// The engine, for a thread that thinks.
    pub fn engine(&self) -> Arc<RwLock<Box<dyn Plays>>> {
        self.player.clone()
    }

    pub fn player(&self) -> RwLockReadGuard<'_, Box<dyn Plays>> {
        self.player.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whom the person plays against.
    pub fn name(&self) -> &'static str {
        self.player().title()
    }

    pub fn strength(&self) -> Skill {
        self.player().policy().strength
    }

    /// Waits until the engine has stopped thinking.
    pub fn set_strength(&self, strength: Skill) {
        let mut player = self.player.write().unwrap_or_else(PoisonError::into_inner);
        player.policy_mut().strength = strength;
    }

    pub fn begin(&mut self, game: GameInProgress) {
        self.values = vec![None; game.moves().len()];
        self.game = game;
        self.clocks = self.pace.clocks();
        self.stopped = None;
        let mut player = self.player.write().unwrap_or_else(PoisonError::into_inner);
        player.begin_game(0);
    }

    pub fn is_over(&self) -> bool {
        self.stopped.is_some() || self.game.is_over()
    }

    pub fn turn(&self) -> Color {
        self.game.position().turn
    }

    /// The engine is to move.
    pub fn engine_is_on(&self) -> bool {
        !self.is_over() && !self.seats.is_person(self.turn())
    }

    /// A person's move, or the engine's, that took so long.
    pub fn play(
        &mut self,
        square: Square,
        elapsed: Duration,
        decision: Option<&Decision>,
    ) -> Result<(), String> {
        if self.is_over() {
            return Err("the game is over".into());
        }
        let color = self.turn();
        self.game.play(square).map_err(|error| error.to_string())?;
        let value = decision.and_then(|decision| decision.value);
        self.values.push(value.map(|value| match color {
            Color::Black => value,
            Color::White => -value,
        }));
        if let Some(clock) = &mut self.clocks[color as usize]
            && clock.spend(elapsed).is_err()
        {
            self.stopped = Some(Stopped::OutOfTime(color));
        }
        Ok(())
    }

    /// Takes moves back until it is a person's turn again; how many.
    pub fn take_back(&mut self) -> usize {
        self.stopped = None;
        let mut count = 0;
        while self.game.undo().is_some() {
            self.values.pop();
            count += 1;
            if self.seats.is_person(self.turn()) {
                break;
            }
        }
        count
    }

    pub fn resign(&mut self) {
        if !self.is_over() {
            self.stopped = Some(Stopped::Resigned(self.turn()));
        }
    }

    /// The result for Black, when the game is over.
    pub fn result(&self) -> Option<Score> {
        match self.stopped {
            Some(Stopped::Resigned(color) | Stopped::OutOfTime(color)) => Some(match color {
                Color::Black => Score::MIN,
                Color::White => Score::MAX,
            }),
            None => self
                .game
                .is_over()
                .then(|| self.game.position().final_score(Color::Black)),
        }
    }

    /// How the game stands or ended, in a few words.
    pub fn state(&self) -> String {
        let Some(result) = self.result() else {
            return format!("{} to move", self.turn());
        };
        match self.stopped {
            Some(Stopped::Resigned(color)) => format!("{color} resigns: {} wins", color.other()),
            Some(Stopped::OutOfTime(color)) => {
                format!("{color} is out of time: {} wins", color.other())
            }
            None => match result.discs() {
                0 => "A draw".into(),
                discs if discs > 0 => format!("Black wins by {discs}"),
                discs => format!("White wins by {}", -discs),
            },
        }
    }

    /// The moves the book has here, the best first, as they are written beside the board.
    pub fn book_moves(&self) -> Vec<BookMove> {
        book_moves(self.player().as_ref(), self.game.position().board)
    }

    /// What people call the opening so far.
    pub fn opening(&self) -> Option<&'static str> {
        let boards = self.game.positions().iter().map(|position| position.board);
        let opening = Openings::shipped().of_line(boards)?;
        Some(opening.name.as_str())
    }

    pub fn to_game(&self) -> Option<Game> {
        let name = |color| {
            let engine = format!("{} {}", self.name(), self.strength());
            let name = if self.seats.is_person(color) {
                std::env::var("USER").unwrap_or_default()
            } else {
                engine
            };
            Name::tidy(&name)
        };
        let details = Details {
            black: name(Color::Black),
            white: name(Color::White),
            result: self.result(),
            forfeit: self.stopped.map(|stopped| match stopped {
                Stopped::Resigned(_) => Forfeit::Resigned,
                Stopped::OutOfTime(_) => Forfeit::OutOfTime,
            }),
            ..Details::default()
        };
        self.game.to_game(details)
    }

    /// Writes the game in the format of the file's name, which was typed.
    pub fn save(&self, typed: &str) -> Result<(), String> {
        let game = self.to_game().ok_or("the game cannot be written")?;
        save_as_typed(typed, game).map_err(|error| error.to_string())
    }

    /// Goes on with the first game of a file.
    pub fn load(&mut self, path: &Path) -> Result<(), String> {
        let game = open(path)
            .map_err(|error| error.to_string())?
            .next()
            .ok_or("there is no game in the file")?
            .map_err(|error| error.to_string())?;
        self.begin(GameInProgress::of_game(&game));
        Ok(())
    }
}

/// A move as the book knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookMove {
    pub square: Square,
    pub value: Option<i32>,
    pub games: u32,
}

fn book_moves(player: &dyn Plays, board: Board) -> Vec<BookMove> {
    let Some(answer) = player.book_answer(board) else {
        return Vec::new();
    };
    answer
        .moves
        .iter()
        .filter(|m| m.known != Known::Nothing)
        .map(|m| BookMove {
            square: m.square,
            value: m.value.map(|value| value.centidiscs()),
            games: m.statistics.map_or(0, |statistics| statistics.games),
        })
        .collect()
}

/// What each move of a game gave away.
pub fn judge(game: &Game, button: &StopButton, seen: &mut dyn FnMut(&JudgedMove)) -> Judgement {
    let searcher = Searcher::new((defaults::HASH_OF_A_PLAYER as usize) << 20);
    let judge = Judge {
        searcher: &searcher,
        book: None,
        level: defaults::LEVEL_AFTER_A_GAME,
    };
    judge.judge(game, button, seen)
}

/// The analysis of a finished game in a few lines.
pub fn summary(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    for color in [Color::Black, Color::White] {
        let quality = judgement.quality(Some(color), None);
        let good = 100.0 * quality.fraction().unwrap_or(1.0);
        let loss = quality.mean_loss().unwrap_or(0.0);
        lines.push(format!(
            "{color}: {good:.0} % of the moves as good as the best, {loss:.2} discs lost per move"
        ));
    }
    let mut worst: Vec<&JudgedMove> = judgement.moves.iter().filter(|m| m.loss() >= 100).collect();
    worst.sort_by_key(|m| std::cmp::Reverse(m.loss()));
    for judged in worst.iter().take(5) {
        let loss = f64::from(judged.loss()) / 100.0;
        lines.push(format!(
            "move {}, {} {}: {loss:.1} discs worse than {}",
            judged.number, judged.color, judged.square, judged.best
        ));
    }
    lines
}
