//! Backups of a book: a folder in which each backup is a folder of its own, and a book.
//!
//! RocksDB has a backup engine. It was not taken: what it writes can only be restored, while a
//! backup that is a book can be queried, compared and merged as it is; removing one is removing a
//! folder; and through its C interface the engine checks sizes only. What makes it incremental is
//! taken over. Tables never change once they are written, so a backup on the book's own disk links
//! them, and one on another disk links those that the backup before it has.
//!
//! A backup gets its name last, after it was opened and every record of it was read, so that what
//! is listed is whole. Until then it is under a name of its own, which whoever comes next removes.

mod any_path;
pub(super) mod restore;
mod transfer;

pub use restore::Restoring;

use super::beside::{Remove, remove_if_there, sync_folder};
use super::marker::write_new;
use super::{BookId, Store, StoreError, StoreOptions, Table, error};
use crate::book::Watcher;
use crate::games::Date;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use transfer::{KnownFile, Transfer};
use xxhash_rust::xxh3::xxh3_64;

/// In each backup: what it is.
const RECORD: &str = "EMILIA-BACKUP";
/// How the name of a backup begins that is being made.
const UNFINISHED: &str = ".unfinished-";
/// Readings are told of this often.
const TELL_EVERY: u64 = 4096;

/// A backup that is whole.
#[derive(Clone, Debug)]
pub struct Backup {
    /// When it was made: `2026-11-18T09-44-01Z`.
    pub name: String,
    pub path: PathBuf,
    pub record: BackupRecord,
}

/// What is written down of a backup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackupRecord {
    /// The book's, as text: JSON has no numbers of that size.
    book: String,
    /// The book's folder.
    #[serde(with = "any_path")]
    pub source: PathBuf,
    /// Seconds since 1970.
    pub made: u64,
    /// About.
    pub positions: u64,
    /// Of all files.
    pub bytes: u64,
    /// What was copied; the rest is shared with the book or with the backup before.
    pub copied: u64,
    /// Records that were read before the backup got its name.
    pub verified: u64,
    files: Vec<KnownFile>,
}

/// The backups in a folder, the oldest first; what is there besides is passed over.
pub fn backups(folder: &Path) -> Result<Vec<Backup>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(problem) => return Err(error::io(folder, problem)),
    };
    let mut all: Vec<Backup> = entries
        .flatten()
        .filter_map(|entry| Backup::read(&entry.path()))
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

impl Backup {
    /// The backup in a folder, if there is one that is whole.
    pub fn read(path: &Path) -> Option<Backup> {
        let name = path.file_name()?.to_str()?;
        if name.starts_with(UNFINISHED) {
            return None;
        }
        let record = fs::read(path.join(RECORD)).ok()?;
        Some(Backup {
            name: name.to_owned(),
            path: path.to_owned(),
            record: serde_json::from_slice(&record).ok()?,
        })
    }

    /// The book it is of, by the name that a book keeps.
    pub fn book(&self) -> &str {
        &self.record.book
    }
}

/// A backup that has no name yet; dropped, it is gone.
pub struct Unfinished {
    folder: PathBuf,
    path: PathBuf,
    record: BackupRecord,
}

impl Unfinished {
    /// Copies or links the files of a book into a folder of backups; none if the watcher stopped
    /// it. The watcher is told the bytes.
    pub fn begin(
        store: &Store,
        folder: &Path,
        watcher: &impl Watcher,
    ) -> Result<Option<Unfinished>, StoreError> {
        let source = absolute(&store.path);
        // Within the book they would go when it is replaced.
        if folder.join(super::MARKER).exists() || lies_within(folder, &source) {
            let folder = folder.to_owned();
            return Err(StoreError::BackupIntoBook { folder });
        }
        fs::create_dir_all(folder).map_err(|source| error::io(folder, source))?;
        let book = store.identity()?;
        let before = backups(folder)?;
        let before = before.iter().rev().find(|one| one.record.book == book);
        // The book is locked: nobody else makes a backup of it now.
        let path = unfinished_path(folder, &source);
        remove_if_there(&path)?;
        let copy = store.path.join(".to-back-up");
        remove_if_there(&copy)?;
        let links = Remove(copy);
        store.copy_to(&links.0)?;
        let mut unfinished = Unfinished {
            folder: folder.to_owned(),
            record: BackupRecord {
                book,
                source,
                made: now(),
                positions: 0,
                bytes: 0,
                copied: 0,
                verified: 0,
                files: Vec::new(),
            },
            path,
        };
        let known = before.map(|backup| (backup.path.join("db"), &backup.record.files[..]));
        let transfer = Transfer {
            from: &links.0,
            to: &unfinished.path,
            known,
        };
        let Some(moved) = transfer.run(watcher)? else {
            return Ok(None);
        };
        unfinished.record.bytes = moved.bytes;
        unfinished.record.copied = moved.copied;
        unfinished.record.files = moved.files;
        Ok(Some(unfinished))
    }

