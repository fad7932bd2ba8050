//! Learns what patterns mean together: stochastic gradient descent on the rows of
//! [`PairModel`], with the linear weights as they are.
//!
//! Every part of the game is learnt by one thread, in an order that follows from the seed: two
//! runs give the same rows bit for bit. A step is the shorter the more a row has been moved before
//! (Adagrad), so that a rare row learns from the little there is of it, and the longer the run
//! lasts the shorter all steps become.

use super::record::{DataError, Record, ShardReader};
use crate::eval::{
    CHANNELS, Features, Model, PAIR_BUCKETS, PAIR_LAYOUT, PAIR_ROWS, PAIR_SHAPES, PAIR_UNIT,
    PLACES, PairModel, PairRow, bucket_of, composed, inverse, own_symmetries, permuted, stage_of,
    value_and_slope,
};
use crate::othello::kernel::{Job, Kernel, dispatch};
use crate::othello::{Board, Random};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::LazyLock;

/// What the learning of pairs may choose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairOptions {
    pub seed: u64,
    /// How often every position is looked at. More passes learn the positions by heart.
    pub passes: u32,
    /// The length of the first step.
    pub step: f32,
    /// How much a row seems to have been moved before it ever was.
    pub inertia: f32,
}

impl Default for PairOptions {
    fn default() -> PairOptions {
        PairOptions {
            seed: 1,
            passes: 4,
            step: 0.03,
            inertia: 30_000.0,
        }
    }
}

/// Rows start from random numbers within this: from 0 no gradient leads away.
const START: f32 = 0.02;

/// An error of more discs than this moves rows no further.
const LARGEST_ERROR: f32 = 30.0;

/// A position to learn from.
#[derive(Clone, Copy)]
struct Lesson {
    board: Board,
    /// The sum of the linear weights, in discs.
    linear: f32,
    target: f32,
    weight: f32,
}

/// Learns the rows of every part of the game from the shards, beside these linear weights.
pub fn learn_pairs(
    shards: &[PathBuf],
    model: &Model,
    options: PairOptions,
    done: impl Fn() + Sync,
) -> Result<PairModel, DataError> {
    let buckets: Vec<Vec<PairRow>> = (0..PAIR_BUCKETS)
        .into_par_iter()
        .map(|bucket| {
            let mut random = Random::stream(options.seed, bucket as u64);
            let mut lessons = lessons(shards, model, bucket)?;
            let rows = dispatch(Learning {
                lessons: &mut lessons,
                options,
                random: &mut random,
            });
            done();
            Ok(rows)
        })
        .collect::<Result<_, DataError>>()?;
    let mut pairs = PairModel::zero();
    for (bucket, rows) in buckets.into_iter().enumerate() {
        pairs.set_bucket(bucket, rows);
    }
    Ok(pairs)
}

fn lessons(shards: &[PathBuf], model: &Model, bucket: usize) -> Result<Vec<Lesson>, DataError> {
    let mut tables: Vec<Option<Vec<i16>>> = Vec::new();
    let mut lessons = Vec::new();
    for path in shards {
        for record in ShardReader::open(path)? {
            let Record {
                board,
                label,
                weight,
                ..
            } = record?;
            if bucket_of(board.empty_count()) != bucket {
                continue;
            }
            let stage = stage_of(board.empty_count());
            if tables.len() <= stage {
                tables.resize(stage + 1, None);
            }
            let table =
                tables[stage].get_or_insert_with(|| model.unfolded(stage).collect::<Vec<i16>>());
            lessons.push(Lesson {
                board,
                linear: Model::sum(table, board),
                target: f32::from(label) / 100.0,
                weight: f32::from(weight) / 256.0,
            });
        }
    }
    Ok(lessons)
}

/// An image of an instance: the symmetry it adds, and the index of each configuration there.
type Image = (u8, Vec<u16>);

