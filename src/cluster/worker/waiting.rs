//! Questions that wait for a thread, within the memory there is, and the parcels they belong to.

use crate::book::Finding;
use crate::cluster::wire::Parcel;
use crate::engine::table_bytes_for;
use async_nats::jetstream::message::Acker;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

/// A parcel that is worked on.
pub struct Job {
    pub number: u64,
    pub parcel: Parcel,
    pub acker: Arc<Acker>,
    pub handed_out: u32,
    pub results: Mutex<Results>,
    /// Makes room for another parcel when it is gone.
    pub _place: OwnedSemaphorePermit,
}

#[derive(Default)]
pub struct Results {
    pub found: Vec<(usize, Result<Finding, String>)>,
    pub seconds: f64,
}

impl Job {
    pub fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Questions for the threads, within the memory there is.
pub struct Waiting {
    line: Mutex<Line>,
    news: Condvar,
    /// Bytes of tables in use at the same time; none for no limit.
    pub tables: Option<usize>,
}

#[derive(Default)]
struct Line {
    pieces: VecDeque<(Arc<Job>, usize)>,
    in_use: usize,
    is_closed: bool,
}

impl Waiting {
    pub fn new(tables: Option<usize>) -> Waiting {
        Waiting {
            line: Mutex::default(),
            news: Condvar::new(),
            tables,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn put(&self, job: &Arc<Job>) {
        let mut line = self.lock();
        let questions = 0..job.parcel.questions.len();
        line.pieces
            .extend(questions.map(|place| (job.clone(), place)));
        drop(line);
        self.news.notify_all();
    }

    /// The next question that there is memory for, with what it takes; none when it is over.
    pub fn take(&self) -> Option<(Arc<Job>, usize, usize)> {
        let mut line = self.lock();
        loop {
            if line.is_closed {
                return None;
            }
            let in_use = line.in_use;
            let bytes =
                |(job, place): &(Arc<Job>, usize)| table_bytes_for(&job.parcel.questions[*place]);
            let fits = |one: &(Arc<Job>, usize)| {
                self.tables
                    .is_none_or(|tables| in_use + bytes(one) <= tables)
            };
            if let Some(place) = line.pieces.iter().position(fits)
                && let Some(piece) = line.pieces.remove(place)
            {
                let bytes = bytes(&piece);
                line.in_use += bytes;
                return Some((piece.0, piece.1, bytes));
            }
            let woken = self.news.wait(line);
            line = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn release(&self, bytes: usize) {
        self.lock().in_use -= bytes;
        self.news.notify_all();
    }

    /// Takes the parcels back of which nothing was begun.
    pub fn take_back_unbegun(&self) -> Vec<Arc<Job>> {
        let mut line = self.lock();
        let mut left: HashMap<u64, usize> = HashMap::new();
        for (job, _) in &line.pieces {
            *left.entry(job.number).or_default() += 1;
        }
        let is_unbegun = |job: &Job| left.get(&job.number) == Some(&job.parcel.questions.len());
        let mut back: Vec<Arc<Job>> = Vec::new();
        line.pieces.retain(|(job, place)| {
            if is_unbegun(job) && *place == 0 {
                back.push(job.clone());
            }
            !is_unbegun(job)
        });
        back
    }

    pub fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }
}
