//! KEYANO, by Mark Brockington: "Keyano Unplugged – The Construction of an Othello Program" (1997).
//!
//! Its evaluation counts `directions` in which discs can be turned, regions that a player has lost
//! to `parity`, and `patterns` whose rare configurations a `classifier` helps to value by
//! `smoothing`; a `regression` weighs them for each stage (`fit`). It looks ahead by NegaScout
//! (`search`) over a `table`, with several `probcut`s, and leaves the last squares to a `solver`.
//!
//! A value is the average of those of the last two depths, as odd and even ones lean to opposite
//! sides; the paper does so for its book, here every choice reports it. The paper's book is
//! Delteil's method on games of its own; here KEYANO plays with the house's book where it is given
//! one, which is not its own business. The paper says nothing about time: KEYANO has BILL's rules.
//! A limit of depth is one of the middle game; endings are to the end by their nature. Nothing is
//! random: seeds change nothing. The parallel search of section 2.3 is not here.

mod classifier;
mod directions;
mod endgame;
mod evaluation;
pub mod fit;
mod parity;
mod patterns;
mod probcut;
mod regression;
mod search;
mod smoothing;
mod solver;
mod table;
mod tables;

pub use probcut::Pruning;
pub use search::Counters;
pub use tables::Taught;

use super::bill::timing::Budget;
use super::ending::Ending;
use super::{Choice, Historic, Thinking};
use crate::othello::{Board, Square};
use crate::search::StopButton;
use evaluation::Evaluation;
use probcut::Differences;
use search::{Node, Ordering, Search};
use std::sync::Arc;
use table::{Table, USUAL_BITS};

/// The end of the game is searched for once iterations have put moves in order this deep.
const ORDERED_BY: u32 = 5;

/// What can be switched on and off to see what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub pruning: Pruning,
    /// Whether lost regions count.
    pub parity: bool,
    /// Whether values are the averages of odd and even depths.
    pub average: bool,
    /// The table has two to this power of entries.
    pub table_bits: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            pruning: Pruning::Multi,
            parity: true,
            average: true,
            table_bits: USUAL_BITS,
        }
    }
}

/// The player.
pub struct Keyano {
    options: Options,
    evaluation: Arc<Evaluation>,
    differences: Differences,
    table: Table,
    ordering: Ordering,
    counters: Counters,
}

impl Keyano {
    pub fn new(options: Options) -> Keyano {
        Keyano {
            options,
            evaluation: Taught::evaluation(),
            differences: Taught::builtin().differences,
            table: Table::new(options.table_bits),
            ordering: Ordering::new(),
            counters: Counters::default(),
        }
    }

    /// How well moves were ordered since the game began.
    pub fn counters(&self) -> Counters {
        self.counters
    }
}

/// What the deepening found.
#[derive(Clone, Copy)]
struct Found {
    square: Square,
    /// Of the last depth and of the one before it.
    values: [Option<i32>; 2],
    depth: u32,
}

impl Found {
    fn value(&self, average: bool) -> Option<i32> {
        match self.values {
            [Some(last), Some(before)] if average => Some((last + before) / 2),
            [last, _] => last,
        }
    }
}

