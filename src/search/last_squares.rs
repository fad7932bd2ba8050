//! The last empty squares in the order in which to try them, in a register: a list in memory would
//! be written byte by byte and read in words, and the CPU would wait for it at every node.

/// Up to four squares in one register, the first in the lowest byte.
#[derive(Clone, Copy)]
pub struct Squares(u32);

impl Squares {
    /// Four empty squares, those in odd quadrants first: there the mover has the last word.
    #[inline(always)]
    pub fn by_parity(empties: u64, odd: u64) -> Squares {
        let first = empties & odd;
        // None or all of them in odd quadrants: as they come.
        let without_two = clear_lowest(clear_lowest(empties));
        let then = if first.count_ones() == 2 {
            empties & !odd
        } else {
            without_two
        };
        let pair = |set: u64| square_of(set) | square_of(clear_lowest(set)) << 8;
        Squares(pair(empties ^ then) | pair(then) << 16)
    }

    /// Up to four squares from the lowest on; places without a square hold any.
    #[inline(always)]
    pub fn in_order(mut empties: u64) -> Squares {
        let mut squares = 0;
        for place in 0..4 {
            squares |= square_of(empties) << (8 * place);
            empties = clear_lowest(empties);
        }
        Squares(squares)
    }

    #[inline(always)]
    pub fn get(self, place: u32) -> u8 {
        (self.0 >> (8 * place)) as u8 & 63
    }

    /// The first three as the last three of four.
    #[inline(always)]
    pub fn as_last_3(self) -> Squares {
        Squares(self.0 << 8)
    }

    /// The square at a place (< 4) first, the others in their order.
    #[inline(always)]
    pub fn with_first(self, place: u32) -> Squares {
        let before = (1u32 << (8 * place)) - 1;
        let after = !before << 8;
        Squares((self.0 & before) << 8 | u32::from(self.get(place)) | self.0 & after)
    }

    /// The last three, the one that is alone in its quadrant first.
    #[inline(always)]
    pub fn last_3_single_first(self) -> [u8; 3] {
        let [a, b, c] = [1, 2, 3].map(|place| self.get(place));
        // Two squares share a quadrant when they agree in bits 2 (column half) and 5 (row half).
        let apart = |x: u8, y: u8| (x ^ y) & 0b100_100 != 0;
        if !apart(a, b) {
            [c, a, b]
        } else if !apart(a, c) {
            [b, a, c]
        } else {
            [a, b, c]
        }
    }
}

#[inline(always)]
fn clear_lowest(set: u64) -> u64 {
    set & set.wrapping_sub(1)
}

#[inline(always)]
fn square_of(set: u64) -> u32 {
    set.trailing_zeros() & 63
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(squares: Squares) -> [u8; 4] {
        [0, 1, 2, 3].map(|place| squares.get(place))
    }

    fn set(squares: &[u8]) -> u64 {
        squares.iter().fold(0, |set, square| set | 1 << square)
    }

    #[test]
    fn two_squares_of_odd_quadrants_come_before_a_pair() {
        // a1 and b1 share a quadrant; h1 and h8 are alone in theirs.
        let odd = set(&[7, 63]);
        let squares = Squares::by_parity(set(&[0, 1, 7, 63]), odd);
        assert_eq!(all(squares), [7, 63, 0, 1]);
    }

    #[test]
    fn squares_of_one_kind_come_in_their_order() {
        let empties = set(&[0, 7, 56, 63]);
        for odd in [0, empties] {
            assert_eq!(all(Squares::by_parity(empties, odd)), [0, 7, 56, 63]);
        }
        assert_eq!(all(Squares::in_order(empties)), [0, 7, 56, 63]);
    }

    #[test]
    fn each_square_can_be_first_while_the_others_keep_their_order() {
        let squares = Squares::in_order(set(&[3, 9, 20, 61]));
        let orders = [0, 1, 2, 3].map(|place| all(squares.with_first(place)));
        let expected = [
            [3, 9, 20, 61],
            [9, 3, 20, 61],
            [20, 3, 9, 61],
            [61, 3, 9, 20],
        ];
        assert_eq!(orders, expected);
    }

    #[test]
    fn of_three_squares_the_one_alone_in_its_quadrant_is_first() {
        for (squares, expected) in [
            ([0, 1, 63], [63, 0, 1]),
            ([0, 7, 9], [7, 0, 9]),
            ([0, 7, 6], [0, 6, 7]),
        ] {
            let squares = Squares::in_order(set(&squares)).as_last_3();
            assert_eq!(squares.last_3_single_first(), expected);
        }
    }
}
