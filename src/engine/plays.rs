//! Whoever plays: our own player and the programs of the papers alike, so that no protocol and no
//! page knows one from another.

use super::allowance::Allowance;
use super::decision::Decision;
use super::librarian::Librarian;
use super::policy::Policy;
use crate::book::{Answer, Store};
use crate::othello::{Board, Square};
use crate::search::{SearchResult, Selectivity, StopButton};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Chooses moves. May be asked by several threads at the same time.
pub trait Plays: Send + Sync {
    /// As people read it.
    fn title(&self) -> &'static str;

    /// Whom it asks before it thinks, and the policy it plays by.
    fn librarian(&self) -> &Librarian;

    fn librarian_mut(&mut self) -> &mut Librarian;

    /// The game of this number begins: what chance decides follows from it and from the seed of the
    /// policy.
    fn begin_game(&mut self, number: u64);

    /// A move for the player to move.
    fn choose(&self, board: Board, allowance: Allowance, button: &StopButton) -> Decision;

    /// The best moves of a position without the book, as many as are asked for or as it tells
    /// apart, with a report whenever there is something new.
    fn rank(
        &self,
        board: Board,
        count: usize,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&Ranking),
    ) -> Ranking;

    /// The longest a move will take; none where it divides the clock in its own way.
    fn longest(&self, allowance: Allowance) -> Option<Duration>;

    fn policy(&self) -> &Policy {
        &self.librarian().policy
    }

    fn policy_mut(&mut self) -> &mut Policy {
        &mut self.librarian_mut().policy
    }

    fn book(&self) -> Option<&Store> {
        self.librarian().book()
    }

    fn set_book(&mut self, book: Arc<Store>) {
        self.librarian_mut().set_book(book);
    }

    /// What the book says about a position; none without a book.
    fn book_answer(&self, board: Board) -> Option<Answer> {
        self.librarian().book_answer(board)
    }
}

/// The best moves of a position, the best first.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranking {
    pub moves: Vec<Ranked>,
    pub depth: u32,
    /// How sure the cuts of the search were; none where it is not told.
    pub selectivity: Option<Selectivity>,
    pub solved: bool,
    pub nodes: u64,
    pub time: Duration,
}

/// A move, what it is worth and what is expected to follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranked {
    pub square: Square,
    /// In hundredths of a disc, seen by the player to move; none where the player has no such value.
    pub value: Option<i32>,
    /// The move first.
    pub line: Vec<Square>,
}

impl Ranking {
    pub(super) fn of_search(result: &SearchResult) -> Ranking {
        let mut moves: Vec<Ranked> = result
            .moves
            .iter()
            .map(|m| Ranked {
                square: m.square,
                value: Some(m.value),
                line: m.pv.clone(),
            })
            .collect();
        if moves.is_empty() {
            moves.extend(result.best.map(|square| Ranked {
                square,
                value: Some(result.value),
                line: result.pv.clone(),
            }));
        }
        Ranking {
            moves,
            depth: result.depth,
            selectivity: Some(result.selectivity),
            solved: result.solved,
            nodes: result.nodes,
            time: result.time,
        }
    }

    pub fn best(&self) -> Option<&Ranked> {
        self.moves.first()
    }

    /// How deep it looked: `12@82%`, or `6` where the cuts are not told.
    pub fn reach(&self) -> impl fmt::Display {
        match self.selectivity {
            Some(selectivity) => format!("{}@{selectivity}", self.depth),
            None => self.depth.to_string(),
        }
    }
}
