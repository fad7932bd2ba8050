//! Positions that come from elsewhere: a file, or another book. What is known about a position here
//! and there is joined (`knowledge`), so that taking the same in again changes nothing.

use crate::book::Watcher;
use crate::book::key::NodeKey;
use crate::book::knowledge::{join, larger_count};
use crate::book::layer_table::LayerTable;
use crate::book::node::Node;
use crate::book::orphans::mark_reached;
use crate::book::parents::ParentFinder;
use crate::book::statistics::Statistics;
use crate::book::store::{Flag, Mark, Store, StoreError, Table};
use crate::book::sweep::derive_all;
use crate::othello::Board;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A position as it comes; its derived part means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incoming {
    pub key: NodeKey,
    pub node: Node,
    /// Games that are known only by their number.
    pub counted: Option<Statistics>,
    /// Moves lead there from the start, through positions that come along.
    pub linked: bool,
}

/// What became of the positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Absorbed {
    /// New to the book.
    pub new: u64,
    /// Known, but now something more is known about them.
    pub deeper: u64,
    /// Nothing new about them.
    pub known: u64,
    /// Left out, because no move leads there from the start.
    pub unreachable: u64,
    /// The first of these.
    pub unreachable_positions: Vec<NodeKey>,
    /// All of it was taken in; otherwise the watcher stopped, and the same again goes on.
    pub finished: bool,
}

/// More are only counted.
const KEPT: usize = 10;
const AT_ONCE: usize = 1 << 14;
const PER_JOB: usize = 512;
/// As for games: beyond one in so many, a sweep is cheaper than the queue.
const SWEEP_RATIO: u64 = 64;

impl Absorbed {
    fn leave_out(&mut self, key: NodeKey) {
        self.unreachable += 1;
        if self.unreachable_positions.len() < KEPT {
            self.unreachable_positions.push(key);
        }
    }
}

/// Takes positions into a book that may have some, layer by layer with rising disc count.
pub struct Absorber<'a> {
    store: &'a Store,
    sweep: bool,
    absorbed: Absorbed,
}

