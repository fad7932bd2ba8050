//! Learning from one game: its positions come into the book, what might have been played instead
//! is searched, and the losses are carried up, so that the line is avoided next time.

use crate::book::{
    Asking, Learned, Learner, Plan, Settled, Store, StoreError, Watcher, settle, settle_asking,
};
use crate::games::Game;

/// What came of a game.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    pub learned: Learned,
    pub settled: Settled,
}

/// Learns a game as far as `plies` moves. What a stop leaves undone, the next call does.
pub fn learn_game(
    store: &Store,
    game: &Game,
    plies: u8,
    asking: Asking<'_>,
    watcher: &dyn Watcher,
) -> Result<Lesson, StoreError> {
    // What an interrupted build left undone comes first: what is new must be told apart from it.
    settle(store, watcher)?;
    let plan = Plan {
        plies,
        min_games: 1,
        games_at_once: 1,
    };
    let mut learner = Learner::new(store, plan);
    learner.add(std::slice::from_ref(game))?;
    let learned = learner.finish()?;
    let settled = settle_asking(store, asking, watcher)?;
    store.sync()?;
    store.flush()?;
    Ok(Lesson { learned, settled })
}
