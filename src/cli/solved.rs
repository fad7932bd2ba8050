//! What `emilia solve` says: each answer, held against the problem file's, and the sum of all.

use super::found;
use super::output::grouped;
use super::stopwatch::{CpuClock, Spent};
use crate::othello::{ObfProblem, Score, moves_to_string};
use crate::search::{Bound, SearchResult};
use serde_json::{Value, json};

/// What the answers are held against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The final score.
    Score,
    /// Win, draw or loss.
    Outcome,
    /// A look ahead: only its best move is judged, its value is measured.
    Depth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs,
    /// The file gives no score.
    Unjudged,
}

/// Everything said about one position.
pub struct Answer<'a> {
    pub number: u32,
    pub problem: &'a ObfProblem,
    pub result: SearchResult,
    pub spent: Spent,
    pub verdict: Verdict,
}

pub fn judge(mode: Mode, problem: &ObfProblem, result: &SearchResult) -> Verdict {
    let Some(expected) = problem.score() else {
        return Verdict::Unjudged;
    };
    let same = |score: Score| match mode {
        Mode::Outcome => score.discs().signum() == expected.discs().signum(),
        Mode::Score | Mode::Depth => score == expected,
    };
    let value_agrees = match mode {
        Mode::Outcome => result.value.signum() == expected.discs().signum(),
        Mode::Score => result.bound == Bound::Exact && result.value == 100 * expected.discs(),
        Mode::Depth => true,
    };
    // A move that an incomplete file does not list can be judged by its value alone.
    let move_agrees = problem
        .score_of(result.best)
        .map_or(!problem.is_complete(), same);
    if value_agrees && move_agrees {
        Verdict::Agrees
    } else {
        Verdict::Differs
    }
}

impl Answer<'_> {
    fn shown_value(&self, mode: Mode) -> String {
        match mode {
            Mode::Outcome => match self.result.value.signum() {
                1 => "win".into(),
                -1 => "loss".into(),
                _ => "draw".into(),
            },
            Mode::Score | Mode::Depth => found::value(&self.result),
        }
    }

    /// The file's best moves, `--` for a pass.
    fn expected_moves(&self) -> Vec<String> {
        let best = self.problem.score();
        let moves = self.problem.moves.iter();
        moves
            .filter(|m| Some(m.score) == best)
            .map(|m| found::move_name(m.square))
            .collect()
    }

    pub fn row(&self, mode: Mode) -> String {
        let board = self.problem.position.board;
        let verdict = match (self.verdict, self.problem.score()) {
            (Verdict::Differs, Some(score)) if mode == Mode::Depth => {
                format!("{score} {}", self.expected_moves().join(","))
            }
            (Verdict::Differs, Some(score)) => {
                format!("WRONG: {score} {}", self.expected_moves().join(","))
            }
            (Verdict::Agrees, _) => "ok".into(),
            _ => "-".into(),
        };
        let line = if board.is_over() {
            "the game is over".into()
        } else if board.must_pass() {
            format!("pass {}", moves_to_string(&self.result.pv))
        } else {
            moves_to_string(&self.result.pv)
        };
        format!(
            "{:>4} {:>7} {:>7} {:>4} {:>15} {:>9.3} {:>9.3} {:>10}  {:<9} {line}",
            self.number,
            board.empty_count(),
            self.shown_value(mode),
            found::move_name(self.result.best),
            grouped(self.result.nodes),
            self.spent.wall.as_secs_f64(),
            self.spent.cpu.as_secs_f64(),
            found::speed(self.result.nodes, self.spent.cpu),
            verdict,
        )
    }

    pub fn json(&self) -> Value {
        let mut object = found::to_json(&self.result);
        object["number"] = self.number.into();
        object["position"] = self.problem.position.to_string().into();
        object["empties"] = self.problem.position.board.empty_count().into();
        object["over"] = self.problem.position.board.is_over().into();
        object["cpu_seconds"] = self.spent.cpu.as_secs_f64().into();
        if let Some(score) = self.problem.score() {
            object["file_score"] = score.discs().into();
            object["file_best"] = self.expected_moves().into();
        }
        object["agrees"] = match self.verdict {
            Verdict::Agrees => Value::Bool(true),
            Verdict::Differs => Value::Bool(false),
            Verdict::Unjudged => Value::Null,
        };
        object
    }
}

