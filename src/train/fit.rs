//! From labelled positions to weights: one least-squares fit per stage, from the end backwards.

use super::least_squares::{Effort, Group, Problem, Row, Rows};
use super::record::{DataError, Record, ShardReader};
use crate::eval::{
    Features, Folds, LANES, LAYOUT, Model, PairModel, PairTables, SCALAR_SIZE, SCALARS,
    SHAPE_COUNT, STAGES, UNIT, scalars, stage_of, value_and_slope,
};
use crate::othello::kernel::Portable;
use std::path::PathBuf;

/// What a fit may choose.
#[derive(Clone, Copy, Debug)]
pub struct FitOptions {
    pub effort: Effort,
    /// The pull towards the weights to begin from, where there are some, as a number of rows.
    pub loyalty: f64,
    /// The pull towards the weights of all rows when exact scores alone correct them, as a number
    /// of rows.
    pub correction: f64,
    /// How much the rows of the neighbouring stages count.
    pub neighbours: f32,
    /// Rows per stage, to bound memory: of more, every so-many-th is taken.
    pub max_rows: usize,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            effort: Effort {
                iterations: 28,
                ridge: 60.0,
            },
            loyalty: 600.0,
            correction: 3000.0,
            neighbours: 0.5,
            max_rows: 4_000_000,
        }
    }
}

/// What is known of a stage after its fit.
pub struct StageFit {
    pub stage: usize,
    pub rows: usize,
}

/// What a fit begins with.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// Weights to begin from.
    pub weights: Option<&'a Model>,
    /// What pairs of patterns say already.
    pub pairs: Option<&'a PairModel>,
}

/// Fits every stage to the shards. Each stage starts from the weights that are given or, where
/// there are none, from the stage after it in the game, which is fitted already: a configuration
/// seen only late keeps its late weight.
pub fn fit(
    shards: &[PathBuf],
    options: FitOptions,
    given: Given<'_>,
    mut after_stage: impl FnMut(StageFit),
) -> Result<Model, DataError> {
    let counts = count(shards)?;
    let pairs = given.pairs.map(PairTables::new);
    let mut model = Model::zero();
    let mut prior = vec![0f64; Folds::get().count];
    let mut effort = options.effort;
    for stage in 0..STAGES {
        if let Some(weights) = given.weights {
            let discs = |&weight: &i16| f64::from(weight) / f64::from(UNIT);
            prior = weights.stage(stage).iter().map(discs).collect();
            effort.ridge = options.loyalty;
        }
        let window = stage.saturating_sub(1)..=(stage + 1).min(STAGES - 1);
        let available: usize = window.clone().map(|s| counts[s]).sum();
        let stride = available.div_ceil(options.max_rows).max(1);
        let problem = gather(shards, stage, stride, options, pairs.as_ref())?;
        let rows = problem.rows();
        if rows > 0 {
            prior = problem.solve(Rows::All, &prior, effort);
        }
        // Searches are off by what the weights they had do not know. There are fewer exact scores
        // than searches, too few to start from, but enough to tell where all rows together err.
        let correction = Effort {
            ridge: options.correction,
            ..options.effort
        };
        prior = problem.solve(Rows::Exact, &prior, correction);
        let limit = f64::from(i16::MAX);
        let rounded = prior
            .iter()
            .map(|w| (w * f64::from(UNIT)).round().clamp(-limit, limit) as i16)
            .collect();
        model.set_stage(stage, rounded);
        after_stage(StageFit { stage, rows });
    }
    Ok(model)
}

/// Records per stage.
pub(super) fn count(shards: &[PathBuf]) -> Result<[usize; STAGES], DataError> {
    let mut counts = [0; STAGES];
    for path in shards {
        for record in ShardReader::open(path)? {
            counts[stage_of(record?.board.empty_count())] += 1;
        }
    }
    Ok(counts)
}

