//! The book on the disk. The only room that knows RocksDB.
//!
//! A book is a folder with the file `EMILIA-BOOK`, which says that it is one and in which format,
//! and the database in `db`. The file is looked at before the database is: nothing in a folder
//! that is not ours, or not ours any more, is ever touched.

mod about;
mod backup;
mod batch;
mod beside;
mod budget;
mod bulk;
mod compaction;
mod error;
mod figures;
mod follow;
mod identity;
mod index_rows;
mod marker;
mod new_book;
mod open_files;
mod options;
mod reader;
mod room;
mod row_files;
mod rows;
mod tables;

pub use backup::{Backup, BackupRecord, Restoring, Unfinished as UnfinishedBackup, backups};
pub use batch::Batch;
pub use budget::{ByteCount, MemoryShares, StoreOptions};
pub use bulk::PutPosition;
pub use compaction::Unordered;
pub use error::{RecordError, StoreError};
pub use figures::{Backlog, CacheFigures, StoreFigures, TableFigures, Traffic};
pub use identity::BookId;
pub(in crate::book) use index_rows::fingerprint;
pub use marker::MARKER;
pub use new_book::NewBook;
pub use open_files::raise_file_limit;
pub use reader::{Reader, Record, State};
pub use rows::{Row, Rows, ShapeFinder};
pub use tables::{Flag, Forgotten, Mark, Table};

use crate::book::codec::Profile;
use crate::book::engine::tidy_name;
use crate::book::node::EngineNumber;
use follow::{Access, Follower, View};
use marker::{FORMAT_OF_VALUES, write_marker};
use options::Setup;
use rocksdb::checkpoint::Checkpoint;
use rocksdb::{ColumnFamily, DB};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// An open book.
///
/// ```
/// use emilia::book::{Learner, Plan, Store, settle};
/// use emilia::games::SampleGames;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("book");
/// let book = Store::open_or_create(&path)?;
/// let games: Vec<_> = SampleGames::new(1).take(100).collect();
///
/// let plan = Plan { plies: 20, min_games: 1, games_at_once: 1000 };
/// let mut learner = Learner::new(&book, plan);
/// learner.add(&games)?;
/// let learned = learner.finish()?;
/// assert_eq!(learned.games, 100);
///
/// // What came in is carried up through all transpositions.
/// assert!(settle(&book, &())?.finished);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    db: Access,
    path: PathBuf,
    setup: Arc<Setup>,
    settled: about::SettledAt,
    troubles: room::Troubles,
    /// Held by who puts an engine on the list.
    naming: Mutex<()>,
    /// Held by who changes games: lists and statistics are read, changed and written.
    games: Mutex<()>,
}

impl Store {
    /// As [`StoreOptions::open_or_create`], with the usual options.
    pub fn open_or_create(path: &Path) -> Result<Store, StoreError> {
        StoreOptions::default().open_or_create(path)
    }

