//! Whether a book can be written to now. A database that meets a full disk stops writing, and goes
//! on by itself only when a whole write buffer fits, or never: so what would fill the disk is refused
//! before the database sees it, and the next write after somebody made room is like any other.

use super::{Store, StoreError, options};
use rocksdb::WriteBatch;
use rocksdb::properties;
use rocksdb::statistics::Ticker;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// For the list of tables, a new log and the database's diary.
const SPARE: u64 = 1 << 20;
/// A log that is shorter gives no room back.
const WORTH_A_FLUSH: u64 = 1 << 20;

/// What went wrong with writing.
#[derive(Default)]
pub(super) struct Troubles {
    /// How many of the database's own are known to be over.
    overcome: AtomicU64,
    /// The size of the last write for which there was no room.
    refused: AtomicU64,
}

impl Store {
    /// An error if nothing can be written now, or not what was to be written last; it says why.
    pub fn can_be_written(&self) -> Result<(), StoreError> {
        let Troubles { overcome, refused } = &self.troubles;
        self.must_have_room(refused.load(Relaxed))?;
        refused.store(0, Relaxed);
        let counting = &self.setup.counting;
        let failures = counting.get_ticker_count(Ticker::ErrorHandlerBgErrorCount);
        if overcome.load(Relaxed) != failures {
            // Nothing but a write tells whether it is over; one with nothing in it will do.
            self.write(WriteBatch::default())?;
            overcome.store(failures, Relaxed);
        }
        Ok(())
    }

    /// Writes are held up until older ones are in order.
    pub fn is_stalled(&self) -> Result<bool, StoreError> {
        let now = self.db.now();
        now.property_int_value(properties::IS_WRITE_STOPPED)
            .map(|stopped| stopped.is_some_and(|stopped| stopped > 0))
            .map_err(|problem| self.error(&problem))
    }

    /// Makes changes, if they fit on the disk.
    pub(super) fn write(&self, changes: WriteBatch) -> Result<(), StoreError> {
        let db = self.db()?;
        self.must_have_room(changes.size_in_bytes() as u64)?;
        db.write(changes).map_err(|problem| {
            let error = self.error(&problem);
            let is_over = matches!(error, StoreError::DiskFull { .. }) && self.has_room(0);
            if is_over {
                let path = self.path.clone();
                let needed = options::write_buffer(self.options());
                return StoreError::NotYetWriting { path, needed };
            }
            error
        })
    }

    fn has_room(&self, bytes: u64) -> bool {
        // The log takes it now, and a table later.
        free_bytes(&self.path) >= 2 * bytes + SPARE + log_bytes(&self.path)
    }

    /// An error if so much more would not fit on the disk.
    fn must_have_room(&self, bytes: u64) -> Result<(), StoreError> {
        let free = free_bytes(&self.path);
        let buffers = self.options().shares().write_buffers.0;
        // The usual case costs one look.
        if free >= 2 * (bytes + buffers) + SPARE || self.has_room(bytes) {
            return Ok(());
        }
        // Tables are denser than the log, which goes with it.
        let logged = log_bytes(&self.path);
        if logged >= WORTH_A_FLUSH && free >= logged + SPARE {
            self.flush()?;
            if free_bytes(&self.path) >= 2 * bytes + SPARE {
                return Ok(());
            }
        }
        self.troubles.refused.store(bytes, Relaxed);
        let path = self.path.clone();
        Err(StoreError::DiskFull { path })
    }
}

/// What is still in the log, which is at most what waits in memory to become a table.
fn log_bytes(path: &Path) -> u64 {
    let files = fs::read_dir(path.join("db"))
        .into_iter()
        .flatten()
        .flatten();
    let logs = files.filter(|file| file.path().extension().is_some_and(|end| end == "log"));
    logs.map(|log| log.metadata().map_or(0, |data| data.len()))
        .sum()
}

/// Free for us on the disk of a folder; as much as one likes where nobody can tell.
fn free_bytes(path: &Path) -> u64 {
    #[cfg(target_os = "linux")]
    if let Ok(disk) = rustix::fs::statvfs(path) {
        return disk.f_bavail.saturating_mul(disk.f_frsize);
    }
    let _ = path;
    u64::MAX
}
