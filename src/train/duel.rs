//! Two sets of weights against each other: the judge of a training round.
//!
//! Games come in pairs from one random opening, each side playing it once with either colour, at
//! the same fixed depth, so that luck of the opening cancels and the clock plays no part.

use super::label::{Depths, TABLE_BYTES};
use crate::eval::Evaluator;
use crate::othello::{Board, Random};
use crate::search::Searcher;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a duel is fought.
#[derive(Clone, Copy, Debug)]
pub struct Duel {
    pub seed: u64,
    pub pairs: u32,
    pub depths: Depths,
    /// Random moves at the beginning of a pair.
    pub opening_plies: u32,
}

/// What came of it, for the first side.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug)]
pub struct Verdict {
    pub pairs: usize,
    /// Mean points of a game: 1 for a win, ½ for a draw.
    pub points: f64,
    /// What the points may be off by, with 95 % confidence; pairs are what is independent.
    pub margin: f64,
    /// Mean final score in discs.
    pub discs: f64,
}

impl Verdict {
    /// The first side is the better one, with 95 % confidence.
    pub fn is_better(&self) -> bool {
        self.points - self.margin > 0.5
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games: {:.1} % ± {:.1} of the points, {:+.2} discs a game",
            2 * self.pairs,
            100.0 * self.points,
            100.0 * self.margin,
            self.discs
        )
    }
}

impl Duel {
    /// What judges a training round: 8000 games at depth 6, exact from 14, which show a gain of
    /// one point in a hundred.
    pub const fn standard(seed: u64) -> Duel {
        Duel {
            seed,
            pairs: 4000,
            depths: Depths {
                plies: 6,
                reach_from: 0,
                solve_from: 14,
            },
            opening_plies: 10,
        }
    }

    pub fn fight(
        &self,
        first: &'static Evaluator,
        second: &'static Evaluator,
        done: impl Fn() + Sync,
    ) -> Verdict {
        let scores: Vec<[i32; 2]> = (0..self.pairs)
            .into_par_iter()
            .map_init(
                || {
                    [first, second]
                        .map(|evaluator| Searcher::new(TABLE_BYTES).with_evaluator(evaluator))
                },
                |searchers, pair| {
                    let opening = self.opening(u64::from(pair));
                    let [first, second] = &*searchers;
                    let scores = [
                        self.game(opening, first, second),
                        -self.game(opening, second, first),
                    ];
                    done();
                    scores
                },
            )
            .collect();
        verdict(&scores)
    }

    fn opening(&self, pair: u64) -> Board {
        let mut random = Random::stream(self.seed, pair);
        let mut board = Board::START;
        for _ in 0..self.opening_plies {
            let square = random.square(board.legal_moves());
            let next = square.and_then(|square| board.play(square).ok());
            board = next.unwrap_or_else(|| board.pass());
        }
        board
    }

    /// The final score for the player to move, `own`.
    fn game(&self, mut board: Board, own: &Searcher, other: &Searcher) -> i32 {
        let mut players = [own, other];
        let mut sign = 1;
        for searcher in players {
            searcher.clear();
        }
        while !board.is_over() {
            let result = self.depths.continued(players[0], board);
            let next = result.best.and_then(|square| board.play(square).ok());
            board = next.unwrap_or_else(|| board.pass());
            players.swap(0, 1);
            sign = -sign;
        }
        sign * board.final_score().discs()
    }
}

fn verdict(scores: &[[i32; 2]]) -> Verdict {
    let points: Vec<f64> = scores
        .iter()
        .map(|pair| {
            pair.iter()
                .map(|s| 0.5 + 0.5 * f64::from(s.signum()))
                .sum::<f64>()
                / 2.0
        })
        .collect();
    let count = points.len().max(1) as f64;
    let mean = points.iter().sum::<f64>() / count;
    let variance = points.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / count;
    let discs = scores.iter().flatten().sum::<i32>();
    Verdict {
        pairs: points.len(),
        points: mean,
        margin: 1.96 * (variance / count).sqrt(),
        discs: f64::from(discs) / (2.0 * count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_weights_draws_with_itself() {
        let duel = Duel {
            seed: 3,
            pairs: 4,
            depths: Depths {
                plies: 2,
                reach_from: 0,
                solve_from: 8,
            },
            opening_plies: 10,
        };
        let verdict = duel.fight(Evaluator::builtin(), Evaluator::builtin(), || {});
        assert_eq!((verdict.points, verdict.discs), (0.5, 0.0));
    }

    #[test]
    fn the_margin_counts_pairs_and_not_games() {
        let verdict = verdict(&[[10, 10], [10, -10], [-2, 0]]);
        assert_eq!(verdict.pairs, 3);
        assert!((verdict.points - (1.0 + 0.5 + 0.25) / 3.0).abs() < 1e-12);
        assert!((verdict.discs - 3.0).abs() < 1e-12);
    }
}
