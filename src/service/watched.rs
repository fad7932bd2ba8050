//! An analyst whose answers are shown to those who watch the job: which positions, and what they are
//! worth. A few now and then are enough; the search must not wait for them.

use super::jobs::Job;
use crate::book::{
    Analyst, AnalystError, Finding, Level, NodeKey, Question, QuestionId, Reply, Store, Value,
    Witness, way_to,
};
use crate::othello::{Board, moves_to_string};
use crate::view::SearchedView;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Positions that are shown at a time, and how long they stay at least.
const SHOWN: usize = 8;
const OFTEN: Duration = Duration::from_millis(300);

pub struct Watched<'a> {
    analyst: Box<dyn Analyst>,
    store: &'a Store,
    job: &'a Job,
    open: HashMap<QuestionId, NodeKey>,
    answered: VecDeque<(NodeKey, Value)>,
    told: Option<Instant>,
}

impl<'a> Watched<'a> {
    pub fn new(analyst: Box<dyn Analyst>, store: &'a Store, job: &'a Job) -> Watched<'a> {
        Watched {
            analyst,
            store,
            job,
            open: HashMap::new(),
            answered: VecDeque::new(),
            told: None,
        }
    }

    fn note(&mut self, reply: &Reply) {
        let Some(key) = self.open.remove(&reply.id) else {
            return;
        };
        let Ok(Finding::Moves(best)) = &reply.outcome else {
            return;
        };
        if self.answered.len() == SHOWN {
            self.answered.pop_front();
        }
        self.answered.push_back((key, best.value));
        if self.told.is_none_or(|told| told.elapsed() >= OFTEN) {
            self.told = Some(Instant::now());
            self.tell();
        }
    }

    /// What cannot be read is not shown; whoever writes will hear of it.
    fn tell(&self) {
        let reader = self.store.reader();
        let shown = self.answered.iter().filter_map(|&(key, value)| {
            let moves = way_to(&reader, key).ok().flatten()?;
            Some(SearchedView {
                moves: moves_to_string(&moves),
                value: value.discs(),
            })
        });
        self.job.searched(shown.collect());
    }
}

impl Analyst for Watched<'_> {
    fn engine(&self) -> &str {
        self.analyst.engine()
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        self.analyst.promises(board, level)
    }

    fn workers(&self) -> usize {
        self.analyst.workers()
    }

    fn room(&self) -> usize {
        self.analyst.room()
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        for (id, question) in &questions {
            if let Question::Moves(asked) = question {
                self.open.insert(*id, asked.position);
            }
        }
        self.analyst.ask(questions)
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError> {
        let reply = self.analyst.next(timeout)?;
        if let Some(reply) = &reply {
            self.note(reply);
        }
        Ok(reply)
    }

    fn found_out(&mut self) -> Vec<Witness> {
        self.analyst.found_out()
    }

    fn vouch(&mut self, timeout: Duration) -> Result<bool, AnalystError> {
        self.analyst.vouch(timeout)
    }
}
