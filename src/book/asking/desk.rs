//! Where questions are kept between the book and whoever answers: sent while there is room, and
//! matched with the answers that come back. An answer that nobody waits for, because it is late or
//! a second one, changes nothing.

use super::analyst::{Analyst, AnalystError, PATIENCE, Reply};
use super::driver::AskError;
use super::journal::Witness;
use super::question::{BestMove, Finding, MovesQuestion, Question, QuestionId};
use super::want::{Errand, Want, Wanted};
use super::wanted::{Standard, beside, wanted, whole};
use crate::book::Watcher;
use crate::book::family::Family;
use crate::book::key::NodeKey;
use crate::book::node::{EngineNumber, Node};
use crate::book::store::{Store, StoreError};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Answers that are taken at once: one write for all of them.
const AT_ONCE: usize = 256;

/// Whose questions go over the desk, and what is good enough for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assignment {
    pub errand: Errand,
    /// Every position of the book is wanted, not only those that stand in the database.
    pub everything: bool,
    /// What another engine found is not good enough.
    pub renew: bool,
}

impl Assignment {
    pub const fn of(errand: Errand) -> Assignment {
        Assignment {
            errand,
            everything: false,
            renew: false,
        }
    }
}

/// A question that could not be answered, for a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub position: NodeKey,
    pub reason: String,
}

/// How long to go on talking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Every question is on its way.
    ThereIsRoom,
    /// The same, and whoever answers could do with as many again.
    MoreIsWelcome,
    AllIsAnswered,
}

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Answered {
    pub question: MovesQuestion,
    pub best: BestMove,
    /// Whose word it is; none for this program's own.
    pub by: Option<Witness>,
}

/// What became of questions.
pub struct News {
    pub answers: Vec<Answered>,
    /// Positions whose questions failed.
    pub failed: Vec<NodeKey>,
}

/// Answers that have come, or the news that none will come.
pub enum Heard {
    Answers(Vec<Answered>),
    /// Somebody whose answers are in the book was found out: they are to be taken back, and what
    /// was asked meanwhile is asked anew.
    FoundOut,
    Stopped,
}

pub struct Desk<'a> {
    analyst: &'a mut dyn Analyst,
    engine_name: String,
    engine: EngineNumber,
    assignment: Assignment,
    /// Waiting for room.
    waiting: VecDeque<MovesQuestion>,
    asked: HashMap<QuestionId, MovesQuestion>,
    failures: Vec<Failure>,
    /// Whose answers are to be taken back.
    liars: Vec<Witness>,
}

