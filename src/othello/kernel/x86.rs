//! The two x86-64 tiers: four lines of the board in the four lanes of a 256-bit register, or
//! their eight directions in a 512-bit one.

use super::rays::RAYS;
use super::{Call, Job, Kernel, Tier, last_flips};
use std::arch::x86_64::*;

/// AVX2 with BMI1, BMI2, LZCNT and POPCNT (Haswell and Zen or later).
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// AVX-512 F, BW, CD, DQ and VL on top of that (Skylake-X, Ice Lake, Zen 4 or later): the same
/// code with three-input logic, plus a vector count of leading zeros.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx2 {
    pub fn detect() -> Option<Avx2> {
        let present = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        present.then_some(Avx2(()))
    }
}

impl Avx512 {
    pub fn detect() -> Option<Avx512> {
        let present = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        present.then_some(Avx512(()))
    }
}

macro_rules! kernel {
    ($name:ident, $moves:ident, $flips:ident, $features:literal) => {
        impl Kernel for $name {
            const TIER: Tier = Tier::$name;

            #[inline(always)]
            fn moves(self, mover: u64, opponent: u64) -> u64 {
                // SAFETY: a value of this type exists only where `detect` found the instructions.
                unsafe { $moves(mover, opponent) }
            }

            #[inline(always)]
            fn flips(self, index: usize, mover: u64, opponent: u64) -> u64 {
                // SAFETY: as above.
                unsafe { $flips(index, mover, opponent) }
            }

            #[inline(always)]
            fn count_last_flips(self, index: usize, mover: u64) -> u32 {
                // SAFETY: as above.
                unsafe { last_flips::count(index, mover) }
            }

            #[inline(always)]
            fn enter<J: Job>(self, job: J) -> J::Output {
                #[target_feature(enable = $features)]
                fn region<J: Job>(kernel: $name, job: J) -> J::Output {
                    job.run(kernel)
                }
                // SAFETY: as above.
                unsafe { region(self, job) }
            }

            #[inline(always)]
            fn call<C: Call<P, Q, R, S>, P, Q, R, S>(self, p: P, q: Q, r: R, s: S) -> C::Output {
                #[target_feature(enable = $features)]
                fn region<C: Call<P, Q, R, S>, P, Q, R, S>(
                    kernel: $name,
                    p: P,
                    q: Q,
                    r: R,
                    s: S,
                ) -> C::Output {
                    C::run(kernel, p, q, r, s)
                }
                // SAFETY: as above.
                unsafe { region::<C, P, Q, R, S>(self, p, q, r, s) }
            }
        }
    };
}

kernel!(Avx2, moves_avx2, flips_avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
kernel!(
    Avx512,
    moves_avx512,
    flips_avx512,
    "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
);

#[inline]
#[target_feature(enable = "avx2")]
fn moves_avx2(mover: u64, opponent: u64) -> u64 {
    let step = _mm256_set_epi64x(9, 8, 7, 1);
    let two_steps = _mm256_set_epi64x(18, 16, 14, 2);
    // Rows and diagonals must not run over the a and h columns; columns may.
    let inner = 0x7e7e_7e7e_7e7e_7e7e_u64 as i64;
    let bounds = _mm256_set_epi64x(inner, -1, inner, inner);
    let from = _mm256_set1_epi64x(mover as i64);
    let through = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), bounds);

    let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(from, step));
    let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(from, step));
    up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, step)));
    down = _mm256_or_si256(
        down,
        _mm256_and_si256(through, _mm256_srlv_epi64(down, step)),
    );
    let pairs_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    up = _mm256_or_si256(
        up,
        _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two_steps)),
    );
    down = _mm256_or_si256(
        down,
        _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two_steps)),
    );
    up = _mm256_or_si256(
        up,
        _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two_steps)),
    );
    down = _mm256_or_si256(
        down,
        _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two_steps)),
    );
    let found = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
    or_of_lanes(found) & !(mover | opponent)
}

