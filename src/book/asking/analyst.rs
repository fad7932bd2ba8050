//! The one door between the book and whoever searches for it: this machine's threads, workers
//! elsewhere, or a table in a test. Questions go in while there is room, answers come out in any
//! order, and the answer alone goes into the book, so asking twice changes nothing.

use super::journal::Witness;
use super::question::{Finding, Question, QuestionId};
use crate::book::Watcher;
use crate::book::node::Level;
use crate::othello::Board;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Answers the book's questions.
pub trait Analyst: Send + Sync {
    /// Who finds the answers: evaluation, search and levels. Values of different names do not mix
    /// unnoticed.
    fn engine(&self) -> &str;

    /// The level of the answer that a question of this level about this board would get: whether
    /// what the book has is as good can be told without searching.
    fn promises(&self, board: Board, level: u8) -> Level;

    /// How many questions are worked on at the same time.
    fn workers(&self) -> usize;

    /// How many more questions it takes now.
    fn room(&self) -> usize;

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError>;

    /// The next answer; none if there is none after this time.
    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError>;

    /// Who was found out since this was asked last: what they said is to be taken back. Nothing they
    /// say comes out of [`Analyst::next`] any more.
    fn found_out(&mut self) -> Vec<Witness> {
        Vec::new()
    }

    /// Waits this long for answers that are being checked. True once no answer is in doubt, and
    /// everybody who was found out has been told of.
    fn vouch(&mut self, _timeout: Duration) -> Result<bool, AnalystError> {
        Ok(true)
    }
}

/// What became of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    pub id: QuestionId,
    /// A question may fail, for a reason that people understand; the others go on.
    pub outcome: Result<Finding, String>,
    /// Who answered; none for this program itself, which is not doubted.
    pub by: Option<Witness>,
}

/// There will be no more answers.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnalystError {
    /// Somebody wanted it so.
    #[error("the searches were stopped")]
    Stopped,
    #[error("whoever searches does not answer any more: {0}")]
    Broken(String),
}

/// How long to wait for an answer before looking whether somebody wants to stop.
pub(in crate::book) const PATIENCE: Duration = Duration::from_millis(100);

/// Asks all of these and shows the answers as they come, each with the number of its question; an
/// answer that turned out to be wrong is followed by the right one. False if it was stopped; a
/// question that failed is an error.
pub fn ask_all(
    analyst: &mut dyn Analyst,
    questions: impl IntoIterator<Item = Question>,
    watcher: &dyn Watcher,
    mut see: impl FnMut(usize, Finding),
) -> Result<bool, AnalystError> {
    let engine = analyst.engine().to_owned();
    let mut questions = questions.into_iter().enumerate();
    let mut next = questions.next();
    let mut asked: HashMap<QuestionId, (Question, Vec<usize>)> = HashMap::new();
    // What may have to be asked again.
    let mut heard: Vec<(Witness, Question, Vec<usize>)> = Vec::new();
    let mut again: VecDeque<(Question, Vec<usize>)> = VecDeque::new();
    loop {
        if watcher.should_stop() {
            return Ok(false);
        }
        let liars = analyst.found_out();
        heard.retain(|(by, question, numbers)| {
            let is_wrong = liars.contains(by);
            if is_wrong {
                again.push_back((question.clone(), numbers.clone()));
            }
            !is_wrong
        });
        let room = analyst.room();
        let mut batch = Vec::new();
        while batch.len() < room {
            let (question, numbers) = if let Some(wrong) = again.pop_front() {
                wrong
            } else if let Some((number, question)) = next.take() {
                next = questions.next();
                (question, vec![number])
            } else {
                break;
            };
            let id = QuestionId::of(&question, &engine);
            match asked.entry(id) {
                Entry::Occupied(mut known) => known.get_mut().1.extend(numbers),
                Entry::Vacant(new) => {
                    new.insert((question.clone(), numbers));
                    batch.push((id, question));
                }
            }
        }
        let is_over = next.is_none() && again.is_empty() && asked.is_empty();
        let news = if is_over {
            analyst.vouch(PATIENCE).map(|is_sure| (is_sure, None))
        } else {
            let reply = analyst.ask(batch).and_then(|()| analyst.next(PATIENCE));
            reply.map(|reply| (false, reply))
        };
        let (id, outcome, by) = match news {
            Ok((true, _)) => return Ok(true),
            Ok((false, None)) => continue,
            Ok((false, Some(Reply { id, outcome, by }))) => (id, outcome, by),
            Err(AnalystError::Stopped) => return Ok(false),
            Err(broken) => return Err(broken),
        };
        // An answer that nobody waits for is a late or a second one.
        let Some((question, numbers)) = asked.remove(&id) else {
            continue;
        };
        let finding = outcome.map_err(AnalystError::Broken)?;
        for &number in &numbers {
            see(number, finding.clone());
        }
        if let Some(by) = by {
            heard.push((by, question, numbers));
        }
    }
}
