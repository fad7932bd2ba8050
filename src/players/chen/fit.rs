//! The training of section 7: games of a player who does not always find the best move, a search of
//! every position, and a descent for each stage, from the last one backwards, so that the leaves of
//! each search are valued by weights that are trained already.
//!
//! The paper says "several thousand games" and "a fairly deep search"; [`Effort`] holds how many and
//! how deep here. Its stochastic player chooses "with probability based on the move's evaluation";
//! here a move that seems n discs worse than the best is e^(n/2) times less likely. A fifth of the
//! examples are for validation.

use super::descent::{Example, descend};
use super::features::{STAGES, Weights, pieces};
use super::grid::{Bits, Grid};
use super::search::{Algorithm, Memory, Search};
use super::table::Table;
use crate::othello::{Board, Position, Random, Square};
use crate::players::meter::Meter;
use crate::search::StopButton;
use rayon::prelude::*;

/// Discs by which a move is e times less likely.
const TEMPERATURE: f64 = 2.0;
const VALIDATION_SHARE: usize = 5;

/// How much is played and searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Games of each round; the first round plays with weights set by hand, the others with those of
    /// the round before.
    pub games: usize,
    pub rounds: usize,
    /// Plies of the searches.
    pub depth: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            games: 1000,
            rounds: 2,
            depth: 6,
        }
    }
}

/// Trains the weights of all stages. The same seed and effort make the same weights on any number of
/// threads; `tell` hears of every stage that is done.
pub fn fit(seed: u64, effort: Effort, tell: &mut dyn FnMut()) -> Weights {
    let mut weights = Weights::untrained();
    let mut boards: Vec<Vec<Board>> = vec![Vec::new(); STAGES];
    for round in 0..effort.rounds {
        let games: Vec<Vec<Board>> = (0..effort.games)
            .into_par_iter()
            .map(|game| {
                let number = (round * effort.games + game) as u64;
                play(&weights, &mut Random::stream(seed, number))
            })
            .collect();
        for board in games.into_iter().flatten() {
            if (5..64).contains(&board.disc_count()) {
                boards[super::features::stage(board.disc_count())].push(board);
            }
        }
        for stage in (0..STAGES).rev() {
            train_stage(&mut weights, stage, &boards[stage], effort.depth);
            tell();
        }
    }
    weights
}

/// How many stages [`fit`] tells of.
pub const fn stages(effort: Effort) -> usize {
    STAGES * effort.rounds
}

/// The positions of a game, in each of which a move was chosen.
fn play(weights: &Weights, random: &mut Random) -> Vec<Board> {
    let mut boards = Vec::new();
    let mut position = Position::START;
    while let Some(square) = chosen(weights, position.board, random) {
        boards.push(position.board);
        let Ok(next) = position.play(square) else {
            break;
        };
        position = next;
    }
    boards
}

/// A move by its evaluation and by chance; none where there is none.
fn chosen(weights: &Weights, board: Board, random: &mut Random) -> Option<Square> {
    let root = Bits::of(board);
    let values: Vec<(Square, f64)> = root
        .moves()
        .into_iter()
        .map(|square| {
            let next = root.play(square);
            let [own, other] = next.discs();
            let value = -weights.value(next.features().features, own + other);
            (square, f64::from(value) / 100.0)
        })
        .collect();
    let best = values.iter().map(|(_, value)| *value).reduce(f64::max)?;
    let likely = |value: f64| ((value - best) / TEMPERATURE).exp();
    let total: f64 = values.iter().map(|(_, value)| likely(*value)).sum();
    let mut mark = random.below(1 << 32) as f64 / (1u64 << 32) as f64 * total;
    for &(square, value) in &values {
        mark -= likely(value);
        if mark < 0.0 {
            return Some(square);
        }
    }
    values.last().map(|(square, _)| *square)
}

fn train_stage(weights: &mut Weights, stage: usize, boards: &[Board], depth: u32) {
    let label = |board: &Board| {
        let seen = Bits::of(*board).features();
        Example {
            features: seen.features,
            target: searched(weights, *board, depth),
        }
    };
    let examples: Vec<Example> = boards.par_iter().map(label).collect();
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for (place, example) in examples.into_iter().enumerate() {
        if place % VALIDATION_SHARE == 0 {
            validation.push(example);
        } else {
            training.push(example);
        }
    }
    if training.is_empty() || validation.is_empty() {
        return;
    }
    // What is true of the stage after it is nearly true of this one.
    let start = weights.get((stage + 1).min(STAGES - 1));
    weights.set(stage, descend(start, &training, &validation).weights);
}

/// What a search says, in discs.
fn searched(weights: &Weights, board: Board, depth: u32) -> f64 {
    let stop = StopButton::new();
    let mut meter = Meter::new(None, None, &stop);
    let mut table = Table::new(10);
    let depth = depth.min(64 - pieces(super::features::stage(board.disc_count())));
    let mut guess = 0;
    let mut value = 0;
    for plies in 1..=depth {
        let mut search = Search {
            algorithm: Algorithm::MtdF,
            memory: Memory::Both,
            table: &mut table,
            weights,
            meter: &mut meter,
            leaves: 0,
            leaf_moves: 0,
        };
        // The shallower searches order the moves of the last, whose leaves are in trained stages.
        if let Some(best) = search.best(&Bits::of(board), plies, guess) {
            (guess, value) = (best.value, best.value);
        }
    }
    f64::from(value) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Effort = Effort {
        games: 30,
        rounds: 2,
        depth: 2,
    };

    #[test]
    fn the_same_seed_trains_the_same_weights_and_every_stage_is_told() {
        let mut told = 0;
        let first = fit(7, SMALL, &mut || told += 1);
        assert_eq!(told, stages(SMALL));
        assert_eq!(first, fit(7, SMALL, &mut || {}));
        assert_ne!(first, fit(8, SMALL, &mut || {}));
        assert_ne!(first, Weights::untrained());
    }

    #[test]
    fn training_a_stage_lowers_the_error_of_its_estimates() {
        let untrained = Weights::untrained();
        let boards: Vec<Board> = (0..200)
            .flat_map(|game| play(&untrained, &mut Random::stream(1, game)))
            .filter(|board| board.disc_count() == 61)
            .collect();
        let mut weights = untrained.clone();
        let stage = super::super::features::stage(61);
        train_stage(&mut weights, stage, &boards, 3);
        let error = |weights: &Weights| -> f64 {
            let of = |board: &Board| {
                let features = Bits::of(*board).features().features;
                let estimate = f64::from(weights.value(features, 61)) / 100.0;
                (estimate - searched(weights, *board, 3)).powi(2)
            };
            boards.iter().map(of).sum()
        };
        assert!(error(&weights) < error(&untrained));
    }

    #[test]
    fn better_moves_are_chosen_more_often() {
        let weights = Weights::untrained();
        let board = Position::START.play("f5".parse().unwrap()).unwrap().board;
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..300 {
            let square = chosen(&weights, board, &mut Random::new(seed)).unwrap();
            *counts.entry(square).or_insert(0) += 1;
        }
        assert!(counts.len() > 1, "not always the same");
        let (most, least) = (counts.values().max(), counts.values().min());
        assert!(most > least);
    }
}
