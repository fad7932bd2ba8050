//! Numbers that depend on a seed, a stream and a count alone: a shard draws the same ones on every
//! run, whichever thread makes it.

/// A stream of random numbers.
pub struct Random {
    key: u64,
    count: u64,
}

impl Random {
    /// The stream of this number under a seed.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random {
            key: mixed(seed ^ mixed(stream)),
            count: 0,
        }
    }

    pub fn next(&mut self) -> u64 {
        self.count += 1;
        mixed(self.key.wrapping_add(self.count.wrapping_mul(GOLDEN)))
    }

    /// A number below `bound` (at least 1).
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finisher of SplitMix64.
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_themselves_and_differ_from_each_other() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [random.next(), random.next()]
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
        let mut random = Random::new(5, 5);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
