//! Shards made side by side, each by one thread from beginning to end.

use super::label::TABLE_BYTES;
use super::record::DataError;
use crate::eval::Evaluator;
use crate::search::Searcher;
use rayon::prelude::*;
use std::path::PathBuf;

/// Tells how a run gets on: a step's name and size, then a tick for each part of it.
pub trait Watcher: Sync {
    fn step(&self, name: String, parts: u64);
    fn tick(&self);
}

/// Makes each shard of the list that is not there yet, `threads` at a time (0: one per core), and
/// gives the number of positions written. What `make` is given depends on its shard alone, so the
/// threads do not change the result.
pub fn make_missing(
    evaluator: &'static Evaluator,
    threads: usize,
    paths: &[PathBuf],
    done: impl Fn() + Sync,
    make: impl Fn(&Searcher, usize) -> Result<u64, DataError> + Sync,
) -> Result<u64, DataError> {
    let work = || {
        (0..paths.len())
            .into_par_iter()
            .with_max_len(1)
            .map_init(
                || Searcher::new(TABLE_BYTES).with_evaluator(evaluator),
                |searcher, i| {
                    let count = if paths[i].exists() {
                        Ok(0)
                    } else {
                        make(searcher, i)
                    };
                    done();
                    count
                },
            )
            .collect::<Result<Vec<u64>, DataError>>()
    };
    // Without threads of its own the work still gets done, on the threads that are there.
    let counts = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }?;
    Ok(counts.iter().sum())
}
