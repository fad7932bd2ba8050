//! The façade: a position and limits go in, a result comes out.

use super::control::{Control, StopButton};
use super::limits::Limits;
use super::params::LOCAL_TABLE_BYTES;
use super::root::{Root, RootReport};
use super::selectivity::Selectivity;
use super::split::Team;
use super::stability::EdgeStability;
use super::table::Table;
use super::worker::{Algorithm, ClockReadings, Parallel, Worker};
use crate::eval::Evaluator;
use crate::othello::kernel::{Job, Kernel, dispatch_on};
use crate::othello::{Board, Square, Tier};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Whether a value is the value or a limit of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What one of several moves is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    pub square: Square,
    pub value: i32,
    pub pv: Vec<Square>,
}

/// What a search found. Values are centi-discs, seen by the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    pub value: i32,
    pub bound: Bound,
    /// None when the player must pass or the game is over.
    pub best: Option<Square>,
    /// The expected line, passes left out.
    pub pv: Vec<Square>,
    pub depth: u32,
    pub selectivity: Selectivity,
    /// The end of the game was reached everywhere, with no selective cut.
    pub solved: bool,
    pub nodes: u64,
    pub time: Duration,
    /// The best moves with their values, when more than one was asked for.
    pub moves: Vec<MoveValue>,
}

/// Searches positions. Keeps its table from one search to the next.
///
/// ```
/// use emilia::othello::Board;
/// use emilia::search::{Limits, Searcher};
///
/// let searcher = Searcher::new(1 << 20);
/// let found = searcher.search(Board::START, &Limits::depth(6));
/// assert!(found.best.is_some());
/// println!("{:+.2} discs by {:?}", f64::from(found.value) / 100.0, found.pv);
///
/// // Near the end of a game the result is exact.
/// # let game = emilia::games::SampleGames::new(1).next().unwrap();
/// # let mut boards = Vec::new();
/// # game.for_each_board(|board| boards.push(board));
/// # let ending = boards[48];
/// let found = searcher.search(ending, &Limits::solve());
/// assert!(found.solved && found.value % 100 == 0);
/// ```
pub struct Searcher {
    table: Table,
    /// One small table per thread; see [`Worker::local`].
    locals: Vec<Table>,
    evaluator: &'static Evaluator,
    threads: usize,
    tier: Tier,
    algorithm: Algorithm,
    parallel: Parallel,
}

impl Searcher {
    /// One thread with a table of this many bytes.
    #[cfg(feature = "program")]
    pub fn new(table_bytes: usize) -> Searcher {
        Searcher::with_weights(table_bytes, Evaluator::builtin())
    }

    /// The same with these weights, where no others are built in.
    pub fn with_weights(table_bytes: usize, evaluator: &'static Evaluator) -> Searcher {
        Searcher {
            table: Table::new(table_bytes),
            locals: vec![Table::new(LOCAL_TABLE_BYTES)],
            evaluator,
            threads: 1,
            tier: Tier::best(),
            algorithm: Algorithm::default(),
            parallel: Parallel::default(),
        }
    }

    pub fn with_threads(mut self, threads: usize) -> Searcher {
        self.threads = threads.max(1);
        self.locals
            .resize_with(self.threads, || Table::new(LOCAL_TABLE_BYTES));
        self
    }

    /// Evaluates with these weights instead of the built-in ones.
    pub fn with_evaluator(mut self, evaluator: &'static Evaluator) -> Searcher {
        self.evaluator = evaluator;
        self
    }

    pub fn with_tier(mut self, tier: Tier) -> Searcher {
        self.tier = tier;
        self
    }

    pub fn with_algorithm(mut self, algorithm: Algorithm) -> Searcher {
        self.algorithm = algorithm;
        self
    }

    pub fn with_parallel(mut self, parallel: Parallel) -> Searcher {
        self.parallel = parallel;
        self
    }

    /// Forgets all earlier searches, so that the next one does not depend on them.
    pub fn clear(&self) {
        self.tables().for_each(Table::clear);
    }

    /// A new search begins.
    pub(super) fn age(&self) {
        self.tables().for_each(Table::age);
    }

    /// The CPU tier that searches run on.
    pub(super) fn tier(&self) -> Tier {
        self.tier
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.locals.iter().chain([&self.table])
    }

    /// Searches until the goal or a limit is reached.
    pub fn search(&self, board: Board, limits: &Limits) -> SearchResult {
        self.search_with(board, limits, &StopButton::new(), &mut |_| {})
    }

    /// [`Searcher::search`] with a stop from outside and a report after each iteration.
    pub fn search_with(
        &self,
        board: Board,
        limits: &Limits,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        self.search_by(&Team::default(), board, limits, button, report)
    }

