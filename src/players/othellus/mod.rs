//! O-Thell-Us (Ganter and Klink, 2004): minimax with alpha-beta over a matrix of square weights,
//! with a mobility that counts by the stage of the game, and heuristics that bend it.
//!
//! `weights` holds the matrix and the stages, `heuristic` the heuristics by name, `search` the
//! lookahead, `greene` the measures by which the authors judged games.
//!
//! The paper gives the matrix and says what each heuristic wants, but hardly a number. Guessed here:
//!
//! - the lookahead is 6 plies ("values of more or equal to 6" win); a clock or a node limit may end
//!   it earlier, because the paper's program had no clock;
//! - the weight of mobility over the game (its figure 8 has no scale), see `weights`;
//! - what a heuristic of moves, such as mostFlipped, is worth over several plies: what the player's
//!   own moves of the line earn, less what the opponent's earn;
//! - a game that ends within the lookahead counts by its result, before everything else;
//! - among moves of equal value the seed decides, for the authors wanted no game twice.

pub mod greene;
mod heuristic;
mod search;
mod weights;

use super::meter::{Meter, RESERVE};
use super::{Choice, Component, Historic, Thinking};
use crate::othello::{Bitboard, Board, Random, Square};
use crate::search::StopButton;
pub use heuristic::Heuristic;
use std::time::Duration;

/// Plies ahead where nothing else is asked.
const LOOKAHEAD: u32 = 6;

/// The program with one of its heuristics.
pub struct Othellus {
    heuristic: Heuristic,
    random: Random,
}

impl Othellus {
    pub fn new(heuristic: Heuristic) -> Othellus {
        Othellus {
            heuristic,
            random: Random::new(0),
        }
    }

    /// The legal moves in an order that the seed decides.
    fn shuffled(&mut self, legal: Bitboard) -> Vec<Square> {
        let mut moves: Vec<Square> = legal.into_iter().collect();
        for last in (1..moves.len()).rev() {
            let place = self.random.below(last as u64 + 1) as usize;
            moves.swap(last, place);
        }
        moves
    }
}

impl Historic for Othellus {
    fn name(&self) -> &'static str {
        self.heuristic.player_name()
    }

    fn begin_game(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice {
        let moves = self.shuffled(self.heuristic.allowed(board));
        let mut choice = Choice {
            square: moves[0],
            value: None,
            win_probability: None,
            depth: 0,
            nodes: 0,
        };
        if self.heuristic == Heuristic::Random {
            return choice;
        }
        let mut meter = Meter::new(time_of(board, thinking), thinking.nodes, stop);
        let deepest = thinking.depth.unwrap_or(LOOKAHEAD).max(1);
        for depth in 1..=deepest.min(board.empty_count()) {
            match search::best(self.heuristic, board, &moves, depth, &mut meter) {
                Some(square) => {
                    choice.square = square;
                    choice.depth = depth;
                }
                None => break,
            }
        }
        choice.nodes = meter.nodes();
        choice
    }

    fn components(&self, board: Board) -> Vec<Component> {
        self.heuristic.components(board)
    }
}

/// The longest a move may take: its even share of the clock.
fn time_of(board: Board, thinking: &Thinking) -> Option<Duration> {
    let share = thinking.remaining.map(|remaining| {
        let own_moves = board.empty_count() / 2 + 2;
        remaining / own_moves
    });
    let time = share.or(thinking.per_move);
    time.map(|time| time.saturating_sub(RESERVE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position};

    fn board(line: &str) -> Board {
        MoveList::parse(Position::START, line).unwrap().end.board
    }

    fn chosen(heuristic: Heuristic, board: Board, seed: u64, depth: u32) -> Square {
        let mut player = Othellus::new(heuristic);
        player.begin_game(seed);
        let thinking = Thinking {
            depth: Some(depth),
            ..Thinking::default()
        };
        let choice = player.choose(board, &thinking, &StopButton::new());
        assert!(board.legal_moves().contains(choice.square));
        choice.square
    }

    fn all_chosen(heuristic: Heuristic, board: Board, depth: u32) -> Bitboard {
        (0..60)
            .map(|seed| chosen(heuristic, board, seed, depth))
            .collect()
    }

    #[test]
    fn the_random_player_plays_every_legal_move() {
        let board = board("f5d6c3");
        assert_eq!(all_chosen(Heuristic::Random, board, 1), board.legal_moves());
    }

    #[test]
    fn most_flipped_takes_the_most_discs() {
        let board = board("f5d6c3d3c4f4f6f3e6e7");
        let most = board
            .legal_moves()
            .into_iter()
            .map(|square| board.flips(square).count())
            .max()
            .unwrap();
        for square in all_chosen(Heuristic::MostFlipped, board, 1) {
            assert_eq!(board.flips(square).count(), most);
        }
    }

    #[test]
    fn low_surroundings_plays_where_the_neighbours_are_worth_least() {
        let board = board("f5d6c3d3c4f4f6f3e6e7");
        let lowest = board
            .legal_moves()
            .into_iter()
            .map(weights::surroundings)
            .min()
            .unwrap();
        for square in all_chosen(Heuristic::LowSurroundings, board, 1) {
            assert_eq!(weights::surroundings(square), lowest);
        }
    }

    #[test]
    fn the_opening_player_considers_the_perpendicular_and_the_diagonal_only() {
        for first in Board::START.legal_moves() {
            let board = Board::START.play(first).unwrap();
            let considered = Heuristic::Opening.allowed(board);
            assert_eq!(considered.count(), 2);
            assert!(considered.contains(chosen(Heuristic::Opening, board, 1, 1)));
            for square in considered {
                let next = board.play(square).unwrap();
                let can_turn_two = next
                    .legal_moves()
                    .into_iter()
                    .any(|answer| next.flips(answer).count() > 1);
                assert!(!can_turn_two, "{first}{square}");
            }
        }
    }

    #[test]
    fn a_corner_is_taken_by_whoever_sees_its_weight() {
        // White gave a1 away at once.
        let corner_offered = board("f5f6e6d6c5e3d3c4c3b3b2");
        assert!(corner_offered.legal_moves().contains(Square::at(0, 0)));
        for heuristic in [Heuristic::Stages, Heuristic::Corners, Heuristic::Edges] {
            let square = chosen(heuristic, corner_offered, 1, 1);
            assert_eq!(square, Square::at(0, 0), "{heuristic:?}");
        }
    }
}
