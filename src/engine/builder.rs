//! Puts values on a book: every leaf, and at every other position the best move that is not in
//! the book, from the fullest layer up to the start.
//!
//! A layer is searched when everything below it is settled, so each question follows from what is
//! in the book, never from the order of the work: any number of threads, and any number of
//! interruptions, give the same bytes. Each answer is written at once. Until the pass is through,
//! the book remembers that a sweep is due; one that was cut short sweeps, and passes quickly over
//! what is done.

use crate::book::{
    Asking, Family, Flag, Layer, Node, NodeKey, Rows, Store, StoreError, Table, Watcher, sweep,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What a pass did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Evaluated {
    /// Searches whose answers were written.
    pub searched: u64,
    /// Positions whose record became another.
    pub changed: u64,
    /// Every position is searched to the level; otherwise the pass was stopped.
    pub finished: bool,
}

/// Searches everything in the book that is not searched to the level yet, and brings all values
/// up to date.
pub fn evaluate(
    store: &Store,
    asking: Asking<'_>,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Evaluated, StoreError> {
    let mut begin = store.batch()?;
    begin.raise(Flag::SweepDue);
    begin.commit()?;

    let pass = Pass {
        store,
        asking,
        watcher,
        searched: AtomicU64::new(0),
        changed: AtomicU64::new(0),
    };
    let mut finished = true;
    for layer in Layer::all().rev() {
        finished = pass.layer(layer, threads.max(1))?;
        if !finished {
            break;
        }
    }
    let mut changed = pass.changed.load(Relaxed);
    if finished {
        let mut end = store.batch()?;
        end.unmark_all();
        end.lower(Flag::SweepDue);
        end.commit()?;
        store.sync()?;
    } else {
        // What was found so far shows at once. Nobody stops this: it takes seconds.
        changed += sweep(store, &())?.changed;
    }
    Ok(Evaluated {
        searched: pass.searched.load(Relaxed),
        changed,
        finished,
    })
}

struct Pass<'a> {
    store: &'a Store,
    asking: Asking<'a>,
    watcher: &'a dyn Watcher,
    searched: AtomicU64,
    changed: AtomicU64,
}

impl Pass<'_> {
    /// False if it was stopped.
    fn layer(&self, layer: Layer, threads: usize) -> Result<bool, StoreError> {
        let reader = self.store.reader();
        let rows = Mutex::new(reader.rows(Table::Nodes, Some(layer))?);
        let outcomes: Vec<Result<bool, StoreError>> = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|_| scope.spawn(|| self.work(&rows)))
                .collect();
            let own = self.work(&rows);
            let join = |helper: std::thread::ScopedJoinHandle<'_, _>| match helper.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            helpers.into_iter().map(join).chain([own]).collect()
        });
        outcomes
            .into_iter()
            .try_fold(true, |all, one| Ok(all & one?))
    }

    /// Takes positions of the layer until none is left.
    fn work(&self, rows: &Mutex<Rows<'_>>) -> Result<bool, StoreError> {
        loop {
            if self.watcher.should_stop() {
                return Ok(false);
            }
            let next = rows
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .next_node()?;
            let Some((key, node)) = next else {
                return Ok(true);
            };
            if !self.position(key, node)? {
                return Ok(false);
            }
            self.watcher.done(1);
        }
    }

    /// Searches what is wanted of one position and derives its numbers.
    fn position(&self, key: NodeKey, before: Node) -> Result<bool, StoreError> {
        let family = Family::read(&self.store.reader(), key)?;
        let Some((node, searched)) = self.asking.complete(&family, before) else {
            return Ok(false);
        };
        self.searched.fetch_add(u64::from(searched), Relaxed);
        if node != before {
            let mut batch = self.store.batch()?;
            batch.put_node(key, &node);
            batch.commit()?;
            self.changed.fetch_add(1, Relaxed);
        }
        Ok(true)
    }
}