impl<'a> Absorber<'a> {
    /// `expected` is about how many positions will come.
    pub fn new(store: &'a Store, expected: u64) -> Result<Absorber<'a>, StoreError> {
        let here = store.estimated_records(Table::Nodes)?;
        let is_due = store.reader().flag(Flag::SweepDue)?;
        let sweep = is_due || expected.saturating_mul(SWEEP_RATIO) > here;
        if sweep {
            store.make_sweep_due()?;
        }
        Ok(Absorber {
            store,
            sweep,
            absorbed: Absorbed::default(),
        })
    }

    /// Takes in positions of one layer, in rising order. False if the watcher stopped it.
    pub fn take(&mut self, rows: &[Incoming], watcher: &dyn Watcher) -> Result<bool, StoreError> {
        for chunk in rows.chunks(AT_ONCE) {
            if watcher.should_stop() {
                return Ok(false);
            }
            self.take_chunk(chunk)?;
            watcher.done(chunk.len() as u64);
        }
        Ok(true)
    }

    fn take_chunk(&mut self, chunk: &[Incoming]) -> Result<(), StoreError> {
        let reader = self.store.reader();
        type Looked = (Option<Node>, Option<Statistics>, bool);
        let here: Vec<Vec<Looked>> = chunk
            .par_chunks(PER_JOB)
            .map(|rows| {
                let keys: Vec<NodeKey> = rows.iter().map(|row| row.key).collect();
                let nodes = reader.nodes(&keys)?;
                let mut finder = ParentFinder::new(&reader)?;
                let look = |(row, node): (&Incoming, Option<Node>)| -> Result<Looked, StoreError> {
                    let linked = node.is_some() || row.linked || !finder.find(row.key)?.is_empty();
                    let counted = match row.counted {
                        Some(_) => reader.counts(row.key)?,
                        None => None,
                    };
                    Ok((node, counted, linked))
                };
                rows.iter().zip(nodes).map(look).collect()
            })
            .collect::<Result<_, StoreError>>()?;
        let mut batch = self.store.batch()?;
        for (row, (node, counted, linked)) in chunk.iter().zip(here.into_iter().flatten()) {
            if !linked {
                self.absorbed.leave_out(row.key);
                continue;
            }
            let more_games = row.counted.filter(|coming| {
                counted.is_none_or(|counted| larger_count(counted, *coming) != counted)
            });
            if let Some(counted) = more_games {
                batch.put_counts(row.key, &counted);
            }
            let (joined, mark) = match node {
                None => (row.node, Mark::New),
                Some(node) => {
                    let joined = join(&node, &row.node);
                    if joined == node {
                        match more_games {
                            Some(_) => self.absorbed.deeper += 1,
                            None => self.absorbed.known += 1,
                        }
                        continue;
                    }
                    (joined, Mark::Changed)
                }
            };
            match mark {
                Mark::New => self.absorbed.new += 1,
                Mark::Changed => self.absorbed.deeper += 1,
            }
            batch.put_node(row.key, &joined);
            if !self.sweep {
                batch.mark(row.key, mark, None);
            }
        }
        if !batch.is_empty() {
            batch.commit()?;
        }
        Ok(())
    }

    /// What became of all that came. The book is still to be settled.
    pub fn end(self, finished: bool) -> Result<Absorbed, StoreError> {
        self.store.sync()?;
        Ok(Absorbed {
            finished,
            ..self.absorbed
        })
    }
}

/// Fills an empty book with all positions at once, values included: `layers` are in rising order
/// and so are the positions within.
pub fn fill(
    store: &Store,
    mut layers: Vec<Vec<Incoming>>,
    watcher: &dyn Watcher,
) -> Result<Absorbed, StoreError> {
    let mut absorbed = Absorbed::default();
    for layer in &mut layers {
        layer.retain(|row| {
            if !row.linked {
                absorbed.leave_out(row.key);
            }
            row.linked
        });
    }
    let mut below = LayerTable::new(Vec::new());
    for layer in layers.iter_mut().rev() {
        if watcher.should_stop() {
            return Ok(absorbed);
        }
        let rows: Vec<(NodeKey, Node)> = layer.iter().map(|row| (row.key, row.node)).collect();
        let derived = derive_all(&rows, &|child| below.get(child).copied());
        for (row, derived) in layer.iter_mut().zip(&derived) {
            row.node.derived = *derived;
        }
        let known = rows
            .iter()
            .map(|(key, _)| *key)
            .zip(derived.iter().map(|derived| derived.told()));
        below = LayerTable::new(known.collect());
        watcher.done(layer.len() as u64);
    }
    store.bulk_positions(|put| {
        for row in layers.iter().flatten() {
            put(row.key, &row.node, row.counted.as_ref())?;
        }
        Ok(true)
    })?;
    absorbed.new = layers.iter().map(|layer| layer.len() as u64).sum();
    absorbed.finished = true;
    Ok(absorbed)
}

/// Tells whether moves lead from the start to positions, through others that come along: for
/// sources that do not say so.
#[derive(Default)]
pub struct Linker {
    /// The linked positions of the layer before.
    above: Vec<NodeKey>,
}

impl Linker {
    /// Goes on after a layer whose positions are told already.
    pub fn after(rows: &[Incoming]) -> Linker {
        let linked = rows.iter().filter(|row| row.linked);
        Linker {
            above: linked.map(|row| row.key).collect(),
        }
    }

    /// The layers come with rising disc count, none that has positions left out.
    pub fn link(&mut self, rows: &mut [Incoming]) {
        let keys: Vec<NodeKey> = rows.iter().map(|row| row.key).collect();
        for (row, linked) in rows.iter_mut().zip(self.link_keys(&keys)) {
            row.linked = linked;
        }
    }

    /// The same from who has only the keys of a layer.
    pub fn link_keys(&mut self, keys: &[NodeKey]) -> Vec<bool> {
        let start = NodeKey::of(Board::START);
        let reached = LayerTable::new(
            keys.iter()
                .map(|key| (*key, AtomicBool::new(*key == start)))
                .collect(),
        );
        mark_reached(&self.above, &reached);
        let reached = reached.iter().map(|(_, one)| one.load(Ordering::Relaxed));
        let linked: Vec<bool> = reached.collect();
        let above = keys.iter().zip(&linked).filter(|(_, linked)| **linked);
        self.above = above.map(|(key, _)| *key).collect();
        linked
    }
}
