//! Learning from one game: its positions come into the book, what might have been played instead
//! is searched, and the losses are carried up, so that the line is avoided next time.

use crate::book::{
    Analyst, AskError, Assignment, Cause, Errand, Learned, Learner, Plan, Searching, Settled,
    Store, Watcher, answer_wants,
};
use crate::games::Game;

/// What came of a game.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub learned: Learned,
    pub settled: Settled,
}

/// Learns a game and searches what is not searched to the level, which is not 0. What a stop
/// leaves undone, the next call does.
pub fn learn_game(
    store: &Store,
    game: &Game,
    plan: Plan,
    level: u8,
    analyst: &mut dyn Analyst,
    watcher: &dyn Watcher,
) -> Result<Lesson, AskError> {
    let errand = Errand::new(Cause::Learn, level);
    let searching = Searching {
        analyst,
        errand,
        correct: 0,
    };
    let mut learner = Learner::new(store, plan).searching(searching, watcher);
    learner.add(std::slice::from_ref(game))?;
    let learned = learner.finish()?;
    let settled = match errand {
        Some(errand) => answer_wants(store, analyst, Assignment::of(errand), watcher)?,
        None => Settled::default(),
    };
    store.sync()?;
    store.flush()?;
    Ok(Lesson { learned, settled })
}
