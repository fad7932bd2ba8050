//! A progress bar over positions that also hears Ctrl-C.

use super::super::interrupt::Interrupt;
use super::super::output::{countdown, counter, progress};
use crate::book::{Store, Table, Watcher};
use anyhow::Result;
use indicatif::ProgressBar;
use std::time::Duration;

pub struct Watch {
    bar: ProgressBar,
    /// What the bar says is done.
    doing: String,
    interrupt: Option<Interrupt>,
    /// Answers, not positions.
    counts_answers: bool,
    /// The end of the time does not stop it.
    outlives_the_time: bool,
}

impl Watch {
    /// Over about all positions of the book.
    pub fn new(store: &Store, doing: &'static str, interrupt: Option<Interrupt>) -> Result<Watch> {
        let about = store.estimated_records(Table::Nodes)?;
        let bar = progress(about, "positions", doing);
        Ok(Watch::with(bar, interrupt))
    }

    /// The same, when the time is up and what is there is brought in order: only the user stops it.
    pub fn after_the_time(
        store: &Store,
        doing: &'static str,
        interrupt: Interrupt,
    ) -> Result<Watch> {
        let mut watch = Watch::new(store, doing, Some(interrupt))?;
        watch.outlives_the_time = true;
        Ok(watch)
    }

    /// Over whatever the bar counts.
    pub fn of(bar: ProgressBar, interrupt: Interrupt) -> Watch {
        Watch::with(bar, Some(interrupt))
    }

    /// Over the questions of one round after the other.
    pub fn rounds(doing: &'static str, interrupt: Interrupt) -> Watch {
        let mut watch = Watch::of(progress(0, "searches of this round", doing), interrupt);
        watch.counts_answers = true;
        watch
    }

    /// Over nobody knows how many positions, until a time is up.
    pub fn during(time: Duration, doing: &'static str, interrupt: Interrupt) -> Watch {
        Watch::of(countdown(time, "positions", doing), interrupt)
    }

    /// Over this many positions that are to come, or over nobody knows how many.
    pub fn over(total: Option<u64>, doing: &'static str, interrupt: Interrupt) -> Watch {
        let bar = match total {
            Some(total) => progress(total, "positions", doing),
            None => counter("positions", doing),
        };
        Watch::of(bar, interrupt)
    }

    fn with(bar: ProgressBar, interrupt: Option<Interrupt>) -> Watch {
        Watch {
            doing: bar.message(),
            bar,
            interrupt,
            counts_answers: false,
            outlives_the_time: false,
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

    fn pauses_for(&self, what: &'static str) {
        self.bar.set_message(what);
    }

    fn goes_on(&self) {
        self.bar.set_message(self.doing.clone());
    }

    fn should_stop(&self) -> bool {
        let stops = |interrupt: &Interrupt| match self.outlives_the_time {
            true => interrupt.is_set(),
            false => interrupt.button().is_pressed(),
        };
        self.interrupt.as_ref().is_some_and(stops)
    }

    fn must_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_late)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
