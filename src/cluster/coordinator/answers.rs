//! What answers do: they are taken for the book, some are asked of somebody else as well, and whoever
//! is found out loses all that it said.

use super::shared::{Held, Open, Post, Receipt, Shared, State};
use crate::book::{Finding, Question, QuestionId, Reply, Witness};
use crate::cluster::cards::Sentence;
use crate::cluster::trust::Second;
use crate::cluster::wire::{Delivery, now};
use crate::cluster::worker::Mind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// An answer that can be found here in so many seconds is checked here.
const QUICK: f64 = 0.02;
/// Not more than so many at the same time.
const MOST_DISPUTED: usize = 64;

impl Shared {
    /// Whether an answer is to be checked, and by whom.
    pub fn examine(
        &self,
        state: &mut State,
        id: QuestionId,
        question: &Question,
        by: &Witness,
        finding: &Finding,
    ) {
        if !state.trust.first(id, question, by, finding) {
            return;
        }
        state.figures.checked += 1;
        // What is found out here at once needs no journey, as long as it does not pile up here.
        let is_quick = state.packing.expected(question) <= QUICK;
        if is_quick && self.disputed.load(Relaxed) < MOST_DISPUTED {
            state.trust.find_out(id);
            self.dispute(id, question.clone());
        } else {
            self.post(Post::Check {
                question: question.clone(),
                not_for: by.clone(),
            });
        }
    }

    /// Lets this program find out.
    pub fn dispute(&self, id: QuestionId, question: Question) {
        let disputes = self.disputes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(disputes) = &*disputes {
            self.disputed.fetch_add(1, Relaxed);
            // Whoever finds out ends only after the analyst.
            let _ = disputes.send((id, question));
        }
    }

    /// Answers have come.
    pub fn take(&self, delivery: Delivery, receipt: &Arc<Receipt>) {
        let mut state = self.lock();
        let by = Witness::from(delivery.worker.as_str());
        if state.trust.is_quarantined(&by) {
            state.figures.refused += 1;
            self.ask_others(&state, delivery.answers.iter().map(|(id, _)| *id));
            return;
        }
        if delivery.handed_out > 1 {
            state.figures.delivered_again += delivery.answers.len() as u64;
        }
        if delivery.gave_up {
            state.figures.dead += delivery.answers.len() as u64;
        }
        let count = delivery.answers.len();
        let first = delivery
            .answers
            .first()
            .and_then(|(id, _)| state.asked.get(id));
        if let Some(question) = first.map(|open| open.question.clone()) {
            let seconds = f64::from(delivery.seconds);
            state.packing.learn(&question, count, seconds);
        }
        let mut answers = delivery.answers.into_iter();
        for (id, outcome) in answers.by_ref() {
            self.take_one(&mut state, id, outcome, &by, (receipt, delivery.is_check));
            if state.trust.is_quarantined(&by) {
                break;
            }
        }
        // What comes after an answer that gave it away does not count either.
        self.ask_others(&state, answers.map(|(id, _)| id));
        drop(state);
        self.news.notify_all();
    }

    /// Somebody else has to answer what a quarantined worker had in hand.
    fn ask_others(&self, state: &State, ids: impl Iterator<Item = QuestionId>) {
        let mut again = Vec::new();
        for id in ids {
            again.extend(state.asked.get(&id).map(|open| open.question.clone()));
            if let Some((question, not_for)) = state.trust.in_check(id) {
                self.post(Post::Check { question, not_for });
            }
        }
        self.post(Post::Ask(again));
    }

    fn take_one(
        &self,
        state: &mut State,
        id: QuestionId,
        outcome: Result<Finding, String>,
        by: &Witness,
        (receipt, is_check): (&Arc<Receipt>, bool),
    ) {
        let mut is_check = is_check;
        if let Ok(finding) = &outcome {
            match state.trust.second(id, by, finding) {
                Second::Unasked => {}
                Second::Same(question) => {
                    is_check = true;
                    self.post(Post::Check {
                        question,
                        not_for: by.clone(),
                    });
                }
                Second::Agrees | Second::Disputed => is_check = true,
                Second::Disagrees(question) => {
                    is_check = true;
                    state.figures.disagreements += 1;
                    self.dispute(id, question);
                }
            }
        }
        let mut held = Held {
            question: None,
            reply: Reply {
                id,
                outcome,
                by: Some(by.clone()),
            },
            _receipt: receipt.clone(),
        };
        let Some(open) = state.asked.remove(&id) else {
            if !is_check {
                state.figures.unwanted += 1;
                state.remember(id, held);
            }
            return;
        };
        if let Ok(finding) = &held.reply.outcome {
            if !finding.fits(&open.question) {
                // No engine of ours says such a thing.
                self.condemn(state, by.clone(), "an answer did not fit its question");
                self.post(Post::Ask(vec![open.question.clone()]));
                state.asked.insert(id, open);
                return;
            }
            self.examine(state, id, &open.question, by, finding);
        }
        state.figures.answered += 1;
        held.question = Some(open.question);
        state.replies.push_back(held);
    }

    /// Nothing that this worker said counts any more.
    fn condemn(&self, state: &mut State, worker: Witness, reason: &str) {
        state.trust.quarantine(worker.clone());
        self.retract(state, &worker);
        tracing::warn!(worker = &*worker, reason, "a worker is quarantined");
        self.post(Post::Quarantine(Sentence {
            worker: worker.to_string(),
            reason: reason.to_owned(),
            since: now(),
            answers: state.trust.answers_of(&worker),
        }));
    }

    /// Forgets what a quarantined worker said that the book has not taken yet, and has the book take
    /// the rest back.
    pub fn retract(&self, state: &mut State, worker: &Witness) {
        let is_by = |held: &Held| held.reply.by.as_ref() == Some(worker);
        state.early.retain(|_, held| !is_by(held));
        let mut again = Vec::new();
        let replies = std::mem::take(&mut state.replies);
        for held in replies {
            match &held.question {
                Some(question) if is_by(&held) => {
                    let open = Open {
                        question: question.clone(),
                        since: Instant::now(),
                    };
                    state.asked.insert(held.reply.id, open);
                    again.push(question.clone());
                }
                _ => state.replies.push_back(held),
            }
        }
        self.post(Post::Ask(again));
        state.found_out.push(worker.clone());
        self.news.notify_all();
    }

    /// What this program's own thread does: finds out who is right.
    pub fn find_out(
        &self,
        disputed: std::sync::mpsc::Receiver<(QuestionId, Question)>,
        mut umpire: Box<dyn Mind>,
    ) {
        for (id, question) in disputed {
            let truth = catch_unwind(AssertUnwindSafe(|| umpire.answer(&question)));
            self.disputed.fetch_sub(1, Relaxed);
            let mut state = self.lock();
            let truth = match truth {
                Ok(Some(truth)) => truth,
                // Stopped, and everything with it.
                Ok(None) => return,
                // A question that breaks whoever tries it proves nothing about others.
                Err(_) => {
                    state.trust.drop_doubt(id);
                    continue;
                }
            };
            for liar in state.trust.settle(id, &truth) {
                self.condemn(&mut state, liar, "an answer was found to be wrong");
            }
            drop(state);
            self.news.notify_all();
        }
    }
}
