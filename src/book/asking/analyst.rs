//! The one door between the book and whoever searches for it: this machine's threads, workers
//! elsewhere, or a table in a test. The book asks, an [`Analyst`] answers, and the answer alone
//! goes into the book, so asking twice changes nothing.

use crate::book::node::{Level, Value};
use crate::othello::{Bitboard, Board, Square};

/// What the book wants to know of a position with a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// In any orientation; the answer's move is in the same one.
    pub board: Board,
    /// Moves to leave out because the book answers for them; not all of the legal ones.
    pub without: Bitboard,
    pub window: Window,
    /// How hard to look: 0 does not search. What a level means is the analyst's business; a
    /// higher one looks at least as hard.
    pub level: u8,
}

/// Only values strictly between the two need to be found out; beyond them a bound will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const FULL: Window = Window {
        alpha: Value::MIN,
        beta: Value::MAX,
    };
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The best of the moves that were asked about.
    pub best: Square,
    pub value: Value,
    /// The value is at most α and the moves are worth no more than it.
    pub fails_low: bool,
    pub level: Level,
}

/// Answers the book's questions. Several threads ask at the same time.
pub trait Analyst: Sync {
    /// None if the search was stopped before it had an answer.
    fn answer(&self, question: &Question) -> Option<Finding>;

    /// The level of the answer that a question of this level about this board would get: whether
    /// what the book has is as good can be told without searching.
    fn promises(&self, board: Board, level: u8) -> Level;
}