    /// The same by a team whose work can be looked at afterwards.
    fn search_by(
        &self,
        team: &Team,
        board: Board,
        limits: &Limits,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        self.age();
        let hard_limit = limits.time.map(|budget| budget.hard);
        let node_limit = limits
            .nodes
            .map_or(u64::MAX, |nodes| nodes / self.threads as u64);
        let control = Control::new(button.clone(), hard_limit, node_limit);
        let lazy_nodes = AtomicU64::new(0);
        let mut result = std::thread::scope(|scope| {
            let _over = OverWhenDropped(&control, team);
            for local in &self.locals[1..] {
                let help = Help {
                    searcher: self,
                    local,
                    control: &control,
                    team,
                    board,
                    limits,
                    lazy_nodes: &lazy_nodes,
                };
                scope.spawn(|| dispatch_on(self.tier, help));
            }
            let lead = Lead {
                searcher: self,
                control: &control,
                team,
                board,
                limits,
                report,
            };
            dispatch_on(self.tier, lead)
        });
        result.nodes += lazy_nodes.into_inner();
        result
    }

    /// For a search with one thread.
    pub(super) fn lone_worker<'s, K: Kernel>(
        &'s self,
        kernel: K,
        control: &'s Control,
        team: &'s Team,
    ) -> Worker<'s, K> {
        self.worker(kernel, &self.locals[0], control, team)
    }

    fn worker<'s, K: Kernel>(
        &'s self,
        kernel: K,
        local: &'s Table,
        control: &'s Control,
        team: &'s Team,
    ) -> Worker<'s, K> {
        Worker {
            kernel,
            table: &self.table,
            local,
            evaluator: self.evaluator,
            edges: EdgeStability::get(),
            control,
            team,
            algorithm: self.algorithm,
            nodes: 0,
            selectivity: Selectivity::Exact,
            probcut_nesting: 0,
            tried_before: 0,
            only_this_depth: false,
            stopped: false,
            split: None,
            clock: ClockReadings::default(),
            moves: Vec::with_capacity(1024),
        }
    }
}

/// Sends the helpers home when the search has its result, and also when it panics: the scope waits
/// for them before the panic goes on.
struct OverWhenDropped<'a>(&'a Control, &'a Team);

impl Drop for OverWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.finish();
        self.1.close();
    }
}

struct Help<'a> {
    searcher: &'a Searcher,
    local: &'a Table,
    control: &'a Control,
    team: &'a Team,
    board: Board,
    limits: &'a Limits,
    /// Counted when the thread is done, which may be after the result.
    lazy_nodes: &'a AtomicU64,
}

impl Job for Help<'_> {
    type Output = ();

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) {
        let mut worker = self
            .searcher
            .worker(kernel, self.local, self.control, self.team);
        match self.searcher.parallel {
            Parallel::Split => worker.serve(),
            Parallel::Lazy => {
                let result = Root::new(worker, self.board, self.limits).run(&mut |_| {});
                self.lazy_nodes.fetch_add(result.nodes, Relaxed);
            }
        }
    }
}

struct Lead<'a> {
    searcher: &'a Searcher,
    control: &'a Control,
    team: &'a Team,
    board: Board,
    limits: &'a Limits,
    report: RootReport<'a>,
}

impl Job for Lead<'_> {
    type Output = SearchResult;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> SearchResult {
        let worker = self.searcher.lone_worker(kernel, self.control, self.team);
        Root::new(worker, self.board, self.limits).run(self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;

    /// Positions of random games, far enough from the end for threads to share the work.
    fn boards(count: usize) -> Vec<Board> {
        let mut random = Random::new(0x5911);
        let mut boards = Vec::new();
        while boards.len() < count {
            let mut board = Board::START;
            while board.empty_count() > 17
                && let Some(square) = random.square(board.legal_moves())
            {
                board = board.play(square).unwrap();
            }
            if !board.legal_moves().is_empty() {
                boards.push(board);
            }
        }
        boards
    }

    #[test]
    fn two_threads_share_the_work_and_find_the_score_of_one() {
        let [one, two] = [1, 2].map(|threads| Searcher::new(1 << 20).with_threads(threads));
        let mut helped = 0;
        for board in boards(12) {
            let limits = Limits::solve();
            let solved = [&one, &two].map(|searcher| {
                searcher.clear();
                let team = Team::default();
                let button = StopButton::new();
                let found = searcher.search_by(&team, board, &limits, &button, &mut |_| {});
                assert!(found.solved);
                (found.value, team.nodes())
            });
            assert_eq!(solved[0].0, solved[1].0, "{board:?}");
            assert_eq!(solved[0].1, 0, "nobody is there to help one thread");
            helped += solved[1].1;
        }
        assert!(helped > 0, "no node was ever shared");
    }
}
