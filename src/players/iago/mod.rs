//! IAGO (Rosenbloom, 1981), the first program of world-championship level: edge tables, stability
//! and mobility in one evaluation, and an alpha-beta search that learns its order of moves.
//!
//! - `edge` and `edge_table`: one edge, its stable discs, and what it is worth;
//! - `edges`: the four edges with corners and X-squares; `internal`: stability off the edges;
//! - `mobility`: current and potential; `evaluation`: the coefficients;
//! - `search` with `killers`: the saved top plies and the response killers;
//! - `endgame`: which iteration comes next; `time`: what a move may use.
//!
//! The opening is played like the middle game, with the coefficients of its move numbers and without
//! a book (4.4.3); nothing is random. Each file's head names what the paper leaves open and how it is
//! filled here. Beyond the paper, a move without an alternative is played at once.

mod edge;
mod edge_table;
mod edges;
mod endgame;
mod evaluation;
mod internal;
mod killers;
mod mobility;
mod search;
mod time;

use super::meter::Meter;
use super::{Choice, Component, Historic, Thinking};
use crate::othello::{Board, Square};
use crate::search::StopButton;
pub use evaluation::Components;
use evaluation::move_number;
use killers::Killers;
pub use killers::Ordering;
pub use search::{Best, Goal};
use search::{Saved, Search};
use std::time::Duration;
use time::{Forecast, OVERRUN, allocate};

/// How many first-ply nodes another iteration must have time for.
const WORTH_BEGINNING: usize = 3;

/// How the search orders moves: the two factors of table 4-1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub ordering: Ordering,
    /// Plies from the root whose order is kept between iterations.
    pub saved_plies: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ordering: Ordering::Response,
            saved_plies: 3,
        }
    }
}

/// An iteration of a search and what it cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    pub goal: Goal,
    /// Positions that were valued.
    pub terminals: u64,
    pub nodes: u64,
    /// Every first-ply node was searched.
    pub finished: bool,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The value is in IAGO's own units, in discs, or an outcome, as the last iteration's goal was.
    pub best: Best,
    /// What the value is of.
    pub goal: Goal,
    pub iterations: Vec<Iteration>,
    pub nodes: u64,
}

impl Found {
    /// The depth of the last finished iteration; to the end of the game where that was searched.
    fn depth(&self, board: Board) -> u32 {
        match self.goal {
            Goal::Depth(plies) => plies,
            Goal::Discs | Goal::Outcome => board.empty_count(),
        }
    }
}

/// The program, with what it remembers during a game.
pub struct Iago {
    options: Options,
    killers: Killers,
    /// What the clock showed at the first move of the game.
    at_start: Option<Duration>,
}

impl Default for Iago {
    fn default() -> Iago {
        Iago::new(Options::default())
    }
}

impl Iago {
    pub fn new(options: Options) -> Iago {
        Iago {
            options,
            killers: Killers::new(options.ordering),
            at_start: None,
        }
    }

    /// The components of the evaluation with their weights, without a search.
    pub fn evaluation(board: Board) -> Components {
        Components::of(board)
    }

    /// Searches a position in which there is a legal move, ply by ply, as far as time allows.
    pub fn search(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Found {
        self.killers.halve();
        let number = move_number(board);
        if thinking.remaining.is_some() && self.at_start.is_none() {
            self.at_start = thinking.remaining;
        }
        let allocation = allocate(thinking, self.at_start, number);
        let planned = allocation.planned;
        let mut meter = Meter::new(allocation.time, allocation.nodes, stop);
        let mut forecast = Forecast::default();
        let mut saved = Saved::default();
        let first_legal = board.legal_moves().first().unwrap_or(Square::at(0, 0));
        let mut found = Found {
            best: Best {
                square: first_legal,
                value: 0,
            },
            goal: Goal::Depth(0),
            iterations: Vec::new(),
            nodes: 0,
        };
        let mut done = 0;
        let empties = board.empty_count();
        while let Some(goal) = endgame::next_goal(
            done,
            empties,
            allocation.depth,
            &forecast,
            meter.spent(),
            planned,
        ) {
            let (before, nodes_before) = (meter.spent(), meter.nodes());
            let mut first_nodes = 0.0;
            let mut search = Search {
                killers: &mut self.killers,
                saved_plies: self.options.saved_plies,
                meter: &mut meter,
                goal,
                terminals: 0,
            };
            let (best, finished) = search.iterate(board, &mut saved, |meter, nodes| {
                let spent = meter.spent();
                if nodes <= WORTH_BEGINNING {
                    first_nodes = spent - before;
                }
                let one_more = (spent - before) / nodes as f64;
                done == 0 || spent + one_more <= OVERRUN * planned
            });
            let terminals = search.terminals;
            found.iterations.push(Iteration {
                goal,
                terminals,
                nodes: meter.nodes() - nodes_before,
                finished,
            });
            // The best move of the last iteration was searched first, so what an iteration has is
            // good even where it was not finished; but not where nothing is kept in order.
            if let Some(best) = best
                && (finished || self.options.saved_plies > 0)
            {
                found.best = best;
                if finished {
                    found.goal = goal;
                }
            }
            let Goal::Depth(plies) = goal else { break };
            if !finished || meter.is_over() || plies >= empties {
                break;
            }
            done = plies;
            let cost = meter.spent() - before;
            forecast.observe(cost, if first_nodes > 0.0 { first_nodes } else { cost });
        }
        found.nodes = meter.nodes();
        found
    }
}

impl Historic for Iago {
    fn name(&self) -> &'static str {
        "iago"
    }

