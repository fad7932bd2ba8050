//! Who knows the book and how to choose from it: the policy of play, and what the book says under
//! it. Every player has one, also those whose moves are not ours.

use super::decision::{Decision, Reason, Valued, Verified};
use super::policy::{Policy, is_proven};
use crate::book::{Answer, Known, Level, MoveAnswer, Store, query};
use crate::othello::{Bitboard, Board, Color, Position};
use crate::search::{SearchResult, pick};
use std::sync::Arc;

/// A policy, and a book where there is one.
pub struct Librarian {
    pub policy: Policy,
    book: Option<Arc<Store>>,
    /// Added to the seed: another game is another game.
    game: u64,
}

impl Librarian {
    pub fn new(policy: Policy) -> Librarian {
        Librarian {
            policy,
            book: None,
            game: 0,
        }
    }

    /// The book may be open for reading only.
    pub fn set_book(&mut self, book: Arc<Store>) {
        self.book = Some(book);
    }

    pub fn book(&self) -> Option<&Store> {
        self.book.as_deref()
    }

    /// The game of this number begins.
    pub fn begin_game(&mut self, number: u64) {
        self.game = number;
    }

    /// What chance follows in this game.
    pub const fn seed(&self) -> u64 {
        self.policy.seed.wrapping_add(self.game)
    }

    /// The move of a line that the policy prescribes here.
    pub(super) fn prescribed(&self, board: Board) -> Option<Decision> {
        let square = self.policy.lines.forced(board)?;
        Some(Decision::because(Reason::Prescribed, Some(square)))
    }

    /// The moves that no line forbids; all of them where every one is forbidden.
    pub(super) fn allowed(&self, board: Board) -> Bitboard {
        let legal = board.legal_moves();
        let allowed: Bitboard = legal
            .into_iter()
            .filter(|&square| !self.policy.lines.forbids(board, square))
            .collect();
        if allowed.is_empty() { legal } else { allowed }
    }

    /// What the book says about a position; none without a book. A book that cannot be read costs
    /// strength, not the game.
    pub fn book_answer(&self, board: Board) -> Option<Answer> {
        let position = Position {
            board,
            turn: Color::Black,
        };
        match query(&self.book()?.reader(), position) {
            Ok(answer) => Some(answer),
            Err(error) => {
                tracing::warn!(%error, "playing on without the book");
                None
            }
        }
    }

    /// The book moves worth playing; none when the book has no answer.
    pub(super) fn consult(&self, board: Board, allowed: Bitboard) -> Option<Consulted> {
        let answer = self.book_answer(board)?;
        let trusted = |m: &&MoveAnswer| {
            allowed.contains(m.square)
                && (m.known == Known::Ends || self.policy.confidence.trusts(m))
        };
        let mut moves: Vec<BookMove> = answer
            .moves
            .iter()
            .filter(trusted)
            .filter_map(BookMove::of)
            .collect();
        let unknown: Bitboard = answer
            .moves
            .iter()
            .filter(|m| m.known == Known::Nothing && allowed.contains(m.square))
            .map(|m| m.square)
            .collect();
        let searched = answer.node.is_some_and(|node| node.alternative.is_some());
        // A book with nothing but the end of the game has no answer.
        let has_answer = moves.iter().any(|m| m.known != Known::Ends);
        if !has_answer {
            return None;
        }
        moves.sort_by_key(|m| {
            let weighed = self.policy.draws.weighed(m.valued.value, m.proven);
            (std::cmp::Reverse(weighed), m.valued.square)
        });
        let values: Vec<i32> = moves
            .iter()
            .map(|m| self.policy.draws.weighed(m.valued.value, m.proven))
            .collect();
        let slack = self.slack().max(self.policy.book_randomness);
        let chosen = pick(board, &values, slack, self.seed());
        Some(Consulted {
            moves,
            chosen,
            unknown: if searched { Bitboard::EMPTY } else { unknown },
        })
    }

    /// Which of these values, the best first, is played: the first, or by the seed one that is
    /// not much worse, the likelier the better it is.
    pub(super) fn pick(&self, board: Board, values: &[i32]) -> usize {
        pick(board, values, self.slack(), self.seed())
    }

    pub(super) fn slack(&self) -> i32 {
        self.policy
            .randomness
            .max(self.policy.strength.slack)
            .max(0)
    }
}

/// What came of asking the book.
pub(super) struct Consulted {
    /// The best first, as the policy sees it; at least one.
    pub moves: Vec<BookMove>,
    chosen: usize,
    /// Moves that neither the book nor a search it remembers knows.
    pub unknown: Bitboard,
}

#[derive(Clone, Copy)]
pub(super) struct BookMove {
    pub valued: Valued,
    known: Known,
    proven: bool,
    level: Option<Level>,
    games: u32,
}

impl BookMove {
    /// None where the book has the move but no value.
    fn of(answer: &MoveAnswer) -> Option<BookMove> {
        Some(BookMove {
            valued: Valued {
                square: answer.square,
                value: answer.value?.centidiscs(),
            },
            known: answer.known,
            proven: is_proven(answer.bounds),
            level: answer.level,
            games: answer.statistics.map_or(0, |statistics| statistics.games),
        })
    }
}

impl Consulted {
    pub fn best(&self) -> Valued {
        self.moves[0].valued
    }

    pub fn decision(mut self, verified: Verified, search: Option<SearchResult>) -> Decision {
        let chosen = self.moves.remove(self.chosen);
        Decision {
            value: Some(chosen.valued.value),
            others: self.moves.iter().map(|m| m.valued).collect(),
            search,
            ..Decision::because(
                Reason::Book {
                    level: chosen.level,
                    games: chosen.games,
                    verified,
                },
                Some(chosen.valued.square),
            )
        }
    }
}
