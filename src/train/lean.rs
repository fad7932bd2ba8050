//! Whether values lean to one colour: what the engine says of positions that people reach, against
//! what comes of them when it plays both sides.
//!
//! A book mixes values of all plies. A lean that fades with depth makes deeper lines look worse
//! for one colour than they are, however exact every single value is otherwise.

use super::label::{Depths, TABLE_BYTES};
use super::record::DataError;
use super::starts::Starts;
use crate::eval::Evaluator;
use crate::othello::{Color, Position, Random};
use crate::search::Searcher;
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub struct PlayOuts {
    pub seed: u64,
    pub games: u32,
    pub depths: Depths,
}

/// The plies that are looked at, in groups.
pub const GROUPS: [RangeInclusive<u32>; 3] = [6..=10, 11..=15, 16..=20];

/// How far values lie from outcomes in one group of plies, seen by Black.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Lean {
    pub positions: u64,
    pub games: u64,
    /// Value minus outcome in discs, on average.
    pub mean: f64,
    /// The standard error of the mean; what is independent are games, not their positions.
    pub error: f64,
}

impl PlayOuts {
    /// Plays games from different positions that the games of `starts` reached, and compares.
    pub fn measure(
        &self,
        evaluator: &'static Evaluator,
        starts: &Starts,
        done: impl Fn() + Sync,
    ) -> Result<[Lean; GROUPS.len()], DataError> {
        let games: Vec<[(f64, u64); GROUPS.len()]> = self
            .beginnings(starts)
            .into_par_iter()
            .map_init(
                || Searcher::new(TABLE_BYTES).with_evaluator(evaluator),
                |searcher, position| {
                    let sums = self.game(searcher, position);
                    done();
                    sums
                },
            )
            .collect();
        let group = |number: usize| lean(games.iter().map(|game| game[number]));
        Ok(std::array::from_fn(group))
    }

    /// Different positions of the first group, without stray moves.
    fn beginnings(&self, starts: &Starts) -> Vec<Position> {
        let mut random = Random::new(self.seed);
        let mut seen = HashSet::new();
        let mut positions = Vec::new();
        // A small collection has not so many.
        for _ in 0..20 * self.games {
            if positions.len() == self.games as usize {
                break;
            }
            let reached = starts.reached(GROUPS[0].clone(), &mut random);
            let new = reached.filter(|position| seen.insert(position.board.canonical()));
            positions.extend(new);
        }
        positions
    }

    /// The sum of value minus outcome in each group of plies, and the number of positions.
    fn game(&self, searcher: &Searcher, mut position: Position) -> [(f64, u64); GROUPS.len()] {
        let mut said = Vec::new();
        let black = |position: &Position, value: i32| match position.turn {
            Color::Black => f64::from(value) / 100.0,
            Color::White => f64::from(-value) / 100.0,
        };
        let mut outcome = None;
        while !position.board.legal_moves().is_empty() {
            let result = self.depths.search(searcher, position.board);
            let value = black(&position, result.value);
            if position.board.empty_count() <= self.depths.solve_from {
                outcome = Some(value);
                break;
            }
            said.push((position.board.disc_count() - 4, value));
            let Some(Ok(next)) = result.best.map(|square| position.play(square)) else {
                break;
            };
            position = next;
        }
        let outcome =
            outcome.unwrap_or_else(|| black(&position, 100 * position.board.final_score().discs()));
        GROUPS.map(|plies| {
            let of_group = said.iter().filter(|(ply, _)| plies.contains(ply));
            of_group.fold((0.0, 0), |(sum, count), (_, value)| {
                (sum + value - outcome, count + 1)
            })
        })
    }
}

/// From the sum and the number of positions of each game.
fn lean(games: impl Iterator<Item = (f64, u64)> + Clone) -> Lean {
    let games = games.filter(|(_, positions)| *positions > 0);
    let count = games.clone().count() as u64;
    let positions: u64 = games.clone().map(|(_, positions)| positions).sum();
    if positions == 0 {
        return Lean::default();
    }
    let mean = games.clone().map(|(sum, _)| sum).sum::<f64>() / positions as f64;
    let off = |(sum, positions): (f64, u64)| (sum - mean * positions as f64).powi(2);
    let spread: f64 = games.map(off).sum();
    Lean {
        positions,
        games: count,
        mean,
        error: spread.sqrt() / positions as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_counts_games_and_not_their_positions() {
        let once = [(1.0, 1), (-1.0, 1), (3.0, 1), (1.0, 1)];
        let of_once = lean(once.into_iter());
        assert_eq!((of_once.mean, of_once.positions), (1.0, 4));
        assert!((of_once.error - 8f64.sqrt() / 4.0).abs() < 1e-9);
        // The same said five times in each game is no more certain.
        let often = lean(once.into_iter().map(|(sum, n)| (5.0 * sum, 5 * n)));
        assert_eq!((often.mean, often.positions, often.games), (1.0, 20, 4));
        assert!((often.error - of_once.error).abs() < 1e-9);
        assert_eq!(lean([(0.0, 0)].into_iter()), Lean::default());
    }

    #[test]
    fn every_ply_of_the_groups_is_looked_at() {
        let play = PlayOuts {
            seed: 1,
            games: 1,
            depths: Depths {
                plies: 1,
                reach_from: 0,
                solve_from: 8,
            },
        };
        let searcher = Searcher::new(TABLE_BYTES);
        let sums = play.game(&searcher, Position::START);
        let positions = sums.map(|(_, positions)| positions);
        assert_eq!(positions, [5, 5, 5]);
        assert!(sums.iter().any(|(sum, _)| *sum != 0.0));
    }
}
