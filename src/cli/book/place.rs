//! Which book is meant. The usual place is found by hand: it is two variables and one rule, which a
//! crate would read from the environment where no test can set them.

use super::main_book;
use super::store_args::StoreArgs;
use crate::book::{Store, StoreOptions};
use anyhow::{Result, anyhow};
use std::env;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Place {
    /// The book's folder [default: $EMILIA_BOOK, or emilia/book in $XDG_DATA_HOME, which is
    /// ~/.local/share where it is not set]
    #[arg(long, value_name = "DIR")]
    book: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

/// Who says where the book is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaidBy {
    Flag,
    Variable,
    /// Nobody: it is where programs keep their data.
    Custom,
}

impl Place {
    /// Where the book is, or is to be.
    pub fn path(self) -> Result<PathBuf> {
        self.found().map(|(path, _)| path)
    }

    /// The same, and who says so.
    pub fn found(self) -> Result<(PathBuf, SaidBy)> {
        match self.named() {
            Some(named) => Ok(named),
            None => Ok((usual()?, SaidBy::Custom)),
        }
    }

    /// Where the book is for those who need one that is there. Who names no book and has none gets
    /// the main book in the usual place; a book that was named is never made by looking for it.
    pub fn path_to_read(self) -> Result<PathBuf> {
        if let Some((path, _)) = self.named() {
            return Ok(path);
        }
        let path = usual()?;
        if path.symlink_metadata().is_err() {
            main_book::make(&path)?;
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

    fn named(self) -> Option<(PathBuf, SaidBy)> {
        let flag = self.book.map(|path| (path, SaidBy::Flag));
        flag.or_else(|| set("EMILIA_BOOK").map(|path| (path, SaidBy::Variable)))
    }
}

fn set(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

fn usual() -> Result<PathBuf> {
    usual_in(set("XDG_DATA_HOME"), set("HOME"))
        .ok_or_else(|| anyhow!("there is no home folder: name the book with --book DIR"))
}

/// Where programs keep their data, by the rules of freedesktop.org: a path that depends on where one
/// stands does not count.
fn usual_in(data: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    data.filter(|data| data.is_absolute())
        .or_else(|| home.map(|home| home.join(".local/share")))
        .map(|data| data.join("emilia/book"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_place_is_where_data_is_kept_and_else_at_home() {
        let usual = |data: Option<&str>, home: Option<&str>| {
            usual_in(data.map(PathBuf::from), home.map(PathBuf::from))
        };
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(usual(Some("/d"), Some("/h")), path("/d/emilia/book"));
        let at_home = path("/h/.local/share/emilia/book");
        assert_eq!(usual(None, Some("/h")), at_home);
        assert_eq!(usual(Some("here"), Some("/h")), at_home);
        assert_eq!(usual(None, None), None);
    }
}
