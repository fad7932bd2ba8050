//! Growth in rounds: everything within reach is looked at, all that is due comes in at once and
//! is searched on all cores, and so on until nothing is due. What a round does follows from the
//! book before it, so neither threads nor the order of the work change the result.

use super::{GrowError, Grown, position_of_book};
use crate::book::{
    Asking, Family, Found, Layer, Mark, Node, NodeKey, Origin, Reader, Store, StoreError, Value,
    Watcher, beside, settle, settle_asking,
};
use crate::othello::Position;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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

impl Reach {
    fn limits(&self) -> (i32, i32) {
        (self.relative, self.absolute)
    }
}

/// Grows a book until nothing within reach is left to do, or a limit is reached.
pub fn grow_in_rounds(
    store: &Store,
    asking: Asking<'_>,
    reach: &Reach,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    settle(store, &())?;
    let (from, _) = position_of_book(store, reach.from)?;
    let mut grown = Grown::default();
    while !watcher.should_stop() {
        let mut round = Round::collect(store, from, reach)?;
        let room = reach.positions.map(|limit| limit - grown.added.min(limit));
        if let Some(room) = room.and_then(|room| usize::try_from(room).ok()) {
            round.add = round.add.into_iter().take(room).collect();
        }
        if round.add.is_empty() && (round.ask.is_empty() || room == Some(0)) {
            grown.exhausted = room != Some(0);
            break;
        }
        let added = round.add.len() as u64;
        if !round.run(store, asking, &mut grown)? {
            break;
        }
        let settled = settle_asking(store, asking, watcher)?;
        grown.searched += settled.searched;
        grown.added += added;
        if !settled.finished {
            break;
        }
    }
    Ok(grown)
}

/// What is due, in the order of the keys.
#[derive(Default)]
struct Round {
    add: BTreeSet<NodeKey>,
    /// Positions whose moves beside the book may be within reach, and how far that is.
    ask: Vec<(NodeKey, i32)>,
}

impl Round {
    fn collect(store: &Store, from: NodeKey, reach: &Reach) -> Result<Round, StoreError> {
        let mut round = Round::default();
        walk(
            &store.reader(),
            from,
            reach.limits(),
            |family, node, left| {
                round.look_at(family, node, left, reach);
            },
        )?;
        Ok(round)
    }

    /// Notes what is due at one position.
    fn look_at(&mut self, family: &Family, node: &Node, left: i32, reach: &Reach) {
        let plies = family
            .key()
            .layer()
            .discs()
            .saturating_sub(Layer::FIRST.discs());
        if node.derived.bounds.is_exact() || family.outside().is_empty() || plies >= reach.plies {
            return;
        }
        let loss = |value: Value| {
            let best = node.derived.value.unwrap_or(value);
            best.centidiscs() - value.centidiscs()
        };
        match node.alternative.map(|known| known.found) {
            Some(Found::Move(square, value)) if family.outside().contains(square) => {
                if loss(value) <= left {
                    self.add.extend(family.after(square));
                }
            }
            Some(Found::Move(_, limit) | Found::NoneAbove(limit)) => {
                if loss(limit) < left {
                    self.ask.push((family.key(), left));
                }
            }
            None => self.ask.push((family.key(), left)),
        }
    }

    /// Asks what is to be asked, and takes the new positions in, for the queue to search. False
    /// if it was stopped.
    fn run(self, store: &Store, asking: Asking<'_>, grown: &mut Grown) -> Result<bool, StoreError> {
        let answers: Vec<bool> = self
            .ask
            .par_iter()
            .map(|&(key, slack)| ask(store, asking, key, slack))
            .collect::<Result<_, StoreError>>()?;
        grown.searched += answers.iter().filter(|&&answered| answered).count() as u64;
        if answers.contains(&false) {
            return Ok(false);
        }
        take_in(store, self.add)?;
        Ok(true)
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

/// Takes positions in, for the queue to search.
pub(super) fn take_in(
    store: &Store,
    keys: impl IntoIterator<Item = NodeKey>,
) -> Result<(), StoreError> {
    let mut batch = store.batch()?;
    for key in keys {
        batch.put_node(key, &Node::new(Origin::Expansion));
        batch.mark(key, Mark::New);
    }
    batch.commit()
}

/// False if it was stopped.
fn ask(store: &Store, asking: Asking<'_>, key: NodeKey, slack: i32) -> Result<bool, StoreError> {
    let reader = store.reader();
    let Some(mut node) = reader.node(key)? else {
        return Ok(true);
    };
    let family = Family::read(&reader, key)?;
    let question = beside(&family, &node, asking, slack);
    let Some(finding) = asking.analyst.answer(&question) else {
        return Ok(false);
    };
    question.answered(&mut node, &finding);
    let mut batch = store.batch()?;
    batch.put_node(key, &node);
    batch.mark(key, Mark::Changed);
    batch.commit()?;
    Ok(true)
}
