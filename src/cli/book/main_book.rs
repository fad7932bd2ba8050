//! The main book: what the reading commands have while the user has no book of their own.

use crate::book::{ExchangeError, Source, Store, unpack_into};
use anyhow::{Context, Result};
use std::path::Path;

/// Made by `tools/main-book`: what people and the engine reach, searched by the engine.
const MAIN: &[u8] = include_bytes!("../../../book/main.emb");

/// For books that are there already.
pub fn source() -> Result<Source, ExchangeError> {
    Source::of_bytes(MAIN.to_vec())
}

/// Unpacks it in a folder that does not exist yet, and says so.
pub fn make(path: &Path) -> Result<()> {
    match unpack_into(path, MAIN.to_vec(), &()) {
        Ok(made) => {
            eprintln!(
                "emilia: no book yet: the main book is now in {} ({} positions); \
                 --book DIR reads another",
                path.display(),
                made.new
            );
            Ok(())
        }
        // Another process may have made it in the meantime.
        Err(_) if Store::open_read_only(path).is_ok() => Ok(()),
        Err(problem) => Err(problem).with_context(|| {
            format!(
                "cannot unpack the main book in {}; name a book with --book DIR",
                path.display()
            )
        }),
    }
}
