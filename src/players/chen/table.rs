//! The transposition table (section 4.3): a hash table of what was found, and of the best moves.
//!
//! The paper does not say which of two positions in one place is kept; here the newer.

use crate::othello::Square;

/// What a stored value is of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Exact,
    Lower,
    Upper,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The whole hash, to tell positions in one place apart.
    pub key: u64,
    pub value: i16,
    pub depth: u8,
    pub bound: Bound,
    /// None where every move was worse than the window.
    pub best: Option<Square>,
}

pub struct Table {
    entries: Vec<Option<Entry>>,
}

impl Table {
    /// Of two to the power of `bits` positions.
    pub fn new(bits: u32) -> Table {
        Table {
            entries: vec![None; 1 << bits.min(26)],
        }
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub fn find(&self, key: u64) -> Option<Entry> {
        self.entries[self.place(key)].filter(|entry| entry.key == key)
    }

    pub fn store(&mut self, entry: Entry) {
        let place = self.place(entry.key);
        self.entries[place] = Some(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_found_until_another_takes_its_place() {
        let mut table = Table::new(4);
        let entry = |key| Entry {
            key,
            value: 12,
            depth: 3,
            bound: Bound::Lower,
            best: None,
        };
        table.store(entry(5));
        assert_eq!(table.find(5), Some(entry(5)));
        assert_eq!(table.find(21), None, "the same place, another hash");
        table.store(entry(21));
        assert_eq!(table.find(5), None);
    }
}
