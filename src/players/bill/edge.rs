//! The edge table: what an edge of eight squares with its two X-squares, 3¹⁰ positions, is worth to
//! the player to move.
//!
//! First a static value, "assuming it doesn't change"; then, from full edges to the empty one, the
//! value of the moves, combined by the paper's probabilistic minimax: the best of the moves that
//! turn edge discs (or none at all, which is always legal) is surely there, better ones that turn
//! none are there with the probability that [`super::possible`] counted in games.
//!
//! The paper does not give the static values; it says that its table follows IAGO's principles.
//! Here they are IAGO's (its Table 4-2: by square, and stable, semi-stable or unstable), scaled to
//! the paper's range of ±1000, with a semi-stable disc one that no move on this edge turns at once.
//! X-squares, which IAGO's table lacks, count as a C-square's little brother: 200 beside an own
//! corner, −200 as long as the corner is empty, nothing beside the opponent's.
//! The paper does not say what follows a move elsewhere (NOMOVE). Here the opponent may then play
//! on the edge, and if he also plays elsewhere, the edge stays as it is: its static value.
//! The paper's text takes the probability of each possible move off the remaining one (step 3c);
//! its worked example takes off that share of it. Here it is done as in the example.

use super::lines::{index_of, turned};
use super::possible::{SITUATIONS, situation};
use crate::othello::{Board, Square};

/// Eight squares and two X-squares.
pub const PLACES: usize = 10;

/// All edges with their X-squares.
pub const POSITIONS: usize = 59049;

/// The value of an edge that is wholly one's own.
pub const LIMIT: f64 = 1000.0;

/// The squares of the four edges: along the edge, then the X-square beside the first corner and the
/// one beside the last.
pub static EDGE_SQUARES: [[Square; PLACES]; 4] = edge_squares();

const fn edge_squares() -> [[Square; PLACES]; 4] {
    let mut edges = [[Square::at(0, 0); PLACES]; 4];
    let mut along = 0;
    while along < 8 {
        edges[0][along as usize] = Square::at(along, 0);
        edges[1][along as usize] = Square::at(along, 7);
        edges[2][along as usize] = Square::at(0, along);
        edges[3][along as usize] = Square::at(7, along);
        along += 1;
    }
    (edges[0][8], edges[0][9]) = (Square::at(1, 1), Square::at(6, 1));
    (edges[1][8], edges[1][9]) = (Square::at(1, 6), Square::at(6, 6));
    (edges[2][8], edges[2][9]) = (Square::at(1, 1), Square::at(1, 6));
    (edges[3][8], edges[3][9]) = (Square::at(6, 1), Square::at(6, 6));
    edges
}

/// What stands on these squares: 1 for the player to move, 2 for the other.
pub fn edge_states(board: Board, squares: &[Square; PLACES]) -> [u8; PLACES] {
    squares.map(|square| {
        u8::from(board.mover().contains(square)) + 2 * u8::from(board.opponent().contains(square))
    })
}

/// The values of all edges, for each player to move.
pub struct EdgeTable {
    /// By index; 1 stands for the player to move.
    values: Vec<i16>,
}

impl EdgeTable {
    /// The table that follows from the probabilities of possible moves, in 255ths.
    pub fn new(probabilities: &[u8; SITUATIONS]) -> EdgeTable {
        let mut generation = Generation {
            probabilities: probabilities.map(|p| f64::from(p) / 255.0),
            to_move: vec![None; POSITIONS],
            after_nomove: vec![None; POSITIONS],
        };
        let mut values = vec![0; POSITIONS];
        for (index, value) in values.iter_mut().enumerate() {
            *value = generation.value(&states(index)).round() as i16;
        }
        EdgeTable { values }
    }

    /// For the player whose discs are the ones of the index, to move.
    #[cfg(test)]
    pub fn value(&self, index: usize) -> i32 {
        i32::from(self.values[index])
    }

    /// The table for colours that do not change with the turn: for each index, what the edge is
    /// worth to the first player when he is to move, and when the other is.
    pub fn by_side(&self) -> Vec<[i16; 2]> {
        (0..POSITIONS)
            .map(|index| {
                let exchanged = index_of(&exchanged(&states(index)));
                [self.values[index], -self.values[exchanged]]
            })
            .collect()
    }
}

fn states(mut index: usize) -> [u8; PLACES] {
    std::array::from_fn(|_| {
        let state = (index % 3) as u8;
        index /= 3;
        state
    })
}

