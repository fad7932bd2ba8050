//! The NBoard protocol (version 2, Welty), spoken by NBoard and other Othello boards.
//!
//! The protocol has no errors: a line that is not understood is ignored, and what is wrong with a
//! line that is nearly understood is told as a status. Any line interrupts a search; the answer to
//! `go` is then left out, as the board has moved on.

use super::inbox::Inbox;
use crate::book::{Cause, Known, Store, Watcher};
use crate::engine::{
    Allowance, Course, Draws, GameInProgress, Lesson, LocalAnalyst, Pace, Plays, Ranking, Skill,
    Wishes, learn_game,
};
use crate::games::{Details, Game, GameReader};
use crate::othello::{Board, Position, Square, moves_to_string};
use crate::search::StopButton;
use std::error::Error;
use std::io::{self, BufRead, Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Answers commands until `quit` or the end of the input.
pub fn run(
    player: Box<dyn Plays>,
    pace: Pace,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
) -> io::Result<()> {
    let inbox = Inbox::open(input, |_| true);
    let mut session = NBoard {
        player,
        pace,
        game: GameInProgress::default(),
        output,
    };
    while let Some(line) = inbox.next() {
        let (command, rest) = split_word(&line);
        match command {
            "quit" => break,
            "ping" => {
                // The search, if any, ended before this line was read.
                writeln!(session.output, "pong {rest}")?;
            }
            "go" => inbox.while_listening(|button| session.go(button))?,
            "hint" => inbox.while_listening(|button| session.hint(rest, button))?,
            "learn" => inbox.while_listening(|button| session.learn(button))?,
            "analyze" | "analyse" => inbox.while_listening(|button| session.analyse(button))?,
            _ => {
                if let Err(reason) = session.set_up(command, rest)? {
                    session.status(&format!("{command}: {reason}"))?;
                }
            }
        }
        session.output.flush()?;
    }
    Ok(())
}

/// How hard the positions of a game that is learned are searched: as `emilia book learn` does.
const LEARNING_LEVEL: u8 = 8;

/// Work that the next line interrupts.
struct Until<'a>(&'a StopButton);

impl Watcher for Until<'_> {
    fn should_stop(&self) -> bool {
        self.0.is_pressed()
    }
}

struct NBoard<'o, W> {
    player: Box<dyn Plays>,
    pace: Pace,
    game: GameInProgress,
    output: &'o mut W,
}

