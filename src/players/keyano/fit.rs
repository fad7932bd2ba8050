//! Teaching KEYANO from games: what directions are worth, the patterns' values, the weights of the
//! features at each stage, and how searches of different depths differ.
//!
//! The paper's games are 36 000 of strong players with corrected endings, with as wide a variety of
//! openings as can be had; here the caller has our engine play them, from random openings and with
//! exact endings. A position's value is what its game came to.
//!
//! The paper does not say from which positions the values of directions and configurations are
//! taken: here from all with 10 to 56 discs. The values of neighbouring numbers of directions are
//! held together a little, as large numbers are rare. Weights that come out negative, which the
//! paper's author set by hand, are left out. Stages before the tenth move, which he also set by
//! hand, have the weights of the tenth.

use super::classifier::Committee;
use super::directions::{DirectionTables, Directions};
use super::evaluation::{COUNTS, Evaluation, FEATURES, Learnt, STAGES, lost_by_first};
use super::patterns::{Kind, for_each_pattern, mirror};
use super::probcut::{DEEPEST, Differences, Pruning};
use super::regression::Regression;
use super::search::{Counters, Node, Ordering, Search};
use super::smoothing::{ENOUGH, smoothed};
use super::table::Table;
use super::tables::Taught;
use crate::games::Game;
use crate::othello::{Board, Position, Random, Square};
use crate::players::Thinking;
use crate::players::bill::fit::for_each_labelled;
use crate::players::bill::lines::{Indices, Side};
use crate::players::bill::timing::Budget;
use crate::search::StopButton;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Positions that teach, by their number of discs.
const TEACHING: RangeInclusive<u32> = 10..=56;

/// How many moves before and after a stage its positions may be.
const NEIGHBOURS: usize = 2;

/// Stages with a regression of their own: from the tenth move on, until eight squares are empty.
const FITTED: RangeInclusive<usize> = 14..=55;

/// A point of mobility is a quarter of a disc.
const POINTS_OF_DISC: f64 = 4.0;

/// How strongly neighbouring numbers of directions are held together, in positions.
const HELD: f64 = 200.0;

/// How much is measured for ProbCut.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Positions searched to depth 10; the paper's are 1000.
    pub positions: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { positions: 1000 }
    }
}

/// Games that cannot teach.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    #[error("{0} finished games are too few to fit KEYANO's tables: give it a few thousand")]
    TooFewGames(usize),
    #[error("cannot start {threads} threads: {reason}")]
    Threads { threads: usize, reason: String },
}

/// Fits everything. The same games, seed and effort give the same tables on any number of threads.
/// `tell` hears of every position that is searched.
pub fn fit(
    games: &[Game],
    seed: u64,
    threads: usize,
    effort: Effort,
    tell: &(dyn Fn() + Sync),
) -> Result<Taught, FitError> {
    let learnt = learn(games, seed)?;
    let evaluation = Evaluation::new(learnt.clone());
    let boards = sample(games, seed, effort.positions);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(|error| FitError::Threads {
            threads,
            reason: error.to_string(),
        })?;
    let values: Vec<[i32; DEEPEST]> = pool.install(|| {
        boards
            .par_iter()
            .map(|&board| values_by_depth(&evaluation, board))
            .inspect(|_| tell())
            .collect()
    });
    Ok(Taught {
        learnt,
        differences: Differences::of(&values),
    })
}

/// The evaluation's numbers.
fn learn(games: &[Game], seed: u64) -> Result<Learnt, FitError> {
    let mut positions = Vec::new();
    let finished = games.iter().filter(|game| game.is_finished());
    for game in finished.clone() {
        for_each_labelled(game, |board, discs| {
            if TEACHING.contains(&board.disc_count()) {
                positions.push((board, Indices::of(board, Side::First), discs));
            }
        });
    }
    let too_few = FitError::TooFewGames(finished.count());
    let (whole, quarter) = values_of_directions(&positions).ok_or(too_few.clone())?;
    let mut learnt = Learnt {
        whole,
        quarter,
        patterns: values_of_patterns(&positions, seed),
        weights: vec![[0.0; FEATURES]; STAGES],
    };
    let evaluation = Evaluation::new(learnt.clone());
    learnt.weights = weights(&evaluation, &positions).ok_or(too_few)?;
    Ok(learnt)
}

/// A board, its lines and what the game came to.
type Labelled = (Board, Indices, i32);

