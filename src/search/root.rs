//! Iterative deepening at the root.

use super::limits::{Goal, Limits, Step, steps};
use super::midgame::INFINITE;
use super::params::{ASPIRATION, MTDF_STRIDE, ODD_EVEN_MARGIN};
use super::searcher::{Bound, MoveValue, SearchResult};
use super::selectivity::Selectivity;
use super::worker::{Algorithm, Worker};
use crate::eval::Features;
use crate::othello::kernel::Kernel;
use crate::othello::{Board, Square};
use std::time::Duration;

/// Called after each finished iteration.
pub(super) type RootReport<'a> = &'a mut dyn FnMut(&SearchResult);

pub(super) struct RootMove {
    pub square: Square,
    pub board: Board,
    features: Features,
    value: i32,
}

/// A root position on its way through the iterations.
pub(super) struct Root<'w, 's, K: Kernel> {
    pub worker: Worker<'s, K>,
    limits: &'w Limits,
    board: Board,
    features: Features,
    /// The player to move had to pass first; values are turned round at the end.
    passed: bool,
    pub moves: Vec<RootMove>,
}

impl<'w, 's, K: Kernel> Root<'w, 's, K> {
    pub fn new(worker: Worker<'s, K>, board: Board, limits: &'w Limits) -> Root<'w, 's, K> {
        let passed = board.must_pass();
        let board = if passed { board.pass() } else { board };
        let features = worker.evaluator.features(board);
        let legal = board.legal_moves();
        let wanted = legal & !limits.without;
        let moves = if wanted.is_empty() { legal } else { wanted }
            .into_iter()
            .map(|square| {
                let flips = board.flips(square);
                RootMove {
                    square,
                    board: board.play_unchecked(square, flips),
                    features: features.after_move(worker.kernel, square.index(), flips.0),
                    value: -INFINITE,
                }
            })
            .collect();
        Root {
            worker,
            limits,
            board,
            features,
            passed,
            moves,
        }
    }

    pub fn run(mut self, report: RootReport<'_>) -> SearchResult {
        let empties = self.board.empty_count();
        if self.moves.is_empty() {
            let value = 100 * self.board.final_score().discs();
            return self.finished(SearchResult {
                value,
                solved: true,
                ..self.blank()
            });
        }
        if matches!(self.limits.goal, Goal::Depth { plies: 0, .. }) {
            let value =
                self.worker
                    .evaluator
                    .evaluate(self.worker.kernel, &self.features, self.board);
            self.worker.nodes += 1;
            return self.finished(SearchResult {
                value,
                ..self.blank()
            });
        }
        let mut result = self.blank();
        // Before the first iteration ends there is at least a legal move.
        result.best = self.moves.first().map(|m| m.square);
        result.pv = result.best.into_iter().collect();
        let mut values = Vec::new();
        let mut unchanged_for = 0;
        let mut last_iteration = Duration::ZERO;
        let mut before_last = None;
        let steps = steps(self.limits.goal, empties);
        let last_step = steps.last().copied();
        for step in steps {
            let before = self.worker.control.elapsed();
            let allowed = |budget: super::time::Budget| {
                budget.allows_another(before, last_iteration, unchanged_for)
            };
            if !values.is_empty() && !self.limits.time.is_none_or(allowed) {
                break;
            }
            self.worker.selectivity = step.selectivity;
            let found = match (self.limits.window, before_last) {
                (Some(window), Some((before, found)))
                    if self.limits.average && Some(step) == last_step && step.plies < empties =>
                {
                    self.iterate_for_mean(step, before, found, window, &mut values)
                }
                _ => self.iterate(step, values.last().copied(), self.range(step)),
            };
            if self.worker.stopped {
                // An unfinished iteration counts when it already has a better move than before.
                if let Some((value, bound)) = found {
                    values.push(value);
                    result = self.result(step, value, bound, &values);
                }
                break;
            }
            let Some((value, bound)) = found else { break };
            values.push(value);
            before_last = Some((step, (value, bound)));
            let previous = result.best;
            result = self.result(step, value, bound, &values);
            tracing::debug!(
                plies = step.plies,
                selectivity = step.selectivity.percent(),
                value,
                nodes = result.nodes,
                "iteration done"
            );
            unchanged_for = if result.best == previous {
                unchanged_for + 1
            } else {
                0
            };
            last_iteration = self.worker.control.elapsed() - before;
            if self.limits.multi_pv > 1 {
                result.moves = self.rank_others(step, &result);
            }
            report(&self.turned(result.clone()));
            let on_a_clock = self.limits.time.is_some_and(|budget| !budget.is_fixed());
            if on_a_clock && self.moves.len() == 1 && values.len() >= 4 {
                // A forced move needs no thought, only a value to show.
                break;
            }
        }
        self.finished(result)
    }