impl<W: Write> NBoard<'_, W> {
    /// Commands that change something and, but for a greeting, need no answer.
    fn set_up(&mut self, command: &str, rest: &str) -> io::Result<Result<(), String>> {
        match command {
            "nboard" => writeln!(self.output, "set myname {}", self.player.title())?,
            "set" => return Ok(self.set(rest)),
            "move" => return Ok(self.play(rest)),
            _ => tracing::debug!(command, "not a command of the NBoard protocol"),
        }
        Ok(Ok(()))
    }

    fn set(&mut self, rest: &str) -> Result<(), String> {
        let (variable, value) = split_word(rest);
        match variable {
            "depth" => {
                let depth: u32 = value
                    .parse()
                    .map_err(|_| format!("'{value}' is no depth"))?;
                self.player.policy_mut().strength = Skill::level(depth.min(60));
            }
            "contempt" => {
                let contempt: f64 = value
                    .parse()
                    .map_err(|_| format!("'{value}' is no number"))?;
                self.player.policy_mut().draws = if contempt > 0.0 {
                    Draws::Avoid
                } else if contempt < 0.0 {
                    Draws::Seek
                } else {
                    Draws::Neutral
                };
            }
            "game" => {
                let game = read_game(value)?;
                let game = GameInProgress::of_game(&game);
                if !game.moves().starts_with(self.game.moves()) {
                    self.player.begin_game(0);
                }
                self.game = game;
            }
            _ => tracing::debug!(variable, "not a variable of the NBoard protocol"),
        }
        Ok(())
    }

    /// `F5/1.25/0.5`: a move, perhaps with a value and a time.
    fn play(&mut self, rest: &str) -> Result<(), String> {
        let name = rest.split('/').next().unwrap_or_default().trim();
        if name.to_ascii_lowercase().starts_with("pa") {
            let due = self.game.passed_before_now() || self.game.is_over();
            return due
                .then_some(())
                .ok_or_else(|| format!("{} may not pass", self.game.position().turn));
        }
        let square: Square = name.parse().map_err(|error| format!("{error}"))?;
        self.game.play(square).map_err(|error| error.to_string())
    }

    fn go(&mut self, button: &StopButton) -> io::Result<()> {
        let board = self.game.position().board;
        if board.legal_moves().is_empty() {
            return writeln!(self.output, "=== PA");
        }
        self.status(&format!("{} is thinking", self.player.title()))?;
        let allowance = self.pace.allowance(None, board.empty_count());
        let decision = self.player.choose(board, allowance, button);
        if let Some(nodes) = decision.nodes() {
            self.statistics(nodes, decision.time)?;
        }
        if button.is_pressed() {
            return self.status("");
        }
        if let Some(square) = decision.square {
            let value = decision
                .value
                .map_or(String::new(), |value| format!("{:.2}", discs(value)));
            let seconds = decision.time.as_secs_f64();
            let square = square.to_string().to_uppercase();
            writeln!(self.output, "=== {square}/{value}/{seconds:.3}")?;
        }
        self.status(&decision.to_string())
    }

    /// The best moves: those of the book first, then the search's, iteration by iteration.
    fn hint(&mut self, rest: &str, button: &StopButton) -> io::Result<()> {
        let Ok(count) = rest.trim().parse::<usize>() else {
            return self.status(&format!("hint: '{}' is no number of moves", rest.trim()));
        };
        let board = self.game.position().board;
        if board.legal_moves().is_empty() {
            return self.status("the game is over");
        }
        self.status(&format!("{} is thinking", self.player.title()))?;
        self.output.flush()?;
        self.book_hints(board, count)?;
        let allowance = self.pace.allowance(None, board.empty_count());
        let (player, output) = (&self.player, &mut self.output);
        let mut written = Ok(());
        let mut show = |ranking: &Ranking| {
            if written.is_ok() && !button.is_pressed() {
                written = write_hints(output, ranking);
            }
        };
        let ranking = player.rank(board, count.clamp(1, 60), allowance, button, &mut show);
        written?;
        self.statistics(ranking.nodes, ranking.time)?;
        self.status("")
    }

    fn book_hints(&mut self, board: Board, count: usize) -> io::Result<()> {
        let Some(answer) = self.player.book_answer(board) else {
            return Ok(());
        };
        let known = answer
            .moves
            .iter()
            .filter(|m| matches!(m.known, Known::InBook | Known::Alternative))
            .filter_map(|m| Some((m, m.value?)));
        for (m, value) in known.take(count) {
            let square = m.square.to_string().to_uppercase();
            let games = m.statistics.map_or(0, |statistics| statistics.games);
            let depth = m.level.map_or(1, |level| level.depth);
            let value = value.discs();
            writeln!(self.output, "book {square} {value:.2} {games} {depth}")?;
        }
        self.output.flush()
    }

    /// The value of every position of the game, the last one first, for the player to move.
    fn analyse(&mut self, button: &StopButton) -> io::Result<()> {
        self.status(&format!("{} is analysing", self.player.title()))?;
        let positions: Vec<Position> = self.game.positions().to_vec();
        for (played, position) in positions.iter().enumerate().rev() {
            let board = position.board;
            let allowance = self.pace.allowance(None, board.empty_count());
            let value = self.value_of(board, allowance, button);
            if button.is_pressed() {
                break;
            }
            if let Some(value) = value {
                writeln!(self.output, "analysis {played} {:.2}", discs(value))?;
                self.output.flush()?;
            }
        }
        self.status("")
    }

    /// What a position is worth to the player to move; none where whoever plays has no value.
    fn value_of(&self, board: Board, allowance: Allowance, button: &StopButton) -> Option<i32> {
        if board.is_over() {
            return Some(100 * board.final_score().discs());
        }
        let ranking = self.player.rank(board, 1, allowance, button, &mut |_| {});
        ranking.best()?.value
    }

    /// The game comes into the book, and what might have been played instead is searched.
    fn learn(&mut self, button: &StopButton) -> io::Result<()> {
        self.status(&format!("{} is learning", self.player.title()))?;
        self.output.flush()?;
        match self.learn_game_of_now(button) {
            Ok(lesson) => {
                writeln!(self.output, "learned")?;
                self.status(&format!(
                    "{} new positions, {} searches",
                    lesson.learned.positions, lesson.settled.searched
                ))
            }
            Err(reason) => self.status(&format!("learn: {reason}")),
        }
    }

    fn learn_game_of_now(&mut self, button: &StopButton) -> Result<Lesson, String> {
        let game = self.game.to_game(Details::default());
        let game = game.ok_or("the game cannot be kept")?;
        if game.start() != Position::START {
            return Err("the game does not begin at the usual start".into());
        }
        let Some(book) = self.player.book() else {
            return Err("there is no book; start me with --book DIR".into());
        };
        let path = book.path().to_owned();
        // The player's own book stays open for reading, and is opened anew to see the change.
        let lesson = learn(&path, &game, button).map_err(|error| error.to_string())?;
        let book = Store::open_read_only(&path).map_err(|error| error.to_string())?;
        self.player.set_book(Arc::new(book));
        Ok(lesson)
    }

    fn statistics(&mut self, nodes: u64, time: Duration) -> io::Result<()> {
        let seconds = time.as_secs_f64();
        writeln!(self.output, "nodestats {nodes} {seconds:.3}")
    }

    fn status(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "status {text}")
    }
}

