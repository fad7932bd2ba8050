//! The hash table: for positions met before, the move that was best.
//!
//! As the paper has it, the table orders moves and nothing else: no value is taken from it. A new
//! entry takes the place of an old one; the paper does not say how it makes room.

use crate::othello::{Board, Square};

/// As many entries; 2 MiB.
const ENTRIES: usize = 1 << 18;

/// Six bits of the square; the other bits are those of the position's hash.
const SQUARE_BITS: u64 = 63;

/// The table. Two positions that share 58 bits of their hash would share their move: it is tested
/// for being legal before it is played.
pub struct BestMoves {
    entries: Vec<u64>,
}

impl BestMoves {
    pub fn new() -> BestMoves {
        BestMoves {
            entries: vec![0; ENTRIES],
        }
    }

    pub fn clear(&mut self) {
        self.entries.fill(0);
    }

    fn place(hash: u64) -> usize {
        // The upper bits choose the place, so that they and the lower ones tell positions apart.
        (hash >> (64 - ENTRIES.trailing_zeros())) as usize
    }

    #[inline]
    pub fn get(&self, board: Board) -> Option<Square> {
        let hash = board.hash();
        let entry = self.entries[BestMoves::place(hash)];
        let known = (entry ^ hash) & !SQUARE_BITS == 0;
        Square::new((entry & SQUARE_BITS) as u8).filter(|_| known)
    }

    #[inline]
    pub fn put(&mut self, board: Board, best: Square) {
        let hash = board.hash();
        self.entries[BestMoves::place(hash)] = hash & !SQUARE_BITS | best.index() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_best_move_is_remembered_until_the_table_is_cleared() {
        let mut table = BestMoves::new();
        let square = "d3".parse().unwrap();
        assert_eq!(table.get(Board::START), None);
        table.put(Board::START, square);
        assert_eq!(table.get(Board::START), Some(square));
        assert_eq!(table.get(Board::START.pass()), None);
        table.clear();
        assert_eq!(table.get(Board::START), None);
    }
}