/// All eight directions at once: a rotation goes both ways. No disc between two others lies on a
/// border that its line runs into, so nothing that is carried round the board's end counts.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn moves_avx512(mover: u64, opponent: u64) -> u64 {
    let step = _mm512_set_epi64(-9, -8, -7, -1, 9, 8, 7, 1);
    let two_steps = _mm512_set_epi64(-18, -16, -14, -2, 18, 16, 14, 2);
    const COLUMNS: i64 = 0x7e7e_7e7e_7e7e_7e7e;
    const ROWS: i64 = 0x00ff_ffff_ffff_ff00;
    const BOTH: i64 = COLUMNS & ROWS;
    let inner = _mm512_set_epi64(BOTH, ROWS, BOTH, COLUMNS, BOTH, ROWS, BOTH, COLUMNS);
    let through = _mm512_and_si512(_mm512_set1_epi64(opponent as i64), inner);
    // a | b & c
    let or_and = |a, b, c| _mm512_ternarylogic_epi64::<0xf8>(a, b, c);

    let mut turned = _mm512_and_si512(
        through,
        _mm512_rolv_epi64(_mm512_set1_epi64(mover as i64), step),
    );
    turned = or_and(turned, through, _mm512_rolv_epi64(turned, step));
    let pairs = _mm512_and_si512(through, _mm512_rolv_epi64(through, step));
    turned = or_and(turned, pairs, _mm512_rolv_epi64(turned, two_steps));
    turned = or_and(turned, pairs, _mm512_rolv_epi64(turned, two_steps));
    let found = _mm512_rolv_epi64(turned, step);
    let halves = _mm256_or_si256(
        _mm512_castsi512_si256(found),
        _mm512_extracti64x4_epi64::<1>(found),
    );
    or_of_lanes(halves) & !(mover | opponent)
}

#[inline]
#[target_feature(enable = "avx2")]
fn flips_avx2(index: usize, mover: u64, opponent: u64) -> u64 {
    let (rising, falling) = rays(index);
    let own = _mm256_set1_epi64x(mover as i64);
    let other = _mm256_set1_epi64x(opponent as i64);

    // Falling rays: everything beyond the first square that is not the opponent's is smeared
    // out along the ray, at most seven steps, to leave that first square alone.
    let step = _mm256_set_epi64x(9, 8, 7, 1);
    let two_steps = _mm256_set_epi64x(18, 16, 14, 2);
    let four_steps = _mm256_set_epi64x(36, 32, 28, 4);
    let open = _mm256_andnot_si256(other, falling);
    let mut beyond = _mm256_srlv_epi64(open, step);
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, step));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, two_steps));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, four_steps));
    let end = _mm256_and_si256(_mm256_andnot_si256(beyond, open), own);
    let above_end = _mm256_slli_epi64::<1>(_mm256_sub_epi64(_mm256_setzero_si256(), end));
    let falling_flips = _mm256_and_si256(above_end, falling);

    or_of_lanes(_mm256_or_si256(
        rising_flips(rising, own, other),
        falling_flips,
    ))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl")]
fn flips_avx512(index: usize, mover: u64, opponent: u64) -> u64 {
    let (rising, falling) = rays(index);
    let own = _mm256_set1_epi64x(mover as i64);
    let other = _mm256_set1_epi64x(opponent as i64);

    let open = _mm256_andnot_si256(other, falling);
    // The lowest bit is set before zeros are counted, and an end must be open after all: so no shift
    // is by 64, for which the compiler would have to provide.
    let some = _mm256_or_si256(open, _mm256_set1_epi64x(1));
    let top = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(some));
    // top & open & own
    let end = _mm256_ternarylogic_epi64::<0x80>(top, open, own);
    let above_end = _mm256_slli_epi64::<1>(_mm256_sub_epi64(_mm256_setzero_si256(), end));
    let falling_flips = _mm256_and_si256(above_end, falling);

    or_of_lanes(_mm256_or_si256(
        rising_flips(rising, own, other),
        falling_flips,
    ))
}

/// Rising rays: the lowest bit that is not the opponent's is the end, if it is the mover's.
#[inline]
#[target_feature(enable = "avx2")]
fn rising_flips(rays: __m256i, own: __m256i, other: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    let open = _mm256_andnot_si256(other, rays);
    let lowest = _mm256_and_si256(open, _mm256_sub_epi64(zero, open));
    let end = _mm256_and_si256(lowest, own);
    // end − 1 where there is an end, 0 elsewhere: add −1, and take it back where end is 0.
    let below_end = _mm256_sub_epi64(
        _mm256_add_epi64(end, _mm256_set1_epi64x(-1)),
        _mm256_cmpeq_epi64(end, zero),
    );
    _mm256_and_si256(below_end, rays)
}

#[inline]
#[target_feature(enable = "avx2")]
fn rays(index: usize) -> (__m256i, __m256i) {
    let rays: *const [u64; 8] = &RAYS.0[index & 63];
    // SAFETY: the eight rays of a square are 64 bytes on a 64-byte boundary.
    unsafe {
        (
            _mm256_load_si256(rays.cast()),
            _mm256_load_si256(rays.cast::<__m256i>().add(1)),
        )
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn or_of_lanes(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    let both = _mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(both) as u64
}
