//! The one door between the book and whoever searches for it: this machine's threads, workers
//! elsewhere, or a table in a test. Questions go in while there is room, answers come out in any
//! order, and the answer alone goes into the book, so asking twice changes nothing.

use super::question::{Finding, Question, QuestionId};
use crate::book::Watcher;
use crate::book::node::Level;
use crate::othello::Board;
use std::collections::HashMap;
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
}

/// What became of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    pub id: QuestionId,
    /// A question may fail, for a reason that people understand; the others go on.
    pub outcome: Result<Finding, String>,
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

/// Asks all of these and shows the answers as they come, each with the number of its question.
/// False if it was stopped; a question that failed is an error.
pub fn ask_all(
    analyst: &mut dyn Analyst,
    questions: impl IntoIterator<Item = Question>,
    watcher: &dyn Watcher,
    mut see: impl FnMut(usize, Finding),
) -> Result<bool, AnalystError> {
    let engine = analyst.engine().to_owned();
    let mut questions = questions.into_iter().enumerate().peekable();
    let mut asked: HashMap<QuestionId, Vec<usize>> = HashMap::new();
    while questions.peek().is_some() || !asked.is_empty() {
        if watcher.should_stop() {
            return Ok(false);
        }
        let room = analyst.room();
        let mut batch = Vec::new();
        while batch.len() < room
            && let Some((number, question)) = questions.next()
        {
            let id = QuestionId::of(&question, &engine);
            let numbers = asked.entry(id).or_default();
            numbers.push(number);
            if let [_] = numbers.as_slice() {
                batch.push((id, question));
            }
        }
        let reply = match analyst.ask(batch).and_then(|()| analyst.next(PATIENCE)) {
            Ok(reply) => reply,
            Err(AnalystError::Stopped) => return Ok(false),
            Err(broken) => return Err(broken),
        };
        let Some(Reply { id, outcome }) = reply else {
            continue;
        };
        // An answer that nobody waits for is a late or a second one.
        let Some(numbers) = asked.remove(&id) else {
            continue;
        };
        let finding = outcome.map_err(AnalystError::Broken)?;
        for number in numbers {
            see(number, finding.clone());
        }
    }
    Ok(true)
}
