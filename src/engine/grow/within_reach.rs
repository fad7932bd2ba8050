//! Growth within reach: everything that good play comes to is looked at, and all moves that are
//! nearly as good come in, round after round until none is left.

use super::{GrowError, grow_below};
use crate::book::{
    Analyst, Cause, Family, Grown, GrowthStep, Node, NodeKey, Reader, Rounds, Store, StoreError,
    Value, Wanted, Watcher, Wish,
};
use crate::othello::Position;
use std::collections::BTreeMap;

/// Which positions are within reach, and where they grow.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub from: Position,
    /// A move may give away this many centi-discs …
    pub relative: i32,
    /// … and all moves on the way together this many.
    pub absolute: i32,
    /// Positions after this many moves from the start are the last.
    pub plies: u8,
    /// Stop when this many positions have come in.
    pub positions: Option<u64>,
}

/// Grows a book until nothing within reach is left to do, or a limit is reached.
pub fn deviate(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    reach: &Reach,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    let source = |from| WithinReach {
        from,
        reach: *reach,
        added: 0,
    };
    grow_below(
        store,
        analyst,
        (Cause::Deviate, level),
        reach.from,
        source,
        watcher,
    )
}

struct WithinReach {
    from: NodeKey,
    reach: Reach,
    /// Positions that were wished for in this run.
    added: u64,
}

impl Rounds for WithinReach {
    fn next(&mut self, reader: &Reader<'_>) -> Result<GrowthStep, StoreError> {
        let mut due = Due::default();
        let limits = (self.reach.relative, self.reach.absolute);
        walk(reader, self.from, limits, |family, node, left| {
            due.look_at(family, node, left, &self.reach);
        })?;
        let room = self
            .reach
            .positions
            .map(|limit| limit - self.added.min(limit));
        if room == Some(0) {
            return Ok(GrowthStep::Done { exhausted: false });
        }
        if let Some(room) = room.and_then(|room| usize::try_from(room).ok()) {
            let added: Vec<NodeKey> = due.add.keys().copied().skip(room).collect();
            for key in added {
                due.add.remove(&key);
            }
        }
        if due.add.is_empty() && due.ask.is_empty() {
            return Ok(GrowthStep::Done { exhausted: true });
        }
        self.added += due.add.len() as u64;
        let mut wishes: BTreeMap<NodeKey, Wish> = due.add;
        wishes.extend(due.ask);
        Ok(GrowthStep::Want(wishes.into_values().collect()))
    }
}

/// What is due.
#[derive(Default)]
struct Due {
    add: BTreeMap<NodeKey, Wish>,
    /// Positions whose moves beside the book may be within reach.
    ask: BTreeMap<NodeKey, Wish>,
}

impl Due {
    /// Notes what is due at one position.
    fn look_at(&mut self, family: &Family, node: &Node, left: i32, reach: &Reach) {
        let key = family.key();
        let outside = family.outside();
        if node.derived.bounds.is_exact()
            || outside.is_empty()
            || key.layer().plies() >= reach.plies
        {
            return;
        }
        let loss = |value: Value| {
            let best = node.derived.value.unwrap_or(value);
            best.centidiscs() - value.centidiscs()
        };
        let mut ask = || {
            let wish = Wish {
                what: u16::try_from(left).map_or(Wanted::ByRule, Wanted::Beside),
                ..Wish::plain(key)
            };
            self.ask.insert(key, wish);
        };
        let Some(found) = node.alternative.map(|known| known.found) else {
            return ask();
        };
        // The move that a search named comes in, or is searched if it came in from elsewhere.
        let named = found.square();
        match named.filter(|square| family.open().contains(*square)) {
            Some(square) => {
                if loss(found.value()) <= left
                    && let Some(child) = family.after(square)
                {
                    let wish = (child, Wish::plain(child));
                    if outside.contains(square) {
                        self.add.extend([wish]);
                    } else {
                        self.ask.extend([wish]);
                    }
                }
            }
            None => {
                if found.limit().is_none_or(|limit| loss(limit) < left) {
                    ask();
                }
            }
        }
    }
}

/// Shows every position of the book that moves lead to which give away at most so many centi-discs
/// each and together, with what the next one may give away.
pub(super) fn walk(
    reader: &Reader<'_>,
    from: NodeKey,
    (relative, absolute): (i32, i32),
    mut see: impl FnMut(&Family, &Node, i32),
) -> Result<(), StoreError> {
    // What was given away at least on the way to each position of a layer.
    let mut layer = BTreeMap::from([(from, 0)]);
    while !layer.is_empty() {
        let mut next: BTreeMap<NodeKey, i32> = BTreeMap::new();
        for (key, spent) in layer {
            let Some(node) = reader.node(key)? else {
                continue;
            };
            let family = Family::read(reader, key)?;
            let left = relative.min(absolute - spent);
            for (child, value) in family.children() {
                let Some((best, value)) = node.derived.value.zip(value) else {
                    continue;
                };
                let loss = best.centidiscs() - value.centidiscs();
                if loss <= left {
                    let least = next.entry(child).or_insert(i32::MAX);
                    *least = (*least).min(spent + loss);
                }
            }
            see(&family, &node, left);
        }
        layer = next;
    }
    Ok(())
}