/// The rows of a stage and its neighbours.
fn gather(
    shards: &[PathBuf],
    stage: usize,
    stride: usize,
    options: FitOptions,
    pairs: Option<&PairTables>,
) -> Result<Problem, DataError> {
    let mut problem = Problem::new(groups(), value_and_slope);
    let mut batch: Vec<Record> = Vec::with_capacity(BATCH);
    let mut seen = 0usize;
    for path in shards {
        for record in ShardReader::open(path)? {
            let record = record?;
            let distance = stage_of(record.board.empty_count()).abs_diff(stage);
            if distance > 1 || (distance == 1 && options.neighbours <= 0.0) {
                continue;
            }
            seen += 1;
            if !seen.is_multiple_of(stride) {
                continue;
            }
            batch.push(record);
            if batch.len() == BATCH {
                append(&mut problem, &batch, stage, options, pairs);
                batch.clear();
            }
        }
    }
    append(&mut problem, &batch, stage, options, pairs);
    Ok(problem)
}

/// Records turned into rows at a time.
const BATCH: usize = 1 << 16;

fn append(
    problem: &mut Problem,
    records: &[Record],
    stage: usize,
    options: FitOptions,
    pairs: Option<&PairTables>,
) {
    use rayon::prelude::*;
    let rows: Vec<_> = records
        .par_iter()
        .map(|record| {
            let own = stage_of(record.board.empty_count()) == stage;
            let share = if own { 1.0 } else { options.neighbours };
            Row {
                indices: indices(record),
                offset: pairs.map_or(0.0, |pairs| pairs.discs(record.board)),
                target: f32::from(record.label) / 100.0,
                weight: share * f32::from(record.weight) / 256.0,
                exact: record.reaches_the_end(),
            }
        })
        .collect();
    problem.extend(&rows);
}

/// One group per shape, one per scalar.
fn groups() -> Vec<Group> {
    let folds = Folds::get();
    let mut groups: Vec<Group> = (0..SHAPE_COUNT)
        .map(|shape| {
            let start = folds.start[shape];
            Group {
                start,
                len: folds.start[shape + 1] - start,
                columns: (0..LANES)
                    .filter(|&lane| usize::from(LAYOUT.shape[lane]) == shape)
                    .collect(),
            }
        })
        .collect();
    groups.extend((0..SCALARS).map(|scalar| Group {
        start: folds.start[SHAPE_COUNT] + scalar * SCALAR_SIZE,
        len: SCALAR_SIZE,
        columns: vec![LANES + scalar],
    }));
    groups
}

/// The weight each column of a record's row chooses within its group.
fn indices(record: &Record) -> Vec<u16> {
    let folds = Folds::get();
    let features = Features::of(record.board);
    let mut indices = Vec::with_capacity(LANES + SCALARS);
    for (lane, index) in features.indices().enumerate() {
        let shape = usize::from(LAYOUT.shape[lane]);
        let folded = folds.folded[LAYOUT.start[shape] as usize + index] as usize;
        indices.push((folded - folds.start[shape]) as u16);
    }
    indices.extend(scalars(Portable, record.board).map(|value| value as u16));
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Board, Random};
    use crate::train::record::{ShardWriter, Source, shard_path};
    use xxhash_rust::xxh3::xxh3_64;

    /// Random games, each position labelled with the difference of moves: something patterns can
    /// learn, made without any search.
    fn records(games: u64) -> Vec<Record> {
        let mut records = Vec::new();
        for game in 0..games {
            let mut random = Random::stream(1, game);
            let mut board = Board::START;
            while !board.is_over() {
                let moves = board.legal_moves();
                let Some(square) = random.square(moves) else {
                    board = board.pass();
                    continue;
                };
                let other = board.pass().legal_moves().count();
                records.push(Record {
                    board,
                    label: (100 * (moves.count() as i32 - other as i32)) as i16,
                    source: Source::Search,
                    depth: 1,
                    weight: 256,
                });
                board = board.play_unchecked(square, board.flips(square));
            }
        }
        records
    }

    #[test]
    fn the_same_records_give_the_same_weights_on_every_machine() {
        let directory = tempfile::tempdir().unwrap();
        let path = shard_path(directory.path(), "random", 0);
        let mut writer = ShardWriter::create(&path).unwrap();
        for record in records(40) {
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        let options = FitOptions {
            effort: Effort {
                iterations: 3,
                ridge: 5.0,
            },
            ..FitOptions::default()
        };
        let model = fit(&[path], options, Given::default(), |_| {}).unwrap();
        // A change of shapes, scalars, stages or of the fit changes this number, and should.
        assert_eq!(
            format!("{:016x}", xxh3_64(&model.encode())),
            "8f259f433a2e4348"
        );
    }
}
