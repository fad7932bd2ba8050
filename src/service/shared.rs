//! What all requests share: the book, the searchers, the jobs, the counters.

use super::answers::Answers;
use super::cluster::Watched;
use super::jobs::Jobs;
use super::metrics::Metrics;
use super::problem::Problem;
use super::readers::{Readers, Sighting};
use super::searches::Searches;
use super::settings::{Settings, cores};
use super::stats::Counted;
use crate::book::{Reader, Store};
use crate::othello::Position;
use std::sync::Arc;
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

pub struct Shared {
    pub store: Arc<Store>,
    pub settings: Settings,
    pub searches: Arc<Searches>,
    pub metrics: Metrics,
    /// None where the book is not ours to change.
    pub jobs: Option<Jobs>,
    /// None where this machine searches by itself.
    pub cluster: Option<Watched>,
    pub counted: Counted,
    answers: Answers,
    /// One for each request that is worked on.
    pub requests: Semaphore,
    readers: Readers,
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
            cluster: settings.cluster.clone().map(Watched::start),
            jobs,
            counted,
            answers: Answers::new(),
            requests: Semaphore::new(settings.requests),
            // As many as the cores and the disk keep busy: more would only take turns.
            readers: Readers::start(&store, 2 * cores())?,
            store,
            settings,
        })
    }

    /// Reads the book as it is at this moment, off the threads that talk to clients.
    pub async fn read<T: Send + 'static>(
        self: Arc<Shared>,
        work: impl FnOnce(&Reader<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        off_thread(move || work(&self.store.snapshot())).await
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

    /// Ends searches and jobs: they keep what they have.
    pub fn close(&self) {
        self.searches.close();
        if let Some(jobs) = &self.jobs {
            jobs.close();
        }
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
