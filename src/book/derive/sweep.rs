//! The full back-propagation: one sweep over the layers, from the fullest to the emptiest, each
//! read once while the one below it is in memory.

use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, Node};
use crate::book::propagate::Settled;
use crate::book::rule::{Below, derive_with};
use crate::book::store::{Flag, Rows, Store, StoreError, Table};
use crate::othello::kernel::{Job, Kernel, dispatch};
use rayon::prelude::*;

/// Enough to keep many cores busy, little enough to forget.
const ROWS_AT_ONCE: usize = 1 << 16;
/// Enough that handing it to a thread costs nothing beside the work.
const ROWS_PER_JOB: usize = 512;

/// Recomputes every position of the book and empties the dirty queue. Until it is through, the
/// book remembers that a sweep is due.
pub fn sweep(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    let mut begin = store.batch()?;
    begin.raise(Flag::SweepDue);
    begin.commit()?;

    let mut settled = Settled::default();
    let mut below = LayerTable::new(Vec::new());
    for layer in Layer::all().rev() {
        let reader = store.reader();
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        let mut known: Vec<(NodeKey, Below)> = Vec::new();
        let mut chunk = next_chunk(&mut rows)?;
        while !chunk.is_empty() {
            if watcher.should_stop() {
                return Ok(settled);
            }
            // One thread reads on while the others compute.
            let (next, derived) = rayon::join(
                || next_chunk(&mut rows),
                || derive_all(&chunk, &|child| below.get(child).copied()),
            );
            let mut batch = store.batch()?;
            for ((key, node), derived) in chunk.iter().zip(derived) {
                known.push((*key, Below::from(&derived)));
                if derived != node.derived {
                    settled.changed += 1;
                    batch.put_node(*key, &Node { derived, ..*node });
                }
            }
            if !batch.is_empty() {
                batch.commit()?;
            }
            settled.recomputed += chunk.len() as u64;
            watcher.done(chunk.len() as u64);
            chunk = next?;
        }
        below = LayerTable::new(known);
    }

    let mut end = store.batch()?;
    end.unmark_all();
    end.lower(Flag::SweepDue);
    end.commit()?;
    store.sync()?;
    settled.finished = true;
    Ok(settled)
}

fn next_chunk(rows: &mut Rows<'_>) -> Result<Vec<(NodeKey, Node)>, StoreError> {
    let mut chunk = Vec::new();
    while chunk.len() < ROWS_AT_ONCE {
        match rows.next_node()? {
            Some(row) => chunk.push(row),
            None => break,
        }
    }
    Ok(chunk)
}

/// Applies the rule to positions of one layer on all cores; `below` is asked for every child.
pub(in crate::book) fn derive_all<F>(rows: &[(NodeKey, Node)], below: &F) -> Vec<Derived>
where
    F: Fn(NodeKey) -> Option<Below> + Sync,
{
    struct Rule<'a, F>(&'a [(NodeKey, Node)], &'a F);
    impl<F: Fn(NodeKey) -> Option<Below>> Job for Rule<'_, F> {
        type Output = Vec<Derived>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<Derived> {
            let Rule(rows, below) = self;
            rows.iter()
                .map(|(key, node)| derive_with(kernel, key.board(), node, below))
                .collect()
        }
    }
    rows.par_chunks(ROWS_PER_JOB)
        .flat_map_iter(|rows| dispatch(Rule(rows, below)))
        .collect()
}
