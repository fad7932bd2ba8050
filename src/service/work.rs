//! What jobs do.

use super::jobs::{Job, Outcome, threads};
use super::upload::Upload;
use crate::book::{Asking, Learner, Plan, Store, StoreError, Table, Watcher, settle};
use crate::engine::{Expansion, GrowError, LocalAnalyst, evaluate, expand};
use crate::games::OpenError;

/// Written at once: often enough that little is lost, and that a stop does not wait.
const GAMES_AT_ONCE: usize = 2000;

pub enum Work {
    /// Learn the games of a file and, above level 0, search what is not searched to the level.
    Learn {
        upload: Upload,
        plies: u8,
        level: u8,
    },
    /// Let the book grow where it pays most.
    Expand { expansion: Expansion, level: u8 },
}

#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Collection(#[from] OpenError),
    #[error(transparent)]
    Growth(#[from] GrowError),
}

impl Work {
    pub fn run(self, store: &Store, job: &Job) -> Result<Outcome, WorkError> {
        match self {
            Work::Learn {
                upload,
                plies,
                level,
            } => learn(store, job, &upload, plies, level),
            Work::Expand { expansion, level } => grow(store, job, &expansion, level),
        }
    }
}

fn grow(store: &Store, job: &Job, expansion: &Expansion, level: u8) -> Result<Outcome, WorkError> {
    job.begin("growing", expansion.positions.unwrap_or(0));
    let analyst = LocalAnalyst::new(job.button().clone());
    let asking = Asking {
        analyst: &analyst,
        level,
    };
    let grown = expand(store, asking, expansion, threads(), job)?;
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
    upload: &Upload,
    plies: u8,
    level: u8,
) -> Result<Outcome, WorkError> {
    let mut reader = upload.games()?;
    let plan = Plan {
        plies,
        min_games: 1,
        games_at_once: GAMES_AT_ONCE,
    };
    let mut learner = Learner::new(store, plan);
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
    job.begin("carrying values up", store.estimated_records(Table::Nodes)?);
    if !settle(store, job)?.finished {
        return Ok(Outcome::Stopped(
            "stopped while values were carried up; emilia book propagate goes on from there".into(),
        ));
    }
    let mut searched = 0;
    if level > 0 {
        job.begin("searching", store.estimated_records(Table::Nodes)?);
        let analyst = LocalAnalyst::new(job.button().clone());
        let asking = Asking {
            analyst: &analyst,
            level,
        };
        let evaluated = evaluate(store, asking, threads(), job)?;
        searched = evaluated.searched;
        if !evaluated.finished {
            return Ok(Outcome::Stopped(format!(
                "stopped; {} games learned, {searched} positions searched",
                learned.games
            )));
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
