//! One stage's weights, laid out for lookup, and the sum over a position's patterns.

use super::features::Features;
use super::huge_pages::ask_for_huge_pages;
use super::model::STAGES;
use super::scalars::{SCALAR_SIZE, SCALARS};
use super::shapes::{LANES, LAYOUT, SHAPE_COUNT};
use crate::othello::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::othello::kernel::Tier;

/// Where the scalars' weights start.
pub const SCALAR_START: usize = LAYOUT.end as usize;

/// Weights of a stage.
pub const WEIGHTS: usize = SCALAR_START + SCALARS * SCALAR_SIZE;

/// Entries of a table: every start plus every 16-bit index is inside, and so is the entry after
/// it, because a gather reads 32 bits. Then no index, however wrong, can leave the table.
const TABLE: usize = {
    let highest = LAYOUT.start[SHAPE_COUNT - 1] as usize + (1 << 16) + 1;
    if highest > WEIGHTS { highest } else { WEIGHTS }
};

/// The weights of all stages, one table after the other.
pub struct Tables(Vec<i16>);

/// A stage's weights: of every configuration of every shape, then of the scalars, zeros to the end.
#[repr(transparent)]
pub struct Table([i16; TABLE]);

#[repr(align(64))]
struct Starts([u32; LANES]);

/// Where each lane's weights start.
static STARTS: Starts = starts();

const fn starts() -> Starts {
    let mut starts = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        let shape = LAYOUT.shape[lane] as usize;
        assert!(shape < SHAPE_COUNT, "every lane must be used");
        starts[lane] = LAYOUT.start[shape];
        lane += 1;
    }
    Starts(starts)
}

impl Tables {
    /// Tables of the weights that `of_stage` gives; missing ones are 0, surplus ones are left out.
    pub fn new(of_stage: impl Fn(usize) -> Vec<i16>) -> Tables {
        let mut tables = vec![0; STAGES * TABLE];
        ask_for_huge_pages(&mut tables);
        for (stage, table) in tables.chunks_exact_mut(TABLE).enumerate() {
            let weights = of_stage(stage);
            let len = weights.len().min(WEIGHTS);
            table[..len].copy_from_slice(&weights[..len]);
        }
        Tables(tables)
    }

    /// The table of a stage; the last one for stages there are not.
    #[inline(always)]
    pub fn stage(&self, stage: usize) -> &Table {
        let start = stage.min(STAGES - 1) * TABLE;
        // SAFETY: the vector was made with `STAGES` times `TABLE` entries and never changes; a
        // `Table` is `TABLE` entries and nothing else.
        unsafe { &*self.0.as_ptr().add(start).cast::<Table>() }
    }
}

impl Table {
    /// The sum of the weights of all lanes.
    #[inline(always)]
    pub fn patterns<K: Kernel>(&self, kernel: K, features: &Features) -> i32 {
        let _ = kernel;
        #[cfg(target_arch = "x86_64")]
        match K::TIER {
            // SAFETY: the kernel's token exists only where its instructions do.
            Tier::Avx512 => return unsafe { sum_avx512(&self.0, features) },
            // SAFETY: as above.
            Tier::Avx2 => return unsafe { sum_avx2(&self.0, features) },
            Tier::Portable => {}
        }
        sum_portable(&self.0, features)
    }

    /// The sum of the weights of the scalars.
    #[inline(always)]
    pub fn scalars(&self, scalars: [usize; SCALARS]) -> i32 {
        let mut sum = 0;
        for (kind, &value) in scalars.iter().enumerate() {
            let value = value % SCALAR_SIZE;
            sum += i32::from(self.0[SCALAR_START + kind * SCALAR_SIZE + value]);
        }
        sum
    }
}

#[inline(always)]
fn sum_portable(table: &[i16; TABLE], features: &Features) -> i32 {
    // Four sums side by side, so that no addition waits for the one before.
    let mut sums = [0i32; 4];
    for (indices, starts) in features.0.chunks_exact(4).zip(STARTS.0.chunks_exact(4)) {
        for ((sum, &index), &start) in sums.iter_mut().zip(indices).zip(starts) {
            *sum += i32::from(table[start as usize + usize::from(index)]);
        }
    }
    sums.iter().sum()
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn sum_avx2(table: &[i16; TABLE], features: &Features) -> i32 {
    use std::arch::x86_64::*;
    // Multiplies the low half of each gathered word by 1 and the high half, a neighbour's weight,
    // by 0: one instruction to sign-extend.
    let low_half = _mm256_set1_epi32(1);
    let mut sums = _mm256_setzero_si256();
    for i in 0..LANES / 8 {
        // SAFETY: both arrays have `LANES` entries on a 64-byte boundary.
        let (indices, starts) = unsafe {
            (
                _mm_load_si128(features.0.as_ptr().cast::<__m128i>().add(i)),
                _mm256_load_si256(STARTS.0.as_ptr().cast::<__m256i>().add(i)),
            )
        };
        let places = _mm256_add_epi32(_mm256_cvtepu16_epi32(indices), starts);
        // SAFETY: `TABLE` covers every start plus 16-bit index, and the two bytes after.
        let words = unsafe { _mm256_i32gather_epi32::<2>(table.as_ptr().cast(), places) };
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(words, low_half));
    }
    let halves = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let pairs = _mm_add_epi32(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<1>(pairs)))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn sum_avx512(table: &[i16; TABLE], features: &Features) -> i32 {
    use std::arch::x86_64::*;
    let low_half = _mm512_set1_epi32(1);
    let mut sums = _mm512_setzero_si512();
    for i in 0..LANES / 16 {
        // SAFETY: both arrays have `LANES` entries on a 64-byte boundary.
        let (indices, starts) = unsafe {
            (
                _mm256_load_si256(features.0.as_ptr().cast::<__m256i>().add(i)),
                _mm512_load_si512(STARTS.0.as_ptr().cast::<__m512i>().add(i)),
            )
        };
        let places = _mm512_add_epi32(_mm512_cvtepu16_epi32(indices), starts);
        // SAFETY: `TABLE` covers every start plus 16-bit index, and the two bytes after.
        let words = unsafe { _mm512_i32gather_epi32::<2>(places, table.as_ptr().cast()) };
        sums = _mm512_add_epi32(sums, _mm512_madd_epi16(words, low_half));
    }
    _mm512_reduce_add_epi32(sums)
}