/// The same edge seen by the other player.
fn exchanged(states: &[u8; PLACES]) -> [u8; PLACES] {
    states.map(|state| [0, 2, 1][usize::from(state)])
}

/// IAGO's weights, of its Table 4-2, for the corner, C, A and B: stable, semi-stable, unstable. A
/// corner is always stable.
const WEIGHTS: [[f64; 3]; 4] = [
    [700.0, 0.0, 0.0],
    [1200.0, 200.0, -25.0],
    [1000.0, 200.0, 75.0],
    [1000.0, 200.0, 50.0],
];
const X_WEIGHT: f64 = 200.0;
/// What a whole edge of stable discs adds up to.
const ALL_OWN: f64 = 2.0 * (700.0 + 1200.0 + 1000.0 + 1000.0 + X_WEIGHT);

/// What the edge is worth to player 1 if nothing on it ever changes.
fn static_value(states: &[u8; PLACES]) -> f64 {
    let edge = &states[..8];
    let is_full = edge.iter().all(|&state| state != 0);
    let mut sum = 0.0;
    for (place, &state) in edge.iter().enumerate().filter(|(_, state)| **state != 0) {
        let anchored =
            |mut places: std::ops::RangeInclusive<usize>| places.all(|p| edge[p] == state);
        let stability = if is_full || anchored(0..=place) || anchored(place..=7) {
            0
        } else if can_be_turned(edge, place) {
            2
        } else {
            1
        };
        let weight = WEIGHTS[place.min(7 - place)][stability];
        sum += if state == 1 { weight } else { -weight };
    }
    for (x_square, corner) in [(8, 0), (9, 7)] {
        let own = match states[x_square] {
            0 => continue,
            1 => 1.0,
            _ => -1.0,
        };
        sum += own
            * match states[corner] {
                0 => -X_WEIGHT,
                owner if owner == states[x_square] => X_WEIGHT,
                _ => 0.0,
            };
    }
    sum * LIMIT / ALL_OWN
}

/// Whether a single move on the edge, by the opponent of the disc's owner, would turn it.
fn can_be_turned(edge: &[u8], place: usize) -> bool {
    let opponent = 3 - edge[place];
    (0..8).filter(|&empty| edge[empty] == 0).any(|empty| {
        let [before, after] = turned(edge, empty, opponent);
        (empty - before..=empty + after).contains(&place)
    })
}

/// The edge after player 1 plays there and what turns on it, seen by the other.
fn after_move(states: &[u8; PLACES], place: usize) -> [u8; PLACES] {
    let mut next = *states;
    next[place] = 1;
    if place < 8 {
        let [before, after] = turned(&states[..8], place, 1);
        next[place - before..=place + after].fill(1);
    }
    exchanged(&next)
}

/// The paper's combination of a move that is surely legal with moves that may be.
fn combine(best_legal: f64, possible: &mut [(f64, f64)]) -> f64 {
    // From best to worst; equal ones may come in any order.
    possible.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut value = 0.0;
    let mut remaining = 1.0;
    for &mut (score, probability) in possible {
        if score < best_legal {
            break;
        }
        value += probability * remaining * score;
        remaining -= probability * remaining;
    }
    value + remaining * best_legal
}

/// The table while it is filled, with what has converged.
struct Generation {
    probabilities: [f64; SITUATIONS],
    to_move: Vec<Option<f64>>,
    /// The same where the opponent has just played elsewhere.
    after_nomove: Vec<Option<f64>>,
}

impl Generation {
    /// What the edge is worth to player 1, to move.
    fn value(&mut self, states: &[u8; PLACES]) -> f64 {
        let index = index_of(states);
        if let Some(value) = self.to_move[index] {
            return value;
        }
        let value = if states.contains(&0) {
            let elsewhere = -self.value_after_nomove(&exchanged(states));
            self.best(states, elsewhere)
        } else {
            static_value(states)
        };
        self.to_move[index] = Some(value);
        value
    }

    fn value_after_nomove(&mut self, states: &[u8; PLACES]) -> f64 {
        let index = index_of(states);
        if let Some(value) = self.after_nomove[index] {
            return value;
        }
        let value = self.best(states, static_value(states));
        self.after_nomove[index] = Some(value);
        value
    }

