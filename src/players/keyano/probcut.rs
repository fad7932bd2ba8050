//! ProbCut: a deep search that a shallow one says will fall outside the window is not made.
//!
//! Multi-ProbCut tries this for depths from 4 to 10 with half the depth, rounded down, and cuts
//! where the shallow value, moved by the mean difference of the two depths, is beyond the window by
//! 1.2 standard deviations: the paper's factor. The single ProbCut that it is compared with is
//! Buro's: depth 8 by depth 4, factor 1.5. A search made to decide a cut makes no cuts itself.
//! Means and deviations do not depend on the stage of the game, as in the paper; they come from
//! games of ours, searched to depth 10.

/// The deepest search that is cut.
pub const DEEPEST: usize = 10;

/// Which cuts are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pruning {
    None,
    /// Depth 8 by depth 4.
    Single,
    /// Depths 4 to 10, each by half of it.
    Multi,
}

/// How the value of a search differs from that of the one with half its depth, by depth, in
/// centi-discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differences {
    pub means: [i16; DEEPEST + 1],
    pub deviations: [i16; DEEPEST + 1],
}

/// A shallow search that may spare a deep one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trial {
    pub depth: u32,
    mean: i32,
    margin: i32,
}

impl Trial {
    /// The value from which on the shallow search says that the deep one would reach `beta`.
    pub fn high(&self, beta: i32) -> i32 {
        beta - self.mean + self.margin
    }

    /// The value up to which it says that the deep one would not exceed `alpha`.
    pub fn low(&self, alpha: i32) -> i32 {
        alpha - self.mean - self.margin
    }
}

impl Pruning {
    /// The shallow search for a depth, if it is one that may be cut.
    #[inline]
    pub fn trial(self, differences: &Differences, depth: u32) -> Option<Trial> {
        // The factors 1.2 and 1.5, in tenths.
        let tenths = match self {
            Pruning::Multi if (4..=DEEPEST as u32).contains(&depth) => 12,
            Pruning::Single if depth == 8 => 15,
            _ => return None,
        };
        let place = depth as usize;
        Some(Trial {
            depth: depth / 2,
            mean: i32::from(differences.means[place]),
            margin: i32::from(differences.deviations[place]) * tenths / 10,
        })
    }
}

impl Differences {
    /// Of positions with their values at depths 1 to 10.
    pub fn of(values: &[[i32; DEEPEST]]) -> Differences {
        let mut found = Differences {
            means: [0; DEEPEST + 1],
            deviations: [0; DEEPEST + 1],
        };
        let count = values.len().max(2) as f64;
        for depth in 4..=DEEPEST {
            let differences = values
                .iter()
                .map(|of| f64::from(of[depth - 1] - of[depth / 2 - 1]));
            let mean = differences.clone().sum::<f64>() / count;
            let squares: f64 = differences.map(|d| (d - mean) * (d - mean)).sum();
            found.means[depth] = mean.round() as i16;
            found.deviations[depth] = (squares / (count - 1.0)).sqrt().round() as i16;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences() -> Differences {
        Differences {
            means: [10; DEEPEST + 1],
            deviations: [300; DEEPEST + 1],
        }
    }

    #[test]
    fn multi_probcut_halves_depths_4_to_10_with_the_papers_factor() {
        let trial = |depth| Pruning::Multi.trial(&differences(), depth);
        let depths: Vec<Option<u32>> = (3..=11).map(|d| trial(d).map(|t| t.depth)).collect();
        let halves = [2, 2, 3, 3, 4, 4, 5].map(Some);
        assert_eq!(depths, [&[None], &halves[..], &[None]].concat());
        let trial = trial(9).unwrap();
        // 1.2 · 300 = 360 beyond the window, and the mean taken off.
        assert_eq!((trial.high(500), trial.low(500)), (850, 130));
    }

    #[test]
    fn single_probcut_is_buros_and_none_is_none() {
        let single = |depth| Pruning::Single.trial(&differences(), depth);
        assert_eq!(single(7), None);
        let trial = single(8).unwrap();
        assert_eq!((trial.depth, trial.high(0)), (4, 440));
        assert!((1..=20).all(|depth| Pruning::None.trial(&differences(), depth).is_none()));
    }

    #[test]
    fn means_and_deviations_are_those_of_the_values() {
        let values = [
            [0, 0, 0, 100, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 300, 0, 0, 0, 0, 0, 0],
        ];
        let found = Differences::of(&values);
        assert_eq!(found.means[4], 200);
        assert_eq!(found.deviations[4], 141);
        // Depth 8 less depth 4.
        assert_eq!(found.means[8], -200);
    }
}
