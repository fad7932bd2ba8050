//! Gradient descent with a line search (section 7.1) and early stopping (7.2).
//!
//! The paper's line search "loosely minimizes the error" along the steepest descent; here the step of
//! last time is doubled while that helps and halved until it does. Training stops when 15 steps in a
//! row have not helped on the validation set; the weights are those that were best there.

use super::features::{FEATURES, Features};

const PATIENCE: usize = 15;
const MOST_STEPS: usize = 2000;

/// A position and what a search says it is worth, in discs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example {
    pub features: Features,
    pub target: f64,
}

type Vector = [f64; FEATURES];

fn estimate(weights: &Vector, features: Features) -> f64 {
    let products = weights.iter().zip(features.0);
    products
        .map(|(weight, count)| weight * f64::from(count))
        .sum()
}

/// The mean square of what the estimate misses the target by.
pub fn error(weights: &Vector, examples: &[Example]) -> f64 {
    let square = |example: &Example| (estimate(weights, example.features) - example.target).powi(2);
    examples.iter().map(square).sum::<f64>() / examples.len().max(1) as f64
}

fn gradient(weights: &Vector, examples: &[Example]) -> Vector {
    let mut sum = [0.0; FEATURES];
    for example in examples {
        let miss = estimate(weights, example.features) - example.target;
        for (sum, count) in sum.iter_mut().zip(example.features.0) {
            *sum += 2.0 * miss * f64::from(count);
        }
    }
    sum.map(|part| part / examples.len().max(1) as f64)
}

fn moved(weights: &Vector, gradient: &Vector, step: f64) -> Vector {
    std::array::from_fn(|place| weights[place] - step * gradient[place])
}

/// The length of a step that helps, near the best; none where none does.
fn line_search(
    weights: &Vector,
    gradient: &Vector,
    examples: &[Example],
    last: f64,
) -> Option<f64> {
    let error_at = |step: f64| error(&moved(weights, gradient, step), examples);
    let here = error(weights, examples);
    let mut step = last;
    let mut best = error_at(step);
    while best >= here {
        step /= 2.0;
        if step < 1e-12 {
            return None;
        }
        best = error_at(step);
    }
    loop {
        let doubled = error_at(2.0 * step);
        if doubled >= best {
            return Some(step);
        }
        (step, best) = (2.0 * step, doubled);
    }
}

/// What came of a training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trained {
    pub weights: Vector,
    pub steps: usize,
    /// Of the validation set.
    pub error: f64,
}

/// Descends from these weights on the training set until the validation set says to stop.
pub fn descend(start: Vector, training: &[Example], validation: &[Example]) -> Trained {
    let mut weights = start;
    let mut best = Trained {
        weights,
        steps: 0,
        error: error(&weights, validation),
    };
    let mut step = 0.003;
    for steps in 1..=MOST_STEPS {
        let gradient = gradient(&weights, training);
        match line_search(&weights, &gradient, training, step) {
            Some(length) => step = length,
            None => break,
        }
        weights = moved(&weights, &gradient, step);
        let error = error(&weights, validation);
        if error < best.error {
            best = Trained {
                weights,
                steps,
                error,
            };
        } else if steps >= best.steps + PATIENCE {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;

    const TRUE: Vector = [0.5, -0.2, 8.0, -3.0, -1.0, 0.7, 0.1];

    fn examples(count: usize, noise: f64, seed: u64) -> Vec<Example> {
        let mut random = Random::new(seed);
        let mut example = || {
            let ranges = [15, 15, 2, 2, 3, 1, 20];
            let features =
                Features(ranges.map(|range| random.below(2 * range as u64 + 1) as i32 - range));
            let chance = random.below(2001) as f64 / 1000.0 - 1.0;
            Example {
                features,
                target: estimate(&TRUE, features) + noise * chance,
            }
        };
        (0..count).map(|_| example()).collect()
    }

    #[test]
    fn made_weights_are_found_again() {
        let trained = descend(
            [0.0; FEATURES],
            &examples(500, 0.0, 1),
            &examples(200, 0.0, 2),
        );
        for (found, expected) in trained.weights.iter().zip(TRUE) {
            assert!((found - expected).abs() < 0.01, "{trained:?}");
        }
    }

    #[test]
    fn every_step_of_the_line_search_lowers_the_error() {
        let examples = examples(300, 2.0, 3);
        let mut weights = [0.0; FEATURES];
        let mut step = 0.005;
        for _ in 0..50 {
            let before = error(&weights, &examples);
            let gradient = gradient(&weights, &examples);
            let Some(length) = line_search(&weights, &gradient, &examples, step) else {
                break;
            };
            step = length;
            weights = moved(&weights, &gradient, step);
            assert!(error(&weights, &examples) < before);
        }
    }

    #[test]
    fn training_stops_early_where_the_validation_set_says_so() {
        // Nine noisy examples: seven weights can be bent to fit them.
        let few = examples(9, 20.0, 4);
        let validation = examples(300, 20.0, 5);
        let trained = descend([0.0; FEATURES], &few, &validation);
        assert!(trained.steps < MOST_STEPS - PATIENCE);
        let mut bent = [0.0; FEATURES];
        for _ in 0..400 {
            let gradient = gradient(&bent, &few);
            let Some(step) = line_search(&bent, &gradient, &few, 0.003) else {
                break;
            };
            bent = moved(&bent, &gradient, step);
        }
        assert!(error(&bent, &few) < error(&trained.weights, &few));
        assert!(error(&bent, &validation) > trained.error);
    }
}
