//! Which squares lie beside which, across an edge or a corner.

use super::bitboard::Bitboard;

const NOT_FIRST_COLUMN: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST_COLUMN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

impl Bitboard {
    /// The set moved by one square in each of the eight directions; what leaves the board is gone.
    /// The places of a direction and of its opposite add up to 7.
    pub fn shifted(self) -> [Bitboard; 8] {
        let set = self.0;
        [
            (set & NOT_FIRST_COLUMN) >> 9,
            set >> 8,
            (set & NOT_LAST_COLUMN) >> 7,
            (set & NOT_FIRST_COLUMN) >> 1,
            (set & NOT_LAST_COLUMN) << 1,
            (set & NOT_FIRST_COLUMN) << 7,
            set << 8,
            (set & NOT_LAST_COLUMN) << 9,
        ]
        .map(Bitboard)
    }

    /// The squares beside a set, some of which may belong to it.
    pub fn around(self) -> Bitboard {
        self.shifted()
            .into_iter()
            .fold(Bitboard::EMPTY, |all, one| all | one)
    }

    /// The set and the squares beside it.
    #[inline(always)]
    pub const fn grown(self) -> Bitboard {
        let set = self.0;
        let wide = set | (set & NOT_LAST_COLUMN) << 1 | (set & NOT_FIRST_COLUMN) >> 1;
        Bitboard(wide | wide << 8 | wide >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Square;
    use proptest::prelude::*;

    #[test]
    fn a_square_has_its_eight_neighbours_and_fewer_at_the_edge() {
        for square in Square::all() {
            let expected: Bitboard = Square::all()
                .filter(|other| {
                    let columns = square.column().abs_diff(other.column());
                    let rows = square.row().abs_diff(other.row());
                    columns.max(rows) == 1
                })
                .collect();
            let alone = Bitboard::from(square);
            assert_eq!(alone.around(), expected, "{square}");
            let steps = alone.shifted();
            let count: u32 = steps.iter().map(|step| step.count()).sum();
            assert_eq!(count, expected.count());
            for (place, step) in steps.iter().enumerate() {
                if !step.is_empty() {
                    assert_eq!(step.shifted()[7 - place], alone);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_set_grows_by_what_is_around_it(set: u64) {
            let set = Bitboard(set);
            prop_assert_eq!(set.grown(), set | set.around());
        }
    }
}
