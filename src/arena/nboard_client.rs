//! A contestant that speaks the NBoard protocol.

use super::contestant::{Chosen, Contestant, Failure};
use super::process::Process;
use crate::engine::{GameClock, GameInProgress, TimeControl};
use crate::games::{Details, Format, GameWriter};
use crate::search::StopButton;
use std::time::{Duration, Instant};

/// The protocol has no clock: the program thinks to its depth, and the referee holds the watch.
pub struct NBoardClient {
    process: Process,
    pings: u32,
    /// How long it may take to start, and to take in a game.
    patience: Duration,
}

impl NBoardClient {
    pub fn start(
        command: &str,
        depth: u32,
        patience: Duration,
        stop: StopButton,
    ) -> Result<NBoardClient, Failure> {
        let mut client = NBoardClient {
            process: Process::start(command, stop)?,
            pings: 0,
            patience,
        };
        client.process.write("nboard 2")?;
        client.process.write(&format!("set depth {depth}"))?;
        client.synchronise()?;
        Ok(client)
    }

    /// Waits until the program has read everything.
    fn synchronise(&mut self) -> Result<(), Failure> {
        self.pings += 1;
        self.process.write(&format!("ping {}", self.pings))?;
        let pong = format!("pong {}", self.pings);
        let deadline = Instant::now() + self.patience;
        while self.process.read(deadline, self.patience)?.trim() != pong {}
        Ok(())
    }
}

impl Contestant for NBoardClient {
    fn begin(
        &mut self,
        _game: &GameInProgress,
        _seed: u64,
        _control: Option<TimeControl>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    fn choose(
        &mut self,
        game: &GameInProgress,
        _clock: Option<&GameClock>,
        patience: Duration,
    ) -> Result<Chosen, Failure> {
        let refused = || Failure::Refused("nothing: the game cannot be written".into());
        let record = game.to_game(Details::default()).ok_or_else(refused)?;
        let bytes = GameWriter::to_bytes(Format::Ggf, &[record]).map_err(|_| refused())?;
        let text = String::from_utf8_lossy(&bytes);
        self.process.write(&format!("set game {}", text.trim()))?;
        self.synchronise()?;
        let began = Instant::now();
        let deadline = began + patience;
        self.process.write("go")?;
        loop {
            let line = self.process.read(deadline, patience)?;
            let Some(answer) = line.strip_prefix("===") else {
                continue;
            };
            // Edax separates with spaces, the protocol's description with slashes.
            let mut fields = answer
                .split(|c: char| c == '/' || c.is_whitespace())
                .filter(|field| !field.is_empty());
            let name = fields.next().unwrap_or_default();
            let square = name
                .parse()
                .map_err(|_| Failure::Illegal(name.to_owned()))?;
            return Ok(Chosen {
                square,
                discs: fields.next().and_then(|field| field.parse().ok()),
                from_book: false,
                elapsed: began.elapsed(),
            });
        }
    }
}
