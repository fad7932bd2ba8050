//! Answers of the book that were given lately. Most requests are for the same few lines, and an
//! answer that is remembered needs no look into the book. It is true of one state of the book, so
//! after something is written it is given only to whom an old one will do.

use super::readers::Sighting;
use crate::book::State;
use crate::othello::Position;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::time::Duration;

/// One takes about a kilobyte, all of them a hundred megabytes.
const REMEMBERED: usize = 96_000;

pub struct Answers(Cache<Position, Arc<Sighting>>);

impl Answers {
    pub fn new() -> Answers {
        Answers(Cache::new(REMEMBERED))
    }

    /// The answer for a position in this state of the book, or of at most `oldest` ago, if it is
    /// remembered.
    pub fn get(&self, position: Position, state: State, oldest: Duration) -> Option<Arc<Sighting>> {
        let found = self.0.get(&position)?;
        found.seen.is_good_for(state, oldest).then_some(found)
    }

    pub fn remember(&self, position: Position, found: Arc<Sighting>) {
        self.0.insert(position, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Store;
    use crate::othello::{Color, Random};

    fn positions(count: usize) -> Vec<Position> {
        let mut random = Random::new(1);
        let mut all = vec![Position::START];
        while all.len() < count {
            let one = all[random.below(all.len() as u64) as usize];
            let moves: Vec<_> = one.board.legal_moves().into_iter().collect();
            if let Some(&square) = moves.get(random.below(12) as usize) {
                all.extend(one.play(square));
            }
        }
        all
    }

    #[test]
    fn what_is_asked_again_stays_and_memory_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let found = Arc::new(Sighting::now(&store, Position::START));
        let answers = Answers::new();
        for position in positions(2 * REMEMBERED) {
            answers.remember(position, found.clone());
            answers.remember(Position::START, found.clone());
        }
        let get = |position| answers.get(position, store.state(), Duration::ZERO);
        assert!(get(Position::START).is_some());
        // Ours, and one for each that is remembered.
        assert!(Arc::strong_count(&found) <= REMEMBERED + 1);
        let other_turn = Position {
            turn: Color::White,
            ..Position::START
        };
        assert!(get(other_turn).is_none());
    }

    #[test]
    fn an_answer_is_old_when_the_book_changes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let answers = Answers::new();
        answers.remember(
            Position::START,
            Arc::new(Sighting::now(&store, Position::START)),
        );
        let get = |oldest| answers.get(Position::START, store.state(), oldest);
        assert!(get(Duration::ZERO).is_some());
        let mut batch = store.batch().unwrap();
        batch.raise(crate::book::Flag::SweepDue);
        batch.commit().unwrap();
        assert!(get(Duration::from_hours(1)).is_some());
        assert!(get(Duration::ZERO).is_none());
    }
}