/// For each shape, its own symmetries: they make several images of one instance, and each has a
/// say.
static IMAGES: LazyLock<Vec<Vec<Image>>> = LazyLock::new(|| {
    let shapes = PAIR_SHAPES.iter().enumerate();
    let images = shapes.map(|(shape, names)| {
        let own = own_symmetries(names).into_iter();
        let images = own.map(|(symmetry, to)| {
            let mut indices = vec![0; PAIR_LAYOUT.size(shape)];
            for index in 0..indices.len() {
                indices[permuted(index, &to)] = index as u16;
            }
            (symmetry, indices)
        });
        images.collect()
    });
    images.collect()
});

/// The rows of a board with the symmetry of each.
fn rows_of(board: Board, rows: &mut Vec<(u32, u8)>) {
    rows.clear();
    for (lane, index) in Features::of(board).pair_indices().enumerate() {
        let shape = usize::from(PAIR_LAYOUT.shape[lane]);
        for (symmetry, indices) in &IMAGES[shape] {
            let row = PAIR_LAYOUT.start[shape] + u32::from(indices[index]);
            rows.push((row, composed(PAIR_LAYOUT.symmetry[lane], *symmetry)));
        }
    }
}

type Numbers = [f32; CHANNELS];

struct Learning<'a> {
    lessons: &'a mut [Lesson],
    options: PairOptions,
    random: &'a mut Random,
}

impl Job for Learning<'_> {
    type Output = Vec<PairRow>;

    #[inline(always)]
    fn run<K: Kernel>(self, _: K) -> Vec<PairRow> {
        let Learning {
            lessons,
            options,
            random,
        } = self;
        let mut start = || (random.below(2001) as f32 / 1000.0 - 1.0) * START;
        let mut numbers: Vec<Numbers> = (0..PAIR_ROWS)
            .map(|_| std::array::from_fn(|_| start()))
            .collect();
        let mut moved = vec![options.inertia; PAIR_ROWS];
        let total = options.passes as f32 * lessons.len() as f32;
        let mut steps = 0;
        let mut rows = Vec::with_capacity(128);
        for _ in 0..options.passes {
            for i in (1..lessons.len()).rev() {
                lessons.swap(i, random.below(i as u64 + 1) as usize);
            }
            for lesson in &*lessons {
                rows_of(lesson.board, &mut rows);
                let mut groups = [[0f32; CHANNELS]; 8];
                for &(row, symmetry) in &rows {
                    add(
                        &mut groups[usize::from(symmetry)],
                        &numbers[row as usize],
                        1.0,
                    );
                }
                let sums = gathered(&groups);
                let (value, slope) = value_and_slope(lesson.linear + squares(&sums));
                let error = (value - lesson.target) * slope * lesson.weight;
                let error = error.clamp(-LARGEST_ERROR, LARGEST_ERROR);
                let slopes: Numbers = std::array::from_fn(|channel| {
                    sums[channel]
                        * if channel < CHANNELS / 2 {
                            error
                        } else {
                            -error
                        }
                });
                let size = slopes.iter().map(|slope| slope * slope).sum::<f32>() / CHANNELS as f32;
                let slopes = scattered(&slopes);
                let step = options.step * (1.0 - steps as f32 / total);
                steps += 1;
                for &(row, symmetry) in &rows {
                    let row = row as usize;
                    moved[row] += size;
                    let step = -step / moved[row].sqrt();
                    add(&mut numbers[row], &slopes[usize::from(symmetry)], step);
                }
            }
        }
        for (numbers, moved) in numbers.iter_mut().zip(&moved) {
            // Never seen, or never wrong: random numbers mean nothing.
            if *moved <= options.inertia {
                *numbers = [0.0; CHANNELS];
            }
        }
        rounded(&numbers)
    }
}

#[inline(always)]
fn add(sums: &mut Numbers, numbers: &Numbers, times: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number * times;
    }
}

