//! The weights as they are learnt and stored: folded, one set per stage.

use super::container::WeightsError;
use super::curve::FLAT;
use super::features::Features;
use super::scalars::{SCALAR_SIZE, SCALARS, scalars};
use super::shapes::{LAYOUT, SHAPE_COUNT, SHAPES, folding};
use super::table::{SCALAR_START, WEIGHTS};
use crate::othello::Board;
use crate::othello::kernel::Portable;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Stages of a game, by empty squares.
pub const STAGES: usize = 31;

/// Weights per disc.
pub const UNIT: i32 = 128;

/// The stage of a position.
#[inline(always)]
pub const fn stage_of(empties: u32) -> usize {
    let stage = (empties / 2) as usize;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// Where folded weights stand: shape after shape, then the scalars.
pub struct Folds {
    /// For each entry of a stage's table, the folded weight it shows.
    pub folded: Vec<u32>,
    /// Where each shape's folded weights start, and last, where the scalars' do.
    pub start: [usize; SHAPE_COUNT + 1],
    /// The number of folded weights.
    pub count: usize,
}

static FOLDS: LazyLock<Folds> = LazyLock::new(|| {
    let mut folded = vec![0; WEIGHTS];
    let mut start = [0; SHAPE_COUNT + 1];
    let mut count = 0;
    for (shape, start) in start[..SHAPE_COUNT].iter_mut().enumerate() {
        let (fold, distinct) = folding(shape);
        *start = count;
        let table = LAYOUT.start[shape] as usize;
        for (index, &weight) in fold.iter().enumerate() {
            folded[table + index] = (count + usize::from(weight)) as u32;
        }
        count += distinct;
    }
    start[SHAPE_COUNT] = count;
    for entry in &mut folded[SCALAR_START..] {
        *entry = count as u32;
        count += 1;
    }
    Folds {
        folded,
        start,
        count,
    }
});

impl Folds {
    pub fn get() -> &'static Folds {
        &FOLDS
    }
}

/// Folded weights of every stage, in units of a disc / [`UNIT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Stage by stage; each of length [`Folds::count`].
    stages: Vec<Vec<i16>>,
}

impl Model {
    /// All weights 0.
    pub fn zero() -> Model {
        Model {
            stages: vec![vec![0; Folds::get().count]; STAGES],
        }
    }

    pub fn stage(&self, stage: usize) -> &[i16] {
        &self.stages[stage]
    }

    /// Replaces a stage's weights; missing ones are 0.
    pub fn set_stage(&mut self, stage: usize, mut weights: Vec<i16>) {
        weights.resize(Folds::get().count, 0);
        self.stages[stage] = weights;
    }

    /// A stage's weights laid out by configuration.
    pub fn unfolded(&self, stage: usize) -> impl Iterator<Item = i16> {
        let weights = &self.stages[stage];
        let folded = Folds::get().folded.iter();
        folded.map(|&place| weights[place as usize])
    }

    /// The sum of a board's weights in discs, from a table that [`Model::unfolded`] made.
    pub fn sum(table: &[i16], board: Board) -> f32 {
        let features = Features::of(board);
        let patterns = features.indices().zip(&LAYOUT.shape);
        let patterns =
            patterns.map(|(index, &shape)| LAYOUT.start[usize::from(shape)] as usize + index);
        let counts = scalars(Portable, board).into_iter().enumerate();
        let counts = counts.map(|(kind, value)| SCALAR_START + kind * SCALAR_SIZE + value);
        let sum: i32 = patterns.chain(counts).map(|at| i32::from(table[at])).sum();
        sum as f32 / UNIT as f32
    }

    /// Identifies shapes, stages and curve, so that weights are never read for the wrong ones.
    fn fingerprint() -> u64 {
        let form = format!("{SHAPES:?} {SCALARS} {SCALAR_SIZE} {STAGES} {UNIT} {FLAT}");
        xxh3_64(form.as_bytes())
    }

    /// The bytes of the patterns' section. Each stage is stored as its difference from the stage
    /// before: a weight that was never seen again costs nothing. The low bytes of all differences
    /// come first, then the high bytes, which are nearly all 0.
    pub fn encode(&self) -> Vec<u8> {
        let count = Folds::get().count;
        let mut low = Vec::with_capacity(STAGES * count);
        let mut high = Vec::with_capacity(STAGES * count);
        let mut before = vec![0i16; count];
        for stage in &self.stages {
            for (weight, old) in stage.iter().zip(&before) {
                let [l, h] = zigzag(weight.wrapping_sub(*old)).to_le_bytes();
                low.push(l);
                high.push(h);
            }
            before.copy_from_slice(stage);
        }
        let mut bytes = Model::fingerprint().to_le_bytes().to_vec();
        bytes.append(&mut low);
        bytes.append(&mut high);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Model, WeightsError> {
        let count = Folds::get().count;
        let needed = 8 + 2 * STAGES * count;
        let (print, planes) = bytes.split_at_checked(8).ok_or(WeightsError::Truncated {
            needed,
            found: bytes.len(),
        })?;
        if print != Model::fingerprint().to_le_bytes() || bytes.len() != needed {
            return Err(WeightsError::OtherShapes);
        }
        let (low, high) = planes.split_at(STAGES * count);
        let mut stages: Vec<Vec<i16>> = Vec::with_capacity(STAGES);
        let mut before = vec![0i16; count];
        for (low, high) in low.chunks_exact(count).zip(high.chunks_exact(count)) {
            for ((weight, l), h) in before.iter_mut().zip(low).zip(high) {
                *weight = weight.wrapping_add(unzigzag(u16::from_le_bytes([*l, *h])));
            }
            stages.push(before.clone());
        }
        Ok(Model { stages })
    }
}

/// Small differences of either sign become small numbers.
fn zigzag(difference: i16) -> u16 {
    ((difference << 1) ^ (difference >> 15)) as u16
}

fn unzigzag(code: u16) -> i16 {
    (code >> 1) as i16 ^ -((code & 1) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_comes_back_from_its_bytes() {
        let mut model = Model::zero();
        for stage in [0, 7, STAGES - 1] {
            let weights = (0..Folds::get().count)
                .map(|i| (i * 7919 + stage) as i16)
                .collect();
            model.set_stage(stage, weights);
        }
        assert_eq!(Model::decode(&model.encode()).unwrap(), model);
    }

    #[test]
    fn bytes_for_other_shapes_are_refused() {
        let mut bytes = Model::zero().encode();
        bytes[0] ^= 1;
        assert!(matches!(
            Model::decode(&bytes),
            Err(WeightsError::OtherShapes)
        ));
        assert!(Model::decode(&bytes[..5]).is_err());
    }

    #[test]
    fn every_difference_survives_the_zigzag() {
        for difference in i16::MIN..=i16::MAX {
            assert_eq!(unzigzag(zigzag(difference)), difference);
        }
    }
}