/// Learns a game as far as the book goes, or whole into a book without games.
fn learn(path: &Path, game: &Game, button: &StopButton) -> Result<Lesson, Box<dyn Error>> {
    let store = Store::open(path)?;
    let mut analyst = LocalAnalyst::new(1, button.clone())?;
    let (plan, _) = Wishes::default().plan(&store, Course::PLIES_OF_A_GAME)?;
    let until = Until(button);
    let course = Course::new(plan, Cause::Learn, LEARNING_LEVEL, 0);
    Ok(learn_game(&store, game, &course, &mut analyst, &until)?)
}

/// One line for each move: `search PV VALUE 0 DEPTH`. The protocol has no word for a move without a
/// value, so it is written as even.
fn write_hints(output: &mut impl Write, ranking: &Ranking) -> io::Result<()> {
    let depth = if ranking.solved {
        "100%".to_owned()
    } else {
        ranking.reach().to_string()
    };
    for ranked in &ranking.moves {
        let line = moves_to_string(&ranked.line).to_uppercase();
        let value = discs(ranked.value.unwrap_or(0));
        writeln!(output, "search {line} {value:.2} 0 {depth}")?;
    }
    output.flush()
}

fn discs(value: i32) -> f64 {
    f64::from(value) / 100.0
}

fn read_game(text: &str) -> Result<Game, String> {
    let mut reader = GameReader::from_stream("the game", Cursor::new(text.to_owned()))
        .map_err(|error| error.to_string())?;
    match reader.next() {
        Some(Ok(game)) => Ok(game),
        Some(Err(bad)) => Err(bad.flaw.to_string()),
        None => Err("there is no game in it".into()),
    }
}

/// The first word and the rest.
fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace)
        .map_or((line, ""), |(word, rest)| (word, rest.trim()))
}