/// The totals of a run.
#[derive(Default)]
pub struct Sum {
    pub passed: u32,
    pub failed: u32,
    pub nodes: u64,
    pub spent: Spent,
    /// Positions with a score in the file; the three below count only these.
    pub judged: u32,
    best_moves: u32,
    /// Of the values, in centi-discs.
    error: u64,
    within_three_discs: u32,
}

impl Sum {
    pub fn add(&mut self, answer: &Answer<'_>) {
        match answer.verdict {
            Verdict::Differs => self.failed += 1,
            Verdict::Agrees | Verdict::Unjudged => self.passed += 1,
        }
        self.nodes += answer.result.nodes;
        self.spent += answer.spent;
        if let Some(expected) = answer.problem.score() {
            let error = answer.result.value.abs_diff(100 * expected.discs());
            self.judged += 1;
            self.best_moves += u32::from(answer.verdict == Verdict::Agrees);
            self.error += u64::from(error);
            self.within_three_discs += u32::from(error <= 300);
        }
    }

    fn share(&self, count: u32) -> f64 {
        100.0 * f64::from(count) / f64::from(self.judged.max(1))
    }

    fn mean_error(&self) -> f64 {
        self.error as f64 / 100.0 / f64::from(self.judged.max(1))
    }

    pub fn measured(&self) -> String {
        format!(
            "best move {:.1} %, mean error {:.2} discs, within 3 discs {:.1} %, {} nodes",
            self.share(self.best_moves),
            self.mean_error(),
            self.share(self.within_three_discs),
            grouped(self.nodes)
        )
    }

    /// Programs read this line: its form stays.
    pub fn line(&self) -> String {
        format!(
            "{} passed, {} failed, {} nodes, {:.3} s, {}",
            self.passed,
            self.failed,
            self.nodes,
            self.spent.wall.as_secs_f64(),
            found::per_second(self.nodes, self.spent.wall)
        )
    }

    pub fn json(&self, mode: Mode, clock: CpuClock) -> Value {
        let mut object = json!({
            "passed": self.passed, "failed": self.failed, "nodes": self.nodes,
            "seconds": self.spent.wall.as_secs_f64(),
            "nps": found::per_second(self.nodes, self.spent.wall),
            "cpu_seconds": self.spent.cpu.as_secs_f64(),
            "cpu_clock": clock.to_string(),
        });
        if mode == Mode::Depth && self.judged > 0 {
            object["best_move_percent"] = self.share(self.best_moves).into();
            object["mean_error"] = self.mean_error().into();
            object["within_3_discs_percent"] = self.share(self.within_three_discs).into();
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Position, Square};
    use crate::search::Selectivity;
    use std::str::FromStr;
    use std::time::Duration;

    fn problem(scores: &str) -> ObfProblem {
        let text = format!("{}; {scores}", Position::START);
        ObfProblem::parse_line(1, &text).unwrap().unwrap()
    }

    fn answer(best: &str, value: i32) -> SearchResult {
        SearchResult {
            value,
            bound: Bound::Exact,
            best: Square::from_str(best).ok(),
            pv: Vec::new(),
            depth: 60,
            selectivity: Selectivity::Exact,
            solved: true,
            nodes: 1,
            time: Duration::ZERO,
            moves: Vec::new(),
        }
    }

    #[test]
    fn an_answer_agrees_when_both_score_and_move_do() {
        let complete = problem("D3:+4; C4:+4; F5:+2; E6:-2");
        let verdict = |mode, best, value| judge(mode, &complete, &answer(best, value));
        assert!(verdict(Mode::Score, "c4", 400) == Verdict::Agrees);
        assert!(verdict(Mode::Score, "f5", 400) == Verdict::Differs);
        assert!(verdict(Mode::Score, "c4", 200) == Verdict::Differs);
        assert!(verdict(Mode::Outcome, "f5", 1) == Verdict::Agrees);
        assert!(verdict(Mode::Outcome, "e6", 1) == Verdict::Differs);
        assert!(verdict(Mode::Depth, "d3", -900) == Verdict::Agrees);
    }

    #[test]
    fn a_move_the_file_does_not_list_is_judged_by_its_score() {
        let partial = problem("D3:+4");
        assert!(judge(Mode::Score, &partial, &answer("f5", 400)) == Verdict::Agrees);
        assert!(judge(Mode::Score, &partial, &answer("f5", 200)) == Verdict::Differs);
        assert!(judge(Mode::Score, &problem(""), &answer("f5", 200)) == Verdict::Unjudged);
    }
}