    fn begin_game(&mut self, _seed: u64) {
        *self = Iago::new(self.options);
    }

    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice {
        let moves = board.legal_moves();
        if let Some(square) = moves.first()
            && moves.count() == 1
        {
            return Choice {
                square,
                value: None,
                win_probability: None,
                depth: 0,
                nodes: 0,
            };
        }
        let found = self.search(board, thinking, stop);
        Choice {
            square: found.best.square,
            value: (found.goal == Goal::Discs).then_some(100 * found.best.value),
            win_probability: None,
            depth: found.depth(board),
            nodes: found.nodes,
        }
    }

    fn components(&self, board: Board) -> Vec<Component> {
        let parts = Components::of(board);
        [
            ("edge stability", parts.edge_stability),
            ("internal stability", parts.internal_stability),
            ("current mobility", parts.current_mobility),
            ("potential mobility", parts.potential_mobility),
        ]
        .map(|(name, value)| Component {
            name,
            value: f64::from(value),
        })
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position};

    fn board(line: &str) -> Board {
        MoveList::parse(Position::START, line).unwrap().end.board
    }

    fn nodes(nodes: u64) -> Thinking {
        Thinking {
            nodes: Some(nodes),
            ..Thinking::default()
        }
    }

    #[test]
    fn a_search_goes_ply_by_ply_to_the_depth_asked_for() {
        let thinking = Thinking {
            depth: Some(4),
            ..Thinking::default()
        };
        let board = board("f5d6c3d3c4f4f6");
        let found = Iago::default().search(board, &thinking, &StopButton::new());
        let goals: Vec<Goal> = found.iterations.iter().map(|i| i.goal).collect();
        assert_eq!(goals, [1, 2, 3, 4].map(Goal::Depth));
        assert!(
            found
                .iterations
                .iter()
                .all(|i| i.finished && i.terminals > 0)
        );
    }

    #[test]
    fn with_a_node_limit_the_same_game_is_played_twice_and_its_end_is_solved() {
        let game = || {
            let mut players = [Iago::default(), Iago::default()];
            let mut position = Position::START;
            let mut moves = Vec::new();
            let mut last_value = None;
            while !position.board.is_over() {
                let player = &mut players[position.turn as usize];
                let choice = player.choose(position.board, &nodes(3_000), &StopButton::new());
                assert!(choice.nodes <= 3_000);
                moves.push(choice.square);
                last_value = choice.value.or(last_value);
                position = position.play(choice.square).unwrap();
            }
            (moves, last_value)
        };
        let first = game();
        assert_eq!(first, game());
        assert!(first.1.is_some(), "some position was solved by discs");
    }

    #[test]
    fn the_button_leaves_a_legal_move() {
        let stop = StopButton::new();
        stop.press();
        let board = board("f5d6c3");
        let choice = Iago::default().choose(board, &Thinking::default(), &stop);
        assert!(board.legal_moves().contains(choice.square));
    }

    #[test]
    fn killers_last_for_the_game_and_no_longer() {
        let board = board("f5d6c3d3c4f4f6f3e6e7");
        let thinking = Thinking {
            depth: Some(5),
            ..Thinking::default()
        };
        let mut iago = Iago::default();
        let stop = StopButton::new();
        let fresh = iago.search(board, &thinking, &stop).nodes;
        let second = iago.search(board, &thinking, &stop).nodes;
        assert_ne!(fresh, second, "what was learned is used");
        iago.begin_game(3);
        assert_eq!(iago.search(board, &thinking, &stop).nodes, fresh);
    }

    #[test]
    fn a_lost_edge_is_seen_in_the_components() {
        // Black has just given the corner away with b2.
        let board = board("f5f6e6d6c5e3d3c4c3b3b2");
        assert!(Iago::evaluation(board).edge_stability > 0);
        let taken = board.play("a1".parse().unwrap()).unwrap();
        assert!(Iago::evaluation(taken).edge_stability < 0);
    }
}