    /// Between which values an iteration is to find out the value.
    pub fn range(&self, step: Step) -> (i32, i32) {
        let solving = step.plies >= self.board.empty_count();
        match (self.limits.goal, self.limits.window) {
            (Goal::Outcome, _) if solving => (-1, 1),
            (Goal::Window { alpha, beta }, _) if solving => {
                // The window is the asker's; an empty one is widened to ask about its lower end.
                let alpha = alpha.clamp(-65, 64);
                let beta = beta.clamp(alpha + 1, 65);
                let (low, high) = self.for_the_mover((alpha, beta));
                (low * 100, high * 100)
            }
            (Goal::Depth { .. }, Some(window)) => {
                let (low, high) = self.for_the_mover(window);
                // Earlier depths order the moves, and may lean to the other side.
                let margin = if solving { 0 } else { ODD_EVEN_MARGIN };
                legal_range(low - margin, high + margin)
            }
            _ => (-6500, 6500),
        }
    }

    /// The asker's window, seen by the player whose moves are searched.
    fn for_the_mover(&self, (alpha, beta): (i32, i32)) -> (i32, i32) {
        if self.passed {
            (-beta, -alpha)
        } else {
            (alpha, beta)
        }
    }

    /// The last of the two iterations whose mean is wanted: the other one tells where its value
    /// must lie for the mean to lie in the window.
    fn iterate_for_mean(
        &mut self,
        step: Step,
        before: Step,
        (mut other, bound): (i32, Bound),
        window: (i32, i32),
        values: &mut [i32],
    ) -> Option<(i32, Bound)> {
        let (alpha, beta) = self.for_the_mover(window);
        let range = |other: i32| legal_range(2 * alpha - other, 2 * beta - other);
        let found = self.iterate(step, Some(other), range(other))?;
        if bound == Bound::Exact || bound == found.1 || self.worker.stopped {
            return Some(found);
        }
        // Two bounds that do not say the same: the earlier one must be a value after all.
        (other, _) = self.iterate(before, Some(other), (-6500, 6500))?;
        if let Some(last) = values.last_mut() {
            *last = other;
        }
        self.iterate(step, Some(found.0), range(other))
    }

    /// One iteration within a range; the best value first among the moves. None when it was
    /// stopped before any move beat the window.
    pub fn iterate(
        &mut self,
        step: Step,
        guess: Option<i32>,
        (low, high): (i32, i32),
    ) -> Option<(i32, Bound)> {
        let solving = step.plies >= self.board.empty_count();
        if self.worker.algorithm == Algorithm::Mtdf {
            return self.mtdf(step, guess.unwrap_or(0), (low, high));
        }
        let margin = if solving { 100 } else { ASPIRATION };
        let mut window = match guess {
            Some(guess) if self.worker.algorithm == Algorithm::NegaScout => {
                // An exact score is even: round the guess so that the window holds one.
                let centre = if solving {
                    (guess as f64 / 200.0).round() as i32 * 200
                } else {
                    guess
                };
                let alpha = (centre - margin).clamp(low, high - 1);
                (alpha, (centre + margin).clamp(alpha + 1, high))
            }
            _ => (low, high),
        };
        let mut widening = margin;
        loop {
            let found = self.search_moves(0, step.plies, window);
            if self.worker.stopped {
                return found.map(|value| (value, Bound::AtLeast));
            }
            let value = found?;
            widening *= 2;
            let Some(next) = moved_window(value, window, (low, high), widening, solving) else {
                return Some((value, bound_in(value, window)));
            };
            window = next;
        }
    }

