//! The incremental back-propagation: a queue ordered by disc count, fullest first.
//!
//! Every edge adds one disc, so once a layer is taken from the queue nothing below it is left to
//! change, and each position is recomputed once however many paths lead to it. The queue is in the
//! database: a change, its removal from the queue and the marks on its parents are one write, so
//! that a pass may be killed at any moment and goes on where it was.

use super::Watcher;
use super::edge::{Destination, for_each_edge};
use super::key::{Layer, NodeKey};
use super::node::Node;
use super::parents::ParentFinder;
use super::rule::{Below, derive};
use super::store::{Flag, Mark, Reader, Rows, Store, StoreError, Table};
use super::sweep::sweep;
use rayon::prelude::*;

/// What a pass did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Settled {
    pub recomputed: u64,
    /// Positions whose record became another.
    pub changed: u64,
    /// Nothing is left to do; otherwise the watcher stopped the pass.
    pub finished: bool,
}

/// Positions that are taken from the queue at once.
const AT_ONCE: usize = 1 << 14;
const PER_JOB: usize = 64;

/// Brings all derived numbers up to date: through the queue, or with a full sweep if so much has
/// come in that one is due.
pub fn settle(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    if store.reader().flag(Flag::SweepDue)? {
        sweep(store, watcher)
    } else {
        settle_by_queue(store, watcher)
    }
}

/// Empties the dirty queue, position by position.
pub fn settle_by_queue(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    let mut settled = Settled::default();
    let reader = store.reader();
    while let Some(layer) = reader.fullest_dirty_layer()? {
        let mut marks = Marks::new(&reader, layer)?;
        loop {
            let chunk = marks.next_chunk()?;
            if chunk.is_empty() {
                break;
            }
            if watcher.should_stop() {
                return Ok(settled);
            }
            settle_chunk(store, &chunk, &mut settled)?;
            watcher.done(chunk.len() as u64);
        }
    }
    store.sync()?;
    settled.finished = true;
    Ok(settled)
}

/// A position of the queue with all its marks.
struct Marked {
    key: NodeKey,
    changed: bool,
    new: bool,
}

/// The queue of one layer. Work on it only adds marks to the layer above.
struct Marks<'a> {
    reader: &'a Reader<'a>,
    rows: Rows<'a>,
    /// Read, but it begins the next chunk.
    ahead: Option<(NodeKey, Mark)>,
}

impl<'a> Marks<'a> {
    fn new(reader: &'a Reader<'a>, layer: Layer) -> Result<Marks<'a>, StoreError> {
        Ok(Marks {
            reader,
            rows: reader.rows(Table::Dirty, Some(layer))?,
            ahead: None,
        })
    }

    fn next_mark(&mut self) -> Result<Option<(NodeKey, Mark)>, StoreError> {
        if let Some(mark) = self.ahead.take() {
            return Ok(Some(mark));
        }
        match self.rows.next_row()? {
            Some((key, _)) => self.reader.read_mark(key).map(Some),
            None => Ok(None),
        }
    }

    fn next_chunk(&mut self) -> Result<Vec<Marked>, StoreError> {
        let mut chunk: Vec<Marked> = Vec::new();
        while let Some((key, mark)) = self.next_mark()? {
            let full = chunk.len() == AT_ONCE;
            match chunk.last_mut() {
                // The marks of one position are neighbours.
                Some(last) if last.key == key => {
                    last.changed |= mark == Mark::Changed;
                    last.new |= mark == Mark::New;
                }
                _ if full => {
                    self.ahead = Some((key, mark));
                    break;
                }
                _ => chunk.push(Marked {
                    key,
                    changed: mark == Mark::Changed,
                    new: mark == Mark::New,
                }),
            }
        }
        Ok(chunk)
    }
}

/// What became of one position.
#[derive(Default)]
struct Outcome {
    /// The new record, where it is another one.
    changed: Option<Node>,
    /// Who has to be told.
    parents: Vec<NodeKey>,
}

fn settle_chunk(store: &Store, chunk: &[Marked], settled: &mut Settled) -> Result<(), StoreError> {
    let reader = store.reader();
    let outcomes: Vec<Vec<Outcome>> = chunk
        .par_chunks(PER_JOB)
        .map(|marked| {
            let mut finder = ParentFinder::new(&reader)?;
            let examine = |one| examine(&reader, &mut finder, one);
            marked.iter().map(examine).collect()
        })
        .collect::<Result<_, StoreError>>()?;

    let mut batch = store.batch()?;
    for (marked, outcome) in chunk.iter().zip(outcomes.into_iter().flatten()) {
        if let Some(node) = outcome.changed {
            settled.changed += 1;
            batch.put_node(marked.key, &node);
        }
        for parent in outcome.parents {
            batch.mark(parent, Mark::Changed);
        }
        for (is, mark) in [(marked.changed, Mark::Changed), (marked.new, Mark::New)] {
            if is {
                batch.unmark(marked.key, mark);
            }
        }
    }
    batch.commit()?;
    settled.recomputed += chunk.len() as u64;
    Ok(())
}

/// Recomputes one position. Its parents hear of it only if it is new or became another.
fn examine(
    reader: &Reader<'_>,
    finder: &mut ParentFinder<'_>,
    marked: &Marked,
) -> Result<Outcome, StoreError> {
    let Some(node) = reader.node(marked.key)? else {
        // A repair may have taken it out.
        return Ok(Outcome::default());
    };
    let mut children = Vec::new();
    for_each_edge(marked.key.board(), |edge| {
        if let Destination::Position { key, .. } = edge.to {
            children.push(key);
        }
    });
    let found = reader.nodes(&children)?;
    let derived = derive(marked.key, &node, |child| {
        let place = children.iter().position(|key| *key == child)?;
        found
            .get(place)?
            .as_ref()
            .map(|node| Below::from(&node.derived))
    });
    let changed = (derived != node.derived).then_some(Node { derived, ..node });
    let parents = if changed.is_some() || marked.new {
        finder.find(marked.key)?
    } else {
        Vec::new()
    };
    Ok(Outcome { changed, parents })
}
