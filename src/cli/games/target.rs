//! The collection a command writes: complete or not there at all.

use super::super::interrupt::Interrupt;
use super::super::new_file::{check_free, folder_for, no_room, put, temporary};
use super::super::output::is_broken_pipe;
use super::inputs::{BadGames, games};
use crate::games::{Format, Game, GameWriter, NameFiles, Written};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write, stdout};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How commands are told where games go.
#[derive(clap::Args)]
pub struct TargetArgs {
    /// The collection to write; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Write this format (wthor, ggf, sgf, transcript), whatever the name says
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

/// Where games go. They are collected in a temporary file that disappears by itself, and get
/// their name at the very end.
pub struct Target {
    path: PathBuf,
    format: Format,
    force: bool,
    writer: GameWriter<BufWriter<File>>,
}

impl Target {
    /// Says now what would go wrong at the end: no format, or a file in the way.
    pub fn new(args: TargetArgs) -> Result<Target> {
        let TargetArgs {
            output: path,
            format,
            force,
        } = args;
        let format = match format.or_else(|| Format::of_name(&path)) {
            Some(format) => format,
            None => bail!(
                "the name {} does not say the format: let it end in .wtb, .ggf, .sgf or .txt \
                 (also with .gz or .zst), or add --format",
                path.display()
            ),
        };
        // A large collection has room where it is going to stay, rather than in a small /tmp.
        let spool = if path == Path::new("-") {
            tempfile::tempfile().context("cannot write a temporary file")?
        } else {
            let folder = folder_for(&path)?;
            tempfile::tempfile_in(folder).with_context(|| no_room(folder))?
        };
        let target = Target {
            format,
            force,
            writer: GameWriter::new(format, BufWriter::new(spool))?,
            path,
        };
        if !target.is_stdout() {
            for path in target.all_paths() {
                check_free(&path, force)?;
            }
        }
        Ok(target)
    }

    fn is_stdout(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The file itself and, for WTHOR, its tables of names.
    fn all_paths(&self) -> Vec<PathBuf> {
        let mut paths = vec![self.path.clone()];
        if self.format == Format::Wthor {
            paths.extend(["jou", "trn"].map(|extension| self.beside(extension)));
        }
        paths
    }

    /// `x.wtb.gz` has `x.jou` beside it, because that is where it is looked for.
    fn beside(&self, extension: &str) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        self.path.with_file_name(format!("{stem}.{extension}"))
    }

    pub fn write(&mut self, game: &Game) -> Result<()> {
        let path = &self.path;
        let written = self.writer.write(game);
        written.with_context(|| format!("cannot write the games for {}", path.display()))
    }

    /// Gives the games their name.
    pub fn finish(self, interrupt: &Interrupt) -> Result<Report> {
        let paths = self.all_paths();
        let is_stdout = self.is_stdout();
        let (out, written) = self.writer.finish()?;
        let mut games = out.into_inner().map_err(|error| error.into_error())?;
        games.rewind()?;
        let mut games = Watched { games, interrupt };
        if is_stdout {
            let copied = io::copy(&mut games, &mut io::stdout().lock());
            interrupt.check()?;
            if let Err(error) = copied.context("cannot write to standard output")
                && !is_broken_pipe(&error)
            {
                return Err(error);
            }
            return Ok(Report {
                names_lost: written.names.as_ref().is_some_and(has_names),
                path: None,
                format: self.format,
                written,
            });
        }
        // All files are complete before the first of them gets its name.
        let copy = packed(&self.path, &mut games);
        interrupt.check()?;
        let mut files = vec![copy?];
        if let Some(names) = &written.names {
            for (path, bytes) in paths
                .iter()
                .skip(1)
                .zip([&names.players, &names.tournaments])
            {
                files.push(plain(path, bytes)?);
            }
        }
        for (file, path) in files.into_iter().zip(&paths) {
            put(file, path, self.force)?;
        }
        Ok(Report {
            names_lost: false,
            path: Some(self.path),
            format: self.format,
            written,
        })
    }
}

/// More than the entry for "unknown" in a table.
fn has_names(names: &NameFiles) -> bool {
    names.players.len() > 16 + 20 || names.tournaments.len() > 16 + 26
}

/// Games on their way to the target, as long as the user does not stop them.
struct Watched<'a> {
    games: File,
    interrupt: &'a Interrupt,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interrupt.is_set() {
            return Err(io::Error::other("interrupted"));
        }
        self.games.read(buffer)
    }
}

fn plain(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let mut file = temporary(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// A copy of the games, packed if the name says so.
fn packed(path: &Path, games: &mut impl Read) -> Result<NamedTempFile> {
    let mut file = temporary(path)?;
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let result = match extension.to_str() {
        Some("gz") => {
            // No clock time in the header: the same games, the same bytes.
            let level = flate2::Compression::best();
            let mut encoder = flate2::GzBuilder::new().write(&mut file, level);
            io::copy(games, &mut encoder).and_then(|_| encoder.finish().map(|_| ()))
        }
        Some("zst") => zstd::stream::copy_encode(games, &mut file, 9),
        _ => io::copy(games, &mut file).map(|_| ()),
    };
    result.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file)
}

/// What was written and what was lost on the way.
pub struct Report {
    path: Option<PathBuf>,
    format: Format,
    written: Written,
    names_lost: bool,
}

impl Report {
    pub const fn games(&self) -> u64 {
        self.written.games
    }

    /// Says what happened: one JSON object with some `more` numbers in it, or lines for people.
    pub fn tell(&self, as_json: bool, bad: &BadGames, more: &[(&str, u64)]) -> Result<()> {
        if !as_json {
            self.print();
            return Ok(bad.print(&mut io::stderr())?);
        }
        let mut summary = self.to_json();
        let bad = bad.view();
        summary["bad"] = json!(bad.bad);
        summary["bad_games"] = json!(bad.bad_games);
        for &(key, number) in more {
            summary[key] = json!(number);
        }
        // Standard output is taken when the games go there.
        if self.path.is_none() {
            eprintln!("{summary}");
        } else {
            writeln!(stdout(), "{summary}")?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let mut lost: Vec<Value> = self
            .written
            .losses
            .iter()
            .map(|(loss, games)| json!({ "games": games, "what": loss.to_string() }))
            .collect();
        if self.names_lost {
            lost.push(json!({ "games": self.written.games, "what": NAMES_LOST }));
        }
        json!({ "file": self.path, "format": self.format.to_string(),
                "games": self.written.games, "lost": lost })
    }

    /// On standard error, because the games themselves may go to standard output.
    fn print(&self) {
        let place = match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard output".into(),
        };
        let format = self.format;
        eprintln!(
            "{} written to {place} ({format})",
            games(self.games(), "game")
        );
        for (loss, count) in self.written.losses.iter() {
            eprintln!("  {}: {loss}", games(count, "game"));
        }
        if self.names_lost {
            eprintln!("  {NAMES_LOST}");
        }
    }
}

const NAMES_LOST: &str = "names lost: WTHOR keeps them in files beside a named file";
