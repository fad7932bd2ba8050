//! Numbers that look random and are the same on every machine (SplitMix64): sample games, training
//! games and tests are made again from a seed alone.

use super::bitboard::Bitboard;
use super::square::Square;

/// An endless row of random numbers. What is drawn is part of what others rely on: the sample
/// games and the reference fit change with it.
#[derive(Clone, Debug)]
pub struct Random(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// One of many rows under a seed: whoever draws from it, on whichever thread, gets the same
    /// numbers.
    pub fn stream(seed: u64, stream: u64) -> Random {
        let key = Random(seed ^ Random(stream).next()).next();
        Random(key.wrapping_add(STEP))
    }

    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would make every draw an option"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        // The upper half of a product: no division, and hardly any bias for small limits.
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// One of the squares, each as likely as the others; none of an empty set. One number is drawn
    /// in any case.
    pub fn square(&mut self, squares: Bitboard) -> Option<Square> {
        let skip = self.below(u64::from(squares.count()));
        squares.into_iter().nth(skip as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let drawn = [random.next(), random.next(), random.next()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(drawn, published);
    }

    #[test]
    fn streams_repeat_themselves_and_differ_from_each_other() {
        let draw = |seed, stream| {
            let mut random = Random::stream(seed, stream);
            [random.next(), random.next()]
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn what_is_drawn_is_below_the_limit_and_in_the_set() {
        let mut random = Random::new(5);
        assert!((0..1000).all(|_| random.below(7) < 7));
        let seen: Bitboard = (0..100)
            .filter_map(|_| random.square(Bitboard::CORNERS))
            .collect();
        assert_eq!(seen, Bitboard::CORNERS);
        assert_eq!(random.square(Bitboard::EMPTY), None);
    }
}
