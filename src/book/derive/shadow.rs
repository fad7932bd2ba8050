//! What has to wait in a pass that asks. A position is looked at when nothing below it can change
//! any more. What is asked, and everything above that, is *unsettled*: the pass goes on beside it,
//! layer by layer, and comes back to each position when the last one below it is settled. So a
//! question follows from the book alone, whenever the answers come, and nobody has to wait for the
//! slowest answer of a layer.
//!
//! All of this follows from what stands in the database: a pass that is killed begins without it.

use crate::book::key::{Layer, NodeKey};
use crate::book::parents::ParentFinder;
use crate::book::store::{Reader, StoreError};
use foldhash::{HashMap, HashSet};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Shadow {
    unsettled: BTreeMap<Layer, HashMap<NodeKey, Unsettled>>,
    /// The layer that is being scanned.
    scanned: Option<Layer>,
    /// Nothing below them is unsettled any more.
    released: Vec<NodeKey>,
    /// The same in the layer that is being scanned.
    held: Vec<NodeKey>,
    /// Positions that failed, and what is above them as far as the pass has come.
    blocked: HashSet<NodeKey>,
}

/// A position that is asked, or is above one that is.
#[derive(Default)]
struct Unsettled {
    /// How many positions directly below it are unsettled.
    below: usize,
    /// Those directly above it, once the pass has left its layer.
    parents: Vec<NodeKey>,
}

impl Shadow {
    /// From now on positions of this layer are looked at, but for those that wait. They wait until
    /// the end of the scan, whatever is answered meanwhile: who scans may have read them before.
    pub fn begin_scan(&mut self, layer: Layer) {
        self.scanned = Some(layer);
    }

    pub fn end_scan(&mut self) {
        self.scanned = None;
        self.released.append(&mut self.held);
    }

    /// The pass goes up from this layer: what is above unsettled positions waits for them, and what
    /// is above those that failed is blocked.
    pub fn leave(&mut self, reader: &Reader<'_>, layer: Layer) -> Result<(), StoreError> {
        let failed: Vec<NodeKey> = self.blocked.iter().copied().collect();
        let unsettled = self.unsettled.get_mut(&layer);
        if failed.is_empty() && unsettled.is_none() {
            return Ok(());
        }
        let mut finder = ParentFinder::new(reader)?;
        for key in failed.into_iter().filter(|key| key.layer() == layer) {
            self.blocked.extend(finder.find(key)?);
        }
        let mut above = Vec::new();
        for (key, waiting) in unsettled.into_iter().flatten() {
            waiting.parents = finder.find(*key)?;
            above.extend_from_slice(&waiting.parents);
        }
        for parent in above {
            self.at(parent).below += 1;
        }
        Ok(())
    }

    /// A position is asked: it is unsettled until somebody says otherwise.
    pub fn ask(&mut self, key: NodeKey) {
        self.at(key);
    }

    /// Nothing will change a position any more, and that is written: those above it may be next.
    pub fn settle(&mut self, key: NodeKey) {
        let Some(layer) = self.unsettled.get_mut(&key.layer()) else {
            return;
        };
        let Some(settled) = layer.remove(&key) else {
            return;
        };
        if layer.is_empty() {
            self.unsettled.remove(&key.layer());
        }
        if self.blocked.contains(&key) {
            self.blocked.extend(&settled.parents);
        }
        for parent in settled.parents {
            let waiting = self.at(parent);
            waiting.below -= 1;
            if waiting.below > 0 {
                continue;
            }
            if self.scanned == Some(parent.layer()) {
                self.held.push(parent);
            } else {
                self.released.push(parent);
            }
        }
    }

    /// A question failed: its position stays as it is, and nothing above it is asked.
    pub fn fail(&mut self, key: NodeKey) {
        self.blocked.insert(key);
        self.settle(key);
    }

    /// Positions that waited and are to be looked at now. They are unsettled until that is done.
    pub fn take_released(&mut self) -> Vec<NodeKey> {
        std::mem::take(&mut self.released)
    }