    /// Searches the moves from `first` on and brings the best to that place.
    pub fn search_moves(&mut self, first: usize, plies: u32, window: (i32, i32)) -> Option<i32> {
        let (alpha, beta) = window;
        let worker = &mut self.worker;
        worker.nodes += 1;
        let mut best: Option<(i32, usize)> = None;
        for (index, m) in self.moves.iter_mut().enumerate().skip(first) {
            let floor = best.map_or(alpha, |(value, _)| value.max(alpha));
            // A null window is a scout's work from the first move on.
            let scout =
                worker.algorithm != Algorithm::AlphaBeta && (index > first || beta - alpha == 1);
            let mut value = INFINITE;
            if scout {
                value = -worker.null_window(m.board, &m.features, -floor - 1, plies - 1);
            }
            if !worker.stopped && (!scout || value > floor && value < beta) {
                value = -worker.principal(m.board, &m.features, (-beta, -floor), plies - 1);
            }
            if worker.stopped {
                break;
            }
            m.value = value;
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, index));
                if value >= beta {
                    break;
                }
            }
        }
        let (value, index) = best?;
        if worker.stopped && value <= alpha {
            return None;
        }
        // The others keep their order: it is that of earlier iterations.
        self.moves[first..=index].rotate_right(1);
        Some(value)
    }

    /// Null windows only: each bound tells where to look next. Half-way between two bounds is
    /// never worse than one step from the last, which would creep up on values this fine.
    fn mtdf(&mut self, step: Step, guess: i32, limits: (i32, i32)) -> Option<(i32, Bound)> {
        let (mut lower, mut upper) = limits;
        let mut value = guess.clamp(lower + 1, upper - 1);
        let mut stride = MTDF_STRIDE;
        // Only a move that passed a window has proved itself; where all fail, their order is noise.
        let mut proved = None;
        while lower < upper {
            let beta = value.clamp(lower + 1, upper);
            value = self.search_moves(0, step.plies, (beta - 1, beta))?;
            if self.worker.stopped {
                return None;
            }
            if value < beta {
                upper = value;
            } else {
                lower = value;
                proved = self.moves.first().map(|m| m.square);
            }
            let middle = lower + (upper - lower) / 2;
            value = if lower == limits.0 {
                middle.max(upper - stride)
            } else if upper == limits.1 {
                middle.min(lower + stride)
            } else {
                middle + 1
            };
            stride *= 2;
        }
        let place = self.moves.iter().position(|m| Some(m.square) == proved);
        if let Some(place) = place {
            self.moves[..=place].rotate_right(1);
        }
        Some((lower, bound_in(lower, limits)))
    }

    /// The values of the best moves, the best one's already known.
    fn rank_others(&mut self, step: Step, best: &SearchResult) -> Vec<MoveValue> {
        let mut ranked: Vec<MoveValue> = best
            .best
            .map(|square| MoveValue {
                square,
                value: best.value,
                pv: best.pv.clone(),
            })
            .into_iter()
            .collect();
        for place in 1..self.limits.multi_pv.min(self.moves.len()) {
            let Some(value) = self.search_moves(place, step.plies, (-6500, 6500)) else {
                break;
            };
            let value = self.mean_of(place, value, step);
            if self.worker.stopped {
                break;
            }
            let m = &self.moves[place];
            ranked.push(MoveValue {
                square: m.square,
                value,
                pv: self.line_from(m.square, m.board),
            });
        }
        ranked
    }

    /// The value of a move, or the mean of it and that of the depth before where means are asked
    /// for: the best move has one too, and they should compare.
    fn mean_of(&mut self, place: usize, value: i32, step: Step) -> i32 {
        let at_end = step.plies >= self.board.empty_count();
        if !self.limits.average || at_end || step.plies < 2 {
            return value;
        }
        let m = &self.moves[place];
        let child_plies = step.plies - 2;
        self.worker.only_this_depth = true;
        let before = -self
            .worker
            .principal(m.board, &m.features, (-6500, 6500), child_plies);
        self.worker.only_this_depth = false;
        (before + value) / 2
    }

    pub fn result(&self, step: Step, value: i32, bound: Bound, values: &[i32]) -> SearchResult {
        let best = &self.moves[0];
        let empties = self.board.empty_count();
        let at_end = step.plies >= empties;
        let value = match values {
            [.., before, last] if self.limits.average && !at_end => (before + last) / 2,
            _ => value,
        };
        SearchResult {
            value,
            bound,
            best: Some(best.square),
            pv: self.line_from(best.square, best.board),
            depth: step.plies.min(empties),
            selectivity: step.selectivity,
            // A search cut short may have proved a bound, but not that no move is better.
            solved: at_end && step.selectivity == Selectivity::Exact && !self.worker.stopped,
            ..self.blank()
        }
    }

    /// The expected line, as far as the table remembers it.
    pub fn line_from(&self, first: Square, mut board: Board) -> Vec<Square> {
        let mut line = vec![first];
        while line.len() < 60 {
            if board.must_pass() {
                board = board.pass();
            }
            let known = self.worker.table.probe(board, board.hash());
            let Some(best) = known.and_then(|known| known.best) else {
                break;
            };
            let Ok(next) = board.play(best) else { break };
            line.push(best);
            board = next;
        }
        line
    }

    fn blank(&self) -> SearchResult {
        SearchResult {
            value: 0,
            bound: Bound::Exact,
            best: None,
            pv: Vec::new(),
            depth: 0,
            selectivity: Selectivity::Exact,
            solved: false,
            nodes: self.worker.nodes + self.worker.crew.nodes(),
            time: self.worker.control.elapsed(),
            moves: Vec::new(),
        }
    }

    /// The result as the player who asked sees it.
    pub fn turned(&self, mut result: SearchResult) -> SearchResult {
        if self.passed {
            result.value = -result.value;
            result.best = None;
            result.bound = match result.bound {
                Bound::AtLeast => Bound::AtMost,
                Bound::AtMost => Bound::AtLeast,
                Bound::Exact => Bound::Exact,
            };
            for m in &mut result.moves {
                m.value = -m.value;
            }
        }
        result
    }

    fn finished(&self, mut result: SearchResult) -> SearchResult {
        result.nodes = self.worker.nodes + self.worker.crew.nodes();
        result.time = self.worker.control.elapsed();
        self.turned(result)
    }
}

