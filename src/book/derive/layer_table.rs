//! A whole layer in memory while something in the one above it is to be computed: one look costs a
//! cache miss where the database would cost microseconds.

use crate::book::key::NodeKey;
use crate::othello::Board;

const EMPTY: u32 = u32::MAX;

/// Positions of one layer with what is known about each. The positions stay the same.
pub struct LayerTable<T> {
    /// Places in `entries`, by hash; at most half of them are taken.
    slots: Vec<u32>,
    entries: Vec<(Board, T)>,
}

impl<T> LayerTable<T> {
    pub fn new(entries: Vec<(NodeKey, T)>) -> LayerTable<T> {
        let entries: Vec<(Board, T)> = entries
            .into_iter()
            .map(|(key, known)| (key.board(), known))
            .collect();
        let mut slots = vec![EMPTY; (2 * entries.len()).next_power_of_two()];
        let mask = slots.len() - 1;
        for (place, (board, _)) in entries.iter().enumerate() {
            let mut slot = board.hash() as usize & mask;
            while slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            slots[slot] = place as u32;
        }
        LayerTable { slots, entries }
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
        let mask = self.slots.len() - 1;
        let mut slot = board.hash() as usize & mask;
        loop {
            let place = *self.slots.get(slot)?;
            if place == EMPTY {
                return None;
            }
            if self.entries.get(place as usize)?.0 == board {
                return Some(place as usize);
            }
            slot = (slot + 1) & mask;
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
