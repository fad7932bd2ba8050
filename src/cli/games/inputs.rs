//! The collections a command was given: opening them one after the other, with a progress bar and
//! a list of what was broken.

use super::super::interrupt::Interrupt;
use super::super::output::{grouped, progress};
use crate::games::{BadGame, Game, GameReader, NotACollection, OpenError, open};
use crate::view::{BadGameView, BadGamesView};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many bad games are listed unless all are asked for.
const LISTED: usize = 10;

/// Opens a file, or standard input for `-`.
pub fn open_input(path: &Path) -> Result<GameReader, OpenError> {
    if path == Path::new("-") {
        GameReader::from_stream("standard input", io::stdin())
    } else {
        open(path)
    }
}

/// Tables of names come along when a user writes `folder/*`: they are no mistake.
pub fn is_name_table(error: &OpenError) -> bool {
    matches!(
        error,
        OpenError::NotACollection {
            reason: NotACollection::NameTable,
            ..
        }
    )
}

/// Files to read from the first to the last, perhaps more than once.
pub struct Inputs {
    paths: Vec<PathBuf>,
    /// Standard input can be read only once, so it is kept here for a second time.
    kept: Option<tempfile::NamedTempFile>,
}

impl Inputs {
    pub fn new(paths: Vec<PathBuf>) -> Inputs {
        Inputs { paths, kept: None }
    }

    /// Makes sure that the files can be read twice.
    pub fn keep(&mut self) -> Result<()> {
        for path in &mut self.paths {
            if path == Path::new("-") && self.kept.is_none() {
                let mut file = tempfile::NamedTempFile::new()?;
                io::copy(&mut io::stdin().lock(), &mut file)
                    .context("cannot keep standard input")?;
                file.flush()?;
                *path = file.path().to_owned();
                self.kept = Some(file);
            }
        }
        Ok(())
    }

    /// Reads everything and gives the good games to `take`, with their number over all files. A
    /// file that is no collection, or one whose end cannot be read, is an error.
    pub fn read(
        &self,
        doing: &'static str,
        interrupt: &Interrupt,
        bad: &mut BadGames,
        mut take: impl FnMut(u64, Game) -> Result<()>,
    ) -> Result<()> {
        let bar = Bar::new(&self.paths, doing);
        let mut number = 0;
        let mut read = 0;
        for path in &self.paths {
            let mut reader = match open_input(path) {
                Ok(reader) => reader,
                Err(error) if is_name_table(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            read += 1;
            while let Some(batch) = reader.next_batch() {
                interrupt.check()?;
                bar.show(&reader);
                for game in batch {
                    match game {
                        Ok(game) => {
                            take(number, game)?;
                            number += 1;
                        }
                        Err(flaw) if flaw.flaw.ends_the_file() => return Err(flaw.into()),
                        Err(flaw) => bad.add(flaw)?,
                    }
                }
            }
            bar.end_of_file(&reader);
        }
        if read == 0 {
            bail!("there are only tables of names here; name the .wtb files as well");
        }
        Ok(())
    }
}

/// Progress over all files, in the bytes that they take on the disk.
pub struct Bar {
    bar: ProgressBar,
    before: std::cell::Cell<u64>,
}

impl Bar {
    pub fn new(paths: &[PathBuf], doing: &'static str) -> Bar {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        let total: u64 = paths.iter().map(size).sum();
        Bar {
            bar: progress(total.div_ceil(1000), "kB", doing),
            before: std::cell::Cell::new(0),
        }
    }

    pub fn show(&self, reader: &GameReader) {
        let read = self.before.get() + reader.bytes_read();
        self.bar.set_position(read / 1000);
    }

    pub fn end_of_file(&self, reader: &GameReader) {
        self.before.set(self.before.get() + reader.bytes_read());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bad games of a run: all counted, the first ones kept.
pub struct BadGames {
    strict: bool,
    kept: Vec<BadGame>,
    limit: usize,
    count: u64,
}

impl BadGames {
    pub fn new(strict: bool, all: bool) -> BadGames {
        BadGames {
            strict,
            kept: Vec::new(),
            limit: if all { usize::MAX } else { LISTED },
            count: 0,
        }
    }

    /// Counts a bad game, or makes it an error.
    pub fn add(&mut self, bad: BadGame) -> Result<()> {
        if self.strict {
            return Err(anyhow::Error::new(bad).context(
                "a bad game stops a strict run; without --strict it is skipped and reported",
            ));
        }
        self.count += 1;
        if self.kept.len() < self.limit {
            self.kept.push(bad);
        }
        Ok(())
    }

    pub fn view(&self) -> BadGamesView {
        BadGamesView {
            bad: self.count,
            bad_games: self.kept.iter().map(BadGameView::from).collect(),
        }
    }

    /// Lists them for people.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        writeln!(out, "{} skipped:", games(self.count, "bad game"))?;
        for bad in &self.kept {
            writeln!(out, "  {bad}")?;
        }
        let more = self.count - self.kept.len() as u64;
        if more > 0 {
            let more = grouped(more);
            writeln!(
                out,
                "  … and {more} more; emilia games stat --all lists them"
            )?;
        }
        Ok(())
    }
}

/// `1 game`, `1 234 games`.
pub fn games(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(count))
}
