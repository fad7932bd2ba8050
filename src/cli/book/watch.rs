//! A progress bar over positions that also hears Ctrl-C.

use super::super::interrupt::Interrupt;
use super::super::output::progress;
use crate::book::{Store, Table, Watcher};
use anyhow::Result;
use indicatif::ProgressBar;

pub struct Watch {
    bar: ProgressBar,
    interrupt: Option<Interrupt>,
}

impl Watch {
    /// Over about all positions of the book.
    pub fn new(store: &Store, doing: &'static str, interrupt: Option<Interrupt>) -> Result<Watch> {
        let about = store.estimated_records(Table::Nodes)?;
        Ok(Watch {
            bar: progress(about, "positions", doing),
            interrupt,
        })
    }
}

impl Watcher for Watch {
    fn done(&self, positions: u64) {
        self.bar.inc(positions);
    }

    fn should_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_set)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
