//! How likely a move is legal that turns no disc along the edge: the paper's "possible moves", with
//! probabilities "empirically computed from a very large number of sample games".
//!
//! The paper does not say what the probability of a move hangs on besides its square. Here it is
//! the kind of the square and what stands on its two neighbours: along the edge for squares of the
//! edge (for a corner, which has one such neighbour, also the X-square), the corner and the C-square
//! for an X-square. 45 numbers in all, counted over every position of the games and all its edges.

use super::edge::{EDGE_SQUARES, edge_states};
use super::lines::turned;
use crate::games::Game;
use crate::othello::Board;

/// Corner, C, A, B and X, each with nine pairs of neighbours.
pub const SITUATIONS: usize = 45;

/// Where a move to this place of an edge stands; see [`EDGE_SQUARES`] for the places.
pub fn situation(states: &[u8; 10], place: usize) -> usize {
    // Each half of the edge is looked at from its own corner.
    let from_far_end = (4..8).contains(&place) || place == 9;
    let at = |along: usize| states[if from_far_end { 7 - along } else { along }];
    let x_square = states[if from_far_end { 9 } else { 8 }];
    let (kind, outer, inner) = match place {
        0 | 7 => (0, x_square, at(1)),
        8 | 9 => (4, at(0), at(1)),
        _ => {
            let along = if from_far_end { 7 - place } else { place };
            (along, at(along - 1), at(along + 1))
        }
    };
    9 * kind + 3 * usize::from(outer) + usize::from(inner)
}

/// Counts of what was seen in games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PossibleMoves {
    seen: [u64; SITUATIONS],
    legal: [u64; SITUATIONS],
}

impl PossibleMoves {
    /// Counts all positions of the games.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a Game>) -> PossibleMoves {
        let mut counts = PossibleMoves {
            seen: [0; SITUATIONS],
            legal: [0; SITUATIONS],
        };
        for game in games {
            game.for_each_board(|board| counts.count(board));
        }
        counts
    }

    fn count(&mut self, board: Board) {
        let moves = board.legal_moves();
        for squares in &EDGE_SQUARES {
            let states = edge_states(board, squares);
            for (place, &square) in squares.iter().enumerate() {
                if states[place] != 0 || place < 8 && turned(&states[..8], place, 1) != [0, 0] {
                    continue;
                }
                let situation = situation(&states, place);
                self.seen[situation] += 1;
                self.legal[situation] += u64::from(moves.contains(square));
            }
        }
    }

    /// The probabilities in 255ths: a byte is finer than what such a number can mean.
    pub fn probabilities(&self) -> [u8; SITUATIONS] {
        std::array::from_fn(|situation| {
            // One of each is added: what was never seen may be legal or not.
            let (legal, seen) = (self.legal[situation] + 1, self.seen[situation] + 2);
            ((255 * legal + seen / 2) / seen) as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;

    #[test]
    fn both_halves_of_an_edge_are_seen_from_their_corners() {
        let states = [0, 1, 2, 0, 0, 1, 0, 2, 1, 0];
        let mut turned_around = states;
        turned_around[..8].reverse();
        turned_around.swap(8, 9);
        for place in 0..10 {
            let mirrored = match place {
                8 => 9,
                9 => 8,
                along => 7 - along,
            };
            assert_eq!(
                situation(&states, place),
                situation(&turned_around, mirrored)
            );
        }
        // A corner beside its own X-square disc and a C-square disc of its own.
        assert_eq!(situation(&states, 0), 3 + 1);
    }

    #[test]
    fn counted_probabilities_know_that_an_opponent_on_the_x_square_opens_the_corner() {
        let games: Vec<Game> = SampleGames::new(3).take(200).collect();
        let probabilities = PossibleMoves::of(&games).probabilities();
        let [beside_own, beside_opponent] = [1, 2].map(|x_square| probabilities[3 * x_square]);
        assert!(beside_opponent > 2 * beside_own);
    }
}
