//! What jobs do.

use super::background::threads;
use super::jobs::{Job, Outcome};
use super::upload::Upload;
use crate::book::{
    Analyst, AskError, Assignment, Cause, Errand, Failure, Learner, Plan, Profile, Searching,
    Store, StoreError, Table, Watcher, answer_wants, settle,
};
use crate::cluster::{Address, ClusterAnalyst, ClusterError};
use crate::engine::{Expansion, GrowError, LocalAnalyst, expand};
use crate::games::OpenError;

/// Written at once: often enough that little is lost, and that a stop does not wait.
const GAMES_AT_ONCE: usize = 2000;
/// How far games are learned into a book without any.
const USUAL_PLIES: u8 = 40;

pub enum Work {
    /// Learn the games of a file and, above level 0, search what is not searched to the level.
    Learn {
        upload: Upload,
        plies: Option<u8>,
        level: u8,
    },
    /// Let the book grow where it pays most.
    Expand { expansion: Expansion, level: u8 },
    /// A bug.
    #[cfg(test)]
    Break,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Collection(#[from] OpenError),
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
    /// With this machine's threads, or through a cluster.
    pub fn run(
        self,
        store: &Store,
        job: &Job,
        cluster: Option<&Address>,
    ) -> Result<Outcome, WorkError> {
        let mut analyst = analyst(store, job, cluster)?;
        let analyst = &mut *analyst;
        match self {
            Work::Learn {
                upload,
                plies,
                level,
            } => learn(store, job, analyst, &upload, plies, level),
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
    plies: Option<u8>,
    level: u8,
) -> Result<Outcome, WorkError> {
    let mut reader = upload.games()?;
    let profile = store.reader().profile()?.unwrap_or_else(|| Profile::new(0));
    // The book takes what it took before, and no more.
    let plan = Plan::for_book(&profile, plies, None, USUAL_PLIES);
    let plan = Plan {
        plies: if profile.is_fresh() {
            plan.plies
        } else {
            plan.plies.min(profile.plies)
        },
        games_at_once: GAMES_AT_ONCE,
        ..plan
    };
    let errand = Errand::new(Cause::Upload, level);
    let searching = Searching {
        analyst: &mut *analyst,
        errand,
        correct: 0,
    };
    let mut learner = Learner::new(store, plan).searching(searching, job);
    let mut bad = 0;
    job.begin("learning", upload.bytes());
    while let Some(batch) = reader.next_batch() {
        if job.should_stop() {
            learner.write()?;
            let games = learner.learned().games;
            return Ok(Outcome::Stopped(format!(
                "stopped; {games} games are written, the same file goes on from there"
            )));
        }
        let (good, broken): (Vec<_>, Vec<_>) = batch.into_iter().partition(Result::is_ok);
        bad += broken.len();
        let games: Vec<_> = good.into_iter().flatten().collect();
        learner.add(&games)?;
        job.reached(reader.bytes_read());
    }
    let learned = learner.finish()?;
    let mut searched = 0;
    if let Some(errand) = errand {
        job.begin("searching", store.estimated_records(Table::Nodes)?);
        let settled = answer_wants(store, analyst, Assignment::of(errand), job)?;
        none_failed(&settled.failures)?;
        searched = settled.searched;
        if !settled.finished {
            return Ok(Outcome::Stopped(format!(
                "stopped; {} games learned, {searched} positions searched",
                learned.games
            )));
        }
    } else {
        job.begin("carrying values up", store.estimated_records(Table::Nodes)?);
        if !settle(store, job)?.finished {
            return Ok(Outcome::Stopped(
                "stopped while values were carried up; emilia book propagate goes on from there"
                    .into(),
            ));
        }
    }
    let mut message = format!(
        "{} games learned, {} known before; {} new positions",
        learned.games, learned.known, learned.positions
    );
    if learned.other_start > 0 {
        message += &format!("; {} from another start left out", learned.other_start);
    }
    if searched > 0 {
        message += &format!(", {searched} searched");
    }
    if bad > 0 {
        message += &format!("; {bad} bad games left out");
    }
    Ok(Outcome::Done(message))
}
