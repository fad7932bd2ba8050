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
pub mod timing;

pub use tables::Taught;

use super::ending::Ending;
use super::{Choice, Historic, Thinking};
use crate::othello::{Board, Square};
use crate::search::StopButton;
use best_moves::BestMoves;
use combination::Combination;
use features::Knowledge;
use killers::KillerLists;
use search::{Node, Reach, Search, WON};
use std::sync::Arc;
use timing::Budget;

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
            let Some(best) = search.best_of(&root, &moves, Reach::Plies(plies), guess) else {
                break;
            };
            let square = best.square;
            last_two_disagree = square != found.square;
            found = Found {
                square,
                value: best.value,
                plies,
            };
            moves.retain(|other| *other != square);
            moves.insert(0, square);
            let limit = search.budget.depth.unwrap_or(ORDERED_BY);
            if plies >= ORDERED_BY.min(limit).min(empties) {
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
        for mut bill in [Bill::second(), Bill::third()] {
            for board in boards(12, 4..64, 40) {
                for thinking in [depth(1), depth(2), nothing, late] {
                    let choice = bill.choose(board, &thinking, &StopButton::new());
                    assert!(board.legal_moves().contains(choice.square));
                }
            }
        }
    }

    #[test]
    fn the_same_nodes_give_the_same_moves() {
        let thinking = Thinking {
            nodes: Some(5_000),
            ..Thinking::default()
        };
        for board in boards(12, 10..60, 12) {
            let choices = [(); 2].map(|()| {
                let mut bill = Bill::third();
                bill.begin_game(1);
                bill.choose(board, &thinking, &StopButton::new())
            });
            assert_eq!(choices[0], choices[1]);
            assert!(choices[0].nodes <= 5_000);
        }
    }

    #[test]
    fn bill_3_reports_a_probability_and_bill_2_discs() {
        let stop = StopButton::new();
        for board in boards(12, 12..44, 6) {
            let third = Bill::third().choose(board, &depth(4), &stop);
            assert!((0.0..=1.0).contains(&third.win_probability.unwrap()));
            let second = Bill::second().choose(board, &depth(4), &stop);
            assert!(second.win_probability.is_none() && second.value.is_some());
        }
        for board in boards(12, 54..60, 6) {
            let third = Bill::third().choose(board, &depth(4), &stop);
            let second = Bill::second().choose(board, &depth(4), &stop);
            let sign = (third.win_probability.unwrap() * 2.0 - 1.0) as i32;
            assert_eq!(sign, second.value.unwrap().signum());
            assert_eq!(second.depth, board.empty_count());
        }
    }

    #[test]
    fn a_pressed_button_ends_the_search_at_once() {
        let stop = StopButton::new();
        stop.press();
        let board = boards(12, 20..30, 1)[0];
        let choice = Bill::second().choose(board, &Thinking::default(), &stop);
        assert!(board.legal_moves().contains(choice.square));
        assert!(choice.nodes < 50_000, "{}", choice.nodes);
    }
}
