//! The files of a book from one folder to another: linked where that is possible, copied and read
//! again where it is not.

use crate::book::Watcher;
use crate::book::store::beside::sync_folder;
use crate::book::store::{MARKER, StoreError, error};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::Xxh3;

const PIECE: usize = 1 << 20;

/// A table's file as it was when it was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    name: String,
    bytes: u64,
    /// In nanoseconds. Two books that came from one may give a name twice, but not in one moment.
    modified: u128,
}

pub struct Transfer<'a> {
    /// The folders of books; the second is made.
    pub from: &'a Path,
    pub to: &'a Path,
    /// Where earlier copies of tables lie, on the disk of `to`.
    pub known: Option<(PathBuf, &'a [KnownFile])>,
}

pub struct Moved {
    pub bytes: u64,
    pub copied: u64,
    pub files: Vec<KnownFile>,
}

impl Transfer<'_> {
    /// All files, the marker last: half a copy is no book. None if the watcher stopped it, which is
    /// told the bytes.
    pub fn run(&self, watcher: &impl Watcher) -> Result<Option<Moved>, StoreError> {
        let (from, to) = (self.from.join("db"), self.to.join("db"));
        fs::create_dir_all(&to).map_err(|source| error::io(&to, source))?;
        let mut moved = Moved {
            bytes: 0,
            copied: 0,
            files: Vec::new(),
        };
        let entries = fs::read_dir(&from).map_err(|source| error::io(&from, source))?;
        for entry in entries {
            let path = entry.map_err(|source| error::io(&from, source))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            // The diary and the lock of whoever had the folder open.
            if name.starts_with("LOG") || name == "LOCK" {
                continue;
            }
            let is_table = name.ends_with(".sst");
            let file = KnownFile::of(&path, name)?;
            let target = to.join(name);
            moved.bytes += file.bytes;
            if is_table && (fs::hard_link(&path, &target).is_ok() || self.has(&file, &target)) {
                watcher.done(file.bytes);
            } else {
                if !copy(&path, &target, watcher)? {
                    return Ok(None);
                }
                moved.copied += file.bytes;
            }
            if is_table {
                moved.files.push(file);
            }
            if watcher.should_stop() {
                return Ok(None);
            }
        }
        copy(&self.from.join(MARKER), &self.to.join(MARKER), &())?;
        sync_folder(&to)?;
        sync_folder(self.to)?;
        Ok(Some(moved))
    }

    /// Takes a table from an earlier copy, if that has it.
    pub fn has(&self, file: &KnownFile, target: &Path) -> bool {
        let Some((folder, _)) = self
            .known
            .as_ref()
            .filter(|(_, files)| files.contains(file))
        else {
            return false;
        };
        let earlier = folder.join(&file.name);
        let is_whole = fs::metadata(&earlier).is_ok_and(|data| data.len() == file.bytes);
        is_whole && fs::hard_link(&earlier, target).is_ok()
    }
}

impl KnownFile {
    pub fn of(path: &Path, name: &str) -> Result<KnownFile, StoreError> {
        let data = fs::metadata(path).map_err(|source| error::io(path, source))?;
        let modified = data.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(KnownFile {
            name: name.to_owned(),
            bytes: data.len(),
            modified: modified.map_or(0, |time| time.as_nanos()),
        })
    }
}

/// Copies a file and reads the copy again; false if the watcher stopped it.
fn copy(from: &Path, to: &Path, watcher: &impl Watcher) -> Result<bool, StoreError> {
    let mut source = File::open(from).map_err(|source| error::io(from, source))?;
    let failed = |source| error::io(to, source);
    let mut target = File::create_new(to).map_err(failed)?;
    let mut read = Xxh3::new();
    let mut piece = vec![0; PIECE];
    loop {
        let count = source
            .read(&mut piece)
            .map_err(|source| error::io(from, source))?;
        if count == 0 {
            break;
        }
        read.update(&piece[..count]);
        target.write_all(&piece[..count]).map_err(failed)?;
        watcher.done(count as u64);
        if watcher.should_stop() {
            return Ok(false);
        }
    }
    target.sync_all().map_err(failed)?;
    let mut written = Xxh3::new();
    let mut again = File::open(to).map_err(failed)?;
    loop {
        let count = again.read(&mut piece).map_err(failed)?;
        if count == 0 {
            break;
        }
        written.update(&piece[..count]);
    }
    if written.digest() != read.digest() {
        return Err(StoreError::CopyDiffers {
            path: to.to_owned(),
        });
    }
    Ok(true)
}
