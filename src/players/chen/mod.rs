//! Chen's program (2010): a linear evaluation whose weights are trained for each stage of the game,
//! and the searches of its time compared with each other.
//!
//! - `features`: what is counted, and the weights of 59 stages; `grid`: bitboards and an array;
//! - `search` with `table`: minimax, alpha-beta, NegaScout, MTD(f); `time`: how long;
//! - `descent` and `fit`: gradient descent with line search and early stopping, stage by stage from
//!   the end of the game backwards.
//!
//! It plays as the paper recommends: MTD(f), a table, bitboards. The table has 2^20 positions, the
//! smallest of the paper's sizes. Each file's head names what the paper leaves open.

mod descent;
mod features;
pub mod fit;
mod grid;
mod search;
mod table;
mod time;

use super::meter::Meter;
use super::{Choice, Component, Historic, Thinking};
use crate::othello::{Board, Square};
use crate::search::StopButton;
pub use features::{NotWeights, Weights};
use grid::{Bits, Grid, Squares};
pub use search::{Algorithm, Memory};
use search::{Best, Search, TO_THE_END};
use std::sync::Arc;
use table::Table;

/// How the program searches: what the paper's figures compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub algorithm: Algorithm,
    pub memory: Memory,
    /// The table has two to this power of positions.
    pub table_bits: u32,
    pub bitboards: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            algorithm: Algorithm::MtdF,
            memory: Memory::Both,
            table_bits: 20,
            bitboards: true,
        }
    }
}

/// An iteration and what it cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Iteration {
    pub depth: u32,
    pub value: i32,
    pub nodes: u64,
    /// How many moves there were in its leaves, on average.
    pub moves_in_leaves: f64,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub square: Square,
    /// In hundredths of a disc; none before the first iteration.
    pub value: Option<i32>,
    pub depth: u32,
    pub nodes: u64,
    pub iterations: Vec<Iteration>,
}

/// The program, with its table.
pub struct Chen {
    options: Options,
    weights: Arc<Weights>,
    /// Made when a game begins, or when it is first needed.
    table: Option<Table>,
    /// Nodes a unit of the share: a second, or a node where nodes are limited.
    speed: f64,
}

impl Default for Chen {
    fn default() -> Chen {
        Chen::new(Options::default())
    }
}

impl Chen {
    pub fn new(options: Options) -> Chen {
        Chen::with_weights(options, Arc::new(Weights::shipped().clone()))
    }

    pub fn with_weights(options: Options, weights: Arc<Weights>) -> Chen {
        Chen {
            options,
            weights,
            table: None,
            speed: time::USUAL_SPEED,
        }
    }

    /// Searches a position in which there is a legal move.
    pub fn search(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Found {
        if self.options.bitboards {
            self.search_on::<Bits>(board, thinking, stop)
        } else {
            self.search_on::<Squares>(board, thinking, stop)
        }
    }

    fn search_on<G: Grid>(
        &mut self,
        board: Board,
        thinking: &Thinking,
        stop: &StopButton,
    ) -> Found {
        let share = time::share(thinking, board);
        let mut meter = Meter::new(share.time, share.nodes, stop);
        let root = G::of(board);
        let empties = board.empty_count();
        let mut found = Found {
            square: board.legal_moves().first().unwrap_or(Square::at(0, 0)),
            value: None,
            depth: 0,
            nodes: 0,
            iterations: Vec::new(),
        };
        let speed = match thinking.nodes {
            Some(_) => 1.0,
            None => self.speed,
        };
        let to_the_end = thinking.depth.is_none_or(|depth| depth >= empties)
            && time::reaches_the_end(empties, &share, speed);
        let deepest = thinking
            .depth
            .unwrap_or(TO_THE_END)
            .clamp(1, empties.max(1));
        let bits = self.options.table_bits;
        let table = self.table.get_or_insert_with(|| Table::new(bits));
        let mut depth = 1;
        while depth <= deepest {
            // A few plies for the order of moves, and then all of them at once.
            let plies = if to_the_end && depth > 3 || depth >= empties {
                TO_THE_END
            } else {
                depth
            };
            let (before, nodes_before) = (meter.spent(), meter.nodes());
            let mut search = Search {
                algorithm: self.options.algorithm,
                memory: self.options.memory,
                table: &mut *table,
                weights: &self.weights,
                meter: &mut meter,
                leaves: 0,
                leaf_moves: 0,
            };
            let best = search.best(&root, plies, found.value.unwrap_or(0));
            let moves_in_leaves = search.leaf_moves as f64 / search.leaves.max(1) as f64;
            let Some(Best { square, value }) = best else {
                break;
            };
            found.square = square;
            found.value = Some(value);
            found.depth = plies.min(empties);
            found.iterations.push(Iteration {
                depth: found.depth,
                value,
                nodes: meter.nodes() - nodes_before,
                moves_in_leaves,
            });
            let spent = meter.spent();
            let next = time::predicted(spent - before, moves_in_leaves);
            if plies == TO_THE_END || !to_the_end && spent + next > share.planned {
                break;
            }
            depth += 1;
        }
        found.nodes = meter.nodes();
        if thinking.nodes.is_none() && found.nodes > 1000 {
            self.speed = found.nodes as f64 / meter.spent().max(1e-6);
        }
        found
    }
}

impl Historic for Chen {
    fn name(&self) -> &'static str {
        "chen"
    }

