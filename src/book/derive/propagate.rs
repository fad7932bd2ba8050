//! The incremental back-propagation: a queue ordered by disc count, fullest first, and the
//! questions that come up on the way.
//!
//! Every edge adds one disc, so once a layer is taken from the queue nothing below it is left to
//! change, and each position is recomputed once however many paths lead to it. A position that is
//! to be asked is asked when all below it is settled, so a question follows from the book and not
//! from the order of the work; what is above unanswered questions is left out and visited later.
//! The queue is in the database: a change, its removal from the queue and the marks on its parents
//! are one write, so that a pass may be killed at any moment and goes on where it was.

use crate::book::Watcher;
use crate::book::desk::{Answered, Desk, Failure, News, Until};
use crate::book::driver::AskError;
use crate::book::journal::{self, Testimony};
use crate::book::key::{Layer, NodeKey};
use crate::book::outcome::{Outcome, applied, examine, put};
use crate::book::parents::ParentFinder;
use crate::book::question::MovesQuestion;
use crate::book::recount::recount;
use crate::book::shadow::Shadow;
use crate::book::store::{Flag, Store, StoreError};
use crate::book::sweep::sweep;
use crate::book::visits::{Visit, Visits};
use crate::book::want::Errand;
use rayon::prelude::*;
use std::collections::HashMap;

/// What a pass did.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Settled {
    pub recomputed: u64,
    /// Positions whose record became another.
    pub changed: u64,
    /// Searches that it took.
    pub searched: u64,
    /// Questions that could not be answered; they are still wanted.
    pub failures: Vec<Failure>,
    /// Nothing is left to do; otherwise the watcher stopped the pass.
    pub finished: bool,
}

impl Settled {
    /// Both, one after the other.
    pub fn and(self, then: Settled) -> Settled {
        Settled {
            recomputed: self.recomputed + then.recomputed,
            changed: self.changed + then.changed,
            searched: self.searched + then.searched,
            failures: self.failures.into_iter().chain(then.failures).collect(),
            finished: then.finished,
        }
    }
}

/// Positions that are taken from the queue at once.
const AT_ONCE: usize = 1 << 14;
/// The same where they are searched: what was found reaches the disk soon.
const ASKED_AT_ONCE: usize = 1 << 8;
const PER_JOB: usize = 64;

/// Brings all that follows from something else up to date: statistics where games were changed, and
/// values through the queue, or with a full sweep if so much has come in that one is due. Asks
/// nobody: what is wanted stays wanted.
pub fn settle(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    if !recount(store, watcher)? {
        return Ok(Settled::default());
    }
    if store.reader().flag(Flag::SweepDue)? {
        sweep(store, watcher)
    } else {
        settle_by_queue(store, watcher)
    }
}

/// Empties the dirty queue, position by position.
pub fn settle_by_queue(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    let mut queue = Queue::new(store, watcher);
    queue.empty(None).map_err(AskError::of_store)
}

/// [`settle_by_queue`], asking on the way what the desk's errand wants.
pub(in crate::book) fn settle_asking(
    store: &Store,
    desk: &mut Desk<'_>,
    watcher: &dyn Watcher,
) -> Result<Settled, AskError> {
    let mut queue = Queue::new(store, watcher);
    let mut settled = queue.empty(Some(desk))?;
    settled.failures = desk.take_failures();
    settled.finished &= settled.failures.is_empty();
    Ok(settled)
}

struct Queue<'a> {
    store: &'a Store,
    watcher: &'a dyn Watcher,
    settled: Settled,
    /// What is being asked.
    asked: HashMap<NodeKey, Visit>,
    shadow: Shadow,
}

