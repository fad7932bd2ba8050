//! Lower limits of the prices of a whole book, found in one sweep from the fullest layer up, in
//! eleven bytes for a position. They show the walk where to go in a book most of
//! which is cheaper than what comes next.
//!
//! A limit may be too low, never too high: positions that share a place in a table share the lower
//! of their prices, and where memory does not reach for all layers, the fullest have none. What is
//! missing below them is little and soon found.

use super::taste::{Cost, Taste};
use super::ways::{Below, Place, costs};
use crate::book::{Counts, Layer, LayerTable, NodeKey, Reader, StoreError, Table, edges};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

const AT_ONCE: usize = 1 << 14;
const PER_JOB: usize = 256;

/// The limits that are known.
pub struct PriceLimits {
    layers: BTreeMap<Layer, LayerLimits>,
    /// How many bytes they may take.
    memory: usize,
}

impl PriceLimits {
    /// None yet.
    pub const fn none(memory: usize) -> PriceLimits {
        PriceLimits {
            layers: BTreeMap::new(),
            memory,
        }
    }

    #[cfg(test)]
    pub fn are_known(&self) -> bool {
        !self.layers.is_empty()
    }

    /// The least that a line from this position costs, whoever is to move.
    pub fn of(&self, key: NodeKey) -> Option<Cost> {
        self.layers.get(&key.layer())?.of(key)
    }

    /// A price fell.
    pub fn lower(&mut self, key: NodeKey, costs: [Cost; 2]) {
        if let Some(layer) = self.layers.get_mut(&key.layer())
            && layer.of(key).is_some()
        {
            layer.put(key, costs[0].min(costs[1]));
        }
    }

    /// Reads the whole book but for positions that are only on their way in.
    pub fn sweep<S: BuildHasher>(
        &mut self,
        reader: &Reader<'_>,
        taste: &Taste,
        coming: &std::collections::HashSet<NodeKey, S>,
    ) -> Result<(), StoreError> {
        self.layers.clear();
        let mut below: LayerTable<Below> = LayerTable::new(Vec::new());
        for layer in Layer::all().rev() {
            let mut played = match taste.human_weight > 0.0 {
                true => Some(Counts::new(reader, Table::Statistics, layer)?),
                false => None,
            };
            let mut rows = reader.rows(Table::Nodes, Some(layer))?;
            let mut here: Vec<(NodeKey, Below)> = Vec::new();
            loop {
                let mut chunk: Vec<(NodeKey, Place)> = Vec::new();
                while chunk.len() < AT_ONCE
                    && let Some((key, node)) = rows.next_node()?
                {
                    if coming.contains(&key) {
                        continue;
                    }
                    let counted = match &mut played {
                        Some(played) => played.at(key)?,
                        None => None,
                    };
                    let games = counted.map_or(0, |counted| counted.games);
                    chunk.push((key, Place::of(&node, games)));
                }
                if chunk.is_empty() {
                    break;
                }
                here.par_extend(chunk.par_iter().with_min_len(PER_JOB).map(|&(key, place)| {
                    let moves = edges(key.board());
                    let below = |child| below.get(child).copied();
                    let costs = costs(taste, key, &place, &moves, below);
                    (key, Below { place, costs })
                }));
            }
            self.keep(layer, &here);
            below = LayerTable::new(here);
        }
        Ok(())
    }

    /// Keeps a layer's limits; the fullest layers make room.
    fn keep(&mut self, layer: Layer, here: &[(NodeKey, Below)]) {
        if here.is_empty() {
            return;
        }
        self.layers.insert(layer, LayerLimits::of_all(here));
        let mut bytes: usize = self.layers.values().map(LayerLimits::bytes).sum();
        while bytes > self.memory
            && let Some((_, gone)) = self.layers.pop_last()
        {
            bytes -= gone.bytes();
        }
    }
}

/// The limits of one layer: a part of each position's hash, and the limit.
struct LayerLimits {
    /// At most three quarters are taken.
    slots: Vec<(u32, Cost)>,
}

/// No limit is here: none is nothing.
const FREE: Cost = 0;

impl LayerLimits {
    fn of_all(positions: &[(NodeKey, Below)]) -> LayerLimits {
        let room = positions.len() + positions.len() / 3 + 1;
        let mut limits = LayerLimits {
            slots: vec![(0, FREE); room],
        };
        for (key, Below { costs, .. }) in positions {
            limits.put(*key, costs[0].min(costs[1]));
        }
        limits
    }

    fn bytes(&self) -> usize {
        size_of_val(self.slots.as_slice())
    }

    /// Where a position's limit is, or would be.
    fn slot(&self, key: NodeKey) -> (usize, u32) {
        let hash = key.board().hash();
        // The upper half says where, as a part of the whole; the lower half tells apart.
        let mut slot = (((hash >> 32) * self.slots.len() as u64) >> 32) as usize;
        let tag = hash as u32;
        while self.slots[slot].1 != FREE && self.slots[slot].0 != tag {
            slot = (slot + 1) % self.slots.len();
        }
        (slot, tag)
    }

    fn of(&self, key: NodeKey) -> Option<Cost> {
        let (_, limit) = self.slots[self.slot(key).0];
        (limit != FREE).then_some(limit)
    }

    /// The lower one stands: of positions that cannot be told apart, and of one whose price rises
    /// and falls.
    fn put(&mut self, key: NodeKey, limit: Cost) {
        let (slot, tag) = self.slot(key);
        let place = &mut self.slots[slot];
        // No price is nothing: the cheapest is one ply.
        let limit = limit.max(1);
        if place.1 == FREE || limit < place.1 {
            *place = (tag, limit);
        }
    }
}
