//! How the files of a book are put in order: all of them in its densest form, part by part; and
//! those of large batches of games once in the end instead of after each batch.

use super::{Store, StoreError, Table, error};
use crate::book::Watcher;
use rocksdb::{
    BottommostLevelCompaction, CompactOptions, ErrorKind, LiveFile, WaitForCompactOptions,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often somebody is asked whether to stop.
const LISTENS: Duration = Duration::from_millis(50);

/// The tables whose rows come as files (see the store's `batch`).
const FILLED_BY_FILES: [Table; 3] = [Table::Nodes, Table::Statistics, Table::Index];

/// While it lives, files that come into these tables lie as they came. Each batch reaches all over
/// the book, so that putting it in order rewrites the book: once costs less than after every other
/// batch.
pub struct Unordered<'a>(&'a Store);

impl Drop for Unordered<'_> {
    fn drop(&mut self) {
        if let Err(problem) = self.0.order_by_itself(true) {
            tracing::warn!(%problem, "the book's files are put in order when it is opened next");
        }
    }
}

impl Store {
    /// The database leaves the files that come as they are, until what is returned here is dropped.
    pub fn leave_unordered(&self) -> Result<Unordered<'_>, StoreError> {
        self.order_by_itself(false)?;
        Ok(Unordered(self))
    }

    fn order_by_itself(&self, does: bool) -> Result<(), StoreError> {
        let off = if does { "false" } else { "true" };
        for table in FILLED_BY_FILES {
            self.db()?
                .set_options_cf(self.family(table)?, &[("disable_auto_compactions", off)])
                .map_err(|problem| self.error(&problem))?;
        }
        Ok(())
    }

    /// Waits until the database has put in order what it is about to; who closes the book before
    /// that lets the next one begin anew. False if the watcher did not want to wait.
    pub fn wait_for_order(&self, watcher: &dyn Watcher) -> Result<bool, StoreError> {
        let db = self.db()?;
        let mut options = WaitForCompactOptions::default();
        options.set_timeout(LISTENS.as_micros() as u64);
        let mut is_told = false;
        let outcome = loop {
            match db.wait_for_compact(&options) {
                Ok(()) => break Ok(true),
                Err(problem) if problem.kind() == ErrorKind::TimedOut => {}
                Err(problem) => break Err(self.error(&problem)),
            }
            if watcher.should_stop() {
                break Ok(false);
            }
            if !is_told {
                watcher.pauses_for("putting files in order");
                is_told = true;
            }
        };
        if is_told {
            watcher.goes_on();
        }
        outcome
    }

    /// Rewrites the book in its densest form.
    pub fn compact(&self) -> Result<(), StoreError> {
        self.compact_watched(&()).map(|_| ())
    }

    /// The same, and tells the watcher about bytes. False if it was stopped: what was rewritten
    /// stays, and the book is to be closed, because the database does nothing more by itself.
    pub fn compact_watched(&self, watcher: &dyn Watcher) -> Result<bool, StoreError> {
        self.flush()?;
        let db = self.db()?;
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            // A part may take minutes: it is ended in the middle.
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    if watcher.should_stop() {
                        db.cancel_all_background_work(false);
                        break;
                    }
                    thread::sleep(LISTENS);
                }
            });
            let compacted = self.compact_parts(watcher);
            is_done.store(true, Ordering::Relaxed);
            compacted
        })
    }

    fn compact_parts(&self, watcher: &dyn Watcher) -> Result<bool, StoreError> {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        let db = self.db()?;
        let files = db
            .live_files()
            .map_err(|problem| error::database(self.path(), &problem))?;
        for table in Table::ALL {
            let family = self.family(table)?;
            let files = files
                .iter()
                .filter(|file| file.column_family_name == table.name());
            for part in parts(files) {
                db.compact_range_cf_opt(family, part.first, part.last, &options);
                if watcher.should_stop() {
                    return Ok(false);
                }
                watcher.done(part.bytes);
            }
        }
        Ok(true)
    }
}

/// Some files that lie side by side, and all keys from behind those before them.
#[derive(PartialEq, Eq, Debug)]
struct Part {
    /// None for the first key of all.
    first: Option<Vec<u8>>,
    /// It belongs to the part; none for the last key of all.
    last: Option<Vec<u8>>,
    bytes: u64,
}

/// A table is rewritten in at most about so many parts, …
const PARTS: u64 = 50;
/// … each with at least so many bytes.
const LEAST_BYTES: u64 = 16 << 20;

/// Together all keys of a table. They end where files of the lowest level do, so that none of these
/// is rewritten twice.
fn parts<'a>(files: impl Iterator<Item = &'a LiveFile>) -> Vec<Part> {
    let files: Vec<&LiveFile> = files.collect();
    let lowest = files.iter().map(|file| file.level).max();
    let bytes: u64 = files.iter().map(|file| file.size as u64).sum();
    let enough = (bytes / PARTS).max(LEAST_BYTES);
    let mut ends: Vec<(&Vec<u8>, u64)> = files
        .iter()
        .filter(|file| Some(file.level) == lowest)
        .filter_map(|file| Some((file.end_key.as_ref()?, file.size as u64)))
        .collect();
    ends.sort();
    let mut parts = Vec::new();
    let mut open = Part {
        first: None,
        last: None,
        bytes: 0,
    };
    for (end, size) in ends {
        open.bytes += size;
        if open.bytes >= enough {
            // The next possible key.
            let first = Some([end, &[0][..]].concat());
            let next = Part {
                first,
                last: None,
                bytes: 0,
            };
            let last = Some(end.clone());
            parts.push(Part {
                last,
                ..std::mem::replace(&mut open, next)
            });
        }
    }
    parts.push(open);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_files_of_the_lowest_level_do_and_leave_no_key_out() {
        let file = |level, end: u8, megabytes: usize| LiveFile {
            column_family_name: "nodes".into(),
            name: String::new(),
            size: megabytes << 20,
            level,
            start_key: None,
            end_key: Some(vec![end]),
            num_entries: 0,
            num_deletions: 0,
        };
        let files = [
            file(6, 9, 30),
            file(5, 3, 8),
            file(6, 2, 10),
            file(6, 5, 10),
        ];
        let found = parts(files.iter());
        let ends: Vec<_> = found.iter().map(|part| part.last.clone()).collect();
        assert_eq!(ends, [Some(vec![5]), Some(vec![9]), None]);
        let firsts: Vec<_> = found.iter().map(|part| part.first.clone()).collect();
        assert_eq!(firsts, [None, Some(vec![5, 0]), Some(vec![9, 0])]);
        assert_eq!(parts([].iter()).len(), 1);
    }
}
