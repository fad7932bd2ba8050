//! The starter book: what the reading commands have while the user has no book of their own.

use crate::book::{Store, unpack_into};
use anyhow::{Context, Result};
use std::path::Path;

/// Made by `tools/starter-book`: games of the engine against itself, built and searched by
/// `emilia book build`, exported.
const STARTER: &[u8] = include_bytes!("../../../book/starter.emb");

/// Makes a book of the starter in a folder that does not exist yet, and says so.
pub fn make(path: &Path) -> Result<()> {
    match unpack_into(path, STARTER.to_vec(), &()) {
        Ok(made) => {
            eprintln!(
                "emilia: no book yet: the starter book is now in {} ({} positions); \
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
                "cannot make the starter book in {}; name a book with --book DIR",
                path.display()
            )
        }),
    }
}
