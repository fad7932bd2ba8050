//! Counting distinct positions in bounded memory.

use crate::othello::Board;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the distinct positions that many threads show it. Up to a limit it remembers a 64-bit
/// hash of each, which counts them exactly (two of eight million share a hash once in half a
/// million runs); beyond, it forgets them and estimates with a HyperLogLog sketch, kept from the
/// start in 64 KiB.
pub struct DistinctPositions {
    shards: Vec<Mutex<HashSet<u64, BuildHasherDefault<AlreadyHashed>>>>,
    remembered: AtomicUsize,
    limit: usize,
    exact: AtomicBool,
    registers: Vec<AtomicU8>,
}

/// How many distinct positions there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DistinctCount {
    Exact(u64),
    /// With a standard error of 0.4 %.
    About(u64),
}

impl DistinctCount {
    pub const fn number(self) -> u64 {
        match self {
            DistinctCount::Exact(number) | DistinctCount::About(number) => number,
        }
    }

    pub const fn is_exact(self) -> bool {
        matches!(self, DistinctCount::Exact(_))
    }
}

const SHARDS: usize = 64;
const REGISTER_BITS: u32 = 16;

/// 16 million hashes take about 300 MB at worst.
const EXACT_LIMIT: usize = 1 << 24;

impl Default for DistinctPositions {
    fn default() -> DistinctPositions {
        DistinctPositions::with_limit(EXACT_LIMIT)
    }
}

impl DistinctPositions {
    fn with_limit(limit: usize) -> DistinctPositions {
        DistinctPositions {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            remembered: AtomicUsize::new(0),
            limit,
            exact: AtomicBool::new(true),
            registers: (0..1 << REGISTER_BITS).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// Takes a position into account, up to symmetry.
    pub fn add(&self, board: Board) {
        self.add_hash(board.canonical().hash());
    }

    fn add_hash(&self, hash: u64) {
        let rank = (hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() as u8 + 1;
        if let Some(register) = self.registers.get((hash >> (64 - REGISTER_BITS)) as usize) {
            // Most positions change nothing, and looking is cheaper than writing.
            if register.load(Ordering::Relaxed) < rank {
                register.fetch_max(rank, Ordering::Relaxed);
            }
        }
        // The table within a shard uses the lowest and the highest bits: these are in between.
        let shard = (hash >> 40) as usize % SHARDS;
        let Some(shard) = self.shards.get(shard) else {
            return;
        };
        let is_new = {
            let mut hashes = locked(shard);
            self.exact.load(Ordering::Relaxed) && hashes.insert(hash)
        };
        if is_new && self.remembered.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.exact.store(false, Ordering::Relaxed);
            for shard in &self.shards {
                *locked(shard) = HashSet::default();
            }
        }
    }

    pub fn count(&self) -> DistinctCount {
        if self.exact.load(Ordering::Relaxed) {
            let number = self.shards.iter().map(|shard| locked(shard).len() as u64);
            return DistinctCount::Exact(number.sum());
        }
        let registers = self.registers.len() as f64;
        let sum: f64 = self
            .registers
            .iter()
            .map(|register| (-f64::from(register.load(Ordering::Relaxed))).exp2())
            .sum();
        let alpha = 0.7213 / (1.0 + 1.079 / registers);
        DistinctCount::About((alpha * registers * registers / sum) as u64)
    }
}

/// A thread that panicked left a set of hashes, and that is all there can be.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The keys are hashes themselves.
#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Well-spread distinct numbers.
    fn hashes(count: u64) -> impl Iterator<Item = u64> {
        (0..count).map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
            mixed ^ mixed >> 32
        })
    }

    #[test]
    fn symmetric_positions_count_once() {
        let distinct = DistinctPositions::default();
        distinct.add(Board::START);
        for square in Board::START.legal_moves() {
            distinct.add(Board::START.play(square).unwrap());
        }
        assert_eq!(distinct.count(), DistinctCount::Exact(2));
    }

    #[test]
    fn beyond_the_limit_the_count_is_close_and_says_so() {
        let distinct = DistinctPositions::with_limit(1000);
        for hash in hashes(1_000_000).chain(hashes(1_000_000)) {
            distinct.add_hash(hash);
        }
        let count = distinct.count();
        assert!(!count.is_exact());
        let error = count.number() as f64 / 1e6 - 1.0;
        assert!(error.abs() < 0.02, "{count:?}");
        assert!(distinct.shards.iter().all(|shard| locked(shard).is_empty()));
    }
}
