//! The pattern indices of a position, updated move by move.

use super::pairs::{PAIR_LANES, PAIR_LAYOUT};
use super::shapes::{LANES, LAYOUT, Layout};
use crate::othello::Board;
use crate::othello::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::othello::kernel::Tier;

/// The lanes of the patterns that have weights of their own, then those of the patterns that count
/// in pairs.
const WIDTH: usize = 2 * LANES;

/// One index per pattern instance, seen by the player to move. Small enough to copy at each ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Features(pub(super) [u16; WIDTH]);

/// A vector with one entry per lane, aligned for whole-register loads.
#[repr(align(64))]
struct Vector([u16; WIDTH]);

/// What a square adds to each index when its digit rises by one: a power of 3, or 0 where the
/// instance does not see the square.
static STEP: [Vector; 64] = steps();

/// The highest index of each lane: all squares the mover's.
static LAST: Vector = last();

const fn steps() -> [Vector; 64] {
    let steps = [const { Vector([0; WIDTH]) }; 64];
    with_steps(with_steps(steps, &LAYOUT, 0), &PAIR_LAYOUT, LANES)
}

const fn with_steps<const SHAPES: usize>(
    mut steps: [Vector; 64],
    layout: &Layout<SHAPES, LANES>,
    first: usize,
) -> [Vector; 64] {
    let mut lane = 0;
    while lane < LANES {
        let shape = layout.shape[lane] as usize;
        if shape < SHAPES {
            let len = layout.len[shape] as usize;
            let mut i = 0;
            while i < len {
                let square = layout.squares[lane][i] as usize;
                steps[square].0[first + lane] = 3u16.pow((len - 1 - i) as u32);
                i += 1;
            }
        }
        lane += 1;
    }
    steps
}

const fn last() -> Vector {
    with_last(
        with_last(Vector([0; WIDTH]), &LAYOUT, 0),
        &PAIR_LAYOUT,
        LANES,
    )
}

const fn with_last<const SHAPES: usize>(
    mut last: Vector,
    layout: &Layout<SHAPES, LANES>,
    first: usize,
) -> Vector {
    let mut lane = 0;
    while lane < LANES {
        let shape = layout.shape[lane] as usize;
        if shape < SHAPES {
            // 3¹⁰ is below 2¹⁶: nothing overflows.
            last.0[first + lane] = 3u16.pow(layout.len[shape] as u32) - 1;
        }
        lane += 1;
    }
    last
}

impl Features {
    /// Made-up indices of the patterns that have weights of their own.
    pub(super) fn of_lanes(indices: [u16; LANES]) -> Features {
        let mut lanes = [0; WIDTH];
        lanes[..LANES].copy_from_slice(&indices);
        Features(lanes)
    }

    /// The indices of a board from scratch.
    pub fn of(board: Board) -> Features {
        let mut lanes = [0u16; WIDTH];
        for (square, steps) in STEP.iter().enumerate() {
            let digit = 1 + (board.mover().0 >> square & 1) - (board.opponent().0 >> square & 1);
            for (lane, step) in lanes.iter_mut().zip(&steps.0) {
                *lane += digit as u16 * step;
            }
        }
        Features(lanes)
    }

    /// The index of each pattern that has weights of its own.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0[..LANES].iter().map(|&index| usize::from(index))
    }

    /// The index of each pattern that counts in pairs.
    pub fn pair_indices(&self) -> impl ExactSizeIterator<Item = usize> {
        let pairs = self.of_pairs();
        pairs[..PAIR_LANES].iter().map(|&index| usize::from(index))
    }

    /// The same, with the lanes that nothing uses.
    #[inline(always)]
    pub(super) fn of_pairs(&self) -> &[u16; LANES] {
        let (_, pairs) = self.0.split_at(LANES);
        // The other half.
        pairs.first_chunk().unwrap_or(&[0; LANES])
    }

    /// The indices after the mover's disc on `square` (< 64) has turned `flips`, seen by the
    /// other player. Any arguments are safe; only those of a legal move mean something.
    #[inline(always)]
    pub fn after_move<K: Kernel>(&self, kernel: K, square: usize, flips: u64) -> Features {
        let _ = kernel;
        #[cfg(target_arch = "x86_64")]
        match K::TIER {
            // SAFETY: the kernel's token exists only where its instructions do.
            Tier::Avx512 => return unsafe { after_move_avx512(self, square, flips) },
            // SAFETY: as above.
            Tier::Avx2 => return unsafe { after_move_avx2(self, square, flips) },
            Tier::Portable => {}
        }
        after_move_portable(self, square, flips)
    }

    /// The same discs seen by the other player.
    #[inline(always)]
    pub fn after_pass(&self) -> Features {
        let mut lanes = self.0;
        for (lane, last) in lanes.iter_mut().zip(&LAST.0) {
            *lane = last.wrapping_sub(*lane);
        }
        Features(lanes)
    }
}

