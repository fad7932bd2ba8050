//! Flips and move generation, once per CPU tier, and the door that picks the tier.
//!
//! A kernel is a zero-sized token: an [`Avx2`] value exists only on a CPU that has AVX2, so its
//! methods are safe to call. They are always inlined, and pay off only inside a region compiled
//! for that tier. [`Kernel::enter`] is such a region; a recursive hot path re-enters at each
//! level. [`dispatch`] looks at the CPU once and enters the best tier, so that nothing is decided
//! per leaf.

#[cfg(target_arch = "x86_64")]
mod last_flips;
mod portable;
mod rays;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

use std::fmt;
use std::sync::OnceLock;

/// The rules' two hot operations on raw bitboards, for one CPU tier.
pub trait Kernel: Copy + Send + Sync + 'static {
    const TIER: Tier;

    /// The empty squares where `mover` may play.
    fn moves(self, mover: u64, opponent: u64) -> u64;

    /// The discs of `opponent` that turn when `mover` plays on the empty square `index` (< 64);
    /// 0 when the move is illegal.
    fn flips(self, index: usize, mover: u64, opponent: u64) -> u64;

    /// How many discs `mover` turns on `index`, the only empty square of the board.
    #[inline(always)]
    fn count_last_flips(self, index: usize, mover: u64) -> u32 {
        self.flips(index, mover, !mover & !(1 << (index & 63)))
            .count_ones()
    }

    /// Runs the job in a region compiled for this tier.
    fn enter<J: Job>(self, job: J) -> J::Output;

    /// [`Kernel::enter`] for the innermost functions: four arguments that travel in registers,
    /// where a job of more than two words would go through memory.
    fn call<C: Call<P, Q, R, S>, P, Q, R, S>(self, p: P, q: Q, r: R, s: S) -> C::Output;

    /// [`Kernel::call`] of what is seldom needed: its code stays out of the caller's way.
    #[cold]
    #[inline(never)]
    fn call_apart<C: Call<P, Q, R, S>, P, Q, R, S>(self, p: P, q: Q, r: R, s: S) -> C::Output {
        self.call::<C, P, Q, R, S>(p, q, r, s)
    }
}

/// Work that is compiled once per tier. `run` should be `#[inline(always)]`: only what is inlined
/// into the region of [`Kernel::enter`] gets the tier's instructions.
pub trait Job {
    type Output;

    fn run<K: Kernel>(self, kernel: K) -> Self::Output;
}

/// A function that is compiled once per tier; see [`Job`] about inlining.
pub trait Call<P, Q, R, S> {
    type Output;

    fn run<K: Kernel>(kernel: K, p: P, q: Q, r: R, s: S) -> Self::Output;
}

/// What the CPU offers, slowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    Portable,
    Avx2,
    Avx512,
}

impl Tier {
    /// The tiers this CPU can run, slowest first.
    pub fn available() -> &'static [Tier] {
        static AVAILABLE: OnceLock<Vec<Tier>> = OnceLock::new();
        AVAILABLE.get_or_init(|| {
            #[allow(unused_mut)]
            let mut tiers = vec![Tier::Portable];
            #[cfg(target_arch = "x86_64")]
            {
                tiers.extend(Avx2::detect().map(|_| Tier::Avx2));
                tiers.extend(Avx512::detect().map(|_| Tier::Avx512));
            }
            tiers
        })
    }

    /// The fastest tier of this CPU.
    pub fn best() -> Tier {
        *Tier::available().last().unwrap_or(&Tier::Portable)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Tier::Portable => "portable",
            Tier::Avx2 => "AVX2+BMI2",
            Tier::Avx512 => "AVX-512",
        })
    }
}

impl std::str::FromStr for Tier {
    type Err = String;

    fn from_str(name: &str) -> Result<Tier, String> {
        let wanted = match name.to_ascii_lowercase().as_str() {
            "portable" => Tier::Portable,
            "avx2" => Tier::Avx2,
            "avx512" => Tier::Avx512,
            _ => {
                return Err(format!(
                    "'{name}' is no CPU tier: choose portable, avx2 or avx512"
                ));
            }
        };
        if Tier::available().contains(&wanted) {
            Ok(wanted)
        } else {
            Err(format!(
                "this CPU cannot run the tier {wanted}; its best is {}",
                Tier::best()
            ))
        }
    }
}

/// Runs the job on the best tier of this CPU.
pub fn dispatch<J: Job>(job: J) -> J::Output {
    dispatch_on(Tier::best(), job)
}

/// Runs the job on a given tier, or on the portable one where the CPU lacks it.
pub fn dispatch_on<J: Job>(tier: Tier, job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    match tier {
        Tier::Avx512 => {
            if let Some(kernel) = Avx512::detect() {
                return kernel.enter(job);
            }
        }
        Tier::Avx2 => {
            if let Some(kernel) = Avx2::detect() {
                return kernel.enter(job);
            }
        }
        Tier::Portable => {}
    }
    let _ = tier;
    Portable.enter(job)
}

#[cfg(test)]
mod tests;
