//! What all requests share: the book, the searchers, the jobs, the counters.

use super::answers::Answers;
use super::background::{Background, Chore, PressedWhenLeft};
use super::bodies::Bodies;
use super::clients::Client;
use super::cluster::ClusterWatch;
use super::failures::Failures;
use super::jobs::Jobs;
use super::metrics::Metrics;
use super::problem::{Problem, What};
use super::readers::{Readers, Sighting};
use super::searches::Searches;
use super::settings::{Settings, cores};
use super::shares::Shares;
use super::stats::Counted;
use super::upload::Uploads;
use crate::book::{FindError, Reader, Store, StoreError};
use crate::othello::Position;
use crate::search::StopButton;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Why a server does not begin.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    #[error("a thread of the server cannot be started")]
    Thread(#[from] std::io::Error),
    #[error("the counters cannot be set up")]
    Metrics(#[from] prometheus::Error),
}

/// How old an answer may be while a job changes the book from moment to moment.
const WHILE_WRITING: Duration = Duration::from_millis(50);
/// So many threads for each core keep it and the disk busy: more would only take turns.
const BUSY_CORES: usize = 2;

/// Why nothing can be written, without the server's own paths.
pub const STALLED: &str = "writing to the book is stalled";
const DISK_FULL: &str =
    "the disk that holds the book is full: make room, and writing goes on by itself";
const NOT_YET_WRITING: &str = "the disk that holds the book was full, and the database does not \
    write again yet: make more room, and start the server anew if that does not help";
const NOT_WRITABLE: &str = "the book cannot be written to; the server's log says more";

pub struct Shared {
    pub store: Arc<Store>,
    pub settings: Settings,
    pub searches: Arc<Searches>,
    pub metrics: Metrics,
    /// None where the book is not ours to change.
    pub jobs: Option<Jobs>,
    /// None where this machine searches by itself.
    pub cluster: Option<ClusterWatch>,
    pub counted: Counted,
    answers: Answers,
    readers: Readers,
    /// One for each look into the book that is more than one position, and what waits for its turn.
    looks: Arc<Semaphore>,
    at_once: Arc<Semaphore>,
    /// Many positions at once.
    pub batches: Background,
    /// Whoever goes through all games, and how many of these one client may have.
    pub scans: Background,
    scans_per_client: Arc<Shares>,
    /// Collections that are looked at, and those that are learned.
    pub reading: Background,
    pub looked_at: Uploads,
    pub learned: Uploads,
    pub bodies: Bodies,
    pub failures: Failures,
    closing: AtomicBool,
}

impl Shared {
    /// With a token the book must have been opened for writing.
    pub fn new(store: Arc<Store>, settings: Settings) -> Result<Shared, CannotStart> {
        let counted = Counted::new(store.clone());
        let jobs = match &settings.token {
            Some(_) => {
                let cluster = settings.cluster.clone();
                Some(Jobs::start(store.clone(), counted.clone(), cluster)?)
            }
            None => None,
        };
        Ok(Shared {
            searches: Arc::new(Searches::new(&settings)),
            metrics: Metrics::new()?,
            cluster: settings.cluster.clone().map(ClusterWatch::start),
            jobs,
            counted,
            answers: Answers::new(),
            readers: Readers::start(&store, BUSY_CORES * cores())?,
            looks: Arc::new(Semaphore::new(settings.requests)),
            at_once: Arc::new(Semaphore::new(BUSY_CORES * cores())),
            batches: Background::start("batches", settings.requests)?,
            scans: Background::start("scans", settings.requests)?,
            scans_per_client: Shares::new(1),
            reading: Background::start("reading", settings.requests)?,
            looked_at: Uploads::new(
                settings.upload_bytes,
                Settings::UPLOADS_PER_CLIENT,
                Settings::LOOKED_AT,
            ),
            learned: Uploads::new(settings.upload_bytes, Settings::LEARNED, Settings::LEARNED),
            bodies: Bodies::new(),
            failures: Failures::new(),
            closing: AtomicBool::new(false),
            store,
            settings,
        })
    }

    /// Reads the book as it is at this moment, off the threads that talk to clients. Its permit is
    /// given back when the reading ends; a client who leaves before it began is not read for.
    pub async fn read<T: Send + 'static>(
        self: Arc<Shared>,
        work: impl FnOnce(&Reader<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.looks.clone().try_acquire_owned();
        let place = place.map_err(|_| Problem::Busy)?;
        let turn = self.at_once.clone().acquire_owned().await;
        let turn = turn.map_err(|_| Problem::Closing)?;
        let left = StopButton::new();
        let _here = PressedWhenLeft(left.clone());
        off_thread(move || {
            let _permits = (place, turn);
            if left.is_pressed() {
                return Err(Problem::Closing);
            }
            work(&self.store.snapshot())
        })
        .await
    }

    /// Goes through games of the book. Somebody may ask for what all games have: some at a time, so
    /// that those who ask for anything else do not notice. The work is told when it is over.
    pub async fn scan<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce(&Reader<'_>, &dyn Fn() -> bool) -> Result<T, FindError> + Send + 'static,
    ) -> Result<T, Problem> {
        let shares = &self.scans_per_client;
        let (what, limit) = (What::Scans, shares.each());
        let share = shares.wait(client, Settings::SCAN_WAIT).await;
        let share = share.ok_or(Problem::TooMany { what, limit })?;
        let store = self.store.clone();
        let scan = move |chore: &Chore| Ok(work(&store.snapshot(), &|| chore.is_over())?);
        self.scans.run(share, Settings::SCAN_TIME, scan).await
    }

    /// What the book says about a position at this moment.
    pub async fn look(&self, position: Position) -> Result<Sighting, Problem> {
        self.readers.look_up(position, Duration::ZERO).await
    }

    /// Looks for what another process wrote to the book, off the threads that talk to clients.
    pub async fn catch_up(&self) -> Result<(), Problem> {
        if !self.store.is_behind() {
            return Ok(());
        }
        let store = self.store.clone();
        off_thread(move || {
            store.catch_up();
            Ok(())
        })
        .await
    }

    /// What the book says about a position, without the ways to it. While a job writes, what it
    /// said a moment ago.
    pub async fn answer(&self, position: Position) -> Result<Arc<Sighting>, Problem> {
        self.catch_up().await?;
        let oldest = match &self.jobs {
            Some(jobs) if jobs.is_running() => WHILE_WRITING,
            _ => Duration::ZERO,
        };
        let known = self.answers.get(position, self.store.state(), oldest);
        if let Some(found) = known {
            return Ok(found);
        }
        let found = Arc::new(self.readers.look_up(position, oldest).await?);
        self.answers.remember(position, found.clone());
        Ok(found)
    }

    /// The jobs, for whoever may change the book.
    pub fn jobs(&self) -> Result<&Jobs, Problem> {
        self.jobs.as_ref().ok_or(Problem::ReadOnly)
    }

    /// An error if what somebody wants to write cannot be written now; nobody writes to a book that
    /// is not ours.
    pub async fn must_be_writable(&self) -> Result<(), Problem> {
        if !self.store.is_ours() {
            return Ok(());
        }
        let store = self.store.clone();
        off_thread(move || {
            if store.is_stalled()? {
                return Err(Problem::NotReady(STALLED));
            }
            store.can_be_written().map_err(|error| {
                tracing::error!(%error, "the book cannot be written to");
                Problem::NotReady(match error {
                    StoreError::DiskFull { .. } => DISK_FULL,
                    StoreError::NotYetWriting { .. } => NOT_YET_WRITING,
                    _ => NOT_WRITABLE,
                })
            })
        })
        .await
    }

    /// Ends searches and jobs: they keep what they have.
    pub fn close(&self) {
        self.closing.store(true, Relaxed);
        self.searches.close();
        if let Some(jobs) = &self.jobs {
            jobs.close();
        }
    }
}

impl Shared {
    pub fn is_closing(&self) -> bool {
        self.closing.load(Relaxed)
    }
}

/// Runs what may block where it blocks nobody.
pub async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or(Err(Problem::Internal))
}
