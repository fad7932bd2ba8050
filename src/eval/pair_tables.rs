//! The rows of pairs, laid out for lookup, and the sums of their squares on each kind of processor.

use super::features::Features;
use super::model::UNIT;
use super::pairs::{
    CHANNELS, PAIR_BUCKETS, PAIR_LANES, PAIR_LAYOUT, PAIR_ROWS, PAIR_SHAPE_COUNT, PAIR_UNIT,
    PLACES, PairModel, PairRow, bucket_of,
};
use super::shapes::LANES;
#[cfg(target_arch = "x86_64")]
use super::table::total;
use crate::machine::ask_for_huge_pages;
use crate::othello::Board;
#[cfg(target_arch = "x86_64")]
use crate::othello::kernel::Tier;
use crate::othello::kernel::{Kernel, Portable};

/// Every start plus every 16-bit index is inside: no index, however wrong, can leave the table.
const TABLE: usize = PAIR_LAYOUT.start[PAIR_SHAPE_COUNT - 1] as usize + (1 << 16);

/// Where the lanes of each symmetry begin, and the last ones end.
const OF_SYMMETRY: [usize; 9] = {
    let mut begins = [0; 9];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut lane = begins[symmetry];
        while lane < PAIR_LANES && PAIR_LAYOUT.symmetry[lane] as usize == symmetry {
            lane += 1;
        }
        begins[symmetry + 1] = lane;
        symmetry += 1;
    }
    begins
};

/// Where each lane's rows start.
const STARTS: [usize; LANES] = {
    let mut starts = [0; LANES];
    let mut lane = 0;
    while lane < PAIR_LANES {
        starts[lane] = PAIR_LAYOUT.start[PAIR_LAYOUT.shape[lane] as usize] as usize;
        lane += 1;
    }
    starts
};

/// The rows of all buckets, laid out for lookup.
pub struct PairTables(Vec<PairRow>);

impl PairTables {
    pub fn new(model: &PairModel) -> PairTables {
        let mut rows = Vec::with_capacity(PAIR_BUCKETS * TABLE);
        // Before the memory is written to: pages that exist stay small.
        ask_for_huge_pages(rows.spare_capacity_mut());
        rows.resize(PAIR_BUCKETS * TABLE, PairRow::ZERO);
        for (table, bucket) in rows.chunks_exact_mut(TABLE).zip(&model.buckets) {
            table[..PAIR_ROWS].copy_from_slice(bucket);
        }
        PairTables(rows)
    }

    /// What the pairs of a board's patterns add to its sum of weights, in discs.
    pub fn discs(&self, board: Board) -> f32 {
        let bucket = bucket_of(board.empty_count());
        self.sum(Portable, bucket, &Features::of(board)) as f32 / UNIT as f32
    }

    /// What the pairs of a position's patterns add to its sum of weights, in the same units.
    #[inline(always)]
    pub fn sum<K: Kernel>(&self, kernel: K, bucket: usize, features: &Features) -> i32 {
        let start = bucket.min(PAIR_BUCKETS - 1) * TABLE;
        // SAFETY: the vector was made with `PAIR_BUCKETS` times `TABLE` rows and never changes.
        let table = unsafe { &*self.0.as_ptr().add(start).cast::<[PairRow; TABLE]>() };
        let _ = kernel;
        let squares = {
            #[cfg(target_arch = "x86_64")]
            match K::TIER {
                // SAFETY: the kernel's token exists only where its instructions do.
                Tier::Avx512 => unsafe { squares_avx512(table, features) },
                // SAFETY: as above.
                Tier::Avx2 => unsafe { squares_avx2(table, features) },
                Tier::Portable => squares_portable(table, features),
            }
            #[cfg(target_feature = "simd128")]
            let squares = squares_simd128(table, features);
            #[cfg(not(any(target_arch = "x86_64", target_feature = "simd128")))]
            let squares = squares_portable(table, features);
            #[cfg(not(target_arch = "x86_64"))]
            squares
        };
        squares / (PAIR_UNIT * PAIR_UNIT / UNIT)
    }
}

/// The row of a lane.
#[inline(always)]
fn row<'t>(table: &'t [PairRow; TABLE], indices: &[u16; LANES], lane: usize) -> &'t PairRow {
    // SAFETY: `TABLE` covers every start plus 16-bit index.
    unsafe { table.get_unchecked(STARTS[lane] + usize::from(indices[lane])) }
}

