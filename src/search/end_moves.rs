//! The moves of a position near the end, in the order in which to try them.

use super::params::FAST_EMPTIES;
use crate::othello::Square;

/// No position this close to the end has more moves, as it has no more empty squares.
const MOST_MOVES: usize = 16;
const _: () = assert!(FAST_EMPTIES as usize <= MOST_MOVES);

/// The moves of a position and what each leads to, side by side.
pub struct EndMoves {
    /// How promising a move is, its place counted from the last, and its square, from the high bits
    /// to the low: the largest key is the next move to try.
    keys: [i32; MOST_MOVES],
    pub flips: [u64; MOST_MOVES],
    /// The opponent's answers, which rated the move.
    pub answers: [u64; MOST_MOVES],
    count: usize,
}

impl EndMoves {
    const SCORE: u32 = 12;
    const PLACE: u32 = 8;
    /// The table's two moves come before all that are rated.
    const TABLE_SCORES: [i32; 2] = [1 << 16, 1 << 15];

    #[inline(always)]
    pub fn new() -> EndMoves {
        EndMoves {
            keys: [0; MOST_MOVES],
            flips: [0; MOST_MOVES],
            answers: [0; MOST_MOVES],
            count: 0,
        }
    }

    /// Adds a move and gives its key.
    #[inline(always)]
    pub fn push(&mut self, square: u32, flips: u64, answers: u64, score: i32) -> i32 {
        debug_assert!(self.count < MOST_MOVES, "more moves than empty squares");
        // The mask only tells the compiler what the line above says.
        let place = self.count & (MOST_MOVES - 1);
        let low = ((MOST_MOVES - 1 - place) << EndMoves::PLACE) as i32 | square as i32;
        let key = score << EndMoves::SCORE | low;
        self.keys[place] = key;
        self.flips[place] = flips;
        self.answers[place] = answers;
        self.count += 1;
        key
    }

    /// Squares and flips in the order in which they were found.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let count = self.count.min(MOST_MOVES);
        (0..count).map(|place| (EndMoves::square(self.keys[place]), self.flips[place]))
    }

    #[inline(always)]
    pub fn square(key: i32) -> u32 {
        key as u32 & 63
    }

    #[inline(always)]
    pub fn place(key: i32) -> usize {
        MOST_MOVES - 1 - (key >> EndMoves::PLACE) as usize % MOST_MOVES
    }

    /// Puts the table's moves first. Few positions have one: most are new, or settled by the table.
    #[cold]
    pub fn prefer(&mut self, table_moves: [Option<Square>; 2]) -> i32 {
        let keys = &mut self.keys[..self.count.min(MOST_MOVES)];
        for (square, score) in table_moves.iter().zip(EndMoves::TABLE_SCORES) {
            for key in keys.iter_mut() {
                let own = EndMoves::square(*key) as usize;
                if square.is_some_and(|square| square.index() == own) {
                    let low = *key & ((1 << EndMoves::SCORE) - 1);
                    *key = score << EndMoves::SCORE | low;
                }
            }
        }
        keys.iter().copied().fold(i32::MIN, i32::max)
    }

    /// The largest key when that of the move just tried is done with.
    #[inline(always)]
    pub fn after(&mut self, done: i32) -> i32 {
        self.keys[EndMoves::place(done)] = i32::MIN;
        let mut next = i32::MIN;
        for place in 0..self.count.min(MOST_MOVES) {
            next = next.max(self.keys[place]);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order(moves: &mut EndMoves, mut key: i32) -> Vec<(u32, u64)> {
        let mut order = Vec::new();
        while key != i32::MIN {
            let place = EndMoves::place(key);
            order.push((EndMoves::square(key), moves.flips[place]));
            key = moves.after(key);
        }
        order
    }

    fn some(scores: &[i32]) -> (EndMoves, i32) {
        let mut moves = EndMoves::new();
        let mut key = i32::MIN;
        for (number, &score) in scores.iter().enumerate() {
            let square = 3 * number as u32;
            key = key.max(moves.push(square, u64::from(square), 0, score));
        }
        (moves, key)
    }

    #[test]
    fn moves_come_by_score_and_equal_ones_in_the_order_they_were_found() {
        let (mut moves, key) = some(&[-40, 7, -500, 7, 0]);
        let order = in_order(&mut moves, key);
        assert_eq!(order, [(3, 3), (9, 9), (12, 12), (0, 0), (6, 6)]);
    }

    #[test]
    fn the_tables_moves_come_first_if_they_are_moves() {
        let (mut moves, _) = some(&[-40, 7, -500, 7]);
        let key = moves.prefer([Square::new(6), Square::new(0)]);
        let squares: Vec<u32> = in_order(&mut moves, key).iter().map(|m| m.0).collect();
        assert_eq!(squares, [6, 0, 3, 9]);
        let (mut moves, _) = some(&[1, 2]);
        let key = moves.prefer([Square::new(50), None]);
        assert_eq!(in_order(&mut moves, key).len(), 2);
    }
}
