//! How positions come in: those the book does not have are put in and made due, those it has are
//! wanted where they are not searched well enough, and those that wait come in when enough games
//! have reached them.

use crate::book::analyst::Analyst;
use crate::book::edge::{Destination, for_each_edge};
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::statistics::Statistics;
use crate::book::store::{Batch, Flag, Mark, Reader, Store, StoreError, Table};
use crate::book::want::{Errand, Want};
use crate::othello::Position;
use rayon::prelude::*;
use std::collections::HashSet;

/// A position that comes in costs about as much as this many in a full sweep.
const SWEEP_RATIO: u64 = 64;
/// Fewer than this go through the queue even in a small book: it knows what is new.
const SWEEP_FROM: u64 = 1000;
/// Positions that are looked up at once.
pub const KEYS_PER_JOB: usize = 1024;

/// Wants positions of the book that are not searched to the errand's level. Which questions that
/// takes is found out when they are asked.
pub fn want_known(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    mut keys: Vec<NodeKey>,
    analyst: &dyn Analyst,
    errand: Errand,
) -> Result<(), StoreError> {
    keys.par_sort_unstable();
    keys.dedup();
    for keys in keys.chunks(KEYS_PER_JOB) {
        for (key, node) in keys.iter().zip(reader.nodes(keys)?) {
            let Some(node) = node else {
                continue;
            };
            let promised = analyst.promises(key.board(), errand.level);
            // A leaf's own search left one, too.
            let beside = node.alternative.map(|known| known.level);
            let is_searched = beside.is_some_and(|level| level.covers(promised));
            if !is_searched && !node.derived.bounds.is_exact() {
                batch.want(*key, Want::of(errand));
            }
        }
    }
    Ok(())
}

/// Puts those of the keys (in rising order) into the batch that the book does not have, and makes
/// sure that they are propagated.
pub fn insert_new(
    store: &Store,
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    mut keys: Vec<NodeKey>,
    errand: Option<Errand>,
) -> Result<u64, StoreError> {
    let there: Vec<Vec<bool>> = keys
        .par_chunks(KEYS_PER_JOB)
        .map(|keys| reader.contains(keys))
        .collect::<Result<_, _>>()?;
    let mut there = there.into_iter().flatten();
    keys.retain(|_| there.next() == Some(false));
    if keys.is_empty() {
        return Ok(0);
    }
    let count = keys.len() as u64;
    let sweep = batch.is_large()
        || reader.flag(Flag::SweepDue)?
        || count >= SWEEP_FROM
            && count.saturating_mul(SWEEP_RATIO) > store.estimated_records(Table::Nodes)?;
    if sweep {
        batch.raise_sweep(errand);
    }
    for key in keys {
        batch.put_node(key, &Node::new(Origin::Game));
        if !sweep {
            batch.mark(key, Mark::Changed, errand);
        }
        if let Some(errand) = errand {
            batch.want(key, Want::of(errand));
        }
    }
    Ok(count)
}

/// Takes in, layer by layer from the start, the positions that enough games reached and that a
/// move from the book leads to. What comes in depends on the games, not on their order.
pub fn admit(store: &Store, min_games: u32, errand: Option<Errand>) -> Result<u64, StoreError> {
    let mut positions = 0;
    let mut take = |keys: Vec<NodeKey>| -> Result<(), StoreError> {
        let mut batch = store.batch()?;
        positions += insert_new(store, &store.reader(), &mut batch, keys, errand)?;
        batch.commit()
    };
    let start = NodeKey::of(Position::START.board);
    let enough = |found: &Statistics| found.games >= min_games;
    if store
        .reader()
        .statistics(start)?
        .is_some_and(|s| enough(&s))
    {
        take(vec![start])?;
    }
    for (above, layer) in Layer::all().zip(Layer::all().skip(1)) {
        if above < Layer::FIRST {
            continue;
        }
        let reader = store.reader();
        let mut wanted = HashSet::new();
        let mut rows = reader.rows(Table::Statistics, Some(layer))?;
        while let Some((key, statistics)) = rows.next_statistics()? {
            if enough(&statistics) {
                wanted.insert(key);
            }
        }
        if wanted.is_empty() {
            continue;
        }
        let mut reached = Vec::new();
        let mut rows = reader.rows(Table::Nodes, Some(above))?;
        while let Some((key, _)) = rows.next_node()? {
            for_each_edge(key.board(), |edge| {
                if let Destination::Position { key, .. } = edge.to
                    && wanted.remove(&key)
                {
                    reached.push(key);
                }
            });
        }
        reached.sort_unstable();
        take(reached)?;
    }
    if min_games <= 1 {
        let mut batch = store.batch()?;
        batch.lower(Flag::HeldBack);
        batch.commit()?;
    }
    store.sync()?;
    Ok(positions)
}
