//! A backup becomes a book again.

use super::transfer::Transfer;
use super::{Backup, absolute, read_all};
use crate::book::Watcher;
use crate::book::store::beside::{
    Remove, beside, folder_of, lock_of, remove_if_there, sync_folder,
};
use crate::book::store::marker::{Look, look};
use crate::book::store::{Store, StoreError, error};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often whoever finds a book half replaced looks again, and after how long.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// A book that is being restored, beside the place it is for; dropped, it is gone.
pub struct Restoring<'a> {
    backup: &'a Backup,
    target: PathBuf,
    /// Keeps everybody from writing to the book that is replaced.
    lock: Option<File>,
    unfinished: Remove,
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
        bring_back(&target)?;
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
        let folder = folder_of(&target);
        fs::create_dir_all(folder).map_err(|source| error::io(folder, source))?;
        let unfinished = Remove(beside(&target, ".restoring-"));
        remove_if_there(&unfinished.0)?;
        let restoring = Restoring {
            backup,
            lock,
            unfinished,
            target,
        };
        let transfer = Transfer {
            from: &backup.path,
            to: &restoring.unfinished.0,
            known: None,
        };
        Ok(transfer.run(watcher)?.map(|_| restoring))
    }

    /// Opens the new book and reads every record; false if the watcher stopped it.
    pub fn verify(&self, watcher: &impl Watcher) -> Result<bool, StoreError> {
        let read = read_all(&self.unfinished.0, self.backup.book(), watcher)?;
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
        if let Err(problem) = fs::rename(&self.unfinished.0, target) {
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
    beside(target, ".replaced-")
}

/// A book is in its place but for the moment in which it is replaced. A kill in that moment left it
/// under the other name: whoever comes next puts it back.
pub(in crate::book::store) fn bring_back(book: &Path) -> Result<(), StoreError> {
    // What is replaced is the folder itself, not a link to it.
    let link = fs::read_link(book).map(|target| folder_of(book).join(target));
    let book = link.as_deref().unwrap_or(book);
    let aside = aside(book);
    for _ in 0..ATTEMPTS {
        if book.exists() || !aside.exists() {
            return Ok(());
        }
        match lock_of(&aside) {
            // Nobody is at it any more.
            Ok(_lock) => {
                return fs::rename(&aside, book).map_err(|_| StoreError::HalfReplaced {
                    path: book.to_owned(),
                    aside: aside.clone(),
                });
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
    let path = book.to_owned();
    Err(StoreError::HalfReplaced { path, aside })
}
