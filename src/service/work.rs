//! What jobs do.

use super::jobs::{Job, Outcome};
use super::upload::Upload;
use crate::book::{Learner, Plan, Store, StoreError, Table, Watcher, settle};
use crate::games::OpenError;

/// Written at once: often enough that little is lost, and that a stop does not wait.
const GAMES_AT_ONCE: usize = 2000;

pub enum Work {
    /// Learn the games of a file.
    Learn { upload: Upload, plies: u8 },
}

#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Collection(#[from] OpenError),
}

impl Work {
    pub fn run(self, store: &Store, job: &Job) -> Result<Outcome, WorkError> {
        match self {
            Work::Learn { upload, plies } => learn(store, job, &upload, plies),
        }
    }
}

fn learn(store: &Store, job: &Job, upload: &Upload, plies: u8) -> Result<Outcome, WorkError> {
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
    let mut message = format!(
        "{} games learned, {} known before; {} new positions",
        learned.games, learned.known, learned.positions
    );
    if learned.other_start > 0 {
        message += &format!("; {} from another start left out", learned.other_start);
    }
    if bad > 0 {
        message += &format!("; {bad} bad games left out");
    }
    Ok(Outcome::Done(message))
}
