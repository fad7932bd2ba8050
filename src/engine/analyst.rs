//! This machine's threads as the book's [`Analyst`].
//!
//! An answer depends on the question alone: each is searched by one thread that has forgotten
//! everything before. So neither the order of the questions nor the number of threads can change
//! a book.

use super::correct::correct;
use super::levels::{engine_name, table_bytes, worth_of_level};
use crate::book::{
    Analyst, AnalystError, BestMove, Claim, Finding, Level, MovesQuestion, Question, QuestionId,
    Reply, Value, Window,
};
use crate::othello::Board;
use crate::search::{Bound, Goal, Limits, SearchResult, Searcher, StopButton};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Questions that may wait for each thread: so many that none of them ever waits for the book.
const WAITING_PER_THREAD: usize = 64;

/// Answers with threads of its own, until it is dropped.
pub struct LocalAnalyst {
    exchange: Arc<Exchange>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads and whoever asks have in common.
struct Exchange {
    state: Mutex<State>,
    /// A question has come.
    questions: Condvar,
    /// An answer has come.
    answers: Condvar,
    button: StopButton,
}

#[derive(Default)]
struct State {
    questions: VecDeque<(QuestionId, Question)>,
    replies: VecDeque<Reply>,
    /// Questions that were neither answered nor given up.
    open: usize,
    is_closed: bool,
}

impl LocalAnalyst {
    /// Searches with this many threads, until the button is pressed.
    pub fn new(threads: usize, button: StopButton) -> std::io::Result<LocalAnalyst> {
        let mut analyst = LocalAnalyst {
            exchange: Arc::new(Exchange {
                state: Mutex::default(),
                questions: Condvar::new(),
                answers: Condvar::new(),
                button,
            }),
            threads: Vec::new(),
        };
        for _ in 0..threads.max(1) {
            let exchange = analyst.exchange.clone();
            let thread = std::thread::Builder::new()
                .name("analyst".into())
                .spawn(move || exchange.answer_all())?;
            analyst.threads.push(thread);
        }
        Ok(analyst)
    }
}

impl Drop for LocalAnalyst {
    fn drop(&mut self) {
        let mut state = self.exchange.lock();
        state.is_closed = true;
        state.questions.clear();
        let is_busy = state.open > state.replies.len() && !self.exchange.button.is_pressed();
        drop(state);
        self.exchange.questions.notify_all();
        if is_busy {
            // Searches that nobody waits for end by themselves.
            return;
        }
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread that searches for the book broke");
            }
        }
    }
}

impl Analyst for LocalAnalyst {
    fn engine(&self) -> &str {
        engine_name()
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        worth_of_level(level, board.empty_count())
    }

    fn workers(&self) -> usize {
        self.threads.len()
    }