/// The sums of the channels over all symmetries.
#[inline(always)]
fn gathered(groups: &[Numbers; 8]) -> Numbers {
    let mut sums = [0.0; CHANNELS];
    for (group, places) in groups.iter().zip(&PLACES) {
        for (channel, sum) in sums.iter_mut().enumerate() {
            *sum += group[channel / 8 * 8 + usize::from(places[channel % 8])];
        }
    }
    sums
}

/// What is to go to the channels of the sum, for the rows of each symmetry.
#[inline(always)]
fn scattered(slopes: &Numbers) -> [Numbers; 8] {
    let mut groups = [[0.0; CHANNELS]; 8];
    for (group, places) in groups.iter_mut().zip(&PLACES) {
        for (channel, slope) in slopes.iter().enumerate() {
            group[channel / 8 * 8 + usize::from(places[channel % 8])] = *slope;
        }
    }
    groups
}

/// What the sums add to the linear sum, in discs.
#[inline(always)]
fn squares(sums: &Numbers) -> f32 {
    let square = |sums: &[f32]| sums.iter().map(|sum| sum * sum).sum::<f32>();
    square(&sums[..CHANNELS / 2]) - square(&sums[CHANNELS / 2..])
}

/// One row for all images of an instance that lie on each other, in whole numbers.
fn rounded(numbers: &[Numbers]) -> Vec<PairRow> {
    let mut rows = Vec::with_capacity(PAIR_ROWS);
    for (shape, images) in IMAGES.iter().enumerate() {
        let start = PAIR_LAYOUT.start[shape] as usize;
        for index in 0..PAIR_LAYOUT.size(shape) {
            let mut sum = [0f32; CHANNELS];
            for (symmetry, indices) in images {
                let numbers = &numbers[start + usize::from(indices[index])];
                for (channel, sum) in sum.iter_mut().enumerate() {
                    let place = composed(inverse(*symmetry), channel as u8 % 8);
                    *sum += numbers[channel / 8 * 8 + usize::from(place)];
                }
            }
            let whole = |sum: f32| (sum * PAIR_UNIT as f32).round().clamp(-127.0, 127.0) as i8;
            rows.push(PairRow(sum.map(whole)));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::PairTables;
    use crate::train::record::{ShardWriter, Source, shard_path};

    /// Endings of random games, labelled with whether opposite corners belong to one player: what
    /// no sum over corners can tell.
    fn records(games: u64) -> Vec<Record> {
        let mut records = Vec::new();
        for game in 0..games {
            let mut random = Random::stream(2, game);
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let owner = |square: u32| {
                    let of = |discs: u64| (discs >> square & 1) as i16;
                    of(board.mover().0) - of(board.opponent().0)
                };
                let label = 800 * (owner(0) * owner(63) + owner(7) * owner(56));
                if board.empty_count() <= 20 {
                    records.push(Record {
                        board,
                        label,
                        source: Source::Exact,
                        depth: 1,
                        weight: 256,
                    });
                }
                board = board.play_unchecked(square, board.flips(square));
            }
        }
        records
    }

    #[test]
    fn what_two_corners_mean_together_is_learnt_and_the_same_in_every_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = shard_path(folder.path(), "random", 0);
        let mut writer = ShardWriter::create(&path).unwrap();
        for record in records(2000) {
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        let options = PairOptions {
            passes: 8,
            inertia: 1000.0,
            ..PairOptions::default()
        };
        let learn = || {
            let shards = std::slice::from_ref(&path);
            learn_pairs(shards, &Model::zero(), options, || {}).unwrap()
        };
        let pairs = learn();
        assert!(pairs == learn());
        let tables = PairTables::new(&pairs);
        let (mut before, mut after) = (0.0, 0.0);
        // Other games than those it learnt from.
        for record in records(2200).split_off(records(2000).len()) {
            let target = f32::from(record.label) / 100.0;
            let (value, _) = value_and_slope(tables.discs(record.board));
            before += target * target;
            after += (target - value) * (target - value);
        }
        assert!(after < before / 4.0, "{after} of {before}");
    }
}
