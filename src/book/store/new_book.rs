//! A book that is made at once, beside its place: it gets its name when it is whole, so that a kill
//! leaves no half of it where it is to be.

use super::backup::restore::bring_back;
use super::beside::{
    Remove, beside, folder_of, lock_of, must_be_free, remove_if_there, sync_folder,
};
use super::{Store, StoreError, StoreOptions, error};
use std::fs;
use std::path::{Path, PathBuf};

/// How the name of a book begins that is being made; behind it, whose process is at it.
const UNFINISHED: &str = ".making-";

/// A book without its name yet; dropped, it is gone.
pub struct NewBook {
    store: Store,
    // After the store, which has files open there.
    unfinished: Remove,
    target: PathBuf,
}

impl NewBook {
    /// For a place where nothing is.
    pub fn begin(target: &Path, options: StoreOptions) -> Result<NewBook, StoreError> {
        bring_back(target)?;
        must_be_free(target)?;
        remove_left_overs(target)?;
        let prefix = format!("{UNFINISHED}{}-", std::process::id());
        let unfinished = Remove(beside(target, &prefix));
        remove_if_there(&unfinished.0)?;
        Ok(NewBook {
            store: options.open_or_create(&unfinished.0)?,
            unfinished,
            target: target.to_owned(),
        })
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Puts it in its place.
    pub fn finish(self) -> Result<(), StoreError> {
        let NewBook {
            store,
            unfinished,
            target,
        } = self;
        store.flush()?;
        drop(store);
        must_be_free(&target)?;
        fs::rename(&unfinished.0, &target).map_err(|source| error::io(&target, source))?;
        sync_folder(folder_of(&target))
    }
}

/// Removes what those left who were killed while they made a book for this place.
fn remove_left_overs(target: &Path) -> Result<(), StoreError> {
    let name = target.file_name().unwrap_or_default().as_encoded_bytes();
    let entries = fs::read_dir(folder_of(target)).into_iter().flatten();
    for path in entries.flatten().map(|entry| entry.path()) {
        let found = path.file_name().unwrap_or_default().as_encoded_bytes();
        let process = found
            .strip_prefix(UNFINISHED.as_bytes())
            .and_then(|rest| rest.strip_suffix(name)?.strip_suffix(b"-"));
        let is_one = process.is_some_and(|id| {
            // Who is at it may have made the file of its lock and not yet have the lock itself.
            let id = std::str::from_utf8(id).unwrap_or_default();
            let is_number = id.bytes().all(|sign| sign.is_ascii_digit());
            is_number && !Path::new("/proc").join(id).exists()
        });
        // Without its lock somebody has only begun.
        if is_one && let Ok(Some(_lock)) = lock_of(&path) {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}