    fn best(&mut self, states: &[u8; PLACES], nomove: f64) -> f64 {
        let mut best_legal = nomove;
        let mut possible = Vec::with_capacity(PLACES);
        for place in (0..PLACES).filter(|&place| states[place] == 0) {
            let score = -self.value(&after_move(states, place));
            if place < 8 && turned(&states[..8], place, 1) != [0, 0] {
                best_legal = best_legal.max(score);
            } else {
                let probability = self.probabilities[situation(states, place)];
                possible.push((score, probability));
            }
        }
        combine(best_legal, &mut possible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Symmetry};
    use std::sync::LazyLock;

    /// Every possible move is legal half of the time.
    static EVEN: LazyLock<EdgeTable> = LazyLock::new(|| EdgeTable::new(&[128; SITUATIONS]));

    fn value(edge: &str, x_squares: &str) -> i32 {
        let states: Vec<u8> = format!("{edge}{x_squares}")
            .bytes()
            .map(|letter| match letter {
                b'X' => 1,
                b'O' => 2,
                _ => 0,
            })
            .collect();
        EVEN.value(index_of(&states))
    }

    #[test]
    fn moves_are_combined_as_in_the_papers_example() {
        let mut possible = [(450.0, 0.92), (400.0, 0.02), (-100.0, 0.80)];
        let best_legal = [-600.0, -500.0, 200.0].into_iter().fold(f64::MIN, f64::max);
        // The paper rounds each of its three terms: 414 + 0.63 + 15.67.
        assert!((combine(best_legal, &mut possible) - 430.30).abs() < 0.05);
    }

    #[test]
    fn every_value_is_a_fixed_point_of_the_rule_that_made_it() {
        let probabilities = [128; SITUATIONS];
        let mut generation = Generation {
            probabilities: probabilities.map(|p| f64::from(p) / 255.0),
            to_move: vec![None; POSITIONS],
            after_nomove: vec![None; POSITIONS],
        };
        for index in 0..POSITIONS {
            generation.value(&states(index));
        }
        for index in 0..POSITIONS {
            let known = generation.to_move[index].take();
            let again = generation.value(&states(index));
            assert_eq!(known, Some(again), "{:?}", states(index));
            assert_eq!(EVEN.value(index), again.round() as i32);
        }
    }

    #[test]
    fn full_edges_keep_their_static_value_and_the_best_of_all_is_the_limit() {
        assert_eq!(value("XXXXXXXX", "XX"), 1000);
        assert_eq!(value("OOOOOOOO", "OO"), -1000);
        assert_eq!(value("XXXXOOOO", "XO"), 0);
        let largest = (0..POSITIONS).map(|index| EVEN.value(index).abs()).max();
        assert_eq!(largest, Some(1000));
    }

    #[test]
    fn an_edge_is_worth_the_same_from_both_of_its_ends() {
        for index in 0..POSITIONS {
            let states = states(index);
            let mut mirrored = states;
            mirrored[..8].reverse();
            mirrored.swap(8, 9);
            assert_eq!(EVEN.value(index), EVEN.value(index_of(&mirrored)));
        }
    }

    #[test]
    fn a_corner_that_can_be_taken_now_is_worth_more_to_who_is_to_move() {
        // X takes the first corner at once; with O to move the edge is worth less to X.
        let to_move = value("-OX-----", "--");
        let waiting = -value("-XO-----", "--");
        assert!(to_move > waiting + 100, "{to_move} {waiting}");
    }

    #[test]
    fn an_x_square_beside_an_empty_corner_changes_the_value_of_an_edge() {
        // The corner can be had beside an opponent's X-square only.
        let mut probabilities = [25; SITUATIONS];
        probabilities[..9].copy_from_slice(&[5, 5, 5, 5, 5, 5, 230, 230, 230]);
        let table = EdgeTable::new(&probabilities);
        let value = |x_square| table.value(index_of(&[0, 0, 0, 1, 1, 0, 0, 0, x_square, 0]));
        assert!(value(0) > value(1) + 20);
        assert!(value(2) > value(0) + 20);
    }

    #[test]
    fn the_four_edges_are_one_under_the_symmetries_of_the_board() {
        let first: Bitboard = EDGE_SQUARES[0].into_iter().collect();
        for squares in &EDGE_SQUARES {
            let edge: Bitboard = squares.iter().copied().collect();
            assert!(Symmetry::all().any(|symmetry| symmetry.apply(first) == edge));
            // Each X-square stands beside its corner.
            for (x_square, corner) in [(8, 0), (9, 7)] {
                let apart = |a: u8, b: u8| a.abs_diff(b);
                let (x, c) = (squares[x_square], squares[corner]);
                assert_eq!(
                    (apart(x.column(), c.column()), apart(x.row(), c.row())),
                    (1, 1)
                );
            }
        }
    }
}
