//! Playing lines out: wherever good play leaves the book, its best moves come in one after the
//! other until the solver reaches the line. A line that was begun is played to its end, whatever
//! its value becomes on the way.

use super::rounds::{take_in, walk};
use super::{GrowError, Grown, position_of_book};
use crate::book::{
    Asking, Family, NodeKey, Reader, Store, StoreError, Watcher, settle, settle_asking,
};
use crate::othello::Position;
use std::collections::BTreeSet;

/// Plays out every line below a position in which nobody gives away more than `slack` centi-discs.
pub fn play_out(
    store: &Store,
    asking: Asking<'_>,
    from: Position,
    slack: i32,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    settle(store, &())?;
    let (from, _) = position_of_book(store, from)?;
    let reader = store.reader();
    let mut ends = BTreeSet::new();
    walk(&reader, from, (slack, slack), |family, node, _| {
        let best = node.derived.best;
        if best.is_none_or(|best| family.outside().contains(best)) {
            ends.insert(family.key());
        }
    })?;
    let mut grown = Grown::default();
    while !watcher.should_stop() {
        let mut next = BTreeSet::new();
        for end in ends {
            next.extend(beyond(&reader, end)?);
        }
        if next.is_empty() {
            grown.exhausted = true;
            break;
        }
        take_in(store, next.iter().copied())?;
        let settled = settle_asking(store, asking, watcher)?;
        grown.searched += settled.searched;
        grown.added += next.len() as u64;
        if !settled.finished {
            break;
        }
        ends = next;
    }
    Ok(grown)
}

/// The first position outside the book that best play leads to; none where the line is solved.
fn beyond(reader: &Reader<'_>, from: NodeKey) -> Result<Option<NodeKey>, StoreError> {
    let mut key = from;
    while let Some(node) = reader.node(key)? {
        let Some(best) = node.derived.best else {
            return Ok(None);
        };
        let next = Family::read(reader, key)?.after(best);
        match next {
            Some(next) if !node.derived.bounds.is_exact() => key = next,
            _ => return Ok(None),
        }
    }
    Ok(Some(key))
}
