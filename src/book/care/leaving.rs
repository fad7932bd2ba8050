//! Moves that leave the book when what they lead to does.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::node::{Alternative, Bounds, Found, Level, Node, Value};
use crate::book::scan::Link;
use crate::book::store::{Batch, Reader, StoreError, Table};
use crate::othello::{Bitboard, Square};

pub(super) fn remove(batch: &mut Batch<'_>, key: NodeKey) {
    batch.remove(Table::Nodes, &key.to_bytes());
    batch.remove(Table::Counts, &key.to_bytes());
}

pub(super) fn unwant(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    key: NodeKey,
) -> Result<(), StoreError> {
    for want in reader.wants(key)? {
        batch.unwant(key, want.errand);
    }
    Ok(())
}

/// What is known of the moves outside when those to `leaving` positions have left.
pub(super) fn alternative_without(
    key: NodeKey,
    node: &Node,
    leaving: &[Link],
) -> Option<Alternative> {
    let mut known = node.alternative?;
    for link in leaving {
        if let (Destination::Position { sign, .. }, Some(derived)) = (link.edge.to, &link.below) {
            let value = derived.value.map(|value| sign.value(value));
            let legal = key.board().legal_moves();
            let bounds = sign.bounds(derived.bounds);
            add_move(&mut known, legal, link.edge.square, value, bounds);
        }
    }
    Some(known)
}

/// Moves of a position to such others leave the book.
pub(super) fn leave_moves(
    reader: &Reader<'_>,
    key: NodeKey,
    node: &mut Node,
    leaves: impl Fn(NodeKey) -> bool,
) -> Result<(), StoreError> {
    let mut links = Vec::new();
    for edge in edges(key.board()) {
        let below = match edge.child().filter(|child| leaves(*child)) {
            Some(child) => reader.node(child)?.map(|below| below.derived),
            None => None,
        };
        links.push(Link { edge, below });
    }
    node.alternative = alternative_without(key, node, &links);
    Ok(())
}

/// One more of the legal moves is outside the book. The best of them may be another now, and what
/// was proven about the others holds for this one only if it is known to be no better.
fn add_move(
    known: &mut Alternative,
    legal: Bitboard,
    square: Square,
    value: Option<Value>,
    bounds: Bounds,
) {
    let limit = known.found.value();
    if known.level.solved && Value::of_score(bounds.upper) <= limit {
        known.among = known.among.with(square);
    }
    if let Some(value) = value.filter(|value| *value > limit) {
        *known = Alternative {
            found: Found::Move(square, value),
            level: Level {
                solved: false,
                ..known.level
            },
            among: legal,
            ..*known
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::node::EngineNumber;

    #[test]
    fn a_better_move_outside_takes_the_proof_away() {
        let value = |centidiscs| Value::new(centidiscs).unwrap();
        let solved = Level {
            depth: 20,
            selectivity: 100,
            solved: true,
        };
        let square = Square::at(2, 3);
        let added = |worth: Option<i32>, bounds: Bounds| {
            let mut known = Alternative {
                found: Found::NoneAbove(value(200)),
                level: solved,
                engine: EngineNumber::UNKNOWN,
                among: Square::at(4, 5).into(),
            };
            let legal = known.among.with(square);
            add_move(&mut known, legal, square, worth.map(value), bounds);
            let proves = known.level.solved && known.among.contains(square);
            (known.found, proves)
        };
        let low = Bounds {
            upper: value(100).floor(),
            ..Bounds::UNKNOWN
        };
        assert_eq!(added(Some(100), low), (Found::NoneAbove(value(200)), true));
        let unproven = added(Some(100), Bounds::UNKNOWN);
        assert_eq!(unproven, (Found::NoneAbove(value(200)), false));
        let better = added(Some(300), Bounds::UNKNOWN);
        assert_eq!(better, (Found::Move(square, value(300)), false));
    }
}
