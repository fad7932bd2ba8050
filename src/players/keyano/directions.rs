//! Approximate mobility: in how many directions a player can turn discs, on each quarter of the
//! board.
//!
//! A move that turns discs in three directions counts three times, which is what makes the number
//! "significantly faster to compute" than the true one: it is a sum over BILL's 38 lines. A word
//! of 64 bits holds the counts of both players on the four quarters, eight bits each; the lines
//! that cross the quarters alike share a table.

use crate::othello::Square;
use crate::players::bill::lines::{ALL_LINES, Indices, LINES, POWERS, Side, states_of, turned};

/// The quarters that the two middle lines make of the board.
pub const QUARTERS: usize = 4;

/// Disc-flipping directions by quarter.
pub type Directions = [u8; QUARTERS];

/// The quarter of a square: left or right, then top or bottom.
fn quarter(square: Square) -> u32 {
    u32::from(square.column() / 4 + 2 * (square.row() / 4))
}

/// The counts of all configurations of all lines.
pub struct DirectionTables {
    words: Vec<u64>,
    starts: [u32; LINES],
}

impl DirectionTables {
    pub fn new() -> DirectionTables {
        let mut words = Vec::new();
        let mut starts = [0; LINES];
        let mut made: Vec<(Vec<u32>, u32)> = Vec::new();
        for (line, start) in ALL_LINES.iter().zip(&mut starts) {
            let quarters: Vec<u32> = line.squares().iter().map(|&s| quarter(s)).collect();
            if let Some((_, known)) = made.iter().find(|(other, _)| *other == quarters) {
                *start = *known;
                continue;
            }
            *start = words.len() as u32;
            let len = quarters.len();
            words.extend((0..usize::from(POWERS[len])).map(|index| {
                let states = states_of(index, len);
                count(&states[..len], &quarters)
            }));
            made.push((quarters, *start));
        }
        DirectionTables { words, starts }
    }

    /// The directions of the first side and of the second.
    #[inline]
    pub fn directions(&self, indices: &Indices) -> [Directions; 2] {
        let mut sum = 0;
        for (start, index) in self.starts.iter().zip(indices.all()) {
            sum += self.words[*start as usize + usize::from(*index)];
        }
        let [a, b, c, d, e, f, g, h] = sum.to_le_bytes();
        [[a, b, c, d], [e, f, g, h]]
    }

    /// The same for the player to move and the other.
    #[inline]
    pub fn for_mover(&self, indices: &Indices, to_move: Side) -> [Directions; 2] {
        let [first, second] = self.directions(indices);
        match to_move {
            Side::First => [first, second],
            Side::Second => [second, first],
        }
    }
}

fn count(states: &[u8], quarters: &[u32]) -> u64 {
    let mut word = 0;
    for place in (0..states.len()).filter(|&place| states[place] == 0) {
        for side in [1, 2] {
            let directions = turned(states, place, side)
                .iter()
                .filter(|&&n| n > 0)
                .count();
            word += (directions as u64) << (8 * (quarters[place] + 4 * (u32::from(side) - 1)));
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Board, Random};

    /// Walks in all eight directions from every empty square.
    fn by_walking(board: Board) -> Directions {
        let mut found = [0; QUARTERS];
        for square in board.empties() {
            for (dx, dy) in [
                (0, 1),
                (1, 1),
                (1, 0),
                (1, -1),
                (0, -1),
                (-1, -1),
                (-1, 0),
                (-1, 1),
            ] {
                let step = |n: i8| {
                    let (x, y) = (square.column() as i8 + n * dx, square.row() as i8 + n * dy);
                    let inside = (0..8).contains(&x) && (0..8).contains(&y);
                    inside.then(|| Square::at(x as u8, y as u8))
                };
                let opponents = (1..8)
                    .take_while(|&n| step(n).is_some_and(|s| board.opponent().contains(s)))
                    .count() as i8;
                let closed = step(opponents + 1).is_some_and(|s| board.mover().contains(s));
                found[quarter(square) as usize] += u8::from(opponents > 0 && closed);
            }
        }
        found
    }

    #[test]
    fn the_tables_count_what_walking_in_eight_directions_finds() {
        let tables = DirectionTables::new();
        let mut random = Random::new(3);
        for _ in 0..50 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let indices = Indices::of(board, Side::First);
                let [own, other] = tables.for_mover(&indices, Side::First);
                assert_eq!(own, by_walking(board));
                assert_eq!(other, by_walking(board.pass()));
                let indices = Indices::of(board, Side::Second);
                assert_eq!(tables.for_mover(&indices, Side::Second), [own, other]);
                board = board.play(square).unwrap();
            }
        }
    }
}
