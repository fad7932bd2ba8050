//! One thread's view of a search.

use super::control::Control;
use super::ordering::Candidate;
use super::selectivity::Selectivity;
use super::split::{Crew, Split};
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
    pub crew: &'s Crew,
    pub algorithm: Algorithm,
    pub nodes: u64,
    pub selectivity: Selectivity,
    /// How many ProbCut searches this one is inside of.
    pub probcut_nesting: u32,
    /// What the table knows from deeper searches does not count: odd and even depths lean to
    /// opposite sides, and a mean of both must not be one of either and a mixture.
    pub only_this_depth: bool,
    /// The search is being abandoned: values on the way up mean nothing.
    pub stopped: bool,
    /// The shared node this thread works below.
    pub split: Option<Arc<Split>>,
    /// Counts the questions whether to stop: the clock is read for some of them only.
    pub stop_questions: u32,
    /// The moves of all nodes on the way down from the root.
    pub moves: Vec<Candidate>,
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
        self.stop_questions = self.stop_questions.wrapping_add(1);
        // Reading the clock costs as much as a node.
        if self.stop_questions.is_multiple_of(64) {
            self.control.read_clock();
        }
        self.stopped = self.stopped
            || self.control.is_over(self.nodes)
            || self.split.as_deref().is_some_and(Split::is_settled);
        self.stopped
    }
}
