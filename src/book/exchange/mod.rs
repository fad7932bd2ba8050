//! Books as files: our own compact form, and the formats of other programs and of people. One file
//! per format, and a row in the table of `formats`.
//!
//! A file is not trusted. It is read to its end and found right before anything is written, and a
//! position enters a book only if moves lead to it.

mod compact;
mod edax;
mod egaroucid;
mod error;
mod foreign;
mod formats;
mod lines;
mod lines_below;
mod rows;
mod site;
mod source;
mod spool;
mod text;
mod writing;

pub use error::ExchangeError;
pub use formats::Format;
pub use site::export_for_site;
pub use source::Source;

use crate::book::Watcher;
pub use crate::book::absorb::Incoming;
use crate::book::absorb::{Absorbed, Absorber, fill};
use crate::book::engine::Renumbering;
use crate::book::propagate::settle;
use crate::book::store::{NewBook, Reader, Store, StoreError, StoreOptions};
use std::io::Write;
use std::path::Path;

/// Writes a book into a file, with how people did if `statistics` says so and the format can hold
/// it. Gives the number of positions, or of whatever else the format's unit is.
pub fn export(
    reader: &Reader<'_>,
    format: Format,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    if statistics {
        reader.must_be_counted()?;
    }
    format.write(reader, statistics, out, watcher)
}

/// Takes the positions of a file into a book, which is a merge if the book has some already. The
/// book is to be settled afterwards.
pub fn import(
    store: &Store,
    source: &mut Source,
    watcher: &dyn Watcher,
) -> Result<Absorbed, ExchangeError> {
    let is_new = store.is_empty()?;
    if is_new && source.fits_into(store.options().shares().work) {
        let mut layers = source.all_layers()?;
        let engines = engines_of(source, store)?;
        for layer in &mut layers {
            renumber(layer, &engines);
        }
        let filled = fill(store, layers, watcher)?;
        if filled.finished {
            take_note(source, store)?;
        }
        return Ok(filled);
    }
    source.check()?;
    let engines = engines_of(source, store)?;
    let mut absorber = Absorber::new(store, source.positions())?;
    let finished = source.for_each_chunk(&mut |mut rows| {
        renumber(&mut rows, &engines);
        leave_out_known_games(&store.reader(), &mut rows)?;
        absorber.take(&rows, watcher)
    })?;
    if is_new && finished {
        take_note(source, store)?;
    }
    Ok(absorber.end(finished)?)
}

/// Puts the engines of a file that has been found right on the book's list.
fn engines_of(source: &Source, store: &Store) -> Result<Renumbering, StoreError> {
    Renumbering::new(source.engines(), |name| store.engine_number(name))
}

/// What is written about a book goes with it where it is all there is; another book has, or wants,
/// a note of its own.
fn take_note(source: &Source, store: &Store) -> Result<(), StoreError> {
    let Some(note) = source.note() else {
        return Ok(());
    };
    let mut batch = store.batch()?;
    batch.set_note(Some(note));
    batch.commit()
}

fn renumber(rows: &mut [Incoming], engines: &Renumbering) {
    for row in rows {
        row.node = row.node.renumbered(engines);
    }
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
    let book = NewBook::begin(path, StoreOptions::default())?;
    let absorbed = import(book.store(), &mut Source::of_bytes(bytes)?, watcher)?;
    let finished = absorbed.finished && settle(book.store(), watcher)?.finished;
    if finished {
        book.finish()?;
    }
    Ok(Absorbed {
        finished,
        ..absorbed
    })
}

#[cfg(test)]
mod tests;
