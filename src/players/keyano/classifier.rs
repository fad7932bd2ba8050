//! A committee that guesses the value of a configuration: a hundred members, each of which says
//! whether the value is at least x, for x from −49 to 50; the number of those who say yes, less 50,
//! is the value.
//!
//! The paper's members are adaptive logic networks, made at random by a package of 1979's method.
//! Here they are averaged perceptrons, which see what stands on each square and on each pair of
//! neighbouring squares. As in the paper each configuration is one lesson, however often it was
//! seen.

use super::patterns::{Kind, mirror, states_of};
use crate::othello::Random;

const MEMBERS: usize = 100;
/// The lowest value that a member asks for.
const LOWEST: f64 = -49.0;
/// How often all lessons are gone through.
const ROUNDS: usize = 12;

/// One number for each member.
type Votes = [f32; MEMBERS];

/// The members for one kind of pattern.
pub struct Committee {
    kind: Kind,
    neighbours: Vec<(usize, usize)>,
    /// What an input that is there adds to each member's vote.
    weights: Vec<Votes>,
}

impl Committee {
    /// Taught by configurations and their values. The order of the lessons follows from the seed.
    pub fn taught(kind: Kind, lessons: &[(usize, f64)], seed: u64) -> Committee {
        let neighbours = kind.neighbours();
        let inputs = 3 * kind.len() + 9 * neighbours.len() + 1;
        let mut committee = Committee {
            kind,
            neighbours,
            weights: vec![[0.0; MEMBERS]; inputs],
        };
        // Each change is counted once more from when it was made: what is to be taken off for an
        // average over all times.
        let mut early = vec![[0.0; MEMBERS]; inputs];
        let mut time = 1.0;
        let mut random = Random::stream(seed, kind as u64);
        let mut order: Vec<usize> = (0..lessons.len()).collect();
        for _ in 0..ROUNDS {
            for last in (1..order.len()).rev() {
                order.swap(last, random.below(last as u64 + 1) as usize);
            }
            for &lesson in &order {
                let (configuration, value) = lessons[lesson];
                let inputs = committee.inputs(configuration);
                let votes = committee.votes(&inputs);
                let change: Votes = std::array::from_fn(|member| {
                    let wanted = value >= LOWEST + member as f64;
                    match (wanted, votes[member] > 0.0) {
                        (true, false) => 1.0,
                        (false, true) => -1.0,
                        _ => 0.0,
                    }
                });
                for &input in &inputs {
                    for member in 0..MEMBERS {
                        committee.weights[input][member] += change[member];
                        early[input][member] += time * change[member];
                    }
                }
                time += 1.0;
            }
        }
        for (weights, early) in committee.weights.iter_mut().zip(&early) {
            for (weight, early) in weights.iter_mut().zip(early) {
                *weight -= early / time;
            }
        }
        committee
    }

    /// The value of a configuration, the same for its mirror image.
    pub fn value(&self, configuration: usize) -> f64 {
        let one = self.ayes(configuration);
        let other = self.ayes(mirror(self.kind, configuration));
        f64::from(one + other) / 2.0 - 50.0
    }

    fn ayes(&self, configuration: usize) -> u32 {
        let votes = self.votes(&self.inputs(configuration));
        votes.iter().map(|&vote| u32::from(vote > 0.0)).sum()
    }

    fn votes(&self, inputs: &[usize]) -> Votes {
        let mut votes = [0.0; MEMBERS];
        for &input in inputs {
            for (vote, weight) in votes.iter_mut().zip(&self.weights[input]) {
                *vote += weight;
            }
        }
        votes
    }

    /// The inputs that are there: a square in a state, a pair in two, and one that always is.
    fn inputs(&self, configuration: usize) -> Vec<usize> {
        let states = states_of(self.kind, configuration);
        let squares = states.iter().enumerate();
        let mut inputs: Vec<usize> = squares.map(|(i, &s)| 3 * i + usize::from(s)).collect();
        let pairs = 3 * states.len();
        for (number, &(a, b)) in self.neighbours.iter().enumerate() {
            let both = 3 * usize::from(states[a]) + usize::from(states[b]);
            inputs.push(pairs + 9 * number + both);
        }
        inputs.push(pairs + 9 * self.neighbours.len());
        inputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that squares and neighbours explain.
    fn truth(configuration: usize) -> f64 {
        let states = states_of(Kind::Edge, configuration);
        let own = |place: usize| match states[place] {
            0 => 0.0,
            1 => 1.0,
            _ => -1.0,
        };
        let corners = 9.0 * (own(0) + own(7));
        let c_squares = -4.0
            * [(0, 1), (7, 6)]
                .map(|(corner, c)| if states[corner] == 0 { own(c) } else { 0.0 })
                .iter()
                .sum::<f64>();
        corners + c_squares + own(3) + own(4)
    }

    #[test]
    fn what_it_was_never_shown_it_guesses_by_what_it_was() {
        let lessons: Vec<(usize, f64)> = (0..6561)
            .filter(|configuration| configuration % 3 != 1 || configuration % 7 == 0)
            .map(|configuration| (configuration, truth(configuration)))
            .collect();
        let committee = Committee::taught(Kind::Edge, &lessons, 1);
        let unseen: Vec<usize> = (0..6561)
            .filter(|configuration| configuration % 3 == 1 && configuration % 7 != 0)
            .collect();
        let error: f64 = unseen
            .iter()
            .map(|&configuration| (committee.value(configuration) - truth(configuration)).abs())
            .sum();
        let mean = error / unseen.len() as f64;
        assert!(mean < 3.0, "off by {mean} discs on average");
    }

    #[test]
    fn mirror_images_are_worth_the_same() {
        let lessons = [(1, 20.0), (5, -3.0), (700, 0.0)];
        let committee = Committee::taught(Kind::Edge, &lessons, 1);
        for configuration in (0..6561).step_by(37) {
            let mirrored = mirror(Kind::Edge, configuration);
            assert_eq!(committee.value(configuration), committee.value(mirrored));
        }
    }
}
