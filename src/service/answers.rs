//! Answers of the book that were given lately. Most requests are for the same few lines, and an
//! answer that is remembered needs no look into the book. It is true of one state of the book:
//! when something is written, all of them are forgotten.

use crate::book::{Answer, State};
use crate::othello::Position;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So that those who ask at the same time seldom wait for each other.
const SHARDS: usize = 16;
/// Answers in each half of a shard: one takes about a kilobyte, all of them a hundred megabytes.
const HALF: usize = 3000;

pub struct Answers {
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

/// What was asked lately, and what was asked before that. When the first half is full, the second
/// is forgotten and they change places: whatever is asked again in time stays.
#[derive(Default)]
struct Shard {
    state: Option<State>,
    recent: HashMap<Position, Arc<Answer>>,
    earlier: HashMap<Position, Arc<Answer>>,
}

impl Answers {
    pub fn new() -> Answers {
        Answers {
            hasher: RandomState::new(),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    fn shard(&self, position: Position) -> MutexGuard<'_, Shard> {
        let place = self.hasher.hash_one(position) as usize % SHARDS;
        let shard = self.shards[place].lock();
        shard.unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer for a position in this state of the book, if it is remembered.
    pub fn get(&self, position: Position, state: State) -> Option<Arc<Answer>> {
        let mut shard = self.shard(position);
        if shard.state != Some(state) {
            return None;
        }
        if let Some(answer) = shard.recent.get(&position) {
            return Some(answer.clone());
        }
        let answer = shard.earlier.remove(&position)?;
        shard.keep(position, answer.clone());
        Some(answer)
    }

    pub fn remember(&self, position: Position, state: State, answer: Arc<Answer>) {
        let mut shard = self.shard(position);
        if shard.state != Some(state) {
            *shard = Shard {
                state: Some(state),
                ..Shard::default()
            };
        }
        shard.keep(position, answer);
    }
}

impl Shard {
    fn keep(&mut self, position: Position, answer: Arc<Answer>) {
        if self.recent.len() >= HALF {
            self.earlier = std::mem::take(&mut self.recent);
        }
        self.recent.insert(position, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Store, Ways, look_up};
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
        let answer = Arc::new(look_up(&store.reader(), Position::START, Ways::LeftOut).unwrap());
        let answers = Answers::new();
        let state = store.state();
        for position in positions(4 * SHARDS * HALF) {
            answers.remember(position, state, answer.clone());
            answers.remember(Position::START, state, answer.clone());
        }
        assert!(answers.get(Position::START, state).is_some());
        // Ours, and one for each that is remembered.
        assert!(Arc::strong_count(&answer) <= 2 * SHARDS * HALF + SHARDS + 1);
        let other_turn = Position {
            turn: Color::White,
            ..Position::START
        };
        assert!(answers.get(other_turn, state).is_none());
    }

    #[test]
    fn an_answer_is_forgotten_when_the_book_changes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let answer = Arc::new(look_up(&store.reader(), Position::START, Ways::LeftOut).unwrap());
        let answers = Answers::new();
        answers.remember(Position::START, store.state(), answer.clone());
        assert!(answers.get(Position::START, store.state()).is_some());
        let mut batch = store.batch().unwrap();
        batch.raise(crate::book::Flag::SweepDue);
        batch.commit().unwrap();
        assert!(answers.get(Position::START, store.state()).is_none());
    }
}
