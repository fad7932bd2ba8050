//! Iterative deepening: one depth after another, until the goal or a limit is reached.

use super::Root;
use crate::othello::kernel::Kernel;
use crate::search::limits::{Goal, Step, steps};
use crate::search::searcher::{Bound, SearchResult};
use crate::search::selectivity::Selectivity;
use crate::search::time::Budget;
use std::time::Duration;

/// Called after each finished iteration.
pub(in crate::search) type RootReport<'a> = &'a mut dyn FnMut(&SearchResult);

impl<K: Kernel> Root<'_, '_, K> {
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
            let allowed =
                |budget: Budget| budget.allows_another(before, last_iteration, unchanged_for);
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
            report(&self.asker.sees(result.clone()));
            let on_a_clock = self.limits.time.is_some_and(|budget| !budget.is_fixed());
            if on_a_clock && self.moves.len() == 1 && values.len() >= 4 {
                // A forced move needs no thought, only a value to show.
                break;
            }
        }
        self.finished(result)
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

    fn blank(&self) -> SearchResult {
        SearchResult {
            value: 0,
            bound: Bound::Exact,
            best: None,
            pv: Vec::new(),
            depth: 0,
            selectivity: Selectivity::Exact,
            solved: false,
            nodes: self.worker.nodes + self.worker.team.nodes(),
            time: self.worker.control.elapsed(),
            moves: Vec::new(),
        }
    }

    fn finished(&self, mut result: SearchResult) -> SearchResult {
        result.nodes = self.worker.nodes + self.worker.team.nodes();
        result.time = self.worker.control.elapsed();
        self.asker.sees(result)
    }
}
