//! The incremental back-propagation: a queue ordered by disc count, fullest first.
//!
//! Every edge adds one disc, so once a layer is taken from the queue nothing below it is left to
//! change, and each position is recomputed once however many paths lead to it. The queue is in the
//! database: a change, its removal from the queue and the marks on its parents are one write, so
//! that a pass may be killed at any moment and goes on where it was.

use crate::book::Watcher;
use crate::book::family::Family;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::Node;
use crate::book::parents::ParentFinder;
use crate::book::recount::recount;
use crate::book::store::{Flag, Mark, Reader, Rows, Store, StoreError, Table};
use crate::book::sweep::sweep;
use crate::book::wanted::Asking;
use rayon::prelude::*;

/// What a pass did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Settled {
    pub recomputed: u64,
    /// Positions whose record became another.
    pub changed: u64,
    /// Searches that it took.
    pub searched: u64,
    /// Nothing is left to do; otherwise the watcher stopped the pass.
    pub finished: bool,
}

/// Positions that are taken from the queue at once.
const AT_ONCE: usize = 1 << 14;
const PER_JOB: usize = 64;
/// The same where they are searched: less is lost when the process is killed.
const SEARCHED_AT_ONCE: usize = 64;

/// Brings all that follows from something else up to date: statistics where games were changed, and
/// values through the queue, or with a full sweep if so much has come in that one is due.
pub fn settle(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    if !recount(store, watcher)? {
        return Ok(Settled::default());
    }
    if store.reader().flag(Flag::SweepDue)? {
        sweep(store, watcher)
    } else {
        settle_by_queue(store, watcher)
    }
}

/// Empties the dirty queue, position by position.
pub fn settle_by_queue(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    empty_queue(store, None, watcher)
}

/// [`settle_by_queue`], asking at every position on the way what is wanted of it: new leaves get
/// values, and where a best move's value dropped the moves beside it are searched again.
pub fn settle_asking(
    store: &Store,
    asking: Asking<'_>,
    watcher: &dyn Watcher,
) -> Result<Settled, StoreError> {
    empty_queue(store, Some(asking), watcher)
}

fn empty_queue(
    store: &Store,
    asking: Option<Asking<'_>>,
    watcher: &dyn Watcher,
) -> Result<Settled, StoreError> {
    let at_once = asking.map_or(AT_ONCE, |_| SEARCHED_AT_ONCE);
    let mut settled = Settled::default();
    let reader = store.reader();
    // Layer by layer, rather than from the queue's end: marks that were taken off leave a trace
    // that a look at the end would have to pass again for every layer.
    for layer in Layer::all().rev() {
        let mut marks = Marks::new(&reader, layer)?;
        loop {
            let chunk = marks.next_chunk(at_once)?;
            if chunk.is_empty() {
                break;
            }
            if watcher.should_stop() {
                return Ok(settled);
            }
            if !settle_chunk(store, asking, &chunk, &mut settled)? {
                return Ok(settled);
            }
            watcher.done(chunk.len() as u64);
        }
    }
    // No sync: after a power cut the queue is as old as the records, and the pass is made again.
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

    fn next_chunk(&mut self, at_once: usize) -> Result<Vec<Marked>, StoreError> {
        let mut chunk: Vec<Marked> = Vec::new();
        while let Some((key, mark)) = self.next_mark()? {
            let full = chunk.len() == at_once;
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
    searched: bool,
    /// Who has to be told.
    parents: Vec<NodeKey>,
}

/// False if searches were stopped; what they were for stays in the queue.
fn settle_chunk(
    store: &Store,
    asking: Option<Asking<'_>>,
    chunk: &[Marked],
    settled: &mut Settled,
) -> Result<bool, StoreError> {
    let reader = store.reader();
    let per_job = asking.map_or(PER_JOB, |_| 1);
    let outcomes: Vec<Vec<Option<Outcome>>> = chunk
        .par_chunks(per_job)
        .map(|marked| {
            let mut finder = ParentFinder::new(&reader)?;
            let examine = |one| examine(&reader, &mut finder, asking, one);
            marked.iter().map(examine).collect()
        })
        .collect::<Result<_, StoreError>>()?;

    let mut batch = store.batch()?;
    let mut all = true;
    for (marked, outcome) in chunk.iter().zip(outcomes.into_iter().flatten()) {
        let Some(outcome) = outcome else {
            all = false;
            continue;
        };
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
        settled.searched += u64::from(outcome.searched);
        settled.recomputed += 1;
    }
    batch.commit()?;
    Ok(all)
}

/// Recomputes one position. Its parents hear of it only if it is new or became another. None if a
/// search was stopped.
fn examine(
    reader: &Reader<'_>,
    finder: &mut ParentFinder<'_>,
    asking: Option<Asking<'_>>,
    marked: &Marked,
) -> Result<Option<Outcome>, StoreError> {
    let Some(before) = reader.node(marked.key)? else {
        // A repair may have taken it out.
        return Ok(Some(Outcome::default()));
    };
    let family = Family::read(reader, marked.key)?;
    let completed = match asking {
        Some(asking) => asking.complete(&family, before),
        None => {
            let derived = family.derive(&before);
            Some((Node { derived, ..before }, false))
        }
    };
    let Some((node, searched)) = completed else {
        return Ok(None);
    };
    let changed = (node != before).then_some(node);
    let parents = if node.derived != before.derived || marked.new {
        finder.find(marked.key)?
    } else {
        Vec::new()
    };
    Ok(Some(Outcome {
        changed,
        searched,
        parents,
    }))
}