/// The values of numbers of directions on the whole board and on a quarter.
fn values_of_directions(positions: &[Labelled]) -> Option<([i16; COUNTS], [i16; COUNTS])> {
    let tables = DirectionTables::new();
    let mut whole = Regression::new(COUNTS - 1);
    let mut quarter = Regression::new(COUNTS - 1);
    for (_, indices, discs) in positions {
        let target = POINTS_OF_DISC * f64::from(*discs);
        let both = tables.for_mover(indices, Side::First);
        let sum = |directions: Directions| directions.iter().map(|&n| usize::from(n)).sum();
        whole.add(&terms(both.map(|side| [sum(side)])), target);
        quarter.add(&terms(both.map(|side| side.map(usize::from))), target);
    }
    for regression in [&mut whole, &mut quarter] {
        // Each value should be about the mean of its neighbours.
        for count in 1..COUNTS - 2 {
            let curve = [(count - 1, 1.0), (count, -2.0), (count + 1, 1.0)];
            regression.add(
                &curve.map(|(place, factor)| (place, factor * HELD.sqrt())),
                0.0,
            );
        }
    }
    Some((points(&whole.solve()?), points(&quarter.solve()?)))
}

/// The unknowns of numbers of directions, own less the opponent's; none stands for no direction,
/// which is worth nothing.
fn terms<const N: usize>([own, other]: [[usize; N]; 2]) -> Vec<(usize, f64)> {
    let mut factors = [0.0; COUNTS];
    for (counts, factor) in [(own, 1.0), (other, -1.0)] {
        for count in counts {
            factors[count.min(COUNTS - 1)] += factor;
        }
    }
    let known = factors.into_iter().enumerate().skip(1);
    known
        .filter(|(_, factor)| *factor != 0.0)
        .map(|(count, factor)| (count - 1, factor))
        .collect()
}

fn points(values: &[f64]) -> [i16; COUNTS] {
    std::array::from_fn(|count| match count {
        0 => 0,
        _ => values[count - 1].round() as i16,
    })
}

/// The values of all configurations: the average result where there are samples enough, smoothed
/// by the committee where there are not.
fn values_of_patterns(positions: &[Labelled], seed: u64) -> Vec<Vec<i8>> {
    let mut seen: Vec<Vec<(u32, i64)>> = Kind::ALL
        .into_iter()
        .map(|kind| vec![(0, 0); kind.configurations()])
        .collect();
    for (board, indices, discs) in positions {
        for_each_pattern(*board, indices, Side::First, |kind, configuration| {
            let mirrored = mirror_of(kind, configuration);
            let (count, sum) = &mut seen[kind as usize][configuration.min(mirrored)];
            *count += 1;
            *sum += i64::from(*discs);
        });
    }
    Kind::ALL
        .into_iter()
        .zip(seen)
        .map(|(kind, seen)| {
            let average = |(count, sum): (u32, i64)| sum as f64 / f64::from(count.max(1));
            let lessons: Vec<(usize, f64)> = (0..seen.len())
                .filter(|&place| seen[place].0 >= ENOUGH)
                .flat_map(|place| {
                    // Both images of a configuration, unless they are one.
                    let both = [place, mirror(kind, place)];
                    let images = if both[0] == both[1] {
                        &both[..1]
                    } else {
                        &both
                    };
                    let value = average(seen[place]);
                    images
                        .iter()
                        .map(move |&image| (image, value))
                        .collect::<Vec<_>>()
                })
                .collect();
            let committee = Committee::taught(kind, &lessons, seed);
            let mut values = vec![0; seen.len()];
            for place in 0..seen.len() {
                let image = mirror(kind, place);
                if image < place {
                    values[place] = values[image];
                    continue;
                }
                let samples = seen[place];
                let value = smoothed(samples.0, average(samples), committee.value(place));
                values[place] = (2.0 * value).round().clamp(-127.0, 127.0) as i8;
            }
            values
        })
        .collect()
}

/// [`mirror`] without a list, as it is asked for every pattern of every position.
fn mirror_of(kind: Kind, configuration: usize) -> usize {
    let mut mirrored = 0;
    let mut rest = configuration;
    for place in 0..kind.len() {
        mirrored += rest % 3 * 3_usize.pow(kind.mirrored(place) as u32);
        rest /= 3;
    }
    mirrored
}

