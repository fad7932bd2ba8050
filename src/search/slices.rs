//! A search in slices, for whoever has one thread and must look up now and then: the worker of a
//! web page hears nothing while it searches.
//!
//! Between slices only the table and what the finished iterations said is kept. What a slice did
//! not finish is begun again by the next one, and is short because the table remembers.

use super::control::{Control, StopButton};
use super::limits::{Goal, Limits, Step, steps};
use super::root::Root;
use super::searcher::{Bound, MoveValue, SearchResult, Searcher};
use super::split::Team;
use crate::machine::Timepiece;
use crate::othello::kernel::{Job, Kernel, dispatch_on};
use crate::othello::{Board, Square};
use std::time::Duration;

/// After so many slices in a row that finished nothing they get twice as long: where the table is
/// too small to remember a slice, the next one must get farther. Four times at most.
const FRUITLESS: u32 = 4;
const LONGEST: u32 = 4;

/// A search that is under way. The limits' time and nodes, and their window, do not count: whoever
/// cuts it into slices may leave it.
pub struct InSlices {
    board: Board,
    limits: Limits,
    steps: Vec<Step>,
    /// How many of them are finished.
    done: usize,
    /// The moves of the root as the iterations left them.
    order: Vec<Square>,
    /// The best moves of the present iteration, as far as they are found out.
    ranked: Vec<MoveValue>,
    /// Those of the iteration before.
    before: Vec<MoveValue>,
    nodes: u64,
    began: Timepiece,
    fruitless: u32,
}

/// What a slice brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slice {
    /// Nothing that can be told yet.
    Unfinished,
    /// An iteration more; of several the last.
    Deeper(SearchResult),
    /// The goal.
    Finished(SearchResult),
}

impl InSlices {
    /// The searcher must be the one that goes on with it.
    pub fn new(searcher: &Searcher, board: Board, limits: Limits) -> InSlices {
        searcher.age();
        let turned = if board.must_pass() {
            board.pass()
        } else {
            board
        };
        InSlices {
            board,
            limits: Limits {
                nodes: None,
                time: None,
                window: None,
                ..limits
            },
            steps: steps(limits.goal, turned.empty_count()),
            done: 0,
            order: turned.legal_moves().into_iter().collect(),
            ranked: Vec::new(),
            before: Vec::new(),
            nodes: 0,
            began: Timepiece::start(),
            fruitless: 0,
        }
    }

    /// Since the search began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Searches on for about so long.
    pub fn go_on(&mut self, searcher: &Searcher, time: Duration) -> Slice {
        let longer = (1 + self.fruitless / FRUITLESS).min(LONGEST);
        let job = SliceJob {
            search: self,
            searcher,
            time: time * longer,
        };
        dispatch_on(searcher.tier(), job)
    }

    /// The result with the nodes and the time of all slices.
    fn of_all_slices(&self, result: SearchResult) -> SearchResult {
        SearchResult {
            nodes: self.nodes,
            time: self.elapsed(),
            ..result
        }
    }

    /// The mean of two depths, where the one before told of the move: odd and even depths lean to
    /// opposite sides.
    fn mean(&self, found: &MoveValue, step: Step) -> i32 {
        let before = self.before.iter().find(|m| m.square == found.square);
        let at_end = step.plies >= self.board.empty_count();
        match before {
            Some(before) if self.limits.average && !at_end => (before.value + found.value) / 2,
            _ => found.value,
        }
    }
}

struct SliceJob<'a> {
    search: &'a mut InSlices,
    searcher: &'a Searcher,
    time: Duration,
}

impl Job for SliceJob<'_> {
    type Output = Slice;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Slice {
        let search = self.search;
        let limits = search.limits;
        let control = Control::new(StopButton::new(), Some(self.time), u64::MAX);
        let team = Team::default();
        let worker = self.searcher.lone_worker(kernel, &control, &team);
        let mut root = Root::new(worker, search.board, &limits);
        if root.moves.is_empty() || matches!(limits.goal, Goal::Depth { plies: 0, .. }) {
            return Slice::Finished(root.run(&mut |_| {}));
        }
        let place = |square| search.order.iter().position(|known| *known == square);
        root.moves.sort_by_key(|m| place(m.square));

        let wanted = limits.multi_pv.clamp(1, root.moves.len());
        let mut deepest = None;
        let mut found_any = false;
        while let Some(&step) = search.steps.get(search.done) {
            root.worker.selectivity = step.selectivity;
            let place = search.ranked.len();
            let value = if place == 0 {
                let guess = search.before.first().map(|best| best.value);
                let found = root.iterate(step, guess, root.range(step));
                found.map(|(value, _)| value)
            } else {
                root.search_moves(place, step.plies, (-6500, 6500))
            };
            let Some(value) = value.filter(|_| !root.worker.stopped) else {
                break;
            };
            found_any = true;
            let m = &root.moves[place];
            search.ranked.push(MoveValue {
                square: m.square,
                value,
                pv: root.line_from(m.square, m.board),
            });
            if search.ranked.len() == wanted {
                deepest = Some(iteration(search, &root, step));
                search.before = std::mem::take(&mut search.ranked);
                search.done += 1;
            }
        }
        search.order = root.moves.iter().map(|m| m.square).collect();
        search.nodes += root.worker.nodes;
        search.fruitless = if found_any { 0 } else { search.fruitless + 1 };
        let deepest = deepest.map(|result| search.of_all_slices(root.asker.sees(result)));
        match deepest {
            Some(result) if search.done == search.steps.len() => Slice::Finished(result),
            Some(result) => Slice::Deeper(result),
            None => Slice::Unfinished,
        }
    }
}

/// What an iteration found that has just ended.
fn iteration<K: Kernel>(search: &InSlices, root: &Root<'_, '_, K>, step: Step) -> SearchResult {
    let raw: Vec<i32> = [search.before.first(), search.ranked.first()]
        .into_iter()
        .flatten()
        .map(|best| best.value)
        .collect();
    let value = raw.last().copied().unwrap_or_default();
    let result = root.result(step, value, Bound::Exact, &raw);
    let mut moves = Vec::new();
    if search.limits.multi_pv > 1 {
        moves.clone_from(&search.ranked);
        for m in &mut moves {
            m.value = search.mean(m, step);
        }
        if let Some(best) = moves.first_mut() {
            best.value = result.value;
        }
    }
    SearchResult { moves, ..result }
}
