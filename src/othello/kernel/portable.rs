//! The kernel for any CPU, and the twin every other kernel is tested against.

use super::rays::RAYS;
use super::{Call, Job, Kernel, Tier};

/// Plain integer code.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// Discs that cannot be flipped along a row or diagonal stand on the a and h columns.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

impl Kernel for Portable {
    const TIER: Tier = Tier::Portable;

    #[inline(always)]
    fn moves(self, mover: u64, opponent: u64) -> u64 {
        let inner = opponent & INNER_COLUMNS;
        let found = reach::<1>(mover, inner)
            | reach::<7>(mover, inner)
            | reach::<8>(mover, opponent)
            | reach::<9>(mover, inner);
        found & !(mover | opponent)
    }

    #[inline(always)]
    fn flips(self, index: usize, mover: u64, opponent: u64) -> u64 {
        let rays = &RAYS.0[index & 63];
        let mut flips = 0;
        for &ray in &rays[..4] {
            // The first square of the ray that is not the opponent's must be the mover's.
            let open = ray & !opponent;
            let end = open & open.wrapping_neg() & mover;
            flips |= end.wrapping_sub((end != 0) as u64) & ray;
        }
        for &ray in &rays[4..] {
            let open = ray & !opponent;
            // `| 1` keeps the shift below 64; the bit it may bring is not in the ray.
            let end = ((1 << 63) >> (open | 1).leading_zeros()) & mover & ray;
            flips |= (end.wrapping_neg() << 1) & ray;
        }
        flips
    }

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        job.run(self)
    }

    #[inline(always)]
    fn call<C: Call<P, Q, R, S>, P, Q, R, S>(self, p: P, q: Q, r: R, s: S) -> C::Output {
        // A function of its own, as in the other tiers: what recurses cannot be inlined.
        #[inline(never)]
        fn region<C: Call<P, Q, R, S>, P, Q, R, S>(p: P, q: Q, r: R, s: S) -> C::Output {
            C::run(Portable, p, q, r, s)
        }
        region::<C, P, Q, R, S>(p, q, r, s)
    }
}

/// Squares behind an unbroken row of `through` that starts beside `from`, both ways along one line.
#[inline(always)]
fn reach<const SHIFT: u32>(from: u64, through: u64) -> u64 {
    let mut up = through & (from << SHIFT);
    let mut down = through & (from >> SHIFT);
    up |= through & (up << SHIFT);
    down |= through & (down >> SHIFT);
    let pairs_up = through & (through << SHIFT);
    let pairs_down = pairs_up >> SHIFT;
    for _ in 0..2 {
        up |= pairs_up & (up << (2 * SHIFT));
        down |= pairs_down & (down >> (2 * SHIFT));
    }
    (up << SHIFT) | (down >> SHIFT)
}
