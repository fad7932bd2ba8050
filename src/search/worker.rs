//! One thread's view of a search.

use super::control::Control;
use super::ordering::RatedMove;
use super::params::NODES_PER_CLOCK_READING;
use super::selectivity::Selectivity;
use super::split::{Split, Team};
use super::stability::EdgeStability;
use super::table::Table;
use crate::eval::Evaluator;
use crate::othello::kernel::Kernel;
use std::sync::Arc;

/// How the tree is searched, for comparison; all share ordering, table and cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// NegaScout with aspiration: the one that plays.
    #[default]
    NegaScout,
    /// Alpha-beta with full windows at the principal nodes.
    AlphaBeta,
    /// Null windows only, driven by the last bound.
    Mtdf,
}

/// How several threads share one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Parallel {
    /// Young brothers wait: idle threads take moves of nodes that others have begun.
    #[default]
    Split,
    /// All threads search the same tree and meet in the table only.
    Lazy,
}

/// When to read the clock: by nodes, as the questions whether to stop are rare while solving, where
/// one of them may be a million nodes after the other.
#[derive(Default)]
pub(super) struct ClockReadings {
    next: u64,
}

impl ClockReadings {
    #[inline]
    fn is_due(&mut self, nodes: u64) -> bool {
        // A helper counts from nothing again when it has told the others what it searched.
        let due = nodes >= self.next || nodes + NODES_PER_CLOCK_READING < self.next;
        if due {
            self.next = nodes + NODES_PER_CLOCK_READING;
        }
        due
    }
}

/// The state of one searching thread.
pub(super) struct Worker<'s, K: Kernel> {
    pub kernel: K,
    pub table: &'s Table,
    /// Small endgames of this thread: they are looked up so often, and are so soon of no more
    /// use, that a table in the core's own cache beats the large one in memory.
    pub local: &'s Table,
    pub evaluator: &'s Evaluator,
    pub edges: &'s EdgeStability,
    pub control: &'s Control,
    pub team: &'s Team,
    pub algorithm: Algorithm,
    pub nodes: u64,
    pub selectivity: Selectivity,
    /// How many ProbCut searches this one is inside of.
    pub probcut_nesting: u32,
    /// How many moves were tried before the one that leads to the node to be searched next, which
    /// takes it.
    pub tried_before: u32,
    /// What the table knows from deeper searches does not count: odd and even depths lean to
    /// opposite sides, and a mean of both must not be one of either and a mixture.
    pub only_this_depth: bool,
    /// The search is being abandoned: values on the way up mean nothing.
    pub stopped: bool,
    /// The shared node this thread works below.
    pub split: Option<Arc<Split>>,
    pub clock: ClockReadings,
    /// The moves of all nodes on the way down from the root.
    pub moves: Vec<RatedMove>,
}

impl<K: Kernel> Worker<'_, K> {
    /// A finding of this depth answers what is asked to `depth`.
    #[inline(always)]
    pub fn serves(&self, found: u32, depth: u32) -> bool {
        found == depth || found > depth && !self.only_this_depth
    }

    /// Whether to give up, remembered in `stopped`.
    #[inline]
    pub fn should_stop(&mut self) -> bool {
        if self.clock.is_due(self.nodes) {
            self.control.read_clock();
        }
        self.stopped = self.stopped
            || self.control.is_over(self.nodes)
            || self.split.as_deref().is_some_and(Split::is_settled);
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_read_after_so_many_nodes_however_few_questions_were_asked() {
        let mut clock = ClockReadings::default();
        assert!(clock.is_due(0));
        assert!(!clock.is_due(1) && !clock.is_due(4_999));
        assert!(clock.is_due(1_000_000));
        assert!(!clock.is_due(1_004_000));
        assert!(clock.is_due(12), "the count began anew");
        assert!(!clock.is_due(13) && clock.is_due(5_012));
    }
}