    /// Opens the backup and reads every record; false if the watcher stopped it.
    pub fn verify(&mut self, watcher: &impl Watcher) -> Result<bool, StoreError> {
        let Some(read) = read_all(&self.path, &self.record.book, watcher)? else {
            return Ok(false);
        };
        self.record.positions = read.positions;
        self.record.verified = read.records;
        Ok(true)
    }

    /// Gives the backup its name, and removes the oldest ones of this book if there are more than
    /// this many; tells which.
    pub fn finish(self, keep: Option<usize>) -> Result<(Backup, Vec<String>), StoreError> {
        let text = serde_json::to_vec_pretty(&self.record).map_err(|problem| {
            let source = std::io::Error::other(problem);
            error::io(&self.path, source)
        })?;
        write_new(&self.path, RECORD, &text)?;
        sync_folder(&self.path)?;
        let name = self.free_name();
        let path = self.folder.join(&name);
        fs::rename(&self.path, &path).map_err(|source| error::io(&path, source))?;
        sync_folder(&self.folder)?;
        let removed = match keep {
            Some(keep) => remove_oldest(&self.folder, &self.record, keep)?,
            None => Vec::new(),
        };
        let record = self.record.clone();
        Ok((Backup { name, path, record }, removed))
    }

    fn free_name(&self) -> String {
        let name = name_of(self.record.made);
        let others = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone())
            .chain(others)
            .find(|name| !self.folder.join(name).exists())
            .unwrap_or(name)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It has its name, or nobody needs it.
        let _ = remove_if_there(&self.path);
    }
}

impl Store {
    /// About how many records all tables have.
    pub fn all_records(&self) -> Result<u64, StoreError> {
        let records = Table::ALL.map(|table| self.estimated_records(table));
        records.into_iter().sum()
    }

    fn identity(&self) -> Result<String, StoreError> {
        let identity: Option<BookId> = self.reader().identity()?;
        Ok(identity.map_or_else(String::new, |identity| identity.to_string()))
    }
}

/// What a copy turned out to have.
#[derive(Default)]
struct ReadThrough {
    records: u64,
    positions: u64,
}

/// Reads every record of a copy, so that every block's checksum was compared; none if the watcher
/// stopped it.
fn read_all(
    path: &Path,
    book: &str,
    watcher: &impl Watcher,
) -> Result<Option<ReadThrough>, StoreError> {
    let options = StoreOptions {
        memory: StoreOptions::LEAST_MEMORY,
        ..StoreOptions::default()
    };
    let copy = options.open_read_only(path)?;
    if copy.identity()? != book {
        return Err(StoreError::CopyDiffers {
            path: path.to_owned(),
        });
    }
    let reader = copy.reader();
    let mut read = ReadThrough::default();
    for table in Table::ALL {
        let mut rows = reader.rows(table, None)?;
        while rows.next_row()?.is_some() {
            read.records += 1;
            read.positions += u64::from(table == Table::Nodes);
            if read.records % TELL_EVERY == 0 {
                watcher.done(TELL_EVERY);
                if watcher.should_stop() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(read))
}

/// Of this book in this place: a copy of it elsewhere has its identity, and backups of its own.
fn remove_oldest(folder: &Path, of: &BackupRecord, keep: usize) -> Result<Vec<String>, StoreError> {
    let mut all = backups(folder)?;
    all.retain(|backup| backup.record.book == of.book && backup.record.source == of.source);
    let too_many = all.len().saturating_sub(keep.max(1));
    all.truncate(too_many);
    for backup in &all {
        // Under another name first: what is listed is whole.
        let leaving = unfinished_path(folder, &of.source);
        remove_if_there(&leaving)?;
        fs::rename(&backup.path, &leaving).map_err(|source| error::io(&backup.path, source))?;
        remove_if_there(&leaving)?;
    }
    Ok(all.into_iter().map(|backup| backup.name).collect())
}

/// Where a backup of the book in this place is on its way in or out.
fn unfinished_path(folder: &Path, source: &Path) -> PathBuf {
    let place = xxh3_64(source.as_os_str().as_encoded_bytes());
    folder.join(format!("{UNFINISHED}{place:016x}"))
}

/// Whether a folder, there or not, lies in a book's folder.
fn lies_within(folder: &Path, book: &Path) -> bool {
    let there = folder.ancestors().find(|path| path.exists());
    // What is relative begins here.
    let there = there.map_or_else(|| absolute(Path::new(".")), absolute);
    there.starts_with(book)
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_secs())
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// In universal time, so that names are in the order of time; without colons, which some systems do
/// not have in names.
fn name_of(seconds: u64) -> String {
    let day = Date::of_unix_seconds(seconds).map_or_else(|| seconds.to_string(), |d| d.to_string());
    let [hour, minute, second] = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{day}T{hour:02}-{minute:02}-{second:02}Z")
}

#[cfg(test)]
mod tests;
