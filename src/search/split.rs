//! Young brothers wait: once a node's first move has been searched, idle threads help with the
//! others.

use super::control::Control;
use super::midgame::INFINITE;
use super::ordering::RatedMove;
use super::selectivity::Selectivity;
use super::worker::Worker;
use crate::eval::Features;
use crate::othello::kernel::Kernel;
use crate::othello::{Bitboard, Board, Square};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A node whose remaining moves are shared out.
pub(super) struct Split {
    board: Board,
    features: Features,
    alpha: i32,
    depth: u32,
    selectivity: Selectivity,
    probcut_nesting: u32,
    /// How many moves of the node were tried before these.
    tried_before: u32,
    moves: Vec<RatedMove>,
    next: AtomicUsize,
    best: Mutex<(i32, Option<Square>)>,
    /// A move refuted the node: everybody may go home.
    cut: AtomicBool,
    helpers: AtomicUsize,
    parent: Option<Arc<Split>>,
}

impl Split {
    /// This node or one above it is settled.
    pub(super) fn is_settled(&self) -> bool {
        let mut node = Some(self);
        while let Some(split) = node {
            if split.cut.load(Relaxed) {
                return true;
            }
            node = split.parent.as_deref();
        }
        false
    }

    fn has_work(&self) -> bool {
        self.next.load(Relaxed) < self.moves.len() && !self.is_settled()
    }

    fn is_below(&self, ancestor: &Split) -> bool {
        let mut node = self.parent.as_deref();
        while let Some(split) = node {
            if std::ptr::eq(split, ancestor) {
                return true;
            }
            node = split.parent.as_deref();
        }
        false
    }
}

/// One helper at a node, counted until it leaves. Whoever opened the node waits for that, so it
/// must happen even if the helper panics.
struct Joined(Arc<Split>);

impl Joined {
    fn new(split: &Arc<Split>) -> Joined {
        split.helpers.fetch_add(1, AcqRel);
        Joined(split.clone())
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.0.helpers.fetch_sub(1, AcqRel);
    }
}

/// A helper that panics leaves a node without its values: all others give up, and the panic goes on
/// in the thread that began the search.
struct EndsAllOnPanic<'a>(&'a Control);

impl Drop for EndsAllOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.finish();
        }
    }
}

/// Where threads find one another's open nodes.
#[derive(Default)]
pub(super) struct Team {
    open: Mutex<Vec<Arc<Split>>>,
    wake: Condvar,
    idle: AtomicUsize,
    closing: AtomicBool,
    /// Nodes searched by helpers.
    nodes: AtomicU64,
}

impl Team {
    fn open(&self) -> MutexGuard<'_, Vec<Arc<Split>>> {
        // The list is valid at every moment, so a panic elsewhere does not spoil it.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub(super) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(Relaxed) > 0
    }

    /// The search is over: helpers leave.
    pub(super) fn close(&self) {
        let _open = self.open();
        self.closing.store(true, Relaxed);
        self.wake.notify_all();
    }

    /// Waits for an open node and joins it; none when the team is closing.
    fn next_split(&self) -> Option<Joined> {
        let mut open = self.open();
        self.idle.fetch_add(1, Relaxed);
        let found = loop {
            if self.closing.load(Relaxed) {
                break None;
            }
            // The oldest is nearest to the root and so the most work.
            if let Some(split) = open.iter().find(|split| split.has_work()) {
                break Some(Joined::new(split));
            }
            open = self.wake.wait(open).unwrap_or_else(PoisonError::into_inner);
        };
        self.idle.fetch_sub(1, Relaxed);
        found
    }

    /// An open node below this one, joined.
    fn split_below(&self, ancestor: &Split) -> Option<Joined> {
        let open = self.open();
        let split = open
            .iter()
            .find(|split| split.is_below(ancestor) && split.has_work())?;
        Some(Joined::new(split))
    }
}

