//! The console commands of Edax that scripts use: `play`, `go`, `hint`, `mode`, `book show`, …
//!
//! A line that is no command is tried as moves. What cannot be done is told in one line that
//! begins with `?`, and the session goes on.

use super::inbox::Inbox;
use crate::book::Known;
use crate::engine::{GameClock, GameInProgress, Pace, Plays};
use crate::games::{Details, Name, open, save_as_typed};
use crate::othello::{Color, Drawing, MoveList, Position, PositionText, Square, moves_to_string};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Answers commands until `quit` or the end of the input, with a prompt for people.
pub fn run(
    player: Box<dyn Plays>,
    pace: Pace,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    prompt: bool,
) -> io::Result<()> {
    let mut session = Console {
        player,
        pace,
        inbox: Inbox::open(input, is_stop),
        game: GameInProgress::default(),
        undone: Vec::new(),
        clocks: pace.clocks(),
        mode: Mode::NOBODY,
        output,
    };
    loop {
        if prompt {
            write!(session.output, "> ")?;
            session.output.flush()?;
        }
        let Some(line) = session.inbox.next() else {
            return Ok(());
        };
        let line = line.trim().to_owned();
        if matches!(line.as_str(), "quit" | "q" | "exit" | "eof") {
            return Ok(());
        }
        if let Err(problem) = session.execute(&line) {
            match problem {
                Problem::Output(error) => return Err(error),
                Problem::Told(reason) => writeln!(session.output, "? {reason}")?,
            }
        }
        session.output.flush()?;
    }
}

fn is_stop(line: &str) -> bool {
    matches!(line.trim(), "stop" | "quit" | "q" | "exit")
}

/// Which colours the engine plays.
#[derive(Clone, Copy)]
struct Mode {
    black: bool,
    white: bool,
}

impl Mode {
    const NOBODY: Mode = Mode {
        black: false,
        white: false,
    };

    /// Edax counts: 0 the engine is White, 1 Black, 2 both, 3 neither.
    fn of_number(number: u32) -> Option<Mode> {
        let (black, white) = match number {
            0 => (false, true),
            1 => (true, false),
            2 => (true, true),
            3 => (false, false),
            _ => return None,
        };
        Some(Mode { black, white })
    }

