//! Playing lines out: wherever good play leaves the book, its best moves come in one after the
//! other until the solver reaches the line. A line that was begun is played to its end, whatever
//! its value becomes on the way.

use super::within_reach::walk;
use super::{GrowError, grow_below};
use crate::book::{
    Analyst, Cause, Family, Grown, GrowthStep, NodeKey, Reader, Rounds, Store, StoreError, Watcher,
    Wish,
};
use crate::othello::Position;
use std::collections::BTreeSet;

/// Plays out every line below a position in which nobody gives away more than `loss` centi-discs.
pub fn play_out(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    from: Position,
    loss: i32,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    let source = |from| PlayOut {
        from,
        loss,
        ends: None,
    };
    grow_below(
        store,
        analyst,
        (Cause::PlayOut, level),
        from,
        source,
        watcher,
    )
}

struct PlayOut {
    from: NodeKey,
    loss: i32,
    /// How far the lines are played out that were begun, once that is known.
    ends: Option<BTreeSet<NodeKey>>,
}

impl PlayOut {
    /// What tells it from a play-out of other lines.
    fn name(&self) -> Vec<u8> {
        [&self.from.to_bytes()[..], &self.loss.to_be_bytes()].concat()
    }

    /// The places where play within the loss leaves the book.
    fn find_ends(&self, reader: &Reader<'_>) -> Result<BTreeSet<NodeKey>, StoreError> {
        let mut ends = BTreeSet::new();
        walk(
            reader,
            self.from,
            (self.loss, self.loss),
            |family, node, _| {
                let best = node.derived.best;
                if best.is_none_or(|best| family.open().contains(best)) {
                    ends.insert(family.key());
                }
            },
        )?;
        Ok(ends)
    }
}

impl Rounds for PlayOut {
    fn resume(&mut self, memo: &[u8]) {
        if let Some(ends) = memo.strip_prefix(&self.name()[..]) {
            let keys = ends.chunks(NodeKey::BYTES);
            self.ends = keys.map(|key| NodeKey::from_bytes(key).ok()).collect();
        }
    }

    fn memo(&self) -> Vec<u8> {
        let ends = self.ends.iter().flatten().flat_map(|end| end.to_bytes());
        self.name().into_iter().chain(ends).collect()
    }

    fn next(&mut self, reader: &Reader<'_>) -> Result<GrowthStep, StoreError> {
        let ends = match self.ends.take() {
            Some(ends) => ends,
            None => self.find_ends(reader)?,
        };
        let mut next = BTreeSet::new();
        for end in &ends {
            next.extend(beyond(reader, *end)?);
        }
        self.ends = Some(next.clone());
        if next.is_empty() {
            return Ok(GrowthStep::Done { exhausted: true });
        }
        Ok(GrowthStep::Want(
            next.into_iter().map(Wish::plain).collect(),
        ))
    }
}

/// The first position that best play leads to which is not in the book, or has no value there;
/// none where the line is solved.
fn beyond(reader: &Reader<'_>, from: NodeKey) -> Result<Option<NodeKey>, StoreError> {
    let mut key = from;
    while let Some(node) = reader.node(key)?
        && node.derived.value.is_some()
    {
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
