//! One stage's weights, laid out for lookup, and the sum over a position's patterns.

use super::features::Features;
use super::model::STAGES;
use super::scalars::{SCALAR_SIZE, SCALARS};
use super::shapes::{LANES, LAYOUT, SHAPE_COUNT};
use crate::machine::ask_for_huge_pages;
#[cfg(target_arch = "x86_64")]
use crate::othello::kernel::Tier;
use crate::othello::kernel::{Job, Kernel, dispatch};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

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
pub struct Tables {
    weights: Vec<i16>,
    lookup: Lookup,
}

/// How the weights of a position get out of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lookup {
    /// Many with one instruction.
    Gathered,
    /// Each by itself: quicker on CPUs that gather slowly, such as AMD's.
    OneByOne,
}

/// A stage's weights: of every configuration of every shape, then of the scalars, zeros to the end.
#[repr(transparent)]
struct Table([i16; TABLE]);

#[repr(align(64))]
struct Starts([u32; LANES]);

/// Where each lane's weights start.
const STARTS: Starts = starts();

/// The same in memory, for vectors to be loaded from.
#[cfg(target_arch = "x86_64")]
static GATHER_STARTS: Starts = STARTS;

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
    pub fn new<W: Iterator<Item = i16>>(of_stage: impl Fn(usize) -> W) -> Tables {
        let mut tables = vec![0; STAGES * TABLE];
        ask_for_huge_pages(&mut tables);
        for (stage, table) in tables.chunks_exact_mut(TABLE).enumerate() {
            for (entry, weight) in table[..WEIGHTS].iter_mut().zip(of_stage(stage)) {
                *entry = weight;
            }
        }
        Tables {
            weights: tables,
            lookup: *FASTER,
        }
    }

    /// The sum of the weights of a position's patterns and scalars. Stages that there are not are
    /// taken as the last one.
    #[inline(always)]
    pub fn sum<K: Kernel>(
        &self,
        kernel: K,
        stage: usize,
        features: &Features,
        scalars: [usize; SCALARS],
    ) -> i32 {
        let table = self.stage(stage);
        table.patterns(kernel, features, self.lookup) + table.scalars(scalars)
    }

    #[inline(always)]
    fn stage(&self, stage: usize) -> &Table {
        let start = stage.min(STAGES - 1) * TABLE;
        // SAFETY: the vector was made with `STAGES` times `TABLE` entries and never changes; a
        // `Table` is `TABLE` entries and nothing else.
        unsafe { &*self.weights.as_ptr().add(start).cast::<Table>() }
    }
}

impl Table {
    /// The sum of the weights of all lanes.
    #[inline(always)]
    fn patterns<K: Kernel>(&self, kernel: K, features: &Features, lookup: Lookup) -> i32 {
        let _ = (kernel, lookup);
        #[cfg(target_arch = "x86_64")]
        match (K::TIER, lookup) {
            // SAFETY: the kernel's token exists only where its instructions do.
            (Tier::Avx512, Lookup::Gathered) => return unsafe { sum_avx512(&self.0, features) },
            // SAFETY: as above.
            (Tier::Avx2, Lookup::Gathered) => return unsafe { sum_avx2(&self.0, features) },
            _ => {}
        }
        sum_one_by_one(&self.0, features)
    }

    /// The sum of the weights of the scalars.
    #[inline(always)]
    fn scalars(&self, scalars: [usize; SCALARS]) -> i32 {
        let mut sum = 0;
        for (kind, &value) in scalars.iter().enumerate() {
            let value = value % SCALAR_SIZE;
            sum += i32::from(self.0[SCALAR_START + kind * SCALAR_SIZE + value]);
        }
        sum
    }
}

/// Never inlined: in a function with vector instructions the compiler would collect the weights in
/// vectors, element by element, which takes twice as long.
#[inline(never)]
fn sum_one_by_one(table: &[i16; TABLE], features: &Features) -> i32 {
    // Four sums side by side, so that no addition waits for the one before; no loop, so that the
    // starts are known.
    macro_rules! sum {
        ($($a:literal $b:literal $c:literal $d:literal),*) => {{
            let mut sums = [0; 4];
            $(
                sums[0] += weight::<$a>(table, features);
                sums[1] += weight::<$b>(table, features);
                sums[2] += weight::<$c>(table, features);
                sums[3] += weight::<$d>(table, features);
            )*
            sums.iter().sum()
        }};
    }
    const { assert!(LANES == 64, "every lane must be named") };
    sum!(
        0 1 2 3, 4 5 6 7, 8 9 10 11, 12 13 14 15, 16 17 18 19, 20 21 22 23, 24 25 26 27, 28 29 30 31,
        32 33 34 35, 36 37 38 39, 40 41 42 43, 44 45 46 47, 48 49 50 51, 52 53 54 55, 56 57 58 59, 60 61 62 63
    )
}

