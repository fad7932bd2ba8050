//! Multi-ProbCut: a shallow search that lies far enough outside the window stands for the deep one.

use super::params::{PROBCUT_MAX_NESTING, PROBCUT_MIN_DEPTH, late_margin};
use super::worker::Worker;
use crate::eval::Features;
use crate::othello::Board;
use crate::othello::kernel::Kernel;

impl<K: Kernel> Worker<'_, K> {
    /// The bound that a shallower search makes likely, if it lies outside (alpha, alpha + 1), where
    /// the opponent tried so many moves before the one that led here.
    #[inline(always)]
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
        tried_before: u32,
    ) -> Option<i32> {
        if self.probcut_nesting >= PROBCUT_MAX_NESTING || depth < PROBCUT_MIN_DEPTH {
            return None;
        }
        let cut = self.evaluator.probcut().cut(board.empty_count(), depth);
        let shallow = u32::from(cut.shallow);
        let sigmas = self.selectivity.deviations();
        let margin = sigmas * i32::from(cut.deviation) / 100;
        // The static value decides which side is worth a search at all.
        let static_value = self.evaluator.evaluate(self.kernel, features, board);
        let static_margin = sigmas * i32::from(cut.static_deviation - cut.deviation) / 100;

        let mean = i32::from(cut.mean);
        let late = late_margin(self.selectivity, depth, board.empty_count(), tried_before);
        let high = alpha + 1 + margin * late / 100 - mean;
        if high <= 6400 && static_value >= high - static_margin.max(0) {
            let value = self.shallow_bound(board, features, high - 1, shallow, static_value);
            if value >= high && !self.stopped {
                return Some(alpha + 1);
            }
        }
        let low = alpha - margin - mean;
        if low >= -6400 && static_value <= low + static_margin.max(0) {
            let value = self.shallow_bound(board, features, low, shallow, static_value);
            if value <= low && !self.stopped {
                return Some(alpha);
            }
        }
        None
    }

    #[inline(always)]
    fn shallow_bound(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
        static_value: i32,
    ) -> i32 {
        if depth == 0 {
            return static_value;
        }
        self.probcut_nesting += 1;
        let value = self.null_window(board, features, alpha, depth);
        self.probcut_nesting -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Calibration, Container, Evaluator, Formulas, Model, PATTERNS, PROBCUT};
    use crate::othello::Random;
    use crate::othello::kernel::Portable;
    use crate::search::control::Control;
    use crate::search::split::Team;
    use crate::search::{Searcher, Selectivity, StopButton};

    /// The built-in weights, whose deep values are said to be three discs above shallow ones, give
    /// or take half a disc.
    fn hopeful() -> &'static Evaluator {
        let formulas = Formulas {
            deviation: [0.5_f64.ln(), 0.0, 0.0, 0.0, 0.0],
            mean: [3.0, 0.0, 0.0, 0.0, 0.0],
        };
        let calibration = Calibration {
            deeper: formulas,
            exact: formulas,
        };
        let mut container = Container::decode(Evaluator::builtin_file()).unwrap();
        let patterns = Model::decode(&container.take(PATTERNS).unwrap()).unwrap();
        container.set(PROBCUT, calibration.encode());
        Box::leak(Box::new(Evaluator::new(&patterns, container).unwrap()))
    }

    #[test]
    fn a_deep_value_is_expected_where_the_mean_says_and_no_cut_is_made_near_it() {
        const MEAN: i32 = 300;
        const DEVIATION: i32 = 50;
        // Its shallow search is too shallow to be cut itself.
        const DEPTH: u32 = 3;
        let searcher = Searcher::new(1 << 20).with_evaluator(hopeful());
        let control = Control::new(StopButton::new(), None, u64::MAX);
        let team = Team::default();
        let mut worker = searcher.lone_worker(Portable, &control, &team);
        let mut random = Random::new(5);
        for _ in 0..20 {
            let mut board = Board::START;
            for _ in 0..20 {
                let square = random.square(board.legal_moves());
                board = square.map_or(board.pass(), |square| board.play(square).unwrap());
            }
            let features = worker.evaluator.features(board);
            let empties = board.empty_count();
            let cut = worker.evaluator.probcut().cut(empties, DEPTH);
            assert_eq!(i32::from(cut.mean), MEAN);
            worker.selectivity = Selectivity::Exact;
            let open = (-6500, 6500);
            let shallow = worker.principal(board, &features, open, u32::from(cut.shallow));
            let fixed = worker.evaluator.evaluate(Portable, &features, board);
            worker.selectivity = Selectivity::P68;
            let mut bound = |alpha| worker.probcut(board, &features, alpha, DEPTH, 0);
            // What the static value already speaks against is not tried.
            let below = shallow.min(fixed) + MEAN - DEVIATION - 10;
            assert_eq!(bound(below), Some(below + 1), "surely above {below}");
            let above = shallow.max(fixed) + MEAN + DEVIATION + 10;
            assert_eq!(bound(above), Some(above), "surely not above {above}");
            for alpha in [-DEVIATION + 1, 0, DEVIATION - 1] {
                assert_eq!(bound(shallow + MEAN + alpha), None, "near the value");
            }
        }
    }
}
