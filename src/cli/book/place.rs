//! Which book is meant.

use super::super::output::UsageError;
use super::starter;
use super::store_args::StoreArgs;
use crate::book::{Store, StoreOptions};
use anyhow::Result;
use std::env;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Place {
    /// The book's folder [default: $EMILIA_BOOK, or ~/.local/share/emilia/book]
    #[arg(long, value_name = "DIR")]
    book: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

impl Place {
    /// Where the book is, or is to be.
    pub fn path(self) -> Result<PathBuf> {
        match self.named() {
            Some(path) => Ok(path),
            None => usual(),
        }
    }

    /// Where the book is for those who need one that is there. Who names no book and has none gets
    /// the starter book in the usual place; a book that was named is never made by looking for it.
    pub fn path_to_read(self) -> Result<PathBuf> {
        if let Some(path) = self.named() {
            return Ok(path);
        }
        let path = usual()?;
        if path.symlink_metadata().is_err() {
            starter::make(&path)?;
        }
        Ok(path)
    }

    /// What the book may take of the machine.
    pub fn options(&self) -> StoreOptions {
        self.store.options()
    }

    /// The book to look things up in.
    pub fn open_to_read(self) -> Result<Store> {
        let options = self.options();
        Ok(options.open_read_only(&self.path_to_read()?)?)
    }

    /// The book to change, which must be there.
    pub fn open(self) -> Result<Store> {
        let options = self.options();
        Ok(options.open(&self.path()?)?)
    }

    /// The book to change, begun if it is not there.
    pub fn open_or_create(self) -> Result<Store> {
        let options = self.options();
        Ok(options.open_or_create(&self.path()?)?)
    }

    /// The book for those who can do without: one that was named on the command line must be
    /// there; where another is missing, or cannot be made, a word in the log is enough.
    pub fn open_if_there(self) -> Result<Option<Store>> {
        let is_named = self.book.is_some();
        match self.open_to_read() {
            Ok(store) => Ok(Some(store)),
            Err(error) if is_named => Err(error),
            Err(error) => {
                tracing::warn!("going on without a book: {error:#}");
                Ok(None)
            }
        }
    }

    fn named(self) -> Option<PathBuf> {
        self.book.or_else(|| set("EMILIA_BOOK"))
    }
}

fn set(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

fn usual() -> Result<PathBuf> {
    set("HOME")
        .map(|home| home.join(".local/share/emilia/book"))
        .ok_or_else(|| {
            UsageError::because("there is no home folder: name the book with --book DIR")
        })
}