    /// As [`StoreOptions::open`], with the usual options.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        StoreOptions::default().open(path)
    }

    /// As [`StoreOptions::open_read_only`], with the usual options.
    pub fn open_read_only(path: &Path) -> Result<Store, StoreError> {
        StoreOptions::default().open_read_only(path)
    }

    fn follow(path: &Path, options: StoreOptions) -> Result<Store, StoreError> {
        let setup = Arc::new(Setup::new(options));
        let follower = Follower::open(path, setup.clone())?;
        Ok(Store::of(Access::Reading(follower), path, setup))
    }

    fn of(db: Access, path: &Path, setup: Arc<Setup>) -> Store {
        Store {
            db,
            path: path.to_owned(),
            setup,
            settled: about::SettledAt::default(),
            troubles: room::Troubles::default(),
            naming: Mutex::new(()),
            games: Mutex::new(()),
        }
    }

    /// How the book was opened: what whoever works on it may take is a share of its memory.
    pub fn options(&self) -> &StoreOptions {
        &self.setup.options
    }

    /// Records of formats before are read as they are, but some of what was derived from them no
    /// longer follows, and games have no index: that is made by whoever settles the book next, or
    /// learns games.
    fn upgrade(&self, format: u32) -> Result<(), StoreError> {
        if format < FORMAT_OF_VALUES {
            tracing::warn!(
                path = %self.path.display(),
                "this book was written by an older emilia: its values are derived anew, once"
            );
            self.make_sweep_due()?;
        }
        if self
            .reader()
            .rows(Table::Games, None)?
            .next_row()?
            .is_some()
        {
            let mut batch = self.batch()?;
            batch.raise(Flag::RecountDue);
            batch.commit()?;
        }
        self.sync()?;
        // Last: a kill before it upgrades again.
        write_marker(&self.path)
    }

    /// All values are to be derived anew; whoever wanted that before still does.
    pub fn make_sweep_due(&self) -> Result<(), StoreError> {
        if self.reader().flag(Flag::SweepDue)? {
            return Ok(());
        }
        let mut batch = self.batch()?;
        batch.raise(Flag::SweepDue);
        batch.commit()
    }

    /// The number of an engine in this book's list, where it is put if it is new.
    pub fn engine_number(&self, name: &str) -> Result<EngineNumber, StoreError> {
        // One at a time, or two names could get one number.
        let _turn = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(name) = tidy_name(name) else {
            return Ok(EngineNumber::UNKNOWN);
        };
        let engines = self.reader().engines()?;
        if let Some(number) = engines.number(&name) {
            return Ok(number);
        }
        let Some(number) = engines.next_number() else {
            return Ok(EngineNumber::UNKNOWN);
        };
        let mut batch = self.batch()?;
        batch.name_engine(number, &name);
        batch.commit()?;
        Ok(number)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Games are changed by one at a time: whoever does holds this from reading to writing.
    pub(in crate::book) fn turn_at_games(&self) -> MutexGuard<'_, ()> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is there now, and a moment later what is there then, if it is written here.
    pub fn reader(&self) -> Reader<'_> {
        Reader::latest(self)
    }

    /// Reads the book as it is at this moment, whatever is written meanwhile.
    pub fn snapshot(&self) -> Reader<'_> {
        Reader::of_now(self)
    }

    /// The state that was seen last.
    pub fn state(&self) -> State {
        State::of(&self.db.now())
    }

    /// It is time to look for what another process wrote, which takes a moment. New readers do
    /// that by themselves.
    pub fn is_behind(&self) -> bool {
        matches!(&self.db, Access::Reading(follower) if follower.is_behind())
    }

    /// Looks for what another process wrote, if it is time to.
    pub fn catch_up(&self) {
        if let Access::Reading(follower) = &self.db {
            follower.catch_up();
        }
    }

    /// Sees at once that another process put another book in the place of this one.
    pub fn notice_replacement(&self) {
        if let Access::Reading(follower) = &self.db {
            follower.notice_replacement();
        }
    }

    /// Nobody writes to the book but through this.
    pub fn is_ours(&self) -> bool {
        matches!(self.db, Access::Writing(_))
    }

    /// Writes that happen together or not at all.
    pub fn batch(&self) -> Result<Batch<'_>, StoreError> {
        Batch::new(self)
    }

    /// Makes sure that what was written survives a power cut; a killed process loses nothing
    /// anyway.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.db()?
            .flush_wal(true)
            .map_err(|problem| self.error(&problem))
    }

    /// Moves everything from the log into tables, so that the next opening has no log to read.
    pub fn flush(&self) -> Result<(), StoreError> {
        for table in Table::ALL {
            self.db()?
                .flush_cf(self.family(table)?)
                .map_err(|problem| self.error(&problem))?;
        }
        Ok(())
    }

    /// A copy of the book as it is now, in a folder that does not exist yet. Files that are on
    /// the same disk are shared, so it takes hardly any time or room.
    pub fn copy_to(&self, target: &Path) -> Result<(), StoreError> {
        beside::must_be_free(target)?;
        let db = self.db()?;
        fs::create_dir_all(target).map_err(|source| error::io(target, source))?;
        Checkpoint::new(db)
            .and_then(|checkpoint| checkpoint.create_checkpoint(target.join("db")))
            .map_err(|problem| error::database(target, &problem))?;
        // Last, so that half a copy is no book.
        write_marker(target)
    }

    /// For those who write.
    fn db(&self) -> Result<&DB, StoreError> {
        match &self.db {
            Access::Writing(db) => Ok(db),
            Access::Reading(_) => Err(StoreError::OpenedForReading {
                path: self.path.clone(),
            }),
        }
    }

    fn family(&self, table: Table) -> Result<&ColumnFamily, StoreError> {
        self.family_in(self.db()?, table)
    }

    fn family_in<'a>(&self, db: &'a DB, table: Table) -> Result<&'a ColumnFamily, StoreError> {
        db.cf_handle(table.name())
            .ok_or_else(|| StoreError::Damaged {
                path: self.path.clone(),
                detail: format!("the table {} is missing", table.name()),
            })
    }

    fn error(&self, problem: &rocksdb::Error) -> StoreError {
        error::database(&self.path, problem)
    }

    fn record_error(&self, table: Table, key: &[u8], reason: impl Into<RecordError>) -> StoreError {
        StoreError::Record {
            path: self.path.clone(),
            table: table.name(),
            key: key.iter().map(|byte| format!("{byte:02x}")).collect(),
            reason: reason.into(),
        }
    }
}

fn open_to_write(path: &Path, options: StoreOptions) -> Result<Store, StoreError> {
    let database = path.join("db");
    let setup = Setup::new(options);
    let (settings, tables) = setup.to_write(may_be_created(&database));
    let db = DB::open_cf_descriptors(&settings, &database, tables)
        .map_err(|problem| error::database(path, &problem))?;
    tracing::info!(path = %path.display(), "book opened for writing");
    row_files::remove_left_over(path);
    let store = Store::of(Access::Writing(db), path, Arc::new(setup));
    let mut batch = store.batch()?;
    if store.reader().profile()?.is_none() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        batch.set_profile(&Profile::new(now.map_or(0, |time| time.as_secs())));
    }
    if store.reader().identity()?.is_none() {
        batch.set_identity(BookId::new());
    }
    if batch.is_empty() {
        drop(batch);
    } else {
        batch.commit()?;
    }
    Ok(store)
}

/// A database may be begun where none is, also where a beginning was cut short. One that lost
/// its list of files but still has files is damaged, and must not be begun anew over them.
fn may_be_created(database: &Path) -> bool {
    let holds_data = |entry: &fs::DirEntry| {
        let path = entry.path();
        let size = entry.metadata().map_or(0, |data| data.len());
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("sst") => true,
            Some("log") => size > 0,
            _ => false,
        }
    };
    fs::read_dir(database).map_or(true, |entries| !entries.flatten().any(|e| holds_data(&e)))
}

#[cfg(test)]
mod tests;
