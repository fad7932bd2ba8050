//! Positions that no move of the book leads to: a lost record leaves them behind, and a repair
//! connects or removes them.

use crate::book::edge::{Destination, for_each_edge};
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Node, Origin};
use crate::book::scan::keys_of;
use crate::book::store::{Reader, Store, StoreError, Table};
use crate::othello::Board;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Enough that handing it to a thread costs nothing beside the work.
const KEYS_PER_JOB: usize = 512;

/// Where the lines of a book begin: no move need lead there.
#[derive(Clone, Copy)]
pub(in crate::book) enum Roots {
    Start,
    /// The start is not in the book: it is one of a part of the game, and begins with all
    /// positions of this layer.
    Layer(Layer),
}

impl Roots {
    pub fn of(reader: &Reader<'_>) -> Result<Roots, StoreError> {
        if reader.contains(&[NodeKey::of(Board::START)])? == [true] {
            return Ok(Roots::Start);
        }
        for layer in Layer::all() {
            if reader
                .rows(Table::Nodes, Some(layer))?
                .next_row()?
                .is_some()
            {
                return Ok(Roots::Layer(layer));
            }
        }
        Ok(Roots::Start)
    }

    pub fn contain(self, key: NodeKey) -> bool {
        match self {
            Roots::Start => key.board() == NodeKey::of(Board::START).board(),
            Roots::Layer(layer) => key.layer() == layer,
        }
    }
}

/// What became of the orphans.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Orphans {
    /// Positions that came in because an orphan hung on them.
    pub brought_back: u64,
    /// Positions that nothing could connect any more.
    pub removed: u64,
}

/// Connects orphans with the book again where a single position is missing between them, and
/// removes the others. From the emptiest layer on, since what is done in one layer decides about
/// the next. Derived numbers are left as they are: a sweep must follow.
pub(in crate::book) fn attach_or_remove(store: &Store) -> Result<Orphans, StoreError> {
    let roots = Roots::of(&store.reader())?;
    let mut done = Orphans::default();
    let mut above_that: Vec<NodeKey> = Vec::new();
    let mut above: Vec<NodeKey> = Vec::new();
    for layer in Layer::all() {
        let keys = keys_of(&store.reader(), layer)?;
        let table = LayerTable::new(
            keys.iter()
                .map(|key| (*key, AtomicBool::new(roots.contain(*key))))
                .collect(),
        );
        mark_reached(&above, &table);
        let mut orphans: HashSet<NodeKey> = table
            .iter()
            .filter(|(_, reached)| !reached.load(Ordering::Relaxed))
            .map(|(board, _)| NodeKey::of(*board))
            .collect();
        if orphans.is_empty() {
            (above_that, above) = (above, keys);
            continue;
        }
        let missing = between(&store.reader(), &above_that, &mut orphans)?;
        let mut batch = store.batch()?;
        for key in &missing {
            batch.put_node(*key, &Node::new(Origin::Import));
        }
        for key in &orphans {
            batch.remove(Table::Nodes, &key.to_bytes());
        }
        batch.commit()?;
        done.brought_back += missing.len() as u64;
        done.removed += orphans.len() as u64;
        let kept = keys.into_iter().filter(|key| !orphans.contains(key));
        (above_that, above) = (above, kept.collect());
    }
    Ok(done)
}

/// Marks the positions of a layer that moves from the layer above lead to.
pub(in crate::book) fn mark_reached(above: &[NodeKey], table: &LayerTable<AtomicBool>) {
    above.par_chunks(KEYS_PER_JOB).for_each(|keys| {
        for key in keys {
            for_each_child(*key, |child| {
                if let Some(reached) = table.get(child) {
                    reached.store(true, Ordering::Relaxed);
                }
            });
        }
    });
}

/// The positions after a move from one of these that have a move to an orphan, which then is none
/// any more.
fn between(
    reader: &Reader<'_>,
    above_that: &[NodeKey],
    orphans: &mut HashSet<NodeKey>,
) -> Result<Vec<NodeKey>, StoreError> {
    let found: Vec<(NodeKey, NodeKey)> = above_that
        .par_iter()
        .flat_map_iter(|from| {
            let mut found = Vec::new();
            for_each_child(*from, |between| {
                for_each_child(between, |key| {
                    if orphans.contains(&key) {
                        found.push((between, key));
                    }
                });
            });
            found
        })
        .collect();
    let mut candidates: BTreeMap<NodeKey, HashSet<NodeKey>> = BTreeMap::new();
    for (between, orphan) in found {
        candidates.entry(between).or_default().insert(orphan);
    }
    // One way to each orphan is enough. A position that games went through is what was lost;
    // otherwise the one that most orphans hang on is the likeliest.
    let mut ranked = Vec::with_capacity(candidates.len());
    for (key, hanging) in candidates {
        let played = reader.statistics(key)?.is_some();
        ranked.push((Reverse((played, hanging.len())), key, hanging));
    }
    ranked.sort_by_key(|(rank, key, _)| (*rank, *key));
    let mut missing = Vec::new();
    for (_, key, hanging) in ranked {
        let before = orphans.len();
        orphans.retain(|orphan| !hanging.contains(orphan));
        if orphans.len() < before {
            missing.push(key);
        }
    }
    Ok(missing)
}

fn for_each_child(key: NodeKey, mut see: impl FnMut(NodeKey)) {
    for_each_edge(key.board(), |edge| {
        if let Destination::Position { key, .. } = edge.to {
            see(key);
        }
    });
}