/// Sums the steps of the flipped squares apart, because each counts twice: from opponent to mover.
#[inline(always)]
fn after_move_portable(features: &Features, square: usize, mut flips: u64) -> Features {
    let mut turned = [0u16; WIDTH];
    while flips != 0 {
        let index = flips.trailing_zeros() as usize;
        flips &= flips - 1;
        for (sum, step) in turned.iter_mut().zip(&STEP[index].0) {
            *sum = sum.wrapping_add(*step);
        }
    }
    let mut lanes = features.0;
    let placed = &STEP[square & 63].0;
    for (lane, index) in lanes.iter_mut().enumerate() {
        let grown = index
            .wrapping_add(placed[lane])
            .wrapping_add(turned[lane].wrapping_mul(2));
        *index = LAST.0[lane].wrapping_sub(grown);
    }
    Features(lanes)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn after_move_avx2(features: &Features, square: usize, mut flips: u64) -> Features {
    use std::arch::x86_64::*;
    const REGISTERS: usize = WIDTH / 16;
    // SAFETY: every vector is `WIDTH` u16 on a 64-byte boundary, whole registers.
    let load = |lanes: &[u16; WIDTH], i: usize| unsafe {
        _mm256_load_si256(lanes.as_ptr().cast::<__m256i>().add(i))
    };
    let mut turned = [_mm256_setzero_si256(); REGISTERS];
    while flips != 0 {
        let step = &STEP[flips.trailing_zeros() as usize & 63].0;
        flips &= flips - 1;
        for (i, sum) in turned.iter_mut().enumerate() {
            *sum = _mm256_add_epi16(*sum, load(step, i));
        }
    }
    let placed = &STEP[square & 63].0;
    let mut result = *features;
    for (i, sum) in turned.iter().enumerate() {
        let grown = _mm256_add_epi16(
            _mm256_add_epi16(load(&features.0, i), load(placed, i)),
            _mm256_add_epi16(*sum, *sum),
        );
        let other = _mm256_sub_epi16(load(&LAST.0, i), grown);
        // SAFETY: as for the loads.
        unsafe { _mm256_store_si256(result.0.as_mut_ptr().cast::<__m256i>().add(i), other) };
    }
    result
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn after_move_avx512(features: &Features, square: usize, mut flips: u64) -> Features {
    use std::arch::x86_64::*;
    const REGISTERS: usize = WIDTH / 32;
    // SAFETY: every vector is `WIDTH` u16 on a 64-byte boundary, whole registers.
    let load = |lanes: &[u16; WIDTH], i: usize| unsafe {
        _mm512_load_si512(lanes.as_ptr().cast::<__m512i>().add(i))
    };
    let mut turned = [_mm512_setzero_si512(); REGISTERS];
    while flips != 0 {
        let step = &STEP[flips.trailing_zeros() as usize & 63].0;
        flips &= flips - 1;
        for (i, sum) in turned.iter_mut().enumerate() {
            *sum = _mm512_add_epi16(*sum, load(step, i));
        }
    }
    let placed = &STEP[square & 63].0;
    let mut result = *features;
    for (i, sum) in turned.iter().enumerate() {
        let grown = _mm512_add_epi16(
            _mm512_add_epi16(load(&features.0, i), load(placed, i)),
            _mm512_add_epi16(*sum, *sum),
        );
        let other = _mm512_sub_epi16(load(&LAST.0, i), grown);
        // SAFETY: as for the loads.
        unsafe { _mm512_store_si512(result.0.as_mut_ptr().cast::<__m512i>().add(i), other) };
    }
    result
}
