//! What patterns mean together: the second-order part of the evaluation, as it is learnt and stored.
//! How it is looked up is in `pair_tables.rs`.
//!
//! A sum of weights cannot say that one corner is strong *because* the other is taken. Here every
//! configuration of a pattern has a row of numbers, one for each channel; the rows of all
//! instances are added up, and the squares of the sums, half of them negative, are added to the
//! linear sum. Multiplied out, that gives every pair of patterns a weight of its own (a
//! factorisation machine), at the price of one row per instance.
//!
//! The channels come in groups of eight, one for each symmetry of the board. A pattern's rows are
//! learnt for one of its images; for the others the channels of a group change places as the
//! images do. So it matters where two patterns lie to each other, and the value still does not see
//! symmetry: a turned board only gives the same sums in other places of their groups.

use super::container::WeightsError;
use super::shapes::{LANES, Layout, composed, inverse, own_symmetries, permuted};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// The squares of each pattern: smaller ones than those with weights of their own, so that rows
/// are seen often and the table stays near the processor.
pub const PAIR_SHAPES: [&str; PAIR_SHAPE_COUNT] = [
    "a1b1c1d1e1f1g1h1b2", // edge and one X square
    "a2b2c2d2e2f2g2h2",   // second line
    "a3b3c3d3e3f3g3h3",   // third line
    "a4b4c4d4e4f4g4h4",   // fourth line
    "a1b1c1a2b2c2a3b3c3", // corner
    "a1b1c1d1a2b2c2d2",   // corner along the edge
    "a1b2c3d4e5f6g7h8",   // long diagonal
    "a2b3c4d5e6f7g8",     // diagonal of seven
    "a3b4c5d6e7f8",       // diagonal of six
    "a4b5c6d7e8",         // diagonal of five
    "a1b1c1d1a2b2c2a3b3", // triangle
];

pub const PAIR_SHAPE_COUNT: usize = 11;

/// The instances of the shapes, in the order of their symmetries.
pub const PAIR_LAYOUT: Layout<PAIR_SHAPE_COUNT, LANES> = Layout::new(PAIR_SHAPES).by_symmetry();

/// Lanes that are used: the instances of all shapes.
pub const PAIR_LANES: usize = {
    let mut lane = 0;
    while lane < LANES && (PAIR_LAYOUT.shape[lane] as usize) < PAIR_SHAPE_COUNT {
        lane += 1;
    }
    lane
};

/// Numbers in a row: four groups of eight, two that count for the mover and two against.
pub const CHANNELS: usize = 32;

/// Rows of a bucket.
pub const PAIR_ROWS: usize = PAIR_LAYOUT.end as usize;

/// A whole in a row's numbers: the square of a sum counts in discs.
pub const PAIR_UNIT: i32 = 64;

/// The game in parts that share their rows.
pub const PAIR_BUCKETS: usize = 3;

/// The part of the game of a position.
#[inline(always)]
pub const fn bucket_of(empties: u32) -> usize {
    match empties {
        0..=24 => 0,
        25..=38 => 1,
        _ => 2,
    }
}

/// Channel `o` of the sum gets channel `PLACES[symmetry][o]` of the rows of that symmetry's
/// instances, within each group of eight.
pub const PLACES: [[u8; 8]; 8] = {
    let mut places = [[0; 8]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut channel = 0;
        while channel < 8 {
            places[symmetry as usize][channel as usize] = composed(inverse(symmetry), channel);
            channel += 1;
        }
        symmetry += 1;
    }
    places
};

/// A row, aligned so that it is never in two lines of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct PairRow(pub [i8; CHANNELS]);

impl PairRow {
    pub const ZERO: PairRow = PairRow([0; CHANNELS]);

    /// With the channels of each group in other places.
    fn rearranged(&self, place: impl Fn(u8) -> u8) -> PairRow {
        PairRow(std::array::from_fn(|channel| {
            self.0[channel / 8 * 8 + usize::from(place(channel as u8 % 8))]
        }))
    }
}

/// The rows of all configurations, bucket by bucket, as they are learnt and stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairModel {
    pub(super) buckets: Vec<Vec<PairRow>>,
}

/// What the symmetries of a row's shape demand of the row.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Demand {
    /// It is an image of another row: that one's channels, changed by a symmetry.
    Follows(usize, u8),
    /// These symmetries, besides the one that does nothing, change nothing of the configuration, and
    /// so nothing of the row.
    Stays(Vec<u8>),
}