/// The weights of the features at each stage, from positions of up to two moves before and after.
fn weights(evaluation: &Evaluation, positions: &[Labelled]) -> Option<Vec<[f32; FEATURES]>> {
    let mut by_discs: Vec<Regression> = (0..STAGES).map(|_| Regression::new(FEATURES)).collect();
    for (board, indices, discs) in positions {
        let lost = lost_by_first(*board, Side::First);
        let features = evaluation.features(*board, indices, Side::First, lost);
        let terms: [(usize, f64); FEATURES] = std::array::from_fn(|i| (i, f64::from(features[i])));
        by_discs[board.disc_count() as usize].add(&terms, 100.0 * f64::from(*discs));
    }
    (0..STAGES)
        .map(|stage| {
            let nearest = stage.clamp(*FITTED.start(), *FITTED.end());
            let mut joined = Regression::new(FEATURES);
            for near in &by_discs[nearest - NEIGHBOURS..=nearest + NEIGHBOURS] {
                joined.join(near);
            }
            let found = joined.solve_without_negatives()?;
            Some(std::array::from_fn(|feature| found[feature] as f32))
        })
        .collect()
}

/// Positions after 5, 10, … 45 moves, each of another game.
fn sample(games: &[Game], seed: u64, count: usize) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut order: Vec<usize> = (0..games.len()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    let boards = order.into_iter().enumerate().filter_map(|(number, game)| {
        let moves = 5 + 5 * (number % 9);
        let game = &games[game];
        let mut position: Position = game.start();
        for &square in game.moves().get(..moves)? {
            position = position.play(square).ok()?;
        }
        let board = position.board;
        (!board.legal_moves().is_empty()).then_some(board)
    });
    boards.take(count).collect()
}

/// The value of a position at depths 1 to 10, without cuts.
fn values_by_depth(evaluation: &Evaluation, board: Board) -> [i32; DEEPEST] {
    let nothing = Differences {
        means: [0; DEEPEST + 1],
        deviations: [0; DEEPEST + 1],
    };
    let thinking = Thinking {
        depth: Some(DEEPEST as u32),
        ..Thinking::default()
    };
    let mut search = Search {
        evaluation,
        differences: &nothing,
        pruning: Pruning::None,
        parity: true,
        table: &mut Table::new(16),
        ordering: &mut Ordering::new(),
        budget: Budget::new(&thinking, board.empty_count(), &StopButton::new()),
        nodes: 0,
        counters: Counters::default(),
    };
    let root = Node::root(board);
    let mut moves: Vec<Square> = board.legal_moves().into_iter().collect();
    std::array::from_fn(|place| {
        let mut found = 0;
        search.iterate(&root, &mut moves, place as u32 + 1, |_, value| {
            found = value
        });
        search.ordering.sort();
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;

    #[test]
    fn what_is_learnt_from_games_tells_results_of_other_games() {
        let games: Vec<Game> = SampleGames::new(5).take(600).collect();
        let learnt = learn(&games, 1).unwrap();
        assert_eq!(learnt, learn(&games, 1).unwrap());
        assert!(learnt.whole[12] > learnt.whole[2], "{:?}", learnt.whole);
        let evaluation = Evaluation::new(learnt);
        let (mut right, mut all) = (0, 0);
        for game in SampleGames::new(6).take(100) {
            for_each_labelled(&game, |board, discs| {
                if (36..56).contains(&board.disc_count()) && discs != 0 {
                    let indices = Indices::of(board, Side::First);
                    let value = evaluation.value(board, &indices, Side::First, 0);
                    right += u32::from(value.signum() == discs.signum());
                    all += 1;
                }
            });
        }
        assert!(right * 10 > all * 7, "{right} of {all}");
    }

    #[test]
    fn no_weight_is_negative() {
        let weights = &Taught::builtin().learnt.weights;
        assert!(weights.iter().flatten().all(|&weight| weight >= 0.0));
    }

    #[test]
    fn mirror_images_found_by_numbers_are_those_found_by_lists() {
        for kind in Kind::ALL {
            for configuration in (0..kind.configurations()).step_by(97) {
                assert_eq!(mirror_of(kind, configuration), mirror(kind, configuration));
            }
        }
    }

    #[test]
    fn a_few_games_are_too_few() {
        let effort = Effort { positions: 1 };
        assert_eq!(
            fit(&[], 1, 1, effort, &|| {}),
            Err(FitError::TooFewGames(0))
        );
    }

    #[test]
    fn sampled_positions_come_from_moves_5_to_45() {
        let games: Vec<Game> = SampleGames::new(5).take(40).collect();
        let discs: Vec<u32> = sample(&games, 3, 18)
            .iter()
            .map(|b| b.disc_count())
            .collect();
        assert_eq!(discs.len(), 18);
        assert!(
            discs
                .iter()
                .all(|&discs| (9..=49).contains(&discs) && discs % 5 == 4)
        );
    }
}
