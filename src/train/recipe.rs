//! What the weights are made of: the amounts and settings of every step. `pipeline` and `rounds`
//! follow it.

use super::calibrate::Amount;
use super::duel::Duel;
use super::endings::Endings;
use super::fit::FitOptions;
use super::held_out::HELD_OUT_FROM;
use super::label::Depths;
use super::least_squares::Effort;
use super::pairs::PairOptions;
use super::selfplay::{Labels, Opening, SelfPlay};
use super::starts::Starts;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The fewest and the most moves of a position that a game begins from: before that there is little
/// to tell apart, after it the endings have told everything.
const OPENING: (u32, u32) = (5, 38);

/// How many shards of games calibrate a round's weights.
pub const CALIBRATION_SHARDS: u32 = 2;

/// Of how many empty squares positions are calibrated by, and each how many-th number of them.
pub const CALIBRATED_EMPTIES: (RangeInclusive<u32>, usize) = (10..=54, 4);

/// How many of each.
pub const CALIBRATED_POSITIONS: usize = 200;

/// How deep they are searched.
pub const CALIBRATED_DEPTH: Amount = Amount {
    depth: 8,
    solve_from: 22,
};

/// All that a run follows.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub seed: u64,
    /// Where the steps leave what they make.
    pub directory: PathBuf,
    /// WTHOR files, if there are any; the years to hold out are not touched.
    pub collection: Option<PathBuf>,
    /// The first year held out.
    pub held_out_from: u32,
    /// Games of two simple players, which stand in for a collection where there is none.
    pub stand_in_games: u32,
    pub endings: Endings,
    /// Weights to begin from, such as those of the version before; none to begin from nothing.
    pub begin_from: Option<PathBuf>,
    pub rounds: Vec<Round>,
    pub fit: FitOptions,
    pub pairs: PairOptions,
    /// How a round proves that it is better than the one before.
    pub judge: Duel,
    /// Positions per number of empty squares in the calibration of a round's weights; 0 leaves it
    /// out.
    pub calibration: usize,
    pub threads: usize,
}

/// Games that the weights of the round before play; the first round has none and learns from
/// endings alone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Round {
    pub shards: u32,
    pub games: u32,
    pub depths: Depths,
    pub labels: Labels,
}

impl Recipe {
    /// What the shipped weights are made by.
    pub fn standard(
        seed: u64,
        directory: PathBuf,
        collection: Option<PathBuf>,
        begin_from: Option<PathBuf>,
        threads: usize,
    ) -> Recipe {
        Recipe {
            seed,
            directory,
            collection,
            held_out_from: HELD_OUT_FROM,
            stand_in_games: 60_000,
            endings: Endings::standard(seed),
            rounds: Round::standard(300, begin_from.is_none()),
            begin_from,
            fit: FitOptions::default(),
            pairs: PairOptions::default(),
            // Far from the seeds of the rounds, so that no opening is one that a game was played
            // from.
            judge: Duel::standard(!seed),
            calibration: CALIBRATED_POSITIONS,
            threads,
        }
    }

    /// The games of a round.
    pub fn games_of<'a>(&self, number: u32, round: &Round, starts: &'a Starts) -> SelfPlay<'a> {
        SelfPlay {
            seed: self.seed.wrapping_add(u64::from(number)),
            games_per_shard: round.games,
            depths: round.depths,
            opening: Opening::Drawn(starts, OPENING.0, OPENING.1),
            surprise: 0,
            labels: round.labels,
        }
    }

    /// Games that nothing is fitted to, for the calibration.
    pub fn calibration_games(&self) -> SelfPlay<'static> {
        SelfPlay {
            // Far from the seeds of the rounds.
            seed: (!self.seed).rotate_left(32),
            games_per_shard: 200,
            depths: Depths {
                plies: 2,
                reach_from: 0,
                solve_from: 6,
            },
            opening: Opening::Random(4, 36),
            surprise: 12,
            labels: Labels::Search,
        }
    }

    /// The same steps in seconds, for tests.
    pub fn tiny(directory: PathBuf, threads: usize) -> Recipe {
        let depths = Depths {
            plies: 1,
            reach_from: 0,
            solve_from: 9,
        };
        let round = |labels| Round {
            shards: 2,
            games: 6,
            depths,
            labels,
        };
        Recipe {
            stand_in_games: 30,
            endings: Endings {
                seed: 7,
                rates: [64, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                parts: &[0],
            },
            rounds: vec![
                round(Labels::Outcome { search: 0 }),
                round(Labels::Outcome { search: 30 }),
            ],
            fit: FitOptions {
                effort: Effort {
                    iterations: 2,
                    ridge: 5.0,
                },
                ..FitOptions::default()
            },
            judge: Duel {
                seed: 7,
                pairs: 2,
                depths: Depths {
                    solve_from: 4,
                    ..depths
                },
                opening_plies: 10,
            },
            calibration: 0,
            ..Recipe::standard(7, directory, None, None, threads)
        }
    }
}

impl Round {
    /// Three rounds with this many shards of games, after one with as many quick games by weights that
    /// know the end of the game only; those that begin from other weights need no quick ones.
    pub fn standard(shards: u32, from_nothing: bool) -> Vec<Round> {
        let round = |plies, solve_from, labels| Round {
            shards,
            games: 200,
            depths: Depths {
                plies,
                reach_from: 0,
                solve_from,
            },
            labels,
        };
        let quick = from_nothing.then(|| round(3, 16, Labels::Outcome { search: 0 }));
        let slow = round(6, 18, Labels::Onward { percent: 92 });
        quick.into_iter().chain([slow; 3]).collect()
    }
}
