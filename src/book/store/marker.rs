//! What makes a folder a book: the file `EMILIA-BOOK` with the format in it. It is looked at before
//! anything touches the folder.

use super::backup::restore::bring_back;
use super::error::{self, StoreError};
use crate::book::codec;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Makes a folder a book.
pub const MARKER: &str = "EMILIA-BOOK";
const MARKER_START: &str = "emilia book, format ";
/// How the name of a marker begins while it is written.
const UNFINISHED_MARKER: &str = ".EMILIA-BOOK-";
/// Books before this format hold values that no longer follow from their records.
pub const FORMAT_OF_VALUES: u32 = 2;
/// Books before this format have no index of their games.
pub const FORMAT_OF_INDEX: u32 = 3;

/// Makes a folder that is empty or not there a book, with nothing in it.
pub fn prepare_folder(path: &Path) -> Result<(), StoreError> {
    bring_back(path)?;
    match look(path)? {
        Look::Nothing => {
            fs::create_dir_all(path).map_err(|source| error::io(path, source))?;
            write_marker(path)
        }
        Look::Book { .. } => Ok(()),
    }
}

pub enum Look {
    /// The folder is not there, or empty.
    Nothing,
    Book {
        format: u32,
    },
}

/// What is in a folder, before anything touches it.
pub fn look(path: &Path) -> Result<Look, StoreError> {
    let not_a_book = || StoreError::NotABook {
        path: path.to_owned(),
    };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Look::Nothing);
        }
        Err(problem) if problem.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(not_a_book());
        }
        Err(problem) => return Err(error::io(path, problem)),
    };
    // A beginning that was killed may have left half a marker, and nothing else.
    let is_foreign = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        !name.to_string_lossy().starts_with(UNFINISHED_MARKER)
    };
    if !entries.flatten().any(|entry| is_foreign(&entry)) {
        return Ok(Look::Nothing);
    }
    let marker = path.join(MARKER);
    let text = match fs::read(&marker) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {
            return Err(not_a_book());
        }
        Err(problem) => return Err(error::io(&marker, problem)),
    };
    let format = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(MARKER_START))
        .and_then(|number| number.parse::<u32>().ok())
        .ok_or_else(|| StoreError::BadMarker {
            path: path.to_owned(),
        })?;
    let known = codec::BOOK_FORMAT;
    if format > known {
        let path = path.to_owned();
        return Err(StoreError::Newer {
            path,
            found: format,
            known,
        });
    }
    Ok(Look::Book { format })
}

/// The format of the book.
pub fn must_be_there(path: &Path) -> Result<u32, StoreError> {
    bring_back(path)?;
    match look(path)? {
        Look::Book { format } => Ok(format),
        Look::Nothing => Err(StoreError::Missing {
            path: path.to_owned(),
        }),
    }
}

pub fn write_marker(path: &Path) -> Result<(), StoreError> {
    let text = format!(
        "{MARKER_START}{}\n\nThis folder is an Othello opening book of emilia. Its files belong \
         together: copy it with emilia book backup, and delete it as a whole.\n",
        codec::BOOK_FORMAT
    );
    write_new(path, MARKER, text.as_bytes())
}

/// Writes a small file into a folder, in place of one that is there.
pub fn write_new(path: &Path, name: &str, text: &[u8]) -> Result<(), StoreError> {
    let failed = |source| error::io(path, source);
    // Under another name first: it is whole or not there.
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix(UNFINISHED_MARKER);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file is its owner's alone; a book is for whom the folder is for.
        unfinished.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = unfinished.tempfile_in(path).map_err(failed)?;
    file.write_all(text).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path.join(name))
        .map_err(|problem| failed(problem.error))?;
    Ok(())
}
