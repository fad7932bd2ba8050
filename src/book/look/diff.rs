//! What differs between two books: their positions side by side, both in order, so that books of
//! any size are compared in the memory of one record each.

use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Value};
use crate::book::store::{Reader, StoreError, Table};
use crate::othello::Square;
use std::collections::BTreeMap;

/// The watcher is told this often.
const TELL_EVERY: u64 = 4096;

/// A position that the books do not agree on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    pub key: NodeKey,
    pub kind: DifferenceKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DifferenceKind {
    OnlyInFirst(Opinion),
    OnlyInSecond(Opinion),
    /// The best moves differ, and perhaps the values, too.
    BestMove(Opinion, Opinion),
    /// The values differ, or only one book has one; the best moves do not.
    Value(Opinion, Opinion),
}

/// What a book thinks of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opinion {
    pub value: Option<Value>,
    /// In the orientation of the key's board.
    pub best: Option<Square>,
}

impl Opinion {
    const fn of(node: &Node) -> Opinion {
        Opinion {
            value: node.derived.value,
            best: node.derived.best,
        }
    }
}

impl Difference {
    /// In hundredths of a disc. A value against none counts as more than any two values do.
    pub fn size(&self) -> u32 {
        match self.kind {
            DifferenceKind::BestMove(one, other) | DifferenceKind::Value(one, other) => {
                match (one.value, other.value) {
                    (Some(one), Some(other)) => one.centidiscs().abs_diff(other.centidiscs()),
                    (None, None) => 0,
                    _ => u32::MAX,
                }
            }
            DifferenceKind::OnlyInFirst(_) | DifferenceKind::OnlyInSecond(_) => u32::MAX,
        }
    }
}

/// How many positions were compared, and how many differ.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The same in both books.
    pub same: u64,
    pub only_in_first: u64,
    pub only_in_second: u64,
    pub best_moves: u64,
    pub values: u64,
}

impl Compared {
    pub fn differ(&self) -> bool {
        self.only_in_first + self.only_in_second + self.best_moves + self.values > 0
    }

    fn count(&mut self, kind: Option<DifferenceKind>) {
        match kind {
            Some(DifferenceKind::OnlyInFirst(_)) => self.only_in_first += 1,
            Some(DifferenceKind::OnlyInSecond(_)) => self.only_in_second += 1,
            Some(DifferenceKind::BestMove(..)) => self.best_moves += 1,
            Some(DifferenceKind::Value(..)) => self.values += 1,
            None => self.same += 1,
        }
    }

    fn add(&mut self, other: &Compared) {
        self.same += other.same;
        self.only_in_first += other.only_in_first;
        self.only_in_second += other.only_in_second;
        self.best_moves += other.best_moves;
        self.values += other.values;
    }
}

/// A comparison that came to its end, or was stopped.
#[derive(Clone, Default, Debug)]
pub struct Comparison {
    pub layers: BTreeMap<Layer, Compared>,
    pub finished: bool,
}

impl Comparison {
    pub fn total(&self) -> Compared {
        let mut total = Compared::default();
        self.layers.values().for_each(|layer| total.add(layer));
        total
    }
}

/// Compares two books, and shows each difference in the order of the positions: those with fewest
/// discs first.
pub fn diff<E: From<StoreError>>(
    first: &Reader<'_>,
    second: &Reader<'_>,
    watcher: &impl Watcher,
    mut show: impl FnMut(Difference) -> Result<(), E>,
) -> Result<Comparison, E> {
    let mut comparison = Comparison::default();
    let mut first_rows = first.rows(Table::Nodes, None)?;
    let mut second_rows = second.rows(Table::Nodes, None)?;
    let mut one = first_rows.next_node()?;
    let mut other = second_rows.next_node()?;
    let mut told = 0u64;
    loop {
        let (key, kind) = match (one, other) {
            (Some((key, node)), after) if after.is_none_or(|(after, _)| key < after) => {
                one = first_rows.next_node()?;
                (key, Some(DifferenceKind::OnlyInFirst(Opinion::of(&node))))
            }
            (before, Some((key, node))) if before.is_none_or(|(before, _)| key < before) => {
                other = second_rows.next_node()?;
                (key, Some(DifferenceKind::OnlyInSecond(Opinion::of(&node))))
            }
            (Some((key, node)), Some((_, second_node))) => {
                one = first_rows.next_node()?;
                other = second_rows.next_node()?;
                let opinions = [node, second_node].map(|node| Opinion::of(&node));
                (key, DifferenceKind::between(key, opinions))
            }
            // The arms above take whatever only one book has.
            _ => break,
        };
        let layer = comparison.layers.entry(key.layer()).or_default();
        layer.count(kind);
        if let Some(kind) = kind {
            show(Difference { key, kind })?;
        }
        told += 1;
        if told.is_multiple_of(TELL_EVERY) {
            watcher.done(TELL_EVERY);
            if watcher.should_stop() {
                return Ok(comparison);
            }
        }
    }
    comparison.finished = true;
    Ok(comparison)
}

