//! The log of a match: one line of JSON per finished game, so that a match goes on where it was.

use super::referee::{GameReport, Pairing, Side};
use crate::games::{Format, Game, GameReader, GameWriter};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// What can be wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("cannot read or write {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "{path} is the log of another match ({found}); name another file, or repeat that match's \
         contestants and options to go on with it"
    )]
    OtherMatch { path: PathBuf, found: String },
    #[error("another match writes to {0} just now: wait for its end, or name another log")]
    InUse(PathBuf),
    #[error("{path}, line {line}: this is no game of a match log: {reason}")]
    BadLine {
        path: PathBuf,
        line: usize,
        reason: String,
    },
}

/// A log that is open for more games.
pub struct MatchLog {
    path: PathBuf,
    file: File,
}

#[derive(Serialize, Deserialize)]
struct Header {
    emilia_match: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    game: usize,
    discs: i32,
    forfeit: Option<(String, String)>,
    seconds: [f64; 2],
    book_moves: [u32; 2],
    ggf: String,
}

impl MatchLog {
    /// Opens the log of this match, which is described by one line, and reads the games in it.
    /// What a killed process left of its last line is dropped.
    pub fn open(path: &Path, conditions: &str) -> Result<(MatchLog, Vec<GameReport>), LogError> {
        let io_error = |source| LogError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .map_err(io_error)?;
        if !file.metadata().map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::other("it is no file")));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(io_error(error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io_error)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let mut reports = Vec::new();
        if let Some((_, first)) = lines.next() {
            let found = serde_json::from_str::<Header>(first)
                .map_or_else(|_| first.to_owned(), |header| header.emilia_match);
            if found != conditions {
                let path = path.to_owned();
                return Err(LogError::OtherMatch { path, found });
            }
        }
        let mut played = HashSet::new();
        for (number, line) in lines {
            let is_new = |report: GameReport| match played.insert(report.pairing.number) {
                true => Ok(report),
                false => Err("this game is in it already".to_owned()),
            };
            let report = read(line).and_then(is_new);
            reports.push(report.map_err(|reason| LogError::BadLine {
                path: path.to_owned(),
                line: number + 1,
                reason,
            })?);
        }
        file.set_len(whole as u64).map_err(io_error)?;
        let mut log = MatchLog {
            path: path.to_owned(),
            file,
        };
        if whole == 0 {
            let emilia_match = conditions.to_owned();
            log.write(&Header { emilia_match })?;
        }
        Ok((log, reports))
    }

    pub fn add(&mut self, report: &GameReport) -> Result<(), LogError> {
        let line = Line {
            game: report.pairing.number,
            discs: report.discs,
            forfeit: report
                .forfeit
                .as_ref()
                .map(|(side, reason)| (side.to_string(), reason.clone())),
            seconds: report.seconds,
            book_moves: report.book_moves,
            ggf: ggf(&report.game).map_err(|source| self.io_error(source))?,
        };
        self.write(&line)
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(self.file, "{line}"))
            .and_then(|()| self.file.flush());
        written.map_err(|source| self.io_error(source))
    }

    fn io_error(&self, source: io::Error) -> LogError {
        let path = self.path.clone();
        LogError::Io { path, source }
    }
}

fn ggf(game: &Game) -> io::Result<String> {
    let bytes = GameWriter::to_bytes(Format::Ggf, std::slice::from_ref(game))?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

fn read(line: &str) -> Result<GameReport, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let side = |name: &str| {
        [Side::First, Side::Second]
            .into_iter()
            .find(|side| side.to_string() == name)
            .ok_or_else(|| format!("'{name}' is no side"))
    };
    let game = GameReader::from_stream("the log", Cursor::new(line.ggf.into_bytes()))
        .map_err(|error| error.to_string())?
        .next()
        .ok_or("there is no game")?
        .map_err(|bad| bad.flaw.to_string())?;
    let forfeit = match line.forfeit {
        Some((name, reason)) => Some((side(&name)?, reason)),
        None => None,
    };
    Ok(GameReport {
        pairing: Pairing { number: line.game },
        game,
        discs: line.discs,
        forfeit,
        seconds: line.seconds,
        book_moves: line.book_moves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;
    use std::fs;

    fn report(number: usize) -> GameReport {
        GameReport {
            pairing: Pairing { number },
            game: SampleGames::new(5).next().unwrap(),
            discs: -6,
            forfeit: (number == 1).then(|| (Side::Second, "crashed".to_owned())),
            seconds: [1.5, 0.25],
            book_moves: [3, 0],
        }
    }

    #[test]
    fn a_match_goes_on_where_its_log_ends_even_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.log");
        let (mut log, before) = MatchLog::open(&path, "a against b").unwrap();
        assert!(before.is_empty());
        log.add(&report(0)).unwrap();
        log.add(&report(1)).unwrap();
        drop(log);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"game\":2,\"di")).unwrap();

        let (mut log, found) = MatchLog::open(&path, "a against b").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].game.moves(), report(0).game.moves());
        assert_eq!(found[1].forfeit, report(1).forfeit);
        assert_eq!((found[0].discs, found[0].seconds), (-6, [1.5, 0.25]));
        log.add(&report(2)).unwrap();
        let second = MatchLog::open(&path, "a against b").err().unwrap();
        assert!(
            second.to_string().contains("another match writes"),
            "{second}"
        );
        drop(log);
        assert_eq!(MatchLog::open(&path, "a against b").unwrap().1.len(), 3);

        let other = MatchLog::open(&path, "a against c").err().unwrap();
        assert!(
            other
                .to_string()
                .contains("log of another match (a against b)"),
            "{other}"
        );
        let text = fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap();
        fs::write(&path, format!("{text}{last}\n")).unwrap();
        let twice = MatchLog::open(&path, "a against b").err().unwrap();
        assert!(twice.to_string().contains("line 5"), "{twice}");
        fs::write(&path, "{\"emilia_match\":\"x\"}\nnonsense\n").unwrap();
        let bad = MatchLog::open(&path, "x").err().unwrap();
        assert!(bad.to_string().contains("line 2"), "{bad}");
    }
}
