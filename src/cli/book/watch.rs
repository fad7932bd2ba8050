//! A progress bar over positions that also hears Ctrl-C.

use super::super::interrupt::Interrupt;
use super::super::output::{counter, progress};
use crate::book::{Store, Table, Watcher};
use anyhow::Result;
use indicatif::ProgressBar;

pub struct Watch {
    bar: ProgressBar,
    interrupt: Option<Interrupt>,
    /// Answers, not positions.
    counts_answers: bool,
}

impl Watch {
    /// Over about all positions of the book.
    pub fn new(store: &Store, doing: &'static str, interrupt: Option<Interrupt>) -> Result<Watch> {
        let about = store.estimated_records(Table::Nodes)?;
        Ok(Watch {
            bar: progress(about, "positions", doing),
            interrupt,
            counts_answers: false,
        })
    }

    /// Over whatever the bar counts.
    pub fn of(bar: ProgressBar, interrupt: Interrupt) -> Watch {
        Watch {
            bar,
            interrupt: Some(interrupt),
            counts_answers: false,
        }
    }

    /// Over the questions of one round after the other.
    pub fn rounds(doing: &'static str, interrupt: Interrupt) -> Watch {
        Watch {
            bar: progress(0, "searches of this round", doing),
            interrupt: Some(interrupt),
            counts_answers: true,
        }
    }

    /// Over this many positions that are to come, or over nobody knows how many.
    pub fn over(total: Option<u64>, doing: &'static str, interrupt: Interrupt) -> Watch {
        Watch {
            bar: match total {
                Some(total) => progress(total, "positions", doing),
                None => counter("positions", doing),
            },
            interrupt: Some(interrupt),
            counts_answers: false,
        }
    }
}

impl Watcher for Watch {
    fn done(&self, positions: u64) {
        if !self.counts_answers {
            self.bar.inc(positions);
        }
    }

    fn expect(&self, questions: u64) {
        if self.counts_answers {
            self.bar.reset();
            self.bar.set_length(questions);
        }
    }

    fn answered(&self, questions: u64) {
        if self.counts_answers {
            self.bar.inc(questions);
        }
    }

    fn should_stop(&self) -> bool {
        let button = self.interrupt.as_ref().map(Interrupt::button);
        button.is_some_and(|button| button.is_pressed())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