    fn begin_game(&mut self, _seed: u64) {
        // Made here, where no clock runs.
        self.table = Some(Table::new(self.options.table_bits));
        self.speed = time::USUAL_SPEED;
    }

    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice {
        let found = self.search(board, thinking, stop);
        Choice {
            square: found.square,
            value: found.value,
            win_probability: None,
            depth: found.depth,
            nodes: found.nodes,
        }
    }

    fn components(&self, board: Board) -> Vec<Component> {
        let features = Bits::of(board).features().features;
        let weights = self.weights.get(features::stage(board.disc_count()));
        let parts = features::NAMES.into_iter().zip(weights).zip(features.0);
        parts
            .map(|((name, weight), feature)| Component {
                name,
                value: weight * f64::from(feature),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position};

    fn board(line: &str) -> Board {
        MoveList::parse(Position::START, line).unwrap().end.board
    }

    #[test]
    fn every_algorithm_and_both_boards_play_the_same_value() {
        let thinking = Thinking {
            depth: Some(4),
            ..Thinking::default()
        };
        let board = board("f5d6c3d3c4f4f6");
        let value = |options| {
            let mut chen = Chen::new(options);
            let found = chen.search(board, &thinking, &StopButton::new());
            assert_eq!(found.depth, 4);
            found.value
        };
        let expected = value(Options::default());
        for algorithm in [
            Algorithm::Minimax,
            Algorithm::AlphaBeta,
            Algorithm::NegaScout,
        ] {
            for bitboards in [true, false] {
                let options = Options {
                    algorithm,
                    bitboards,
                    ..Options::default()
                };
                assert_eq!(value(options), expected, "{options:?}");
            }
        }
    }

    #[test]
    fn no_iteration_is_begun_that_is_predicted_to_exceed_the_share() {
        let thinking = Thinking {
            nodes: Some(20_000),
            ..Thinking::default()
        };
        let board = board("f5d6c3d3c4f4f6");
        let found = Chen::default().search(board, &thinking, &StopButton::new());
        let last = found.iterations.last().unwrap();
        let next = time::predicted(last.nodes as f64, last.moves_in_leaves);
        assert!(found.nodes as f64 + next > 20_000.0);
        assert!(found.nodes < 20_000, "time is saved for later moves");
    }

    #[test]
    fn games_by_nodes_are_the_same_twice_and_their_ends_are_solved() {
        let game = || {
            let mut chen = Chen::default();
            chen.begin_game(0);
            let thinking = Thinking {
                nodes: Some(3_000),
                ..Thinking::default()
            };
            let mut position = Position::START;
            let mut choices = Vec::new();
            while !position.board.is_over() {
                let choice = chen.choose(position.board, &thinking, &StopButton::new());
                let empties = position.board.empty_count();
                if empties <= 6 {
                    assert_eq!(choice.depth, empties, "searched to the end");
                }
                choices.push((choice.square, choice.value));
                position = position.play(choice.square).unwrap();
            }
            choices
        };
        assert_eq!(game(), game());
    }

    #[test]
    fn the_button_leaves_a_legal_move() {
        let stop = StopButton::new();
        stop.press();
        let board = board("f5d6c3");
        let choice = Chen::default().choose(board, &Thinking::default(), &stop);
        assert!(board.legal_moves().contains(choice.square));
        assert_eq!(choice.value, None);
    }
}
