//! How many questions travel together: as many as take about a twentieth of a second, so that short
//! questions are not all journey, and long ones do not wait for each other.

use super::wire::MOST_QUESTIONS;
use crate::book::Question;
use std::collections::HashMap;

/// What a parcel should take one thread, in seconds.
const PARCEL: f64 = 0.05;
/// How much the newest parcel changes what is thought of a level.
const NEWS: f64 = 0.2;
/// Parcels that each thread may have waiting, besides the one it works on.
const WAITING: usize = 2;
/// Questions that wait for the first worker.
const FOR_THE_FIRST: usize = MOST_QUESTIONS;

/// What questions take, by level.
#[derive(Default)]
pub struct Packing {
    seconds: HashMap<u8, f64>,
    /// Questions of the parcels that were sent last.
    size: usize,
}

/// Endings are a kind of their own.
const ENDINGS: u8 = u8::MAX;

fn kind(question: &Question) -> u8 {
    match question {
        Question::Moves(asked) => asked.level,
        Question::Ending(_) => ENDINGS,
    }
}

impl Packing {
    /// What a question takes one thread, in seconds.
    pub fn expected(&self, question: &Question) -> f64 {
        self.seconds(kind(question))
    }

    /// What a question takes, as far as is known.
    fn seconds(&self, kind: u8) -> f64 {
        self.seconds.get(&kind).copied().unwrap_or(match kind {
            ENDINGS => 0.05,
            // A level more takes about half as long again.
            level => 0.000_1 * 1.55f64.powi(level.into()),
        })
    }

    /// Some questions took so long.
    pub fn learn(&mut self, question: &Question, count: usize, seconds: f64) {
        if count == 0 || !seconds.is_finite() {
            return;
        }
        let kind = kind(question);
        let before = self.seconds(kind);
        let now = (seconds / count as f64).clamp(1e-6, 1e6);
        self.seconds.insert(kind, before + NEWS * (now - before));
    }

    /// The questions in parcels of one kind each, for so many threads.
    pub fn pack(&mut self, mut questions: Vec<Question>, threads: usize) -> Vec<Vec<Question>> {
        questions.sort_by_key(kind);
        let mut parcels: Vec<Vec<Question>> = Vec::new();
        for alike in questions.chunk_by(|one, other| kind(one) == kind(other)) {
            let fitting = (PARCEL / self.expected(&alike[0])) as usize;
            self.size = fitting.clamp(1, MOST_QUESTIONS);
            // Not more than each thread's share: nobody should wait while others have plenty.
            let share = alike.len().div_ceil(threads.max(1));
            let parts = alike.chunks(self.size.min(share));
            parcels.extend(parts.map(<[Question]>::to_vec));
        }
        parcels
    }

    /// How many questions may be on their way for so many threads.
    pub fn limit(&self, threads: usize) -> usize {
        match threads {
            0 => FOR_THE_FIRST,
            threads => threads * (1 + WAITING) * self.size.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{MovesQuestion, NodeKey};
    use crate::othello::Board;

    fn questions(level: u8, count: usize) -> Vec<Question> {
        let question = MovesQuestion::whole(NodeKey::of(Board::START), level);
        vec![Question::Moves(question); count]
    }

    fn sizes(parcels: &[Vec<Question>]) -> Vec<usize> {
        parcels.iter().map(Vec::len).collect()
    }

    #[test]
    fn short_questions_travel_together_and_long_ones_alone() {
        let mut packing = Packing::default();
        let short = packing.pack(questions(1, 1000), 2);
        assert_eq!(sizes(&short), [256, 256, 256, 232]);
        let long = packing.pack(questions(24, 5), 2);
        assert_eq!(sizes(&long), [1; 5]);
        assert_eq!(packing.limit(2), 6);
    }

    #[test]
    fn what_was_measured_counts_more_than_what_was_thought() {
        let mut packing = Packing::default();
        for _ in 0..100 {
            packing.learn(&questions(1, 1)[0], 10, 0.2);
        }
        let parcels = packing.pack(questions(1, 12), 1);
        assert_eq!(sizes(&parcels), [2; 6]);
        packing.learn(&questions(1, 1)[0], 0, 1.0);
        packing.learn(&questions(1, 1)[0], 1, f64::NAN);
    }

    #[test]
    fn every_thread_gets_its_share() {
        let mut packing = Packing::default();
        let parcels = packing.pack(questions(1, 8), 4);
        assert_eq!(sizes(&parcels), [2; 4]);
        assert!(packing.pack(Vec::new(), 4).is_empty());
        let mixed = [questions(1, 3), questions(24, 2), questions(1, 1)].concat();
        assert_eq!(sizes(&packing.pack(mixed, 1)), [4, 1, 1]);
    }
}