static DEMANDS: LazyLock<Vec<Demand>> = LazyLock::new(|| {
    let mut demands = Vec::with_capacity(PAIR_ROWS);
    for (shape, names) in PAIR_SHAPES.iter().enumerate() {
        let start = PAIR_LAYOUT.start[shape] as usize;
        let own = own_symmetries(names);
        for index in 0..PAIR_LAYOUT.size(shape) {
            let images = own.iter().map(|(own, to)| (permuted(index, to), *own));
            let first = images.clone().min().unwrap_or((index, 0));
            demands.push(if first.0 < index {
                Demand::Follows(start + first.0, first.1)
            } else {
                let same = images.filter(|(image, own)| *image == index && *own != 0);
                Demand::Stays(same.map(|(_, own)| own).collect())
            });
        }
    }
    demands
});

/// The rows that follow from no others.
static STORED: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let rows = DEMANDS.iter().enumerate();
    let stored = rows.filter(|(_, demand)| matches!(demand, Demand::Stays(_)));
    stored.map(|(row, _)| row).collect()
});

impl PairModel {
    /// Pairs that mean nothing.
    pub fn zero() -> PairModel {
        PairModel {
            buckets: vec![vec![PairRow::ZERO; PAIR_ROWS]; PAIR_BUCKETS],
        }
    }

    pub fn bucket(&self, bucket: usize) -> &[PairRow] {
        &self.buckets[bucket]
    }

    /// Replaces a bucket's rows; missing ones are 0. Rows that must be images of each other are
    /// made so.
    pub fn set_bucket(&mut self, bucket: usize, mut rows: Vec<PairRow>) {
        rows.resize(PAIR_ROWS, PairRow::ZERO);
        for (place, demand) in DEMANDS.iter().enumerate() {
            rows[place] = match demand {
                Demand::Follows(first, symmetry) => {
                    rows[*first].rearranged(|channel| composed(*symmetry, channel))
                }
                Demand::Stays(same) if same.is_empty() => continue,
                Demand::Stays(same) => rows[place].rearranged(|channel| {
                    let places = same.iter().map(|own| composed(*own, channel));
                    places.fold(channel, u8::min)
                }),
            };
        }
        self.buckets[bucket] = rows;
    }

    fn fingerprint() -> u64 {
        let form = format!("{PAIR_SHAPES:?} {CHANNELS} {PAIR_UNIT} {PAIR_BUCKETS}");
        xxh3_64(form.as_bytes())
    }

    /// The bytes of the section of the pairs: of each bucket, the numbers of one channel after the
    /// other; rows that follow from others are left out.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = PairModel::fingerprint().to_le_bytes().to_vec();
        for rows in &self.buckets {
            for channel in 0..CHANNELS {
                bytes.extend(STORED.iter().map(|&row| rows[row].0[channel] as u8));
            }
        }
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<PairModel, WeightsError> {
        let stored = STORED.len();
        let needed = 8 + PAIR_BUCKETS * CHANNELS * stored;
        let (print, numbers) = bytes.split_at_checked(8).ok_or(WeightsError::Truncated {
            needed,
            found: bytes.len(),
        })?;
        if print != PairModel::fingerprint().to_le_bytes() || bytes.len() != needed {
            return Err(WeightsError::OtherShapes);
        }
        let mut model = PairModel {
            buckets: vec![Vec::new(); PAIR_BUCKETS],
        };
        for (bucket, numbers) in numbers.chunks_exact(CHANNELS * stored).enumerate() {
            let mut rows = vec![PairRow::ZERO; PAIR_ROWS];
            let channels: Vec<&[u8]> = numbers.chunks_exact(stored).collect();
            for (place, &row) in STORED.iter().enumerate() {
                for (number, channel) in rows[row].0.iter_mut().zip(&channels) {
                    *number = channel[place] as i8;
                }
            }
            model.set_bucket(bucket, rows);
        }
        Ok(model)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::othello::Random;

    /// Rows of made-up numbers.
    pub fn made_up(seed: u64) -> PairModel {
        let mut random = Random::new(seed);
        let mut model = PairModel::zero();
        for bucket in 0..PAIR_BUCKETS {
            let mut row = || PairRow(std::array::from_fn(|_| random.below(255) as u8 as i8));
            model.set_bucket(bucket, (0..PAIR_ROWS).map(|_| row()).collect());
        }
        model
    }

    #[test]
    fn rows_come_back_from_their_bytes_and_other_bytes_are_refused() {
        let model = made_up(3);
        let mut bytes = model.encode();
        assert!(bytes.len() < PAIR_BUCKETS * PAIR_ROWS * CHANNELS * 4 / 5);
        assert!(PairModel::decode(&bytes).unwrap() == model);
        assert!(PairModel::decode(&bytes[..100]).is_err());
        bytes[0] ^= 1;
        assert!(matches!(
            PairModel::decode(&bytes),
            Err(WeightsError::OtherShapes)
        ));
    }
}
