//! What ends a search from outside: a stop from another thread, the clock, or the node limit.

use crate::machine::Timepiece;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Stops a search from another thread; all clones are one button.
#[derive(Clone, Default, Debug)]
pub struct StopButton(Arc<AtomicBool>);

impl StopButton {
    pub fn new() -> StopButton {
        StopButton::default()
    }

    pub fn press(&self) {
        self.0.store(true, Relaxed);
    }

    pub fn is_pressed(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Shared by the threads of one search.
pub(super) struct Control {
    button: StopButton,
    started: Timepiece,
    hard_limit: Option<Duration>,
    node_limit: u64,
    out_of_time: AtomicBool,
}

impl Control {
    pub fn new(button: StopButton, hard_limit: Option<Duration>, node_limit: u64) -> Control {
        Control {
            button,
            started: Timepiece::start(),
            hard_limit,
            node_limit,
            out_of_time: AtomicBool::new(false),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Looks at the clock and remembers when time is up.
    pub fn read_clock(&self) {
        if self.hard_limit.is_some_and(|limit| self.elapsed() >= limit) {
            self.out_of_time.store(true, Relaxed);
        }
    }

    /// The result is there: nobody need search on.
    pub fn finish(&self) {
        self.out_of_time.store(true, Relaxed);
    }

    /// `nodes` are those of the asking thread, so that one thread stops at the same node each run.
    #[inline]
    pub fn is_over(&self, nodes: u64) -> bool {
        self.out_of_time.load(Relaxed) || self.button.is_pressed() || nodes >= self.node_limit
    }
}
