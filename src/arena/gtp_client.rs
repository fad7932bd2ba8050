//! A contestant that speaks GTP.

use super::contestant::{Chosen, Contestant, Failure};
use super::process::Process;
use crate::engine::{GameClock, GameInProgress, TimeControl};
use crate::games::{Details, Format, GameWriter};
use crate::othello::{Color, Position};
use crate::search::StopButton;
use std::io::Write;
use std::time::{Duration, Instant};

pub struct GtpClient {
    process: Process,
    /// How many moves of the game the program knows.
    told: usize,
    /// It reads fractions of a second, which the protocol does not have.
    reads_fractions: bool,
    /// How long it may take to answer what needs no thought.
    patience: Duration,
}

impl GtpClient {
    pub fn start(
        command: &str,
        patience: Duration,
        stop: StopButton,
    ) -> Result<GtpClient, Failure> {
        let mut client = GtpClient {
            process: Process::start(command, stop)?,
            told: 0,
            reads_fractions: false,
            patience,
        };
        client.reads_fractions = client.tell("name")? == "Emilia";
        client.tell("boardsize 8")?;
        Ok(client)
    }

    /// A command that needs no thought.
    fn tell(&mut self, command: &str) -> Result<String, Failure> {
        self.ask(command, self.patience)
    }

    /// The text of a successful answer.
    fn ask(&mut self, command: &str, patience: Duration) -> Result<String, Failure> {
        let deadline = Instant::now() + patience;
        self.process.write(command)?;
        loop {
            let line = self.process.read(deadline, patience)?;
            let (sign, rest) = line.split_at_checked(1).unwrap_or_default();
            // What comes before an answer is chatter.
            if sign == "=" || sign == "?" {
                let mut answer = rest.trim().to_owned();
                // The answer ends with an empty line.
                loop {
                    let line = self.process.read(deadline, patience)?;
                    if line.is_empty() {
                        break;
                    }
                    answer = format!("{answer}\n{line}");
                }
                return match sign {
                    "=" => Ok(answer),
                    _ => Err(Failure::Refused(format!("? {answer}"))),
                };
            }
        }
    }

    /// Whether it can be told a game that does not begin at the start position.
    pub fn starts_anywhere(&mut self) -> Result<bool, Failure> {
        Ok(self.tell("known_command loadsgf")?.trim() == "true")
    }

    /// Tells a game that begins elsewhere, all its moves included.
    fn load(&mut self, game: &GameInProgress) -> Result<(), Failure> {
        if !self.starts_anywhere()? {
            let start = game.start();
            return Err(Failure::Refused(format!("no loadsgf, which {start} takes")));
        }
        let failed = |error: std::io::Error| Failure::NotStarted(error.to_string());
        let mut file = tempfile::Builder::new()
            .suffix(".sgf")
            .tempfile()
            .map_err(failed)?;
        let bytes = game
            .to_game(Details::default())
            .map(|record| GameWriter::to_bytes(Format::Sgf, &[record]))
            .ok_or_else(|| Failure::Refused("nothing: the game cannot be written".into()))?;
        file.write_all(&bytes.map_err(failed)?).map_err(failed)?;
        self.tell(&format!("loadsgf {}", file.path().display()))?;
        self.told = game.moves().len();
        Ok(())
    }

    /// Tells the moves that the program does not know, passes included.
    fn catch_up(&mut self, game: &GameInProgress) -> Result<(), Failure> {
        while self.told < game.moves().len() {
            let before = game.positions()[self.told];
            let after = game.positions()[self.told + 1];
            let square = game.moves()[self.told];
            self.tell(&format!("play {} {square}", letter(before.turn)))?;
            self.told += 1;
            self.pass_if_due(before.turn, after.turn, after.board.is_over())?;
        }
        Ok(())
    }

    fn pass_if_due(&mut self, mover: Color, next: Color, over: bool) -> Result<(), Failure> {
        if mover == next && !over {
            self.tell(&format!("play {} pass", letter(mover.other())))?;
        }
        Ok(())
    }
}

const fn letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

impl Contestant for GtpClient {
    fn begin(
        &mut self,
        game: &GameInProgress,
        _seed: u64,
        control: Option<TimeControl>,
    ) -> Result<(), Failure> {
        self.tell("clear_board")?;
        if let Some(control) = control {
            let (period, moves) = control
                .byo_yomi
                .map_or((0, 0), |rule| (rule.period.as_secs(), rule.moves));
            let main = control.main.as_secs_f64().ceil();
            self.tell(&format!("time_settings {main} {period} {moves}"))?;
        }
        self.told = 0;
        if game.start() != Position::START {
            self.load(game)?;
        }
        self.catch_up(game)
    }

    fn choose(
        &mut self,
        game: &GameInProgress,
        clock: Option<&GameClock>,
        patience: Duration,
    ) -> Result<Chosen, Failure> {
        self.catch_up(game)?;
        let color = letter(game.position().turn);
        if let Some(clock) = clock {
            let left = clock.remaining().as_secs_f64();
            let left = if self.reads_fractions {
                left
            } else {
                left.floor()
            };
            let moves = clock.moves_of_period().unwrap_or(0);
            self.tell(&format!("time_left {color} {left} {moves}"))?;
        }
        let began = Instant::now();
        let answer = self.ask(&format!("genmove {color}"), patience)?;
        let elapsed = began.elapsed();
        let square = answer
            .parse()
            .map_err(|_| Failure::Illegal(answer.clone()))?;
        let after = game.position().play(square);
        let after = after.map_err(|error| Failure::Illegal(error.to_string()))?;
        self.told += 1;
        let mover = game.position().turn;
        self.pass_if_due(mover, after.turn, after.board.is_over())?;
        Ok(Chosen {
            square,
            discs: None,
            from_book: false,
            elapsed,
        })
    }
}
