//! A whole layer in memory while something in the one above it is to be computed: one look costs a
//! cache miss where the database would cost microseconds.
//!
//! Most looks are for what is not there, because most moves lead out of the book. Such a look
//! ends at a byte of the hash, and these bytes together are so few that the processor keeps them.

use crate::book::key::NodeKey;
use crate::othello::Board;

const EMPTY: u8 = 0;

/// Positions of one layer with what is known about each. The positions stay the same.
pub struct LayerTable<T> {
    /// By hash, a part of the hash that is never [`EMPTY`]; at most half of the slots are taken.
    marks: Vec<u8>,
    /// By hash, places in `entries`.
    places: Vec<u32>,
    entries: Vec<(Board, T)>,
}

/// Where a board is looked for first, and what marks it.
#[inline]
fn slot_and_mark(board: Board, slots: usize) -> (usize, u8) {
    let hash = board.hash();
    (hash as usize & (slots - 1), (hash >> 57) as u8 | 0x80)
}

impl<T> LayerTable<T> {
    pub fn new(entries: Vec<(NodeKey, T)>) -> LayerTable<T> {
        let entries: Vec<(Board, T)> = entries
            .into_iter()
            .map(|(key, known)| (key.board(), known))
            .collect();
        let slots = (2 * entries.len()).next_power_of_two();
        let mut marks = vec![EMPTY; slots];
        let mut places = vec![0; slots];
        for (place, (board, _)) in entries.iter().enumerate() {
            let (mut slot, mark) = slot_and_mark(*board, slots);
            while marks[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            marks[slot] = mark;
            places[slot] = place as u32;
        }
        LayerTable {
            marks,
            places,
            entries,
        }
    }

    #[inline]
    pub fn get(&self, key: NodeKey) -> Option<&T> {
        Some(&self.entries.get(self.place(key)?)?.1)
    }

    pub fn get_mut(&mut self, key: NodeKey) -> Option<&mut T> {
        let place = self.place(key)?;
        Some(&mut self.entries.get_mut(place)?.1)
    }

    #[inline]
    fn place(&self, key: NodeKey) -> Option<usize> {
        let board = key.board();
        let slots = self.marks.len();
        let (mut slot, mark) = slot_and_mark(board, slots);
        loop {
            match *self.marks.get(slot)? {
                EMPTY => return None,
                found if found == mark => {
                    let place = *self.places.get(slot)? as usize;
                    if self.entries.get(place)?.0 == board {
                        return Some(place);
                    }
                }
                _ => {}
            }
            slot = (slot + 1) & (slots - 1);
        }
    }

    pub(in crate::book) fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Board, T)> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::edge::Destination;
    use crate::book::edges;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let mut layer = vec![NodeKey::of(Board::START)];
        for _ in 0..5 {
            layer = layer
                .iter()
                .flat_map(|key| edges(key.board()))
                .filter_map(|edge| match edge.to {
                    Destination::Position { key, .. } => Some(key),
                    Destination::End(_) => None,
                })
                .collect();
            layer.sort();
            layer.dedup();
        }
        let (inside, outside) = layer.split_at(layer.len() / 2);
        let numbered = inside.iter().copied().zip(0..).collect();
        let table: LayerTable<i32> = LayerTable::new(numbered);
        for (number, key) in (0..).zip(inside) {
            assert_eq!(table.get(*key), Some(&number));
        }
        assert!(outside.iter().all(|key| table.get(*key).is_none()));
        assert_eq!(table.iter().count(), inside.len());
        assert_eq!(table.len(), inside.len());
        let mut table = table;
        *table.get_mut(inside[1]).unwrap() = -1;
        assert_eq!(table.get(inside[0]), Some(&0));
        assert_eq!(table.get(inside[1]), Some(&-1));
        assert!(table.get_mut(outside[0]).is_none());
        assert!(LayerTable::<()>::new(Vec::new()).get(layer[0]).is_none());
    }
}