/// The squares of the channels' sums, those of the first half less those of the second. 54 rows of
/// numbers of at most 128 either way add up to less than 2¹³, and 32 squares of that to less than 2³¹.
#[cfg_attr(
    target_feature = "simd128",
    expect(dead_code, reason = "it is the judge")
)]
fn squares_portable(table: &[PairRow; TABLE], features: &Features) -> i32 {
    let indices = features.of_pairs();
    let mut sums = [0i16; CHANNELS];
    for symmetry in 0..8 {
        let mut group = [0i16; CHANNELS];
        for lane in OF_SYMMETRY[symmetry]..OF_SYMMETRY[symmetry + 1] {
            for (sum, number) in group.iter_mut().zip(&row(table, indices, lane).0) {
                *sum += i16::from(*number);
            }
        }
        for (channel, sum) in sums.iter_mut().enumerate() {
            *sum += group[channel / 8 * 8 + usize::from(PLACES[symmetry][channel % 8])];
        }
    }
    let square = |sums: &[i16]| -> i32 {
        let squares = sums.iter().map(|&sum| i32::from(sum) * i32::from(sum));
        squares.sum()
    };
    square(&sums[..CHANNELS / 2]) - square(&sums[CHANNELS / 2..])
}

/// [`PLACES`] as byte shuffles of eight numbers of two bytes.
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
static SHUFFLES: [[u8; 16]; 8] = {
    let mut shuffles = [[0; 16]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut channel = 0;
        while channel < 8 {
            let place = PLACES[symmetry][channel];
            shuffles[symmetry][2 * channel] = 2 * place;
            shuffles[symmetry][2 * channel + 1] = 2 * place + 1;
            channel += 1;
        }
        symmetry += 1;
    }
    shuffles
};

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn squares_avx2(table: &[PairRow; TABLE], features: &Features) -> i32 {
    use std::arch::x86_64::*;
    let indices = features.of_pairs();
    let mut sums = [_mm256_setzero_si256(); 2];
    for symmetry in 0..8 {
        let mut group = [_mm256_setzero_si256(); 2];
        for lane in OF_SYMMETRY[symmetry]..OF_SYMMETRY[symmetry + 1] {
            let row = row(table, indices, lane).0.as_ptr().cast::<__m128i>();
            for (half, sum) in group.iter_mut().enumerate() {
                // SAFETY: a row has 32 bytes on a 32-byte boundary.
                let numbers = unsafe { _mm_load_si128(row.add(half)) };
                *sum = _mm256_add_epi16(*sum, _mm256_cvtepi8_epi16(numbers));
            }
        }
        // SAFETY: a shuffle has 16 bytes.
        let shuffle = unsafe { _mm_loadu_si128(SHUFFLES[symmetry].as_ptr().cast()) };
        let shuffle = _mm256_broadcastsi128_si256(shuffle);
        for (sum, group) in sums.iter_mut().zip(group) {
            *sum = _mm256_add_epi16(*sum, _mm256_shuffle_epi8(group, shuffle));
        }
    }
    let [own, other] = sums.map(|sum| _mm256_madd_epi16(sum, sum));
    total(_mm256_sub_epi32(own, other))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn squares_avx512(table: &[PairRow; TABLE], features: &Features) -> i32 {
    use std::arch::x86_64::*;
    let indices = features.of_pairs();
    let mut sums = _mm512_setzero_si512();
    for symmetry in 0..8 {
        let mut group = _mm512_setzero_si512();
        for lane in OF_SYMMETRY[symmetry]..OF_SYMMETRY[symmetry + 1] {
            let row = row(table, indices, lane);
            // SAFETY: a row has 32 bytes on a 32-byte boundary.
            let numbers = unsafe { _mm256_load_si256(row.0.as_ptr().cast()) };
            group = _mm512_add_epi16(group, _mm512_cvtepi8_epi16(numbers));
        }
        // SAFETY: a shuffle has 16 bytes.
        let shuffle = unsafe { _mm_loadu_si128(SHUFFLES[symmetry].as_ptr().cast()) };
        let shuffle = _mm512_broadcast_i32x4(shuffle);
        sums = _mm512_add_epi16(sums, _mm512_shuffle_epi8(group, shuffle));
    }
    let squares = _mm512_madd_epi16(sums, sums);
    total(_mm256_sub_epi32(
        _mm512_castsi512_si256(squares),
        _mm512_extracti64x4_epi64::<1>(squares),
    ))
}

/// For WebAssembly, which has vectors of 16 bytes. Its judge is the bench of the page's engine: a
/// sum that differs from the portable one gives other node counts.
#[cfg(target_feature = "simd128")]
#[inline]
fn squares_simd128(table: &[PairRow; TABLE], features: &Features) -> i32 {
    use std::arch::wasm32::*;
    let indices = features.of_pairs();
    let mut sums = [i16x8_splat(0); CHANNELS / 8];
    for symmetry in 0..8 {
        let mut group = sums.map(|_| i16x8_splat(0));
        for lane in OF_SYMMETRY[symmetry]..OF_SYMMETRY[symmetry + 1] {
            let row = row(table, indices, lane).0.as_ptr().cast::<i64>();
            for (quarter, sum) in group.iter_mut().enumerate() {
                // SAFETY: a row has 32 bytes, four times eight.
                let numbers = unsafe { i16x8_load_extend_i8x8(row.add(quarter).cast()) };
                *sum = i16x8_add(*sum, numbers);
            }
        }
        // SAFETY: a shuffle has 16 bytes.
        let shuffle = unsafe { v128_load(SHUFFLES[symmetry].as_ptr().cast()) };
        for (sum, group) in sums.iter_mut().zip(group) {
            *sum = i16x8_add(*sum, i8x16_swizzle(group, shuffle));
        }
    }
    let [own, more, other, others] = sums.map(|sum| i32x4_dot_i16x8(sum, sum));
    let squares = i32x4_sub(i32x4_add(own, more), i32x4_add(other, others));
    i32x4_extract_lane::<0>(squares)
        + i32x4_extract_lane::<1>(squares)
        + i32x4_extract_lane::<2>(squares)
        + i32x4_extract_lane::<3>(squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::tests::made_up;
    use crate::eval::shapes::{composed, inverse};
    use crate::othello::kernel::{Job, dispatch_on};
    use crate::othello::{Random, Symmetry, Tier};

    fn boards(games: u64) -> Vec<Board> {
        let mut boards = Vec::new();
        for game in 0..games {
            let mut random = Random::stream(3, game);
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                boards.push(board);
                board = board.play_unchecked(square, board.flips(square));
            }
        }
        boards
    }

    struct Sums<'a>(&'a PairTables, &'a [Board]);

    impl Job for Sums<'_> {
        type Output = Vec<i32>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<i32> {
            let sum = |board: &Board| {
                let bucket = bucket_of(board.empty_count());
                self.0.sum(kernel, bucket, &Features::of(*board))
            };
            self.1.iter().map(sum).collect()
        }
    }

    #[test]
    fn every_tier_gives_the_same_sums_and_none_sees_symmetry() {
        let tables = PairTables::new(&made_up(1));
        let boards = boards(20);
        assert!(boards.len() > 900);
        let plain = dispatch_on(Tier::Portable, Sums(&tables, &boards));
        assert!(plain.iter().any(|&sum| sum > 0) && plain.iter().any(|&sum| sum < 0));
        for symmetry in Symmetry::all() {
            let turned: Vec<Board> = boards.iter().map(|board| board.under(symmetry)).collect();
            for &tier in Tier::available() {
                assert_eq!(dispatch_on(tier, Sums(&tables, &turned)), plain, "{tier}");
            }
        }
    }

    #[test]
    fn the_sum_is_that_of_the_definition() {
        // Lane by lane and channel by channel, as the head of `pairs.rs` tells it: no sums of one
        // symmetry's lanes, no vectors.
        let model = made_up(2);
        let tables = PairTables::new(&model);
        for board in boards(2) {
            let bucket = bucket_of(board.empty_count());
            let mut sums = [0i32; CHANNELS];
            for lane in 0..PAIR_LANES {
                let shape = usize::from(PAIR_LAYOUT.shape[lane]);
                let squares = &PAIR_LAYOUT.squares[lane][..usize::from(PAIR_LAYOUT.len[shape])];
                let index = squares.iter().fold(0, |index, &square| {
                    let bit = |discs: u64| (discs >> square & 1) as usize;
                    3 * index + 1 + bit(board.mover().0) - bit(board.opponent().0)
                });
                let place = PAIR_LAYOUT.start[shape] as usize + index;
                let row = &model.bucket(bucket)[place];
                for (channel, sum) in sums.iter_mut().enumerate() {
                    let image = channel as u8 % 8;
                    let from = composed(inverse(PAIR_LAYOUT.symmetry[lane]), image);
                    *sum += i32::from(row.0[channel / 8 * 8 + usize::from(from)]);
                }
            }
            let square = |sums: &[i32]| sums.iter().map(|sum| sum * sum).sum::<i32>();
            let squares = square(&sums[..CHANNELS / 2]) - square(&sums[CHANNELS / 2..]);
            let sum = dispatch_on(Tier::Portable, Sums(&tables, &[board]))[0];
            assert_eq!(sum, squares / (PAIR_UNIT * PAIR_UNIT / UNIT));
        }
    }
}
