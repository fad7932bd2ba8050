//! What jobs do.

use super::background::threads;
use super::jobs::{Job, Outcome};
use super::upload::Upload;
use super::watched::Watched;
use crate::book::{Analyst, AskError, Cause, Failure, Plan, Store, StoreError, Table, Watcher};
use crate::cluster::{Address, ClusterAnalyst, ClusterError};
use crate::engine::{
    Course, Expansion, GrowError, LocalAnalyst, PlanError, Wishes, expand, next_good_games,
};
use crate::games::{BadGame, OpenError};

/// Written at once: often enough that little is lost, and that a stop does not wait.
const GAMES_AT_ONCE: usize = 2000;

pub enum Work {
    /// Learn the games of a file.
    Learn {
        upload: Upload,
        lesson: UploadedLesson,
    },
    /// Let the book grow where it pays most.
    Expand { expansion: Expansion, level: u8 },
    /// A bug.
    #[cfg(test)]
    Break,
}

/// How the games of a file are learned.
#[derive(Clone, Copy)]
pub struct UploadedLesson {
    pub wishes: Wishes,
    pub level: u8,
    pub correct: u8,
}

impl UploadedLesson {
    /// As the book is now.
    pub fn course(&self, store: &Store) -> Result<Course, PlanError> {
        let (plan, _) = self.wishes.plan(store, Course::USUAL_PLIES)?;
        let plan = Plan {
            games_at_once: GAMES_AT_ONCE,
            ..plan
        };
        Ok(Course::new(plan, Cause::Upload, self.level, self.correct))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Collection(#[from] OpenError),
    #[error(transparent)]
    File(#[from] BadGame),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Growth(#[from] GrowError),
    #[error(transparent)]
    Asking(#[from] AskError),
    #[error("the threads that search cannot be started")]
    Threads(#[from] std::io::Error),
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(
        "{count} questions could not be answered, the first because {reason}; they are still wanted"
    )]
    Unanswered { count: usize, reason: String },
}

/// An error if there are any.
fn none_failed(failures: &[Failure]) -> Result<(), WorkError> {
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(WorkError::Unanswered {
            count: failures.len(),
            reason: first.reason.clone(),
        }),
    }
}

impl Work {
    /// How the book was to grow, for whoever takes it up again.
    pub fn growth(&self) -> Option<(Expansion, u8)> {
        match self {
            Work::Expand { expansion, level } => Some((*expansion, *level)),
            _ => None,
        }
    }

    /// With this machine's threads, or through a cluster.
    pub fn run(
        self,
        store: &Store,
        job: &Job,
        cluster: Option<&Address>,
    ) -> Result<Outcome, WorkError> {
        let mut watched = Watched::new(analyst(store, job, cluster)?, store, job);
        let analyst = &mut watched;
        match self {
            Work::Learn { upload, lesson } => learn(store, job, analyst, &upload, &lesson),
            Work::Expand { expansion, level } => grow(store, job, analyst, &expansion, level),
            #[cfg(test)]
            Work::Break => panic!("a job breaks on purpose"),
        }
    }
}

fn analyst(
    store: &Store,
    job: &Job,
    cluster: Option<&Address>,
) -> Result<Box<dyn Analyst>, WorkError> {
    let button = job.button().clone();
    Ok(match cluster.cloned() {
        Some(address) => Box::new(ClusterAnalyst::for_book(store, address, None, button)?),
        None => Box::new(LocalAnalyst::new(threads(), button)?),
    })
}

fn grow(
    store: &Store,
    job: &Job,
    analyst: &mut dyn Analyst,
    expansion: &Expansion,
    level: u8,
) -> Result<Outcome, WorkError> {
    job.begin("growing", expansion.positions.unwrap_or(0));
    let grown = expand(store, analyst, level, expansion, job)?;
    none_failed(&grown.failures)?;
    let message = format!("{} new positions, {} searches", grown.added, grown.searched);
    Ok(if job.should_stop() {
        Outcome::Stopped(message)
    } else {
        Outcome::Done(message)
    })
}

fn learn(
    store: &Store,
    job: &Job,
    analyst: &mut dyn Analyst,
    upload: &Upload,
    lesson: &UploadedLesson,
) -> Result<Outcome, WorkError> {
    let mut reader = upload.games()?;
    let course = lesson.course(store)?;
    let mut bad = 0;
    job.begin("learning", upload.bytes());
    let next = || {
        let good = next_good_games::<WorkError>(&mut reader, |_| {
            bad += 1;
            Ok(())
        })?;
        job.reached(reader.bytes_read());
        Ok(good)
    };
    let learned = course.take_in::<WorkError>(store, analyst, job, next, |_| Ok(()))?;
    if job.should_stop() {
        return Ok(Outcome::Stopped(format!(
            "stopped; {} games are written, the same file goes on from there",
            learned.games
        )));
    }
    let doing = if course.searches() {
        "searching"
    } else {
        "carrying values up"
    };
    job.begin(doing, store.estimated_records(Table::Nodes)?);
    let settled = course.search(store, analyst, job)?;
    none_failed(&settled.failures)?;
    if !settled.finished {
        return Ok(Outcome::Stopped(format!(
            "stopped; {} games learned, {} positions searched, the same file goes on from there",
            learned.games, settled.searched
        )));
    }
    let mut message = format!(
        "{} games learned, {} known before; {} new positions",
        learned.games, learned.known, learned.positions
    );
    if settled.searched > 0 {
        message += &format!(", {} searched", settled.searched);
    }
    if learned.other_start > 0 {
        message += &format!("; {} from another start left out", learned.other_start);
    }
    if bad > 0 {
        message += &format!("; {bad} bad games left out");
    }
    Ok(Outcome::Done(message))
}