/// Where to search again after a value outside the window: reaching further by so much, but not
/// beyond the range that was asked about. None when the value says all there is to say about it.
fn moved_window(
    value: i32,
    (alpha, beta): (i32, i32),
    (low, high): (i32, i32),
    reach: i32,
    solving: bool,
) -> Option<(i32, i32)> {
    // What a solver proved need not be proved again; a selective search may change its mind.
    if value <= alpha && value > low {
        let beta = if solving { value + 1 } else { beta };
        Some(((value - reach).max(low), beta))
    } else if value >= beta && value < high {
        let alpha = if solving { value - 1 } else { alpha };
        Some((alpha, (value + reach).min(high)))
    } else {
        None
    }
}

/// The part of a range that values can lie in, never empty.
fn legal_range(low: i32, high: i32) -> (i32, i32) {
    let low = low.clamp(-6500, 6499);
    (low, high.clamp(low + 1, 6500))
}

/// What a value says that a search with this window returned; no value lies beyond ±6500.
fn bound_in(value: i32, (alpha, beta): (i32, i32)) -> Bound {
    if value <= alpha && alpha > -6500 {
        Bound::AtMost
    } else if value >= beta && beta < 6500 {
        Bound::AtLeast
    } else {
        Bound::Exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_moves_towards_the_value_and_never_beyond_what_was_asked() {
        let values = (-6400..=6400).step_by(200);
        for (low, high) in [(-6500, 6500), (-200, 300), (1000, 1100), (-6500, -6300)] {
            for centre in values.clone() {
                let alpha = (centre - 100).clamp(low, high - 1);
                let window = (alpha, (centre + 100).clamp(alpha + 1, high));
                for value in values.clone() {
                    for solving in [false, true] {
                        let next = moved_window(value, window, (low, high), 400, solving);
                        let Some((alpha, beta)) = next else {
                            // Nothing to ask: inside the window, or outside of the whole range.
                            let inside = window.0 < value && value < window.1;
                            assert!(inside || value <= low || value >= high);
                            continue;
                        };
                        assert!(low <= alpha && alpha < beta && beta <= high);
                        assert!(alpha < value && value < beta || !solving);
                        assert!(low < value && value < high);
                    }
                }
            }
        }
    }
}
