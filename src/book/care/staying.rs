//! Which positions stay when a rule takes others out, decided layer by layer from the start on.

use super::trim::{AT_ONCE, Rule, Trimmed};
use crate::book::Watcher;
use crate::book::edge::Destination;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, Node};
use crate::book::orphans::Roots;
use crate::book::scan::{self, LayerScan, Link};
use crate::book::store::{Reader, StoreError, Table};
use std::sync::atomic::{AtomicI32, Ordering};

/// Nobody has come here.
const NEVER: i32 = i32::MAX;

/// Which positions stay.
pub(super) struct Decision {
    /// By layer, in the order of keys.
    pub layers: Vec<Vec<bool>>,
    pub trimmed: Trimmed,
}

impl Decision {
    /// Layer by layer from the start on. None if the watcher stopped it.
    pub fn by(
        reader: &Reader<'_>,
        rule: &Rule,
        watcher: &dyn Watcher,
    ) -> Result<Option<Decision>, StoreError> {
        let mut decision = Decision {
            layers: Vec::new(),
            trimmed: Trimmed::default(),
        };
        let roots = Roots::of(reader)?;
        let given_at = |reached: &Reached| -> LayerTable<AtomicI32> {
            let given = reached.iter().map(|(board, _)| {
                let key = NodeKey::of(*board);
                let root = roots.contain(key).then_some(0);
                let root = root.and_then(|given| rule.enters(key, given, 0));
                (key, AtomicI32::new(root.unwrap_or(NEVER)))
            });
            LayerTable::new(given.collect())
        };
        let mut given = given_at(&reached_in(reader, Some(Layer::EMPTY))?);
        for layer in Layer::all() {
            let below = reached_in(reader, layer.next())?;
            let given_below = given_at(&below);
            let mut rows = LayerScan::new(reader, layer, false)?;
            loop {
                let mut chunk = rows.next_chunk(AT_ONCE)?;
                if chunk.is_empty() {
                    break;
                }
                if watcher.should_stop() {
                    return Ok(None);
                }
                let before = |key: NodeKey| {
                    let given = given.get(key);
                    given.map_or(NEVER, |given| given.load(Ordering::Relaxed))
                };
                chunk.retain(|row| before(row.key) != NEVER);
                scan::map_with_links(&chunk, &below, |row, links| {
                    for (key, loss) in losses(&row.node, links) {
                        if let (Some(given), Some(now)) = (
                            given_below.get(key),
                            rule.enters(key, before(row.key), loss),
                        ) {
                            given.fetch_min(now, Ordering::Relaxed);
                        }
                    }
                });
            }
            let stays = given
                .iter()
                .map(|(_, one)| one.load(Ordering::Relaxed) != NEVER);
            let stays: Vec<bool> = stays.collect();
            let kept = stays.iter().filter(|stays| **stays).count() as u64;
            decision.trimmed.kept += kept;
            decision.trimmed.removed += stays.len() as u64 - kept;
            decision.layers.push(stays);
            given = given_below;
        }
        Ok(Some(decision))
    }
}

/// What is derived for the positions that moves may lead to.
type Reached = LayerTable<Derived>;

pub(super) fn reached_in(reader: &Reader<'_>, layer: Option<Layer>) -> Result<Reached, StoreError> {
    let mut below = Vec::new();
    if let Some(layer) = layer {
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        while let Some((key, node)) = rows.next_node()? {
            below.push((key, node.derived));
        }
    }
    Ok(LayerTable::new(below))
}

/// The positions below that are in the book, and what it costs to go there.
fn losses<'a>(node: &'a Node, links: &'a [Link]) -> impl Iterator<Item = (NodeKey, i32)> + 'a {
    links.iter().filter_map(|link| {
        let (Destination::Position { key, sign }, Some(below)) = (link.edge.to, &link.below) else {
            return None;
        };
        let loss = match (node.derived.value, below.value) {
            (Some(best), Some(value)) => best.centidiscs() - sign.value(value).centidiscs(),
            _ => 0,
        };
        Some((key, loss.max(0)))
    })
}
