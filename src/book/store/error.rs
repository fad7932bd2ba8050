//! What can go wrong with a book on the disk, and what to do about it.

use super::ByteCount;
use crate::book::codec::CodecError;
use crate::book::key::KeyError;
use rocksdb::ErrorKind;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no book in {path}; build one with: emilia book build GAMES --book {path}")]
    Missing { path: PathBuf },
    #[error(
        "{path} is not a book (there is no file {} in it), and nothing was changed; \
         name a book, or a folder that does not exist yet",
        super::MARKER
    )]
    NotABook { path: PathBuf },
    #[error(
        "the file {} in {path} does not say which format the book has: it is damaged, or another \
         program's; restore a backup (emilia book restore DIR --force), or put the file of another \
         book of this emilia in its place",
        super::MARKER
    )]
    BadMarker { path: PathBuf },
    #[error(
        "the book in {path} has format {found}, but this emilia knows formats up to {known}; \
         use the newer emilia that wrote it"
    )]
    Newer {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error(
        "the book in {path} was written by an older emilia; emilia book propagate --book {path} \
         brings it up to date, once"
    )]
    Older { path: PathBuf },
    #[error(
        "another process is writing to the book in {path}; wait until it ends, or stop it \
         (looking things up works meanwhile)"
    )]
    Locked { path: PathBuf },
    #[error(
        "what people played in the book in {path} is not counted to the end: games are coming in \
         just now, or that was cut short; emilia book index-games --book {path} counts it"
    )]
    HalfCounted { path: PathBuf },
    #[error("the book in {path} was opened for reading only")]
    OpenedForReading { path: PathBuf },
    #[error("{path} cannot be written to: {detail}; choose a folder you may write to with --book")]
    NotWritable { path: PathBuf, detail: String },
    #[error(
        "the disk that holds {path} is full; make room and run the same command again: what was \
         reported done is kept"
    )]
    DiskFull { path: PathBuf },
    #[error(
        "the disk that holds {path} was full, and its database does not write again yet: it does \
         within seconds when {needed} bytes are free; if not, end what has the book open and \
         begin again"
    )]
    NotYetWriting { path: PathBuf, needed: ByteCount },
    #[error(
        "the book in {path} is damaged: {detail}; restore a backup (emilia book restore \
         DIR --force), or build it again from the games into another folder"
    )]
    Damaged { path: PathBuf, detail: String },
    #[error(
        "a record of the book in {path} cannot be read ({table}, key {key}): {reason}; \
         emilia book check --repair replaces it"
    )]
    Record {
        path: PathBuf,
        table: &'static str,
        key: String,
        reason: RecordError,
    },
    #[error("{target} exists already, and nothing was changed; name a folder that does not exist")]
    TargetExists { target: PathBuf },
    #[error(
        "{folder} is a book or lies in one: name another folder for backups, in which each gets a folder of its own"
    )]
    BackupIntoBook { folder: PathBuf },
    #[error(
        "the backup {backup} lies in {path}, which it would replace; move it out of there first, \
         or restore to another folder (--book)"
    )]
    BackupInTheWay { backup: PathBuf, path: PathBuf },
    #[error(
        "{path} is not what was copied, and nothing was replaced; try again, and if it stays so, \
         use another disk"
    )]
    CopyDiffers { path: PathBuf },
    #[error(
        "there is a book in {path}, and nothing was changed; name another folder with --book, or \
         add --force to replace it"
    )]
    BookExists { path: PathBuf },
    #[error(
        "the book in {path} is being replaced, or that was cut short: what it was is in {aside}; \
         give that folder the book's name again, or run the same emilia book restore once more"
    )]
    HalfReplaced { path: PathBuf, aside: PathBuf },
    #[error("cannot open or write {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the database in {path} reports: {detail}")]
    Database { path: PathBuf, detail: String },
}

/// What is wrong with one record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Value(#[from] CodecError),
}

/// Tells the user's troubles apart, which RocksDB reports as text.
pub(super) fn database(path: &Path, error: &rocksdb::Error) -> StoreError {
    let path = path.to_owned();
    let detail = error.as_ref().to_owned();
    let says = |words: &str| detail.contains(words);
    if says("No space left on device") || says("Disk quota exceeded") {
        StoreError::DiskFull { path }
    } else if says("Read-only file system") || says("Permission denied") {
        StoreError::NotWritable { path, detail }
    } else if says("While lock file") || says("lock hold by current process") {
        StoreError::Locked { path }
    } else if says("Not supported operation in read only mode") {
        StoreError::OpenedForReading { path }
    } else if says("Column family not found") {
        StoreError::Older { path }
    } else if error.kind() == ErrorKind::Corruption || says("No such file") || says("Corruption") {
        StoreError::Damaged { path, detail }
    } else {
        StoreError::Database { path, detail }
    }
}

pub(super) fn io(path: &Path, source: io::Error) -> StoreError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::NotWritable {
                path,
                detail: source.to_string(),
            }
        }
        _ => StoreError::Io { path, source },
    }
}
