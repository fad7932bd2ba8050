//! A book that is only read, while another process may write to it.
//!
//! What is seen is an instance of the database that never changes. Whoever reads keeps it to the
//! end, and so sees one state; whoever comes later gets a new instance if the files have changed.
//! An instance has all its files open, so that it can read them also after a compaction removed
//! them.
//!
//! RocksDB has instances that catch up with the writer without being opened anew
//! (`open_as_secondary`). They were tried and tell wrong things (11.8.1, facebook/rocksdb#14444):
//! when the writer has moved a table from its memory to a file, they add up what they read from
//! the log and the same once more from the file, so that statistics count twice, and an old value
//! from the log hides the new one in the file, until the writer writes to that table again. Nor
//! have their iterators snapshots. Opening anew takes a tenth of a second for 20 million
//! positions, and up to a third more for the log, which the writer keeps short for that reason.

use super::marker::{FORMAT_OF_INDEX, must_be_there};
use super::open_files::raise_file_limit;
use super::options::Setup;
use super::{StoreError, Table, error};
use rocksdb::DB;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

/// News are looked for so often, if somebody reads.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// What was seen so lately is good enough to go on with while somebody looks.
const OLD: Duration = Duration::from_millis(1200);
/// An opening that a writer disturbs is tried again so long, and so often.
const PATIENCE: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 20;
/// Before the next attempt: the disturbance may be over.
const PAUSE: Duration = Duration::from_millis(20);
/// Enough for a book of many terabytes.
#[cfg(target_os = "linux")]
const OPEN_FILES: u64 = 1 << 16;

/// The book as it is, each time anew.
pub(super) struct Follower {
    news: Arc<News>,
    /// Looks for news, if somebody does.
    looking: Mutex<Option<JoinHandle<()>>>,
}

struct News {
    path: PathBuf,
    /// Of all instances: a file is the same in each.
    setup: Arc<Setup>,
    seen: RwLock<Arc<Instance>>,
    looked: Mutex<Looked>,
    /// Held by the one who looks.
    turn: Mutex<()>,
}

/// One state of the book.
pub(super) struct Instance {
    pub db: DB,
    /// Different for each instance.
    pub number: u64,
    traces: Traces,
}

/// The last look for news.
#[derive(Clone, Copy)]
struct Looked {
    at: Instant,
    took: Duration,
}

impl Looked {
    /// It is time to look again. Looking takes at most half of the time, however long it takes.
    fn is_over(self) -> bool {
        self.at.elapsed() > LOOK_EVERY.max(2 * self.took)
    }

    /// Nobody has read for a while: whoever does now would see the distant past.
    fn is_old(self) -> bool {
        self.at.elapsed() > OLD.max(3 * self.took)
    }
}

impl Follower {
    pub fn open(path: &Path, setup: Arc<Setup>) -> Result<Follower, StoreError> {
        // A book with few files does without.
        raise_file_limit(OPEN_FILES);
        let at = Instant::now();
        let first = open_undisturbed(path, &setup, 1)?;
        let took = at.elapsed();
        let news = News {
            path: path.to_owned(),
            setup,
            seen: RwLock::new(Arc::new(first)),
            looked: Mutex::new(Looked { at, took }),
            turn: Mutex::new(()),
        };
        Ok(Follower {
            news: Arc::new(news),
            looking: Mutex::new(None),
        })
    }

    /// What was seen last.
    pub fn seen(&self) -> Arc<Instance> {
        self.news.seen()
    }

    /// It is time to look for news.
    pub fn is_behind(&self) -> bool {
        self.news.looked().is_over()
    }