impl<'a> Queue<'a> {
    fn new(store: &'a Store, watcher: &'a dyn Watcher) -> Queue<'a> {
        Queue {
            store,
            watcher,
            settled: Settled::default(),
            asked: HashMap::new(),
            shadow: Shadow::default(),
        }
    }

    fn empty(&mut self, mut desk: Option<&mut Desk<'_>>) -> Result<Settled, AskError> {
        let reader = self.store.reader();
        let at_once = if desk.is_some() {
            ASKED_AT_ONCE
        } else {
            AT_ONCE
        };
        // Layer by layer, rather than from the queue's end: marks that were taken off leave a trace
        // that a look at the end would have to pass again for every layer.
        for layer in Layer::all().rev() {
            let errand = desk.as_ref().map(|desk| desk.errand());
            let mut visits = Visits::new(&reader, layer, errand)?;
            self.shadow.begin_scan(layer);
            loop {
                let chunk = visits.next_chunk(at_once, &self.shadow)?;
                if chunk.is_empty() {
                    break;
                }
                if self.watcher.should_stop() {
                    return Ok(std::mem::take(&mut self.settled));
                }
                self.visit(chunk, desk.as_deref_mut())?;
                if !self.talk(desk.as_deref_mut(), Until::ThereIsRoom)? {
                    return Ok(std::mem::take(&mut self.settled));
                }
            }
            self.shadow.end_scan();
            if let Some(desk) = desk.as_deref_mut() {
                self.visit_released(desk)?;
            }
            if !self.talk(desk.as_deref_mut(), Until::MoreIsWelcome)? {
                return Ok(std::mem::take(&mut self.settled));
            }
            self.shadow.leave(&reader, layer)?;
        }
        if !self.talk(desk, Until::AllIsAnswered)? {
            return Ok(std::mem::take(&mut self.settled));
        }
        if reader.is_anything_being_forgotten()? {
            let mut end = self.store.batch()?;
            end.end_forgetting();
            end.commit()?;
        }
        // No sync: after a power cut the queue is as old as the records, and the pass is made again.
        self.settled.finished = true;
        Ok(std::mem::take(&mut self.settled))
    }

    /// Sends and hears, if there is somebody to talk to. False if somebody stopped it.
    fn talk(&mut self, desk: Option<&mut Desk<'_>>, until: Until) -> Result<bool, AskError> {
        let (Some(desk), watcher) = (desk, self.watcher) else {
            return Ok(true);
        };
        desk.talk(watcher, until, |desk, News { answers, failed }| {
            self.settled.searched += answers.len() as u64;
            self.apply(answers, desk)?;
            for key in failed {
                self.asked.remove(&key);
                self.shadow.fail(key);
            }
            self.visit_released(desk)
        })
    }

    /// Visits what waited for nothing but what is settled now, and so on up.
    fn visit_released(&mut self, desk: &mut Desk<'_>) -> Result<(), AskError> {
        let reader = self.store.reader();
        loop {
            let released = self.shadow.take_released();
            if released.is_empty() {
                return Ok(());
            }
            let mut due = Vec::new();
            for key in released {
                match Visit::read(&reader, key, desk.errand())? {
                    Some(visit) => due.push(visit),
                    None => self.shadow.settle(key),
                }
            }
            self.visit(due, Some(desk))?;
        }
    }

    /// Looks at positions that are due: what is not asked is settled.
    fn visit(
        &mut self,
        chunk: Vec<Visit>,
        mut desk: Option<&mut Desk<'_>>,
    ) -> Result<(), AskError> {
        let reader = self.store.reader();
        let per_job = if desk.is_some() { 8 } else { PER_JOB };
        let asker = desk.as_deref().map(|desk| (desk, &self.shadow));
        let outcomes: Vec<Vec<Outcome>> = chunk
            .par_chunks(per_job)
            .map(|visits| {
                let mut finder = ParentFinder::new(&reader)?;
                let examine = |visit| examine(&reader, &mut finder, asker, visit);
                visits.iter().map(examine).collect()
            })
            .collect::<Result<_, StoreError>>()?;
        let outcomes = outcomes.into_iter().flatten();
        let asked = self.write(chunk, outcomes, asker.map(|(desk, _)| desk.errand()))?;
        if let Some(desk) = &mut desk {
            for (visit, question) in asked {
                self.shadow.ask(visit.key);
                self.asked.insert(visit.key, visit);
                desk.put(question);
            }
        }
        Ok(())
    }

    /// Applies answers to the positions as they are now.
    fn apply(&mut self, answers: Vec<Answered>, desk: &mut Desk<'_>) -> Result<(), AskError> {
        if answers.is_empty() {
            return Ok(());
        }
        let reader = self.store.reader();
        let visits: Vec<Visit> = answers
            .iter()
            .map(|answer| {
                let key = answer.question.position;
                let visit = self.asked.remove(&key).unwrap_or_else(|| Visit::at(key));
                Visit {
                    by: answer.by.clone(),
                    ..visit
                }
            })
            .collect();
        let engine = desk.engine();
        let outcomes: Vec<Vec<Outcome>> = answers
            .par_chunks(8)
            .zip(visits.par_chunks(8))
            .map(|(answers, visits)| {
                let mut finder = ParentFinder::new(&reader)?;
                let apply = |(answer, visit): (&Answered, &Visit)| {
                    applied(&reader, &mut finder, visit, answer, engine)
                };
                answers.iter().zip(visits).map(apply).collect()
            })
            .collect::<Result<_, StoreError>>()?;
        let mut outdated = Vec::new();
        let mut settled = (Vec::new(), Vec::new());
        for (visit, outcome) in visits.into_iter().zip(outcomes.into_iter().flatten()) {
            match outcome {
                Outcome::Outdated => outdated.push(visit),
                outcome => {
                    settled.0.push(visit);
                    settled.1.push(outcome);
                }
            }
        }
        self.write(settled.0, settled.1.into_iter(), Some(desk.errand()))?;
        if !outdated.is_empty() {
            self.visit(outdated, Some(desk))?;
        }
        Ok(())
    }

    /// Writes what became of visits, all in one batch, and gives those that are to be asked.
    fn write(
        &mut self,
        visits: Vec<Visit>,
        outcomes: impl Iterator<Item = Outcome>,
        errand: Option<Errand>,
    ) -> Result<Vec<(Visit, MovesQuestion)>, StoreError> {
        let reader = self.store.reader();
        let mut batch = self.store.batch()?;
        let mut asked = Vec::new();
        let mut done = Vec::new();
        for (visit, outcome) in visits.into_iter().zip(outcomes) {
            let still_wanted = match outcome {
                Outcome::Ask(question) => {
                    asked.push((visit, question));
                    continue;
                }
                Outcome::Gone | Outcome::Outdated => None,
                Outcome::Settled(change) => {
                    self.settled.recomputed += 1;
                    self.settled.changed += u64::from(change.after != change.before);
                    put(&mut batch, &visit, &change);
                    if let (Some(by), Some(errand)) = (&visit.by, errand) {
                        let testimony = Testimony {
                            errand,
                            key: visit.key,
                            by,
                            before: change.before,
                            after: change.after,
                            wants: visit.want.as_slice(),
                        };
                        journal::note(&reader, &mut batch, testimony)?;
                    }
                    change.still_wanted
                }
            };
            for (mark, errand) in &visit.marks {
                batch.unmark(visit.key, *mark, *errand);
            }
            if let Some(want) = visit.want {
                batch.unwant(visit.key, want.errand);
            }
            if let Some(want) = still_wanted {
                batch.want(visit.key, want);
            }
            done.push(visit.key);
        }
        if !batch.is_empty() {
            batch.commit()?;
        }
        self.watcher.done(done.len() as u64);
        for key in done {
            self.shadow.settle(key);
        }
        Ok(asked)
    }
}