    fn room(&self) -> usize {
        let most = WAITING_PER_THREAD * self.threads.len();
        most.saturating_sub(self.exchange.lock().open)
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        if self.exchange.button.is_pressed() {
            return Err(AnalystError::Stopped);
        }
        if questions.is_empty() {
            return Ok(());
        }
        let mut state = self.exchange.lock();
        state.open += questions.len();
        state.questions.extend(questions);
        drop(state);
        self.exchange.questions.notify_all();
        Ok(())
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError> {
        let until = Instant::now() + timeout;
        let mut state = self.exchange.lock();
        loop {
            if let Some(reply) = state.replies.pop_front() {
                state.open -= 1;
                return Ok(Some(reply));
            }
            if self.exchange.button.is_pressed() {
                return Err(AnalystError::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let woken = self.exchange.answers.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next question, or none when there will be no more.
    fn next_question(&self) -> Option<(QuestionId, Question)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(question) = state.questions.pop_front() {
                return Some(question);
            }
            let woken = self.questions.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What a thread does.
    fn answer_all(&self) {
        let mut searchers = Searchers::new(self.button.clone());
        while let Some((id, question)) = self.next_question() {
            let answer = catch_unwind(AssertUnwindSafe(|| searchers.answer(&question)));
            let outcome = match answer {
                Ok(Some(finding)) => Ok(finding),
                // Stopped: nobody waits for it.
                Ok(None) => continue,
                Err(_) => {
                    // What broke may have left anything behind.
                    searchers.kept.clear();
                    Err("the search broke; please report the position".to_owned())
                }
            };
            let by = None;
            self.lock().replies.push_back(Reply { id, outcome, by });
            self.answers.notify_one();
        }
    }
}

/// Bytes of the table that a question is searched with.
pub const fn table_bytes_for(question: &Question) -> usize {
    match question {
        Question::Moves(asked) => table_bytes(asked.level),
        Question::Ending(_) => super::correct::TABLE_BYTES,
    }
}

/// What one thread answers with: searchers by the size of their tables.
pub struct Searchers {
    kept: Vec<(usize, Searcher)>,
    button: StopButton,
}

impl Searchers {
    pub fn new(button: StopButton) -> Searchers {
        Searchers {
            kept: Vec::new(),
            button,
        }
    }

    /// None if it was stopped.
    pub fn answer(&mut self, question: &Question) -> Option<Finding> {
        match question {
            Question::Moves(asked) => self.best_move(asked).map(Finding::Moves),
            Question::Ending(asked) => correct(self, asked).map(Finding::Ending),
        }
    }

    /// Gives the tables back; they are made anew when they are needed.
    pub fn let_go(&mut self) {
        self.kept.clear();
    }

    /// A searcher with a table of this size that has forgotten everything.
    pub(super) fn fresh(&mut self, bytes: usize) -> Fresh<'_> {
        let place = match self.kept.iter().position(|(size, _)| *size == bytes) {
            Some(place) => place,
            None => {
                self.kept.push((bytes, Searcher::new(bytes)));
                self.kept.len() - 1
            }
        };
        let searcher = &self.kept[place].1;
        searcher.clear();
        Fresh {
            searcher,
            button: &self.button,
        }
    }

    fn best_move(&mut self, asked: &MovesQuestion) -> Option<BestMove> {
        let board = asked.position.board();
        let mut limits = Limits {
            average: true,
            without: asked.without,
            ..Limits::level(asked.level.into(), board.empty_count())
        };
        let (alpha, beta) = open_ends(asked.window);
        if limits.goal == Goal::Score {
            let (alpha, beta) = (alpha.div_euclid(100), -(-beta).div_euclid(100));
            limits.goal = Goal::Window { alpha, beta };
        } else {
            limits.window = Some((alpha, beta));
        }
        let result = self
            .fresh(table_bytes(asked.level))
            .search(board, &limits)?;
        Some(BestMove {
            square: result.best?,
            value: nearest_value(result.value),
            claim: match result.bound {
                Bound::Exact => Claim::Exactly,
                Bound::AtMost => Claim::AtMost,
                Bound::AtLeast => Claim::AtLeast,
            },
            level: Level {
                solved: result.solved,
                ..worth_of_level(asked.level, board.empty_count())
            },
        })
    }
}

/// A searcher that knows nothing yet.
pub(super) struct Fresh<'a> {
    searcher: &'a Searcher,
    button: &'a StopButton,
}

impl Fresh<'_> {
    /// A search that is not stopped half-way.
    pub(super) fn search(&self, board: Board, limits: &Limits) -> Option<SearchResult> {
        let result = self
            .searcher
            .search_with(board, limits, self.button, &mut |_| {});
        (!self.button.is_pressed()).then_some(result)
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
    use crate::book::{NodeKey, ask_all};
    use crate::games::SampleGames;

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

    fn question(board: Board, level: u8) -> MovesQuestion {
        MovesQuestion::whole(NodeKey::of(board), level)
    }

    /// What the threads say to all of these, in this order.
    fn answers(threads: usize, asked: &[MovesQuestion]) -> Vec<BestMove> {
        let mut analyst = LocalAnalyst::new(threads, StopButton::new()).unwrap();
        let mut found = vec![None; asked.len()];
        let questions = asked.iter().copied().map(Question::Moves);
        let finished = ask_all(&mut analyst, questions, &(), |number, finding| {
            let Finding::Moves(best) = finding else {
                panic!("{finding:?} is no move");
            };
            found[number] = Some(best);
        });
        assert_eq!(finished, Ok(true));
        found.into_iter().map(Option::unwrap).collect()
    }

    fn answer(asked: MovesQuestion) -> BestMove {
        answers(1, &[asked]).remove(0)
    }

    fn value(centidiscs: i32) -> Value {
        Value::new(centidiscs).unwrap()
    }

    #[test]
    fn an_answer_depends_neither_on_earlier_questions_nor_on_threads() {
        let asked: Vec<MovesQuestion> = [40, 30, 14, 12]
            .into_iter()
            .flat_map(|empties| boards(empties, 3))
            .map(|board| question(board, 5))
            .collect();
        let forwards = answers(1, &asked);
        let reversed: Vec<MovesQuestion> = asked.iter().rev().copied().collect();
        let mut backwards = answers(2, &reversed);
        backwards.reverse();
        assert_eq!(forwards, backwards);
        for (one, found) in asked.iter().zip(forwards) {
            let empties = one.position.board().empty_count();
            assert_eq!(found.level, worth_of_level(5, empties));
        }
    }

    #[test]
    fn moves_that_are_left_out_are_not_found() {
        for board in boards(36, 5) {
            let mut asked = question(board, 4);
            let board = asked.position.board();
            let mut last = Value::MAX;
            while asked.without != board.legal_moves() {
                let found = answer(asked);
                assert!(asked.among().contains(found.square));
                // Another best move may rest on another depth's value: only nearly in order.
                assert!(found.value.centidiscs() <= last.centidiscs() + 300);
                last = found.value;
                asked.without = asked.without.with(found.square);
            }
        }
    }

    #[test]
    fn a_window_is_answered_as_the_whole_scale_would_be() {
        for empties in [44, 31, 13, 11] {
            for board in boards(empties, 8) {
                let whole = answer(question(board, 5));
                let at = whole.value.centidiscs();
                let within = |alpha: i32, beta: i32| {
                    let window = Window {
                        alpha: value(alpha.clamp(-6400, 6399)),
                        beta: value(beta.clamp(-6399, 6400)),
                    };
                    answer(MovesQuestion {
                        window,
                        ..question(board, 5)
                    })
                };
                // Selective searches may judge differently through another window, but not by much.
                const NOISE: i32 = 250;
                let below = within(at + NOISE, at + 2000);
                assert_eq!(
                    below.claim,
                    Claim::AtMost,
                    "{board:?}: {below:?} for {whole:?}"
                );
                assert!(below.value.centidiscs() <= at + NOISE);
                let above = within(at - 2000, at - NOISE);
                assert!(above.claim != Claim::AtMost && above.value.centidiscs() >= at - NOISE);
                let inside = within(at - 400, at + 400);
                assert_eq!(inside.claim, Claim::Exactly);
                assert!((inside.value.centidiscs() - at).abs() <= NOISE);
                if whole.level.solved {
                    assert_eq!(inside.value, whole.value);
                }
            }
        }
    }

    #[test]
    fn a_pressed_button_ends_it() {
        let button = StopButton::new();
        let mut analyst = LocalAnalyst::new(1, button.clone()).unwrap();
        button.press();
        let asked = Question::Moves(question(Board::START, 3));
        let id = QuestionId::of(&asked, analyst.engine());
        assert_eq!(analyst.ask(vec![(id, asked)]), Err(AnalystError::Stopped));
        assert_eq!(analyst.next(Duration::ZERO), Err(AnalystError::Stopped));
    }
}