#[inline(always)]
fn weight<const LANE: usize>(table: &[i16; TABLE], features: &Features) -> i32 {
    let start = const { STARTS.0[LANE] as usize };
    let index = usize::from(features.0[LANE]);
    // SAFETY: `TABLE` covers every start plus 16-bit index.
    i32::from(unsafe { *table.get_unchecked(start + index) })
}

/// What this CPU does faster, by trial. Both give the same sums, so a wrong choice on a busy
/// machine costs time and nothing else.
static FASTER: LazyLock<Lookup> = LazyLock::new(|| {
    if cfg!(target_family = "wasm") {
        // It has no clock to try with, and gathers nothing.
        return Lookup::OneByOne;
    }
    let sums_by = |lookup| Trial {
        tables: Tables {
            weights: vec![0; STAGES * TABLE],
            lookup,
        },
        features: (0..256).map(scattered).collect(),
    };
    let trials = [Lookup::Gathered, Lookup::OneByOne].map(sums_by);
    let mut best = [Duration::MAX; 2];
    // The shortest of many short trials is not disturbed by what else the machine does.
    for _ in 0..12 {
        for (trial, best) in trials.iter().zip(&mut best) {
            *best = dispatch(trial).min(*best);
        }
    }
    if best[1] < best[0] {
        Lookup::OneByOne
    } else {
        Lookup::Gathered
    }
});

/// Indices here and there among a shape's first 2000 configurations.
fn scattered(seed: u32) -> Features {
    let mut lanes = [0; LANES];
    for (lane, index) in (0..).zip(&mut lanes) {
        *index = ((seed * 64 + lane).wrapping_mul(0x9e37_79b9) >> 16) as u16 % 2000;
    }
    Features::of_lanes(lanes)
}

struct Trial {
    tables: Tables,
    features: Vec<Features>,
}

impl Job for &Trial {
    type Output = Duration;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Duration {
        let began = Instant::now();
        for features in &self.features {
            black_box(self.tables.sum(kernel, 0, features, [0; SCALARS]));
        }
        began.elapsed()
    }
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
        // SAFETY: both arrays have at least `LANES` entries, from a 64-byte boundary on.
        let (indices, starts) = unsafe {
            (
                _mm_load_si128(features.0.as_ptr().cast::<__m128i>().add(i)),
                _mm256_load_si256(GATHER_STARTS.0.as_ptr().cast::<__m256i>().add(i)),
            )
        };
        let places = _mm256_add_epi32(_mm256_cvtepu16_epi32(indices), starts);
        // SAFETY: `TABLE` covers every start plus 16-bit index, and the two bytes after.
        let words = unsafe { _mm256_i32gather_epi32::<2>(table.as_ptr().cast(), places) };
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(words, low_half));
    }
    total(sums)
}

/// The sum of a vector's eight numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
pub fn total(numbers: std::arch::x86_64::__m256i) -> i32 {
    use std::arch::x86_64::*;
    let halves = _mm_add_epi32(
        _mm256_castsi256_si128(numbers),
        _mm256_extracti128_si256::<1>(numbers),
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
        // SAFETY: both arrays have at least `LANES` entries, from a 64-byte boundary on.
        let (indices, starts) = unsafe {
            (
                _mm256_load_si256(features.0.as_ptr().cast::<__m256i>().add(i)),
                _mm512_load_si512(GATHER_STARTS.0.as_ptr().cast::<__m512i>().add(i)),
            )
        };
        let places = _mm512_add_epi32(_mm512_cvtepu16_epi32(indices), starts);
        // SAFETY: `TABLE` covers every start plus 16-bit index, and the two bytes after.
        let words = unsafe { _mm512_i32gather_epi32::<2>(places, table.as_ptr().cast()) };
        sums = _mm512_add_epi32(sums, _mm512_madd_epi16(words, low_half));
    }
    _mm512_reduce_add_epi32(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::kernel::dispatch_on;

    struct Sums<'a>(&'a Trial);

    impl Job for Sums<'_> {
        type Output = Vec<i32>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<i32> {
            let sum = |features| self.0.tables.sum(kernel, 5, features, [1, 2, 3, 4, 5]);
            self.0.features.iter().map(sum).collect()
        }
    }

    #[test]
    fn weights_add_up_the_same_whichever_way_they_are_looked_up() {
        let mut found = Vec::new();
        for lookup in [Lookup::Gathered, Lookup::OneByOne] {
            let weights = (0..WEIGHTS).map(|i| (i as i16).wrapping_mul(7919));
            let mut tables = Tables::new(|_| weights.clone());
            tables.lookup = lookup;
            let trial = Trial {
                tables,
                features: (0..50).map(scattered).collect(),
            };
            for &tier in Tier::available() {
                found.push(dispatch_on(tier, Sums(&trial)));
            }
        }
        assert!(found.iter().all(|sums| *sums == found[0]), "{found:?}");
        assert_ne!(found[0][0], found[0][1]);
    }
}
