//! Which book is meant.

use super::super::output::UsageError;
use super::starter;
use crate::book::{Budget, Store};
use anyhow::Result;
use std::env;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Place {
    /// The book's folder [default: $EMILIA_BOOK, or ~/.local/share/emilia/book]
    #[arg(long, value_name = "DIR")]
    book: Option<PathBuf>,

    /// Take about this much memory for caches and buffers, as in 512M or 2G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = read_memory)]
    pub memory: Budget,
}

/// Reads bytes: `900M`, `2G`, `1.5G`.
fn read_memory(text: &str) -> Result<Budget, String> {
    let (number, unit) = match text.trim_end_matches(['B', 'b', 'i']) {
        text if text.ends_with(['M', 'm']) => (&text[..text.len() - 1], 1 << 20),
        text if text.ends_with(['G', 'g']) => (&text[..text.len() - 1], 1 << 30),
        text => (text, 1_u64),
    };
    let bytes = number.parse::<f64>().map(|number| number * unit as f64);
    match bytes {
        // A float becomes the nearest number.
        Ok(bytes) if (1e6..=1e15).contains(&bytes) => Ok(Budget::new(bytes as usize)),
        _ => Err("write a size from 1M on, as in 512M or 2G".into()),
    }
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

    /// The book to look things up in.
    pub fn open_to_read(self) -> Result<Store> {
        Ok(Store::open_read_only(&self.path_to_read()?)?)
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
