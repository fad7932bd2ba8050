//! Folders beside a book: what becomes one, or was one, has a name of its own there until it is
//! whole, or gone. Only within one disk does a folder get its name in one step.

use super::{StoreError, error};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A hidden folder beside a book, with a name that begins like this and ends like the book's.
pub fn beside(book: &Path, prefix: &str) -> PathBuf {
    let mut name = OsString::from(prefix);
    name.push(book.file_name().unwrap_or_default());
    folder_of(book).join(name)
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

pub fn must_be_free(target: &Path) -> Result<(), StoreError> {
    if target.symlink_metadata().is_ok() {
        let target = target.to_owned();
        return Err(StoreError::TargetExists { target });
    }
    Ok(())
}

/// A folder that goes when this does.
pub struct Remove(pub PathBuf);

impl Drop for Remove {
    fn drop(&mut self) {
        // Otherwise the next one does it.
        let _ = remove_if_there(&self.0);
    }
}

pub fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            Err(error::io(path, problem))
        }
        _ => Ok(()),
    }
}

/// Makes names that were given survive a power cut.
pub fn sync_folder(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|source| error::io(path, source))
}

/// The lock that whoever writes to a book has to hold. It is taken as the database takes it, but
/// without the database, which knows its files by name and would remove those of the new book.
pub fn lock_of(book: &Path) -> Result<Option<File>, StoreError> {
    let Ok(file) = File::options().write(true).open(book.join("db/LOCK")) else {
        // Nobody has opened it yet, or the folder of the database is gone.
        return Ok(None);
    };
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FlockOperation, fcntl_lock};
        if fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let path = book.to_owned();
            return Err(StoreError::Locked { path });
        }
    }
    Ok(Some(file))
}
