//! BILL, by Kai-Fu Lee and Sanjoy Mahajan: "The Development of a World Class Othello Program"
//! (1990), as two players.
//!
//! Everything it knows is in tables: `edge` (from `possible`), the three numbers of `mobility` over
//! the 38 `lines`. `combination` makes one value of these `features`: BILL 2.0 by a `linear` sum,
//! BILL 3.0 by a quadratic `discriminant` that is the probability of winning. `search` looks ahead,
//! ordered by `best_moves` and `killers`, `endgame` to the end, `timing` says how long. What it
//! learns from games comes from `fit` and ships in `tables`.
//!
//! The paper's BILL could use a book, and think on the opponent's time; here it has neither. A
//! limit of depth is one of the middle game, as in the paper's Table 2: the endgame searches are to
//! the end by their nature. On a clock an only move is played at once. Nothing BILL does is random:
//! seeds change nothing.

mod best_moves;
mod combination;
pub mod discriminant;
mod edge;
mod endgame;
mod features;
pub mod fit;
mod killers;
mod linear;
pub mod lines;
pub mod matrix;
mod mobility;
mod possible;
mod search;
mod tables;
mod timing;

pub use tables::Taught;

use super::{Choice, Historic, Thinking};
use crate::othello::{Board, Square};
use crate::search::StopButton;
use best_moves::BestMoves;
use combination::Combination;
use endgame::Ending;
use features::Knowledge;
use killers::KillerLists;
use search::{Node, Reach, Search, WON};
use std::sync::Arc;
use timing::{Budget, ENDGAME_FROM};

/// The end of the game is searched for once iterations have put moves in order this deep.
const ORDERED_BY: u32 = 4;

/// BILL 2.0 or BILL 3.0.
pub struct Bill {
    name: &'static str,
    knowledge: Arc<Knowledge>,
    combination: Combination,
    /// Of a thousand points of BILL 2.
    centidiscs: i32,
    killers: KillerLists,
    best_moves: BestMoves,
}

impl Bill {
    /// BILL 2.0: a linear combination of the features.
    pub fn second() -> Bill {
        Bill::new("bill2", Combination::Linear)
    }

    /// BILL 3.0: Bayesian learning.
    pub fn third() -> Bill {
        Bill::new("bill3", Taught::builtin().bayesian())
    }

    fn new(name: &'static str, combination: Combination) -> Bill {
        Bill {
            name,
            knowledge: Taught::knowledge(),
            combination,
            centidiscs: Taught::builtin().centidiscs,
            killers: KillerLists::new(),
            best_moves: BestMoves::new(),
        }
    }

    /// A choice by the middle game's search.
    fn by_search(&self, found: &Found, nodes: u64) -> Choice {
        let is_decided = found.value.abs() >= WON;
        let discs = found.value - found.value.signum() * WON;
        let (value, win_probability) = match self.combination {
            _ if is_decided => (Some(100 * discs), self.certainty(discs)),
            Combination::Linear => {
                let centidiscs = i64::from(found.value) * i64::from(self.centidiscs) / 1000;
                (Some(centidiscs.clamp(-6400, 6400) as i32), None)
            }
            Combination::Bayesian(_) => (None, self.combination.win_probability(found.value)),
        };
        Choice {
            square: found.square,
            value,
            win_probability,
            depth: found.plies,
            nodes,
        }
    }

    /// A choice that an endgame search is sure of.
    fn by_ending(&self, ending: Ending, found: &Found, empties: u32, nodes: u64) -> Choice {
        let (square, value, sign) = match ending {
            Ending::Exact(square, discs) => (square, Some(100 * discs), discs),
            Ending::Outcome(square, sign) => (square, (sign == 0).then_some(0), sign),
            // Where all moves lose, the one that looked best may still be hard to refute.
            Ending::Lost => (found.square, None, -1),
        };
        Choice {
            square,
            value,
            win_probability: self.certainty(sign),
            depth: empties,
            nodes,
        }
    }

    /// The probability of a result that is sure, for the player who reports one.
    fn certainty(&self, result: i32) -> Option<f64> {
        let certain = f64::from(result.signum() + 1) / 2.0;
        self.combination.win_probability(0).map(|_| certain)
    }
}

/// The best move of an iteration.
#[derive(Clone, Copy)]
struct Found {
    square: Square,
    value: i32,
    plies: u32,
}

impl Historic for Bill {
    fn name(&self) -> &'static str {
        self.name
    }

    fn begin_game(&mut self, _seed: u64) {
        self.killers = KillerLists::new();
        self.best_moves.clear();
    }

    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice {
        let empties = board.empty_count();
        let root = Node::root(board);
        let mut search = Search {
            knowledge: &self.knowledge,
            combination: &self.combination,
            killers: &mut self.killers,
            best_moves: &mut self.best_moves,
            budget: Budget::new(thinking, empties, stop),
            nodes: 0,
        };
        let mut moves = search.root_moves(&root);
        let mut found = Found {
            // The caller has a legal move; where there is none, any square is as wrong.
            square: moves.first().copied().unwrap_or(Square::at(0, 0)),
            value: 0,
            plies: 0,
        };
        let mut last_two_disagree = true;
        let mut ending = None;
        while search
            .budget
            .goes_on(search.nodes, found.plies, last_two_disagree)
        {
            let plies = found.plies + 1;
            let guess = (plies > 1).then_some(found.value);
            let Some((square, value)) = search.best_of(&root, &moves, Reach::Plies(plies), guess)
            else {
                break;
            };
            last_two_disagree = square != found.square;
            found = Found {
                square,
                value,
                plies,
            };
            moves.retain(|other| *other != square);
            moves.insert(0, square);
            let limit = search.budget.depth.unwrap_or(ORDERED_BY);
            if empties <= ENDGAME_FROM && plies >= ORDERED_BY.min(limit).min(empties) {
                ending = search.ending(&root, &moves);
                if ending.is_some() {
                    break;
                }
            }
            let is_forced = moves.len() == 1 && search.budget.is_of_clock();
            if plies >= empties || is_forced {
                break;
            }
        }
        let nodes = search.nodes;
        match ending {
            Some(ending) => self.by_ending(ending, &found, empties, nodes),
            None => self.by_search(&found, nodes),
        }
    }
}

impl Search<'_> {
    /// The legal moves, the one remembered first, then in the order of the killer list.
    fn root_moves(&self, root: &Node) -> Vec<Square> {
        let legal = root.board.legal_moves();
        let known = self.best_moves.get(root.board);
        let responses = self.killers.responses(root.side, root.last, legal);
        let mut moves: Vec<Square> = responses.collect();
        if let Some(place) = moves.iter().position(|square| Some(*square) == known) {
            moves[..=place].rotate_right(1);
        }
        moves
    }
}