    /// Another book is in the place of the one that was seen: it is looked at now, not when it is time
    /// to.
    pub fn notice_replacement(&self) {
        if folder_number(&self.news.path) != self.seen().traces.folder {
            let turn = self.news.turn.lock();
            self.news
                .look_in(turn.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Looks for news if it is time to: what is seen afterwards is a moment old at most. To see
    /// something newer than that, nobody has to wait.
    pub fn catch_up(&self) {
        let looked = *self.news.looked();
        if looked.is_old() {
            self.news.look();
        } else if looked.is_over()
            && let Ok(mut looking) = self.looking.try_lock()
            && looking.as_ref().is_none_or(JoinHandle::is_finished)
        {
            let news = self.news.clone();
            let thread = thread::Builder::new().name("follower".into());
            // Without a thread somebody will have to wait.
            *looking = thread.spawn(move || news.look()).ok();
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let looking = self.looking.get_mut();
        let looking = looking.unwrap_or_else(PoisonError::into_inner).take();
        // RocksDB must not be at work when the process ends.
        if looking.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("a thread that looks for news in the book broke");
        }
    }
}

impl News {
    fn seen(&self) -> Arc<Instance> {
        let seen = self.seen.read();
        seen.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn looked(&self) -> MutexGuard<'_, Looked> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Another may have looked while this one waited.
        if self.looked().is_over() {
            self.look_in(turn);
        }
    }

    fn look_in(&self, _turn: MutexGuard<'_, ()>) {
        let at = Instant::now();
        // Held to the end: closing it takes a moment, in which nobody should have to wait.
        let before = self.seen();
        let mut least = Duration::ZERO;
        if Traces::of(&self.path) != before.traces {
            match open_undisturbed(&self.path, &self.setup, before.number + 1) {
                Ok(news) => {
                    let seen = self.seen.write();
                    *seen.unwrap_or_else(PoisonError::into_inner) = Arc::new(news);
                }
                Err(error) => {
                    // What is open can still be read; the trouble is not told every moment.
                    tracing::warn!(%error, "what is new in the book cannot be seen");
                    least = PATIENCE;
                }
            }
        }
        let took = at.elapsed().max(least);
        *self.looked() = Looked { at, took };
    }
}

/// Opens an instance that shows one state of the book. A file that is missing because the writer
/// removed it in this moment is no damage; a file that is missing while nobody writes is.
fn open_undisturbed(path: &Path, setup: &Setup, number: u64) -> Result<Instance, StoreError> {
    let began = Instant::now();
    let (mut attempts, mut quiet_failures) = (0, 0);
    loop {
        let format = must_be_there(path)?;
        // Whoever reads an older book does without.
        let there = |table| table != Table::Index || format >= FORMAT_OF_INDEX;
        let traces = Traces::of(path);
        let (options, tables) = setup.to_read(there);
        let database = path.join("db");
        let opened = DB::open_cf_descriptors_read_only(&options, &database, tables, false);
        let after = Traces::of(path);
        let problem = match opened {
            Ok(db) if !traces.lost_a_log(&after) => return Ok(Instance { db, number, traces }),
            Ok(_) => StoreError::Database {
                path: path.to_owned(),
                detail: "it changes too fast to be read".into(),
            },
            Err(problem) => {
                // Twice, because a book that is just begun lacks files, too.
                quiet_failures += u32::from(after == traces);
                let problem = error::database(path, &problem);
                if quiet_failures > 1 {
                    return Err(problem);
                }
                problem
            }
        };
        attempts += 1;
        if attempts >= ATTEMPTS && began.elapsed() > PATIENCE {
            return Err(problem);
        }
        thread::sleep(PAUSE);
    }
}

/// What a writer leaves on the disk with everything it does: the list of the tables' files, and
/// the log. When both are the same, the book is the same.
#[derive(PartialEq, Eq, Debug)]
struct Traces {
    lists: BTreeMap<OsString, u64>,
    logs: BTreeMap<OsString, u64>,
    /// When the list in use was chosen.
    chosen: Option<SystemTime>,
    /// Another one if the whole book was replaced.
    folder: FolderNumber,
}

/// The disk's own name of a folder, where there is one.
pub(super) type FolderNumber = Option<(u64, u64)>;

fn folder_number(book: &Path) -> FolderNumber {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let folder = fs::metadata(book.join("db")).ok()?;
        Some((folder.dev(), folder.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = book;
        None
    }
}

impl Instance {
    pub fn folder(&self) -> FolderNumber {
        self.traces.folder
    }
}

impl Traces {
    fn of(path: &Path) -> Traces {
        let database = path.join("db");
        let chosen = fs::metadata(database.join("CURRENT"));
        let mut traces = Traces {
            lists: BTreeMap::new(),
            logs: BTreeMap::new(),
            chosen: chosen.and_then(|data| data.modified()).ok(),
            folder: folder_number(path),
        };
        for entry in fs::read_dir(database).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            let files = if bytes.starts_with(b"MANIFEST-") {
                &mut traces.lists
            } else if bytes.ends_with(b".log") {
                &mut traces.logs
            } else {
                continue;
            };
            // One that is gone by now is as good as not seen.
            if let Ok(data) = entry.metadata() {
                files.insert(name, data.len());
            }
        }
        traces
    }

    /// A log that goes while the book is opened has become a table, which may not be on the list
    /// that was read, and RocksDB does not notice: a part in the middle of the book's history
    /// would be missing. Logs go in the order in which they came.
    fn lost_a_log(&self, later: &Traces) -> bool {
        self.logs.keys().any(|log| !later.logs.contains_key(log))
    }
}

/// How a book was opened.
pub(super) enum Access {
    Writing(DB),
    Reading(Follower),
}

impl Access {
    /// What is there now.
    pub fn now(&self) -> View<'_> {
        match self {
            Access::Writing(db) => View::Live(db),
            Access::Reading(follower) => View::Still(follower.seen()),
        }
    }
}

/// What a reader reads from.
pub(super) enum View<'a> {
    /// Changes with what is written.
    Live(&'a DB),
    /// Stays as it is.
    Still(Arc<Instance>),
}

impl Deref for View<'_> {
    type Target = DB;

    fn deref(&self) -> &DB {
        match self {
            View::Live(db) => db,
            View::Still(seen) => &seen.db,
        }
    }
}

#[cfg(test)]
mod tests;