impl DifferenceKind {
    /// Of a position that is in both books.
    fn between(key: NodeKey, [one, other]: [Opinion; 2]) -> Option<DifferenceKind> {
        let moves = one.best.zip(other.best);
        if moves.is_some_and(|(one, other)| !is_same_move(key, one, other)) {
            Some(DifferenceKind::BestMove(one, other))
        } else if one.value != other.value {
            Some(DifferenceKind::Value(one, other))
        } else {
            None
        }
    }
}

/// On a board that is its own image, moves have images, too.
fn is_same_move(key: NodeKey, one: Square, other: Square) -> bool {
    let after = |square| key.board().play(square).ok().map(NodeKey::of);
    one == other || after(one).is_some_and(|child| after(other) == Some(child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::node::Origin;
    use crate::book::store::Store;
    use crate::othello::Board;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use tempfile::TempDir;

    fn node(discs: Option<i32>, best: Option<&str>) -> Node {
        let mut node = Node::new(Origin::Game);
        node.derived.value = discs.and_then(|discs| Value::new(100 * discs));
        node.derived.best = best.map(|square| square.parse().unwrap());
        node
    }

    fn book(folder: &TempDir, name: &str, nodes: &BTreeMap<NodeKey, Node>) -> Store {
        let store = Store::open_or_create(&folder.path().join(name)).unwrap();
        let mut batch = store.batch().unwrap();
        for (key, node) in nodes {
            batch.put_node(*key, node);
        }
        batch.commit().unwrap();
        store
    }

    fn compare(one: &Store, other: &Store) -> (Vec<Difference>, Compared) {
        let mut all = Vec::new();
        let keep = |difference| {
            all.push(difference);
            Ok::<(), StoreError>(())
        };
        let comparison = diff(&one.snapshot(), &other.snapshot(), &(), keep).unwrap();
        assert!(comparison.finished);
        (all, comparison.total())
    }

    fn positions(count: usize) -> Vec<NodeKey> {
        let mut all = BTreeSet::from([NodeKey::of(Board::START)]);
        let mut last = all.clone();
        while all.len() < count {
            let next = last.iter().flat_map(|key| {
                let board = key.board();
                let moves = board.legal_moves().into_iter();
                moves.filter_map(move |square| board.play(square).ok())
            });
            last = next.map(NodeKey::of).collect();
            all.extend(&last);
        }
        all.into_iter().take(count).collect()
    }

    #[test]
    fn images_of_a_move_are_the_same_move() {
        let folder = tempfile::tempdir().unwrap();
        let key = NodeKey::of(Board::START);
        let moves: Vec<String> = key
            .board()
            .legal_moves()
            .into_iter()
            .map(|s| s.to_string())
            .collect();
        let one = BTreeMap::from([(key, node(Some(2), Some(&moves[0])))]);
        let other = BTreeMap::from([(key, node(Some(2), Some(&moves[3])))]);
        let (found, total) = compare(&book(&folder, "a", &one), &book(&folder, "b", &other));
        assert!(found.is_empty() && !total.differ());
        assert_eq!(total.same, 1);
    }

    #[test]
    fn a_value_against_none_is_the_largest_difference() {
        let key = NodeKey::of(Board::START);
        let of = |discs| Opinion::of(&node(discs, None));
        let size = |one, other| {
            let kind = DifferenceKind::Value(of(one), of(other));
            Difference { key, kind }.size()
        };
        assert_eq!(size(Some(-3), Some(4)), 700);
        assert!(size(Some(-64), Some(64)) < size(None, Some(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The judge holds both books in maps.
        #[test]
        fn every_position_is_compared_once(
            choices in prop::collection::vec((any::<bool>(), any::<bool>(), 0..3i32, 0..3i32), 40)
        ) {
            let folder = tempfile::tempdir().unwrap();
            let (mut one, mut other) = (BTreeMap::new(), BTreeMap::new());
            for (key, (in_one, in_other, a, b)) in positions(40).into_iter().zip(&choices) {
                if *in_one {
                    one.insert(key, node(Some(*a), None));
                }
                if *in_other {
                    other.insert(key, node(Some(*b), None));
                }
            }
            let (found, total) = compare(&book(&folder, "a", &one), &book(&folder, "b", &other));
            let all: BTreeSet<&NodeKey> = one.keys().chain(other.keys()).collect();
            let expected: Vec<NodeKey> = all.iter().copied().copied()
                .filter(|key| one.get(key) != other.get(key)).collect();
            let keys: Vec<NodeKey> = found.iter().map(|difference| difference.key).collect();
            prop_assert_eq!(&keys, &expected);
            prop_assert_eq!(total.same as usize, all.len() - expected.len());
            let only = |map: &BTreeMap<NodeKey, Node>, not: &BTreeMap<NodeKey, Node>| {
                map.keys().filter(|key| !not.contains_key(key)).count() as u64
            };
            prop_assert_eq!(total.only_in_first, only(&one, &other));
            prop_assert_eq!(total.only_in_second, only(&other, &one));
        }
    }
}