    const fn plays(self, color: Color) -> bool {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

/// Why a command did not work.
enum Problem {
    Output(io::Error),
    Told(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        Problem::Output(error)
    }
}

fn told(reason: impl ToString) -> Problem {
    Problem::Told(reason.to_string())
}

const HELP: &str = "\
init                the start position
setboard BOARD      64 squares and the side to move
play MOVES          make moves; moves alone do the same
undo, redo          take the last move back, make it again
go                  the engine moves
hint [N]            the N best moves [1]
mode N              who the engine plays: 0 White, 1 Black, 2 both, 3 neither
level LEVEL         newcomer … club … full, or 0–60
move-time SECONDS   think so long for each move
game-time CONTROL   a clock for each player, as in 60, 5:00+2, 300/30
book show           what the book knows about the position
show                the board
analyze             the value of every position of the game, the last one first
load FILE
save FILE           --force FILE replaces one that is there
stop                end a search
version, help, quit";

struct Console<'o, W> {
    player: Box<dyn Plays>,
    pace: Pace,
    inbox: Inbox,
    game: GameInProgress,
    undone: Vec<Square>,
    clocks: [Option<GameClock>; 2],
    mode: Mode,
    output: &'o mut W,
}

impl<W: Write> Console<'_, W> {
    fn execute(&mut self, line: &str) -> Result<(), Problem> {
        let (command, rest) = line
            .split_once(char::is_whitespace)
            .map_or((line, ""), |(command, rest)| (command, rest.trim()));
        match command {
            "" | "stop" => Ok(()),
            "help" | "?" => Ok(writeln!(self.output, "{HELP}")?),
            "version" => Ok(writeln!(
                self.output,
                "Emilia {}",
                env!("CARGO_PKG_VERSION")
            )?),
            "init" | "new" | "i" | "n" => {
                self.player.begin_game(0);
                self.begin(GameInProgress::default());
                self.engine_moves()
            }
            "setboard" => {
                let text: PositionText = rest.parse().map_err(told)?;
                self.begin(GameInProgress::from(text.position));
                self.engine_moves()
            }
            "play" => self.play(rest),
            "undo" | "u" => {
                let square = self.game.undo().ok_or_else(|| told("no move to undo"))?;
                self.undone.push(square);
                Ok(())
            }
            "redo" | "r" => {
                let square = self.undone.pop().ok_or_else(|| told("no move to redo"))?;
                self.game.play(square).map_err(told)
            }
            "go" => {
                if self.game.is_over() {
                    return Err(told("the game is over"));
                }
                self.think()?;
                self.engine_moves()
            }
            "hint" | "h" => self.hint(rest),
            "mode" | "m" => {
                let number = rest.parse().ok();
                self.mode = number
                    .and_then(Mode::of_number)
                    .ok_or_else(|| told("mode 0, 1, 2 or 3"))?;
                self.engine_moves()
            }
            "level" | "l" => {
                self.player.policy_mut().strength = rest.parse().map_err(told)?;
                Ok(())
            }
            "move-time" => {
                let seconds = rest.parse::<f64>().ok().filter(|s| *s > 0.0);
                let time = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
                self.pace.per_move = Some(time.ok_or_else(|| told("move-time SECONDS"))?);
                Ok(())
            }
            "game-time" => {
                self.pace.control = Some(rest.parse().map_err(told)?);
                self.clocks = self.pace.clocks();
                Ok(())
            }
            "book" if matches!(rest, "show" | "") => self.show_book(),
            "book" => Err(told("only book show; books are made with: emilia book")),
            "show" | "d" => self.show(),
            "analyze" | "analyse" | "a" => self.analyse(),
            "load" | "open" => self.load(Path::new(rest)),
            "save" => self.save(rest),
            _ if MoveList::parse(self.game.position(), line).is_ok() => self.play(line),
            _ => Err(told(format!("unknown command '{command}'; try help"))),
        }
    }

    fn begin(&mut self, game: GameInProgress) {
        self.game = game;
        self.undone.clear();
        self.clocks = self.pace.clocks();
    }

    fn play(&mut self, text: &str) -> Result<(), Problem> {
        let list = MoveList::parse(self.game.position(), text).map_err(told)?;
        for square in list.moves {
            self.game.play(square).map_err(told)?;
        }
        self.undone.clear();
        self.engine_moves()
    }

    /// The engine moves as long as it is its turn.
    fn engine_moves(&mut self) -> Result<(), Problem> {
        while !self.game.is_over() && self.mode.plays(self.game.position().turn) {
            let stopped = self.think()?;
            if stopped {
                break;
            }
        }
        if self.game.is_over() && self.mode.black | self.mode.white {
            let score = self.game.position().final_score(Color::Black);
            writeln!(self.output, "*** Game over: {score} for Black ***")?;
        }
        Ok(())
    }

    /// One move of the engine; whether it was told to stop.
    fn think(&mut self) -> Result<bool, Problem> {
        let began = Instant::now();
        let position = self.game.position();
        let clock = self.clocks[position.turn as usize];
        let allowance = self
            .pace
            .allowance(clock.as_ref(), position.board.empty_count());
        let (player, inbox) = (&self.player, &self.inbox);
        let (decision, stopped) = inbox.while_listening(|button| {
            let decision = player.choose(position.board, allowance, button);
            (decision, button.is_pressed())
        });
        let square = decision
            .square
            .ok_or_else(|| told("there is no legal move"))?;
        self.game.play(square).map_err(told)?;
        self.undone.clear();
        if let Some(clock) = &mut self.clocks[position.turn as usize]
            && clock.spend(began.elapsed()).is_err()
        {
            writeln!(self.output, "{} is out of time", position.turn)?;
        }
        writeln!(self.output, "{} plays {square}", self.player.title())?;
        writeln!(self.output, "  {decision}")?;
        self.output.flush()?;
        Ok(stopped)
    }

