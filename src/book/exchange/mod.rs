//! Books as files: our own compact form, and the formats of other programs and of people. One file
//! per format.
//!
//! A file is not trusted. It is read to its end and found right before anything is written, and a
//! position enters a book only if moves lead to it.

mod compact;
mod edax;
mod egaroucid;
mod error;
mod foreign;
mod lines;
mod rows;
mod source;
mod text;

pub use error::ExchangeError;
pub use source::Source;

use crate::book::Watcher;
pub use crate::book::absorb::Incoming;
use crate::book::absorb::{Absorbed, Absorber, fill};
use crate::book::propagate::settle;
use crate::book::store::{Reader, Store, StoreError};
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

/// What a file may be written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Ours: everything but the games, in a few bytes per position.
    Compact,
    JsonLines,
    Csv,
    Edax,
    Egaroucid,
    /// The main variations, for people: written, never read.
    Lines,
}

impl Format {
    pub const ALL: [Format; 6] = [
        Format::Compact,
        Format::JsonLines,
        Format::Csv,
        Format::Edax,
        Format::Egaroucid,
        Format::Lines,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Format::Compact => "compact",
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
            Format::Edax => "edax",
            Format::Egaroucid => "egaroucid",
            Format::Lines => "lines",
        }
    }

    /// How names of such files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Compact => "emb",
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
            Format::Edax => "dat",
            Format::Egaroucid => "egbk3",
            Format::Lines => "txt",
        }
    }

    /// The format that a file's name promises.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL
            .into_iter()
            .find(|format| format.extension() == extension)
    }

    /// The names of formats, for messages.
    fn names(formats: &[Format]) -> String {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        names.join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name.to_ascii_lowercase())
            .ok_or_else(|| {
                let names = Format::names(&Format::ALL);
                format!("'{name}' is no format: choose {names}")
            })
    }
}

/// Writes a book into a file, with how people did if `statistics` says so and the format can hold
/// it. Gives the number of positions, or of lines.
pub fn export(
    reader: &Reader<'_>,
    format: Format,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    match format {
        Format::Compact => compact::pack(reader, out, statistics, watcher),
        Format::JsonLines => text::write_json_lines(reader, statistics, out, watcher),
        Format::Csv => text::write_csv(reader, statistics, out, watcher),
        Format::Edax => edax::write(reader, statistics, out, watcher),
        Format::Egaroucid => egaroucid::write(reader, out, watcher),
        Format::Lines => lines::write(reader, out),
    }
}

/// More positions than this come in layer by layer, rather than all through the memory.
const IN_MEMORY: u64 = 8_000_000;

/// Takes the positions of a file into a book, which is a merge if the book has some already. The
/// book is to be settled afterwards.
pub fn import(
    store: &Store,
    source: &mut Source,
    watcher: &dyn Watcher,
) -> Result<Absorbed, ExchangeError> {
    if source.positions() <= IN_MEMORY && store.is_empty()? {
        return Ok(fill(store, source.all_layers()?, watcher)?);
    }
    source.check()?;
    let mut absorber = Absorber::new(store, source.positions())?;
    let finished = source.for_each_layer(&mut |mut rows| {
        leave_out_known_games(&store.reader(), &mut rows)?;
        absorber.take(&rows, watcher)
    })?;
    Ok(absorber.end(finished)?)
}

/// Counts that tell of no more games than the book has learned tell nothing.
fn leave_out_known_games(reader: &Reader<'_>, rows: &mut [Incoming]) -> Result<(), StoreError> {
    for row in rows {
        if let Some(counted) = row.counted
            && let Some(learned) = reader.learned(row.key)?
            && learned.games >= counted.games
        {
            row.counted = None;
        }
    }
    Ok(())
}

/// Makes a book of a compact file's bytes in a folder that does not exist yet: whole, or not at
/// all.
pub fn unpack_into(
    path: &Path,
    bytes: Vec<u8>,
    watcher: &dyn Watcher,
) -> Result<Absorbed, ExchangeError> {
    if path.symlink_metadata().is_ok() {
        let target = path.to_owned();
        return Err(StoreError::TargetExists { target }.into());
    }
    let beside = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(beside).map_err(ExchangeError::Io)?;
    // A sibling, because only within one disk does a folder get its name in one step.
    let folder = tempfile::Builder::new()
        .prefix(".emilia-book-")
        .tempdir_in(beside)
        .map_err(ExchangeError::Io)?;
    let store = Store::open_or_create(folder.path())?;
    let absorbed = import(&store, &mut Source::of_bytes(bytes)?, watcher)?;
    let finished = absorbed.finished && settle(&store, watcher)?.finished;
    store.flush()?;
    drop(store);
    if finished {
        fs::rename(folder.path(), path).map_err(ExchangeError::Io)?;
        // It is not temporary any more.
        let _ = folder.keep();
    }
    Ok(Absorbed {
        finished,
        ..absorbed
    })
}

#[cfg(test)]
mod tests;
