//! Learning from one game: its positions come into the book, what might have been played instead
//! is searched, and the losses are carried up, so that the line is avoided next time.

use super::course::Course;
use crate::book::{Analyst, AskError, Learned, Settled, Store, Watcher};
use crate::games::Game;

/// What came of a game.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub learned: Learned,
    pub settled: Settled,
}

/// Learns a game and searches what its positions want. What a stop leaves undone, the next call
/// does.
pub fn learn_game(
    store: &Store,
    game: &Game,
    course: &Course,
    analyst: &mut dyn Analyst,
    watcher: &dyn Watcher,
) -> Result<Lesson, AskError> {
    let mut games = Some(vec![game.clone()]);
    let next = || Ok(games.take());
    let learned = course.take_in::<AskError>(store, analyst, watcher, next, |_| Ok(()))?;
    let settled = course.search(store, analyst, watcher)?;
    Ok(Lesson { learned, settled })
}
