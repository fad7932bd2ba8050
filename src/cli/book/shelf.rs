//! Files of games, read one after the other with a bar.

use super::super::games::inputs::{BadGames, Bar, is_name_table, open_input};
use crate::engine::next_good_games;
use crate::games::{Game, GameReader};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Files of games.
pub struct Shelf<'a> {
    files: std::slice::Iter<'a, PathBuf>,
    open: Option<GameReader>,
    bar: Bar,
    collections: usize,
}

/// Whether all files can be opened: a name that is wrong makes no book. Standard input and pipes are
/// left alone, because what is read of them here would be gone.
pub fn check_inputs(files: &[PathBuf]) -> Result<()> {
    let is_pipe = |file: &Path| {
        let known = file.metadata();
        known.is_ok_and(|known| !known.is_file() && !known.is_dir())
    };
    let can_be_read_twice = |file: &&PathBuf| *file != Path::new("-") && !is_pipe(file);
    for file in files.iter().filter(can_be_read_twice) {
        match open_input(file) {
            Err(error) if !is_name_table(&error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

impl Shelf<'_> {
    /// `doing` is what the bar says.
    pub fn new<'a>(files: &'a [PathBuf], doing: &'static str) -> Shelf<'a> {
        Shelf {
            files: files.iter(),
            open: None,
            bar: Bar::new(files, doing),
            collections: 0,
        }
    }

    /// The good games of the next batch; none after the last file.
    pub fn next_games(&mut self, bad: &mut BadGames) -> Result<Option<Vec<Game>>> {
        loop {
            let reader = match &mut self.open {
                Some(reader) => reader,
                None => match self.next_file()? {
                    Some(reader) => self.open.insert(reader),
                    None => return Ok(None),
                },
            };
            if let Some(games) = next_good_games(reader, |flaw| bad.add(flaw))? {
                self.bar.show(reader);
                return Ok(Some(games));
            }
            self.bar.end_of_file(reader);
            self.open = None;
        }
    }

    fn next_file(&mut self) -> Result<Option<GameReader>> {
        for file in self.files.by_ref() {
            match open_input(file) {
                Ok(reader) => {
                    self.collections += 1;
                    return Ok(Some(reader));
                }
                Err(error) if is_name_table(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.collections == 0 {
            bail!("there are only tables of names here; name the .wtb files as well");
        }
        Ok(None)
    }
}