impl<K: Kernel> Worker<'_, K> {
    #[inline(always)]
    pub(super) fn has_idle_help(&self) -> bool {
        self.team.has_idle()
    }

    /// Searches the remaining moves of a node together with whoever is idle.
    pub(super) fn split(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
        tried_before: u32,
        moves: Vec<RatedMove>,
    ) -> (i32, Option<Square>) {
        let mut moves = moves;
        moves.sort_by_key(|m| -m.score);
        let split = Arc::new(Split {
            board,
            features: *features,
            alpha,
            depth,
            selectivity: self.selectivity,
            probcut_nesting: self.probcut_nesting,
            tried_before,
            moves,
            next: AtomicUsize::new(0),
            best: Mutex::new((-INFINITE, None)),
            cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            parent: self.split.clone(),
        });
        {
            let mut open = self.team.open();
            open.push(split.clone());
            self.team.wake.notify_one();
        }
        self.work_on(&split);
        self.team.open().retain(|other| !Arc::ptr_eq(other, &split));
        // Nobody can join any more. While helpers finish, help them in turn.
        self.team.idle.fetch_add(1, Relaxed);
        while split.helpers.load(Acquire) > 0 {
            if let Some(below) = self.team.split_below(&split) {
                self.team.idle.fetch_sub(1, Relaxed);
                self.work_on(&below.0);
                drop(below);
                self.team.idle.fetch_add(1, Relaxed);
            } else {
                std::thread::yield_now();
            }
        }
        self.team.idle.fetch_sub(1, Relaxed);
        *split.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A helper's life: join open nodes until the search is over.
    pub(super) fn serve(&mut self) {
        let _alarm = EndsAllOnPanic(self.control);
        while let Some(split) = self.team.next_split() {
            self.work_on(&split.0);
            self.team.add_nodes(std::mem::take(&mut self.nodes));
        }
    }

    /// Takes moves of the node, one after another, until none is left or one refutes it.
    fn work_on(&mut self, split: &Arc<Split>) {
        let outer = self.split.replace(split.clone());
        let selectivity = std::mem::replace(&mut self.selectivity, split.selectivity);
        let nesting = std::mem::replace(&mut self.probcut_nesting, split.probcut_nesting);
        loop {
            let turn = split.next.fetch_add(1, Relaxed);
            let Some(&RatedMove { square, flips, .. }) = split.moves.get(turn) else {
                break;
            };
            if self.should_stop() {
                break;
            }
            let next = split.board.play_unchecked(square, Bitboard(flips));
            let features = split
                .features
                .after_move(self.kernel, square.index(), flips);
            self.tried_before = split.tried_before + turn as u32;
            let value = -self.null_window(next, &features, -split.alpha - 1, split.depth - 1);
            if self.stopped {
                break;
            }
            let mut best = split.best.lock().unwrap_or_else(PoisonError::into_inner);
            if value > best.0 {
                *best = (value, Some(square));
            }
            if value > split.alpha {
                split.cut.store(true, Relaxed);
                break;
            }
        }
        self.probcut_nesting = nesting;
        self.selectivity = selectivity;
        self.split = outer;
        // What stopped this node need not stop the one above it.
        self.stopped = false;
        self.stopped = self.should_stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Limits, Searcher, StopButton};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_helper_that_panics_leaves_its_node_and_ends_the_search() {
        let split = Arc::new(Split {
            board: Board::START,
            features: crate::eval::Evaluator::builtin().features(Board::START),
            alpha: 0,
            depth: 9,
            selectivity: Selectivity::Exact,
            probcut_nesting: 0,
            tried_before: 0,
            moves: Vec::new(),
            next: AtomicUsize::new(0),
            best: Mutex::new((0, None)),
            cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            parent: None,
        });
        let control = Control::new(StopButton::new(), None, u64::MAX);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _alarm = EndsAllOnPanic(&control);
            let _joined = Joined::new(&split);
            assert_eq!(split.helpers.load(Acquire), 1);
            panic!("as a helper might");
        }));
        assert!(ended.is_err());
        assert_eq!(split.helpers.load(Acquire), 0);
        assert!(control.is_over(0));
    }

    #[test]
    fn a_panic_in_the_leading_thread_comes_out_while_helpers_wait() {
        let searcher = Searcher::new(1 << 20).with_threads(3);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let limits = Limits::level(4, 60);
            searcher.search_with(Board::START, &limits, &StopButton::new(), &mut |_| {
                panic!("as a report might");
            })
        }));
        assert!(ended.is_err());
    }
}
