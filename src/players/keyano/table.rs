//! The transposition table: one level, the whole position in every entry, so that no two positions
//! are ever taken for one another.
//!
//! The paper does not say which of two positions stays: here the newer one does.

use crate::othello::{Board, Square};

/// As in the paper, 2²⁰ entries.
pub const USUAL_BITS: u32 = 20;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Lower,
    Exact,
    Upper,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub value: i16,
    pub depth: u8,
    pub bound: Bound,
    pub best: Option<Square>,
}

/// Kept in 24 bytes; the paper's take 20.
#[derive(Clone, Copy)]
struct Entry {
    board: Board,
    known: Known,
}

/// The table.
pub struct Table {
    entries: Vec<Option<Entry>>,
    bits: u32,
}

impl Table {
    /// With two to the power of `bits` entries.
    pub fn new(bits: u32) -> Table {
        let bits = bits.clamp(1, 28);
        Table {
            entries: vec![None; 1 << bits],
            bits,
        }
    }

    pub fn clear(&mut self) {
        self.entries.fill(None);
    }

    fn place(&self, board: Board) -> usize {
        (board.hash() >> (64 - self.bits)) as usize
    }

    #[inline]
    pub fn get(&self, board: Board) -> Option<Known> {
        self.entries[self.place(board)]
            .filter(|entry| entry.board == board)
            .map(|entry| entry.known)
    }

    #[inline]
    pub fn put(&mut self, board: Board, known: Known) {
        let place = self.place(board);
        self.entries[place] = Some(Entry { board, known });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_found_until_another_takes_its_place_and_never_taken_for_it() {
        let mut table = Table::new(1);
        let known = |value| Known {
            value,
            depth: 3,
            bound: Bound::Exact,
            best: None,
        };
        let boards: Vec<Board> = Board::START
            .legal_moves()
            .into_iter()
            .map(|square| Board::START.play(square).unwrap())
            .collect();
        for (value, &board) in boards.iter().enumerate() {
            table.put(board, known(value as i16));
            assert_eq!(table.get(board), Some(known(value as i16)));
        }
        // Four positions in two places: the last of each is left, under its own name.
        let left = boards.iter().enumerate().filter(|(value, board)| {
            let found = table.get(**board);
            assert!(found.is_none_or(|found| found.value == *value as i16));
            found.is_some()
        });
        assert!(left.count() <= 2);
        table.clear();
        assert!(boards.iter().all(|&board| table.get(board).is_none()));
    }

    #[test]
    fn an_entry_takes_24_bytes() {
        assert_eq!(size_of::<Option<Entry>>(), 24);
    }
}