impl Historic for Keyano {
    fn name(&self) -> &'static str {
        "keyano"
    }

    fn begin_game(&mut self, _seed: u64) {
        self.table.clear();
        self.ordering = Ordering::new();
        self.counters = Counters::default();
    }

    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice {
        let empties = board.empty_count();
        let root = Node::root(board);
        let mut search = Search {
            evaluation: &self.evaluation,
            differences: &self.differences,
            pruning: self.options.pruning,
            parity: self.options.parity,
            table: &mut self.table,
            ordering: &mut self.ordering,
            budget: Budget::new(thinking, empties, stop),
            nodes: 0,
            counters: self.counters,
        };
        let mut moves = search.root_moves(&root);
        let mut found = Found {
            // The caller has a legal move; where there is none, any square is as wrong.
            square: moves.first().copied().unwrap_or(Square::at(0, 0)),
            values: [None, None],
            depth: 0,
        };
        let mut last_two_disagree = true;
        let mut ending = None;
        while search
            .budget
            .goes_on(search.nodes, found.depth, last_two_disagree)
        {
            let depth = found.depth + 1;
            let mut best = None;
            let is_whole = search.iterate(&root, &mut moves, depth, |square, value| {
                best = Some((square, value));
            });
            // The best move of the depth before comes first: what an unfinished iteration found is
            // at least as good, if it found anything.
            if let Some((square, value)) = best {
                last_two_disagree = square != found.square;
                found = Found {
                    square,
                    values: [Some(value), found.values[0]],
                    depth,
                };
            }
            if !is_whole {
                break;
            }
            search.ordering.sort();
            let limit = search.budget.depth.unwrap_or(ORDERED_BY);
            if depth >= ORDERED_BY.min(limit).min(empties) {
                ending = search.ending(&root, &mut moves);
                if ending.is_some() {
                    break;
                }
            }
            let is_forced = moves.len() == 1 && search.budget.is_of_clock();
            if depth >= empties || is_forced {
                break;
            }
        }
        let (nodes, counters) = (search.nodes, search.counters);
        self.counters = counters;
        let value = found.value(self.options.average);
        let (square, value, depth) = match ending {
            Some(Ending::Exact(square, discs)) => (square, Some(100 * discs), empties),
            // A win is worth two discs at least; more is known only of what was evaluated.
            Some(Ending::Outcome(square, sign)) => {
                let value = value.unwrap_or(0);
                let at_least = if sign > 0 { value.max(200) } else { 0 };
                (square, Some(at_least), empties)
            }
            // Where all moves lose, the one that looked best may still be hard to refute.
            Some(Ending::Lost) => (found.square, value.map(|value| value.min(-200)), empties),
            None => (found.square, value, found.depth),
        };
        Choice {
            square,
            value,
            win_probability: None,
            depth,
            nodes,
        }
    }
}

impl Search<'_> {
    /// The legal moves, the likely best first.
    fn root_moves(&self, root: &Node) -> Vec<Square> {
        let legal = root.board.legal_moves();
        let known = self.table.get(root.board).and_then(|known| known.best);
        let squares = self.ordering.squares(root, known);
        squares.filter(|square| legal.contains(*square)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::trials::boards;
    use std::time::Duration;

    fn depth(plies: u32) -> Thinking {
        Thinking {
            depth: Some(plies),
            ..Thinking::default()
        }
    }

    fn small() -> Options {
        Options {
            table_bits: 12,
            ..Options::default()
        }
    }

    #[test]
    fn every_choice_is_legal_whatever_little_it_may_cost() {
        let nothing = Thinking {
            nodes: Some(1),
            ..Thinking::default()
        };
        let late = Thinking {
            remaining: Some(Duration::from_millis(1)),
            ..Thinking::default()
        };
        let mut keyano = Keyano::new(small());
        for board in boards(13, 4..64, 40) {
            for thinking in [depth(1), depth(3), nothing, late] {
                let choice = keyano.choose(board, &thinking, &StopButton::new());
                assert!(board.legal_moves().contains(choice.square));
            }
        }
    }

    #[test]
    fn the_same_nodes_give_the_same_moves() {
        let thinking = Thinking {
            nodes: Some(5_000),
            ..Thinking::default()
        };
        for board in boards(13, 10..60, 12) {
            let choices = [(); 2].map(|()| {
                let mut keyano = Keyano::new(small());
                keyano.begin_game(1);
                keyano.choose(board, &thinking, &StopButton::new())
            });
            assert_eq!(choices[0], choices[1]);
        }
    }

    #[test]
    fn the_value_is_the_average_of_the_last_two_depths() {
        let board = boards(13, 20..21, 1)[0];
        let value = |plies, average| {
            let options = Options { average, ..small() };
            let choice = Keyano::new(options).choose(board, &depth(plies), &StopButton::new());
            choice.value.unwrap()
        };
        let (odd, even) = (value(5, false), value(6, false));
        assert_eq!(value(6, true), (odd + even) / 2);
    }

    #[test]
    fn the_end_of_the_game_is_exact() {
        let stop = StopButton::new();
        for board in boards(13, 52..56, 5) {
            let choice = Keyano::new(small()).choose(board, &depth(3), &stop);
            let truth = solver::solve(board, -64, 64, &mut 0);
            assert_eq!(choice.value, Some(100 * truth));
            let after = board.play(choice.square).unwrap();
            assert_eq!(-solver::solve(after, -64, 64, &mut 0), truth);
        }
    }

    #[test]
    fn a_pressed_button_ends_the_search_at_once() {
        let stop = StopButton::new();
        stop.press();
        let board = boards(13, 20..30, 1)[0];
        let choice = Keyano::new(small()).choose(board, &Thinking::default(), &stop);
        assert!(board.legal_moves().contains(choice.square));
        assert!(choice.nodes < 10_000);
    }
}