    fn hint(&mut self, rest: &str) -> Result<(), Problem> {
        let count = match rest {
            "" => 1,
            number => number.parse().map_err(|_| told("hint [N]"))?,
        };
        let board = self.game.position().board;
        if self.game.is_over() {
            return Err(told("the game is over"));
        }
        let allowance = self.pace.allowance(None, board.empty_count());
        let ranking = self.inbox.while_listening(|button| {
            self.player
                .rank(board, count, allowance, button, &mut |_| {})
        });
        for ranked in ranking.moves.iter().take(count.max(1)) {
            let (reach, line) = (ranking.reach(), moves_to_string(&ranked.line));
            let value = shown(ranked.value);
            writeln!(self.output, "{} {value}  {reach}  {line}", ranked.square)?;
        }
        Ok(())
    }

    fn show_book(&mut self) -> Result<(), Problem> {
        let board = self.game.position().board;
        let answer = self
            .player
            .book_answer(board)
            .ok_or_else(|| told("there is no book; name one with --book"))?;
        if answer.node.is_none() && answer.moves.iter().all(|m| m.known == Known::Nothing) {
            return Err(told("the position is not in the book"));
        }
        for m in &answer.moves {
            let known = match m.known {
                Known::InBook => "book",
                Known::Ends => "end",
                Known::Alternative => "alternative",
                Known::Nothing => continue,
            };
            let value = m.value.map_or("?".into(), |value| value.to_string());
            let games = m.statistics.map_or(0, |statistics| statistics.games);
            writeln!(self.output, "{} {value}  {known}, {games} games", m.square)?;
        }
        Ok(())
    }

    fn show(&mut self) -> Result<(), Problem> {
        let drawing = Drawing {
            last_move: self.game.last_move(),
            ..Drawing::plain(self.game.position())
        };
        Ok(write!(self.output, "{drawing}")?)
    }

    fn analyse(&mut self) -> Result<(), Problem> {
        let positions: Vec<Position> = self.game.positions().to_vec();
        for (played, position) in positions.iter().enumerate().rev() {
            let board = position.board;
            let allowance = self.pace.allowance(None, board.empty_count());
            let (ranking, stopped) = self.inbox.while_listening(|button| {
                let ranking = self.player.rank(board, 1, allowance, button, &mut |_| {});
                (ranking, button.is_pressed())
            });
            if stopped {
                break;
            }
            let best = ranking.best();
            let value = if board.is_over() {
                Some(100 * board.final_score().discs())
            } else {
                best.and_then(|best| best.value)
            };
            let next = self.game.moves().get(played);
            let next = next.map_or("--".into(), Square::to_string);
            let best = best.map_or("--".into(), |best| best.square.to_string());
            let (number, value) = (played + 1, shown(value));
            writeln!(self.output, "{number:>2} {next}  best {best} {value}")?;
            self.output.flush()?;
        }
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<(), Problem> {
        let game = open(path)
            .map_err(told)?
            .next()
            .ok_or_else(|| told("there is no game in the file"))?
            .map_err(told)?;
        self.begin(GameInProgress::of_game(&game));
        Ok(())
    }

    fn save(&mut self, typed: &str) -> Result<(), Problem> {
        let name = |color| {
            let name = if self.mode.plays(color) {
                self.player.title()
            } else {
                "?"
            };
            Name::tidy(name)
        };
        let details = Details {
            black: name(Color::Black),
            white: name(Color::White),
            ..Details::default()
        };
        let game = self
            .game
            .to_game(details)
            .ok_or_else(|| told("the game cannot be written"))?;
        save_as_typed(typed, game).map_err(told)
    }
}

/// `+3.25`, or `?` where whoever plays has no value.
fn shown(value: Option<i32>) -> String {
    value.map_or("?".into(), |value| {
        format!("{:+.2}", f64::from(value) / 100.0)
    })
}
