//! Which book is meant.

use super::super::output::UsageError;
use anyhow::Result;
use std::env;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Place {
    /// The book's folder [default: $EMILIA_BOOK, or ~/.local/share/emilia/book]
    #[arg(long, value_name = "DIR")]
    book: Option<PathBuf>,
}

impl Place {
    /// The user named a book, so there must be one.
    pub fn is_given(&self) -> bool {
        self.book.is_some()
    }

    pub fn path(self) -> Result<PathBuf> {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        if let Some(path) = self.book.or_else(|| set("EMILIA_BOOK").map(PathBuf::from)) {
            return Ok(path);
        }
        set("HOME")
            .map(|home| PathBuf::from(home).join(".local/share/emilia/book"))
            .ok_or_else(|| {
                UsageError::because("there is no home folder: name the book with --book DIR")
            })
    }
}