impl<'a> Desk<'a> {
    pub fn new(
        store: &Store,
        analyst: &'a mut dyn Analyst,
        assignment: Assignment,
    ) -> Result<Desk<'a>, StoreError> {
        let engine_name = analyst.engine().to_owned();
        Ok(Desk {
            engine: store.engine_number(&engine_name)?,
            engine_name,
            analyst,
            assignment,
            waiting: VecDeque::new(),
            asked: HashMap::new(),
            failures: Vec::new(),
            liars: Vec::new(),
        })
    }

    pub const fn errand(&self) -> Errand {
        self.assignment.errand
    }

    pub const fn wants_everything(&self) -> bool {
        self.assignment.everything
    }

    pub const fn engine(&self) -> EngineNumber {
        self.engine
    }

    pub fn workers(&self) -> usize {
        self.analyst.workers()
    }

    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// Those whose answers are to be taken back before anything else is asked.
    pub fn take_liars(&mut self) -> Vec<Witness> {
        std::mem::take(&mut self.liars)
    }

    /// Answers are to be taken back.
    pub fn found_somebody_out(&self) -> bool {
        !self.liars.is_empty()
    }

    /// Nothing is wanted any more: waits until no answer is in doubt. False if somebody was found
    /// out, or stopped it.
    pub fn vouch(&mut self, watcher: &dyn Watcher) -> Result<bool, AskError> {
        loop {
            self.liars.extend(self.analyst.found_out());
            if watcher.should_stop() || !self.liars.is_empty() {
                return Ok(false);
            }
            match self.analyst.vouch(PATIENCE) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(AnalystError::Stopped) => return Ok(false),
                Err(broken) => return Err(broken.into()),
            }
        }
    }

    fn standard(&self, level: u8) -> Standard<'_> {
        Standard {
            analyst: &*self.analyst,
            level,
            only: self.assignment.renew.then_some(self.engine),
        }
    }

    /// What a want comes to as the book is now; none if it is fulfilled.
    pub fn question_of(&self, family: &Family, node: &Node, want: &Want) -> Option<MovesQuestion> {
        let standard = self.standard(want.level);
        match want.what {
            Wanted::ByRule => wanted(family, node, standard),
            Wanted::Beside(slack) => {
                wanted(family, node, standard).or_else(|| beside(family, node, standard, slack))
            }
            Wanted::Whole => whole(family, node, standard),
        }
    }

    pub fn put(&mut self, question: MovesQuestion) {
        self.waiting.push_back(question);
    }

    /// Nothing waits, and nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.asked.is_empty()
    }

    /// Sends and hears, and lets what is heard be applied. False if somebody stopped it, or was
    /// found out.
    pub fn talk(
        &mut self,
        watcher: &dyn Watcher,
        until: Until,
        mut apply: impl FnMut(&mut Desk<'a>, News) -> Result<(), AskError>,
    ) -> Result<bool, AskError> {
        if !self.send()? {
            return Ok(false);
        }
        let is_over = |desk: &Desk<'_>| match until {
            Until::ThereIsRoom => desk.waiting.is_empty(),
            Until::MoreIsWelcome => {
                desk.waiting.is_empty() && desk.analyst.room() >= desk.asked.len()
            }
            Until::AllIsAnswered => desk.is_idle(),
        };
        // What has come already is taken first, once: what is above it need not wait then.
        let goes_on = until == Until::MoreIsWelcome && !self.is_idle();
        let mut at_once = goes_on.then_some(Duration::ZERO);
        while at_once.is_some() || !is_over(self) {
            if watcher.should_stop() {
                return Ok(false);
            }
            let before = self.failures.len();
            let patience = at_once.take().unwrap_or(PATIENCE);
            let answers = match self.hear(patience, usize::MAX)? {
                Heard::Stopped | Heard::FoundOut => return Ok(false),
                Heard::Answers(answers) => answers,
            };
            watcher.answered(answers.len() as u64);
            let failed = self.failures[before..].iter().map(|one| one.position);
            let failed = failed.collect();
            apply(self, News { answers, failed })?;
            if !self.send()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Questions that wait or are on their way.
    pub fn in_flight(&self) -> usize {
        self.waiting.len() + self.asked.len()
    }

    /// Sends what there is room for. False if there will be no answers any more.
    pub fn send(&mut self) -> Result<bool, AnalystError> {
        let room = self.analyst.room().min(self.waiting.len());
        let mut batch = Vec::with_capacity(room);
        for question in self.waiting.drain(..room) {
            let asked = Question::Moves(question);
            let id = QuestionId::of(&asked, &self.engine_name);
            if self.asked.insert(id, question).is_none() {
                batch.push((id, asked));
            }
        }
        if batch.is_empty() {
            return Ok(true);
        }
        match self.analyst.ask(batch) {
            Ok(()) => Ok(true),
            Err(AnalystError::Stopped) => Ok(false),
            Err(broken) => Err(broken),
        }
    }

    /// Waits for an answer, and takes all that have come with it, up to `most`.
    pub fn hear(&mut self, timeout: Duration, most: usize) -> Result<Heard, AnalystError> {
        self.liars.extend(self.analyst.found_out());
        if !self.liars.is_empty() {
            return Ok(Heard::FoundOut);
        }
        let mut answers = Vec::new();
        let mut timeout = timeout;
        while answers.len() < most.min(AT_ONCE) {
            let reply = match self.analyst.next(timeout) {
                Ok(Some(reply)) => reply,
                Ok(None) => break,
                // What has come is still good.
                Err(AnalystError::Stopped) if answers.is_empty() => return Ok(Heard::Stopped),
                Err(AnalystError::Stopped) => break,
                Err(broken) => return Err(broken),
            };
            timeout = Duration::ZERO;
            answers.extend(self.matched(reply));
        }
        Ok(Heard::Answers(answers))
    }

    fn matched(&mut self, reply: Reply) -> Option<Answered> {
        let question = self.asked.remove(&reply.id)?;
        let failed = match reply.outcome {
            Ok(Finding::Moves(best)) if question.among().contains(best.square) => {
                return Some(Answered {
                    question,
                    best,
                    by: reply.by,
                });
            }
            Ok(_) => "the answer does not fit the question".to_owned(),
            Err(reason) => reason,
        };
        self.failures.push(Failure {
            position: question.position,
            reason: failed,
        });
        None
    }
}
