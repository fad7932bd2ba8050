//! The four quarters of the board, and where an odd number of squares is left in them: there who
//! plays first also plays last.

use super::bitboard::Bitboard;
use super::square::Square;

const TOP_LEFT: u64 = 0x0f0f_0f0f;
/// The square of each quadrant that is nearest to a1.
const FIRST_SQUARES: u64 = 0x0000_0011_0000_0011;

impl Bitboard {
    /// The first square of each quadrant that holds an odd number of squares of the set.
    #[inline(always)]
    pub const fn odd_quadrant_marks(self) -> Bitboard {
        // The parity of a quadrant, folded into the lowest bit of its corner.
        let mut parity = self.0 ^ self.0 >> 1;
        parity ^= parity >> 2;
        parity ^= parity >> 8;
        parity ^= parity >> 16;
        Bitboard(parity & FIRST_SQUARES)
    }

    /// All squares of the quadrants that hold an odd number of squares of the set.
    #[inline(always)]
    pub const fn odd_quadrants(self) -> Bitboard {
        Bitboard(self.odd_quadrant_marks().0 * TOP_LEFT)
    }
}

impl Square {
    /// The quadrant around the square.
    #[inline(always)]
    pub const fn quadrant(self) -> Bitboard {
        Bitboard(TOP_LEFT << (self.index() & 0b100_100))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quadrants_are_odd_where_counting_says_so(set: u64) {
            let set = Bitboard(set);
            let odd = set.odd_quadrants();
            for square in Square::all() {
                let quadrant = square.quadrant();
                prop_assert_eq!(quadrant.count(), 16);
                prop_assert!(quadrant.contains(square));
                let counted = (set & quadrant).count() % 2 == 1;
                prop_assert_eq!(odd.contains(square), counted);
            }
            prop_assert_eq!(set.odd_quadrant_marks().count(), odd.count() / 16);
            prop_assert_eq!(set.odd_quadrant_marks() & odd, set.odd_quadrant_marks());
        }
    }
}
