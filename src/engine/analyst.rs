//! This machine's threads as the book's [`Analyst`].
//!
//! An answer depends on the question alone: each is searched by one thread that has forgotten
//! everything before. So neither the order of the questions nor the number of threads that ask
//! can change a book.

use super::strength::Strength;
use crate::book::{Analyst, Finding, Level, Question, Value, Window};
use crate::othello::Board;
use crate::search::{Bound, Goal, Limits, SearchResult, Searcher, StopButton};
use std::sync::Mutex;

/// Answers with one search thread for each thread that asks.
pub struct LocalAnalyst {
    /// Those that nobody is using, with the size of their tables.
    idle: Mutex<Vec<(usize, Searcher)>>,
    button: StopButton,
}

impl LocalAnalyst {
    /// Searches until the button is pressed.
    pub fn new(button: StopButton) -> LocalAnalyst {
        LocalAnalyst {
            idle: Mutex::new(Vec::new()),
            button,
        }
    }

    /// Lends a searcher with a table of this size; the last loan's findings are forgotten.
    pub(super) fn with_searcher<R>(&self, bytes: usize, ask: impl FnOnce(&Searcher) -> R) -> R {
        let found = self.idle.lock().ok().and_then(|mut idle| {
            let place = idle.iter().position(|(size, _)| *size == bytes)?;
            Some(idle.swap_remove(place).1)
        });
        let searcher = found.unwrap_or_else(|| Searcher::new(bytes));
        searcher.clear();
        let answer = ask(&searcher);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push((bytes, searcher));
        }
        answer
    }

    /// A search that is not stopped half-way.
    pub(super) fn search(
        &self,
        searcher: &Searcher,
        board: Board,
        limits: &Limits,
    ) -> Option<SearchResult> {
        let result = searcher.search_with(board, limits, &self.button, &mut |_| {});
        (!self.button.is_pressed()).then_some(result)
    }
}

impl Analyst for LocalAnalyst {
    fn answer(&self, question: &Question) -> Option<Finding> {
        let strength = Strength::of_level(question.level);
        let mut limits = strength.limits(question.board.empty_count());
        limits.without = question.without;
        let (alpha, beta) = open_ends(question.window);
        if limits.goal == Goal::Score {
            let (alpha, beta) = (alpha.div_euclid(100), -(-beta).div_euclid(100));
            limits.goal = Goal::Window { alpha, beta };
        } else {
            limits.window = Some((alpha, beta));
        }
        let result = self.with_searcher(strength.table_bytes(), |searcher| {
            self.search(searcher, question.board, &limits)
        })?;
        Some(Finding {
            best: result.best?,
            value: nearest_value(result.value),
            fails_low: result.bound == Bound::AtMost,
            level: Level {
                solved: result.solved,
                ..strength.level(question.board.empty_count())
            },
        })
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        Strength::of_level(level).level(board.empty_count())
    }
}

/// The window in centi-discs. The ends of the scale are values that can be reached, so a window
/// up to them lies a little beyond.
fn open_ends(window: Window) -> (i32, i32) {
    let alpha = match window.alpha {
        Value::MIN => -6500,
        alpha => alpha.centidiscs(),
    };
    let beta = match window.beta {
        Value::MAX => 6500,
        beta => beta.centidiscs(),
    };
    (alpha, beta)
}

/// An evaluation may promise more than all discs.
fn nearest_value(centidiscs: i32) -> Value {
    let limit = Value::MAX.centidiscs();
    Value::new(centidiscs.clamp(-limit, limit)).unwrap_or(Value::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;
    use crate::othello::Bitboard;

    /// Positions of games with a legal move and this many empty squares.
    fn boards(empties: u32, count: usize) -> Vec<Board> {
        let mut boards = Vec::new();
        for game in SampleGames::new(u64::from(empties)) {
            game.for_each_board(|board| {
                if board.empty_count() == empties && !board.legal_moves().is_empty() {
                    boards.push(board);
                }
            });
            if boards.len() >= count {
                break;
            }
        }
        boards
    }

    fn question(board: Board, level: u8) -> Question {
        Question {
            board,
            without: Bitboard::EMPTY,
            window: Window::FULL,
            level,
        }
    }

    fn value(centidiscs: i32) -> Value {
        Value::new(centidiscs).unwrap()
    }

    #[test]
    fn an_answer_does_not_depend_on_earlier_questions() {
        let analyst = LocalAnalyst::new(StopButton::new());
        let asked: Vec<Question> = [40, 30, 14, 12]
            .into_iter()
            .flat_map(|empties| boards(empties, 3))
            .map(|board| question(board, 5))
            .collect();
        let forwards: Vec<_> = asked.iter().map(|one| analyst.answer(one)).collect();
        let mut backwards: Vec<_> = asked.iter().rev().map(|one| analyst.answer(one)).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
        for (one, found) in asked.iter().zip(forwards) {
            assert_eq!(found.unwrap().level, analyst.promises(one.board, 5));
        }
    }

    #[test]
    fn moves_that_are_left_out_are_not_found() {
        let analyst = LocalAnalyst::new(StopButton::new());
        for board in boards(36, 5) {
            let mut asked = question(board, 4);
            let mut last = Value::MAX;
            while asked.without != board.legal_moves() {
                let found = analyst.answer(&asked).unwrap();
                assert!(board.legal_moves().contains(found.best));
                assert!(!asked.without.contains(found.best));
                // Another best move may rest on another depth's value: only nearly in order.
                assert!(found.value.centidiscs() <= last.centidiscs() + 300);
                last = found.value;
                asked.without = asked.without.with(found.best);
            }
        }
    }

    #[test]
    fn a_window_is_answered_as_the_whole_scale_would_be() {
        let analyst = LocalAnalyst::new(StopButton::new());
        for empties in [44, 31, 13, 11] {
            for board in boards(empties, 8) {
                let whole = analyst.answer(&question(board, 5)).unwrap();
                let at = whole.value.centidiscs();
                let within = |alpha: i32, beta: i32| {
                    let window = Window {
                        alpha: value(alpha.clamp(-6400, 6399)),
                        beta: value(beta.clamp(-6399, 6400)),
                    };
                    let asked = Question {
                        window,
                        ..question(board, 5)
                    };
                    analyst.answer(&asked).unwrap()
                };
                // Selective searches may judge differently through another window, but not by much.
                const NOISE: i32 = 250;
                let below = within(at + NOISE, at + 2000);
                assert!(below.fails_low, "{board:?}: {below:?} for {whole:?}");
                assert!(below.value.centidiscs() <= at + NOISE);
                let above = within(at - 2000, at - NOISE);
                assert!(!above.fails_low && above.value.centidiscs() >= at - NOISE);
                let inside = within(at - 400, at + 400);
                assert!(!inside.fails_low);
                assert!((inside.value.centidiscs() - at).abs() <= NOISE);
                if whole.level.solved {
                    assert_eq!(inside.value, whole.value);
                }
            }
        }
    }

    #[test]
    fn a_pressed_button_gives_no_answer() {
        let button = StopButton::new();
        let analyst = LocalAnalyst::new(button.clone());
        button.press();
        assert_eq!(analyst.answer(&question(Board::START, 3)), None);
    }
}
