//! A backup becomes a book again.

use super::transfer::{Transfer, sync_folder};
use super::{Backup, Remove, absolute, read_all, remove_if_there};
use crate::book::Watcher;
use crate::book::store::{Look, Store, StoreError, error, look};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A book that is being restored, beside the place it is for; dropped, it is gone.
pub struct Restoring<'a> {
    backup: &'a Backup,
    target: PathBuf,
    /// Keeps everybody from writing to the book that is replaced.
    lock: Option<File>,
    beside: Remove,
}

impl<'a> Restoring<'a> {
    /// Copies or links the files of a backup; none if the watcher stopped it, which is told the
    /// bytes. A book that is there is only replaced by force, and nothing else ever is.
    pub fn begin(
        backup: &'a Backup,
        target: &Path,
        force: bool,
        watcher: &impl Watcher,
    ) -> Result<Option<Restoring<'a>>, StoreError> {
        // What is replaced is the folder itself, not a link to it.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        // A kill between the two steps of a replacement left the book under the other name.
        let aside = aside(&target);
        if aside.exists() && !target.exists() {
            fs::rename(&aside, &target).map_err(|source| error::io(&target, source))?;
        }
        let mut lock = None;
        if let Look::Book { .. } = look(&target)? {
            if !force {
                return Err(StoreError::BookExists { path: target });
            }
            if absolute(&backup.path).starts_with(&target) {
                let (backup, path) = (backup.path.clone(), target);
                return Err(StoreError::BackupInTheWay { backup, path });
            }
            // That it cannot be opened otherwise may be why a backup is restored.
            if let Err(error @ StoreError::Locked { .. }) = Store::open(&target) {
                return Err(error);
            }
            lock = lock_of(&target)?;
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = folder_of(&target);
        fs::create_dir_all(folder).map_err(|source| error::io(folder, source))?;
        let beside = Remove(folder.join(format!(".restoring-{name}")));
        remove_if_there(&beside.0)?;
        let restoring = Restoring {
            backup,
            lock,
            beside,
            target,
        };
        let transfer = Transfer {
            from: &backup.path,
            to: &restoring.beside.0,
            known: None,
        };
        Ok(transfer.run(watcher)?.map(|_| restoring))
    }

    /// Opens the new book and reads every record; false if the watcher stopped it.
    pub fn verify(&self, watcher: &impl Watcher) -> Result<bool, StoreError> {
        let read = read_all(&self.beside.0, self.backup.book(), watcher)?;
        Ok(read.is_some())
    }

    /// Puts the book in its place.
    pub fn finish(self) -> Result<(), StoreError> {
        let Restoring { target, .. } = &self;
        let failed = |source| error::io(target, source);
        let old = aside(target);
        let is_there = target.exists();
        if is_there {
            // Of a replacement that was killed when it was done.
            remove_if_there(&old)?;
            fs::rename(target, &old).map_err(failed)?;
        }
        if let Err(problem) = fs::rename(&self.beside.0, target) {
            if is_there {
                fs::rename(&old, target).map_err(failed)?;
            }
            return Err(failed(problem));
        }
        sync_folder(folder_of(target))?;
        drop(self.lock);
        // Only now, when the new book is in its place.
        remove_if_there(&old)
    }
}

/// What a book that is replaced is called until the new one is in its place.
fn aside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    folder_of(target).join(format!(".replaced-{name}"))
}

/// The lock that whoever writes to a book has to hold. It is taken as the database takes it, but
/// without the database, which knows its files by name and would remove those of the new book.
fn lock_of(book: &Path) -> Result<Option<File>, StoreError> {
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

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