    /// Who scans a layer leaves this position out.
    pub fn covers(&self, key: NodeKey) -> bool {
        let layer = self.unsettled.get(&key.layer());
        layer.is_some_and(|layer| layer.contains_key(&key))
    }

    /// Something directly above this layer is unsettled.
    pub fn is_above(&self, layer: Layer) -> bool {
        let mut layers = self.unsettled.keys();
        layers.any(|above| above.next() == Some(layer))
    }

    /// Something below a position failed and is still wanted: it is not asked before that is
    /// answered.
    pub fn is_blocked(&self, key: NodeKey) -> bool {
        self.blocked.contains(&key)
    }

    fn at(&mut self, key: NodeKey) -> &mut Unsettled {
        let layer = self.unsettled.entry(key.layer()).or_default();
        layer.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::edge::edges;
    use crate::book::node::{Node, Origin};
    use crate::book::store::Store;
    use crate::othello::{MoveList, Position};
    use tempfile::TempDir;

    fn key(line: &str) -> NodeKey {
        NodeKey::of(MoveList::parse(Position::START, line).unwrap().end.board)
    }

    /// A book of all positions on the way to these.
    fn book(lines: &[&str]) -> (TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(&folder.path().join("b")).unwrap();
        let mut batch = store.batch().unwrap();
        for line in lines {
            for end in (0..=line.len()).step_by(2) {
                batch.put_node(key(&line[..end]), &Node::new(Origin::Game));
            }
        }
        batch.commit().unwrap();
        (folder, store)
    }

    /// Scans a layer in which these are asked, and leaves it.
    fn pass(shadow: &mut Shadow, store: &Store, discs: u8, asked: &[NodeKey]) {
        let layer = Layer::of_discs(discs).unwrap();
        shadow.begin_scan(layer);
        for key in asked {
            assert!(!shadow.covers(*key) && key.layer() == layer);
            shadow.ask(*key);
        }
        shadow.end_scan();
        shadow.leave(&store.reader(), layer).unwrap();
    }

    #[test]
    fn a_position_waits_for_all_that_is_asked_below_it_and_for_nothing_else() {
        let (_folder, store) = book(&["f5d6c3", "f5d6c4", "f5f6e6"]);
        let mut shadow = Shadow::default();
        let (one, other) = (key("f5d6c3"), key("f5d6c4"));
        pass(&mut shadow, &store, 7, &[one, other]);
        assert!(shadow.covers(key("f5d6")) && !shadow.covers(key("f5f6")));
        pass(&mut shadow, &store, 6, &[key("f5f6")]);
        pass(&mut shadow, &store, 5, &[]);
        assert!(shadow.covers(key("f5")) && shadow.covers(key("")));
        assert!(shadow.is_above(one.layer()));

        shadow.settle(one);
        shadow.settle(key("f5f6"));
        assert_eq!(shadow.take_released(), []);
        shadow.settle(other);
        assert!(shadow.is_above(one.layer()), "it is not looked at yet");
        assert_eq!(shadow.take_released(), [key("f5d6")]);
        assert_eq!(shadow.take_released(), [], "each is released once");
        // It is asked itself: those above it go on waiting.
        shadow.ask(key("f5d6"));
        assert!(shadow.covers(key("f5d6")));
        shadow.settle(key("f5d6"));
        assert!(!shadow.is_above(one.layer()));
        assert_eq!(shadow.take_released(), [key("f5")]);
        shadow.settle(key("f5"));
        assert_eq!(shadow.take_released(), [key("")]);
        shadow.settle(key(""));
        assert!(shadow.unsettled.is_empty());
    }

    #[test]
    fn nothing_of_a_layer_is_released_while_it_is_scanned() {
        let (_folder, store) = book(&["f5d6c3"]);
        let mut shadow = Shadow::default();
        pass(&mut shadow, &store, 7, &[key("f5d6c3")]);
        shadow.begin_scan(key("f5d6").layer());
        shadow.settle(key("f5d6c3"));
        assert!(shadow.covers(key("f5d6")));
        assert_eq!(shadow.take_released(), []);
        shadow.end_scan();
        assert_eq!(shadow.take_released(), [key("f5d6")]);
    }

    #[test]
    fn what_is_settled_before_its_layer_is_left_has_no_shadow() {
        let (_folder, store) = book(&["f5d6c3"]);
        let mut shadow = Shadow::default();
        let leaf = key("f5d6c3");
        shadow.begin_scan(leaf.layer());
        shadow.ask(leaf);
        shadow.settle(leaf);
        shadow.end_scan();
        shadow.leave(&store.reader(), leaf.layer()).unwrap();
        assert!(!shadow.covers(key("f5d6")) && shadow.unsettled.is_empty());
    }

    #[test]
    fn what_fails_late_or_early_blocks_all_above_it_and_releases_them() {
        for is_late in [false, true] {
            let (_folder, store) = book(&["f5d6c3", "f5f6e6"]);
            let mut shadow = Shadow::default();
            let (leaf, other) = (key("f5d6c3"), key("f5f6e6"));
            if !is_late {
                shadow.ask(leaf);
                shadow.fail(leaf);
            }
            let asked = [leaf, other];
            pass(&mut shadow, &store, 7, &asked[usize::from(!is_late)..]);
            pass(&mut shadow, &store, 6, &[]);
            pass(&mut shadow, &store, 5, &[]);
            if is_late {
                shadow.fail(leaf);
                assert_eq!(shadow.take_released(), [key("f5d6")]);
                assert!(shadow.is_blocked(key("f5d6")));
                shadow.settle(key("f5d6"));
            }
            assert_eq!(shadow.take_released(), [], "f5 waits for the other");
            shadow.settle(other);
            assert_eq!(shadow.take_released(), [key("f5f6")]);
            assert!(!shadow.is_blocked(key("f5f6")));
            shadow.settle(key("f5f6"));
            assert_eq!(shadow.take_released(), [key("f5")]);
            assert!(shadow.is_blocked(key("f5")));
            shadow.settle(key("f5"));
            assert_eq!(shadow.take_released(), [key("")]);
            assert!(shadow.is_blocked(key("")));
        }
    }

    /// In a book full of transpositions, settled in any order.
    #[test]
    fn everything_above_is_released_once_after_all_below_it() {
        let mut layers = vec![vec![key("")]];
        for _ in 0..5 {
            let last = layers.last().unwrap();
            let below = last.iter().flat_map(|key| edges(key.board()));
            let mut below: Vec<NodeKey> = below.filter_map(|edge| edge.child()).collect();
            below.sort_unstable();
            below.dedup();
            layers.push(below);
        }
        let (_folder, store) = book(&[]);
        let mut batch = store.batch().unwrap();
        for key in layers.iter().flatten() {
            batch.put_node(*key, &Node::new(Origin::Game));
        }
        batch.commit().unwrap();
        let mut shadow = Shadow::default();
        let leaves = layers.pop().unwrap();
        pass(&mut shadow, &store, 9, &leaves);
        for discs in (4..9).rev() {
            pass(&mut shadow, &store, discs, &[]);
        }
        let mut settled: HashSet<NodeKey> = HashSet::default();
        let mut order = leaves;
        order.sort_by_key(|key| key.board().hash());
        while let Some(key) = order.pop() {
            let below = edges(key.board());
            let mut below = below.iter().filter_map(|edge| edge.child());
            let is_leaf = key.layer().discs() == 9;
            assert!(is_leaf || below.all(|child| settled.contains(&child)));
            assert!(settled.insert(key));
            shadow.settle(key);
            order.extend(shadow.take_released());
        }
        assert!(layers.iter().flatten().all(|key| settled.contains(key)));
        assert!(shadow.unsettled.is_empty());
    }
}
