//! The eight symmetries of the board and the canonical form.

use super::bitboard::Bitboard;
use super::board::Board;
use super::square::Square;

/// One of the eight ways to turn or mirror the board. Bit 0 mirrors left and right, bit 1 top and
/// bottom, bit 2 then mirrors about the a1–h8 diagonal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    pub const IDENTITY: Symmetry = Symmetry(0);

    pub fn all() -> impl ExactSizeIterator<Item = Symmetry> {
        (0..8).map(Symmetry)
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // Only the quarter turns (5, 6) are not their own inverse.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            same => Symmetry(same),
        }
    }

    #[inline]
    pub const fn apply(self, set: Bitboard) -> Bitboard {
        let mut bits = set.0;
        if self.0 & 1 != 0 {
            bits = mirror_columns(bits);
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes();
        }
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        Bitboard(bits)
    }

    #[inline]
    pub const fn apply_to_square(self, square: Square) -> Square {
        let mut column = square.column();
        let mut row = square.row();
        if self.0 & 1 != 0 {
            column = 7 - column;
        }
        if self.0 & 2 != 0 {
            row = 7 - row;
        }
        if self.0 & 4 != 0 {
            (column, row) = (row, column);
        }
        Square::at(column, row)
    }
}

impl Board {
    /// The board under a symmetry.
    #[inline]
    pub fn under(self, symmetry: Symmetry) -> Board {
        // A symmetry moves squares one to one, so the discs stay apart.
        Board::new(
            symmetry.apply(self.mover()),
            symmetry.apply(self.opponent()),
        )
        .unwrap_or(self)
    }

    /// The smallest of the eight symmetric boards (by mover, then opponent).
    #[inline]
    pub fn canonical(self) -> Board {
        self.canonical_with_symmetry().0
    }

    /// The canonical board and the symmetry that leads to it. A board that is symmetric itself
    /// has several; the first is given.
    #[inline]
    pub fn canonical_with_symmetry(self) -> (Board, Symmetry) {
        // Each image is one cheap step from the one before it, rather than made from scratch.
        let mut best = (self, Symmetry::IDENTITY);
        let mut consider = |board: Board, symmetry: u8| {
            if board < best.0 {
                best = (board, Symmetry(symmetry));
            }
        };
        let image = |board: Board, map: fn(u64) -> u64| {
            Board::new(
                Bitboard(map(board.mover().0)),
                Bitboard(map(board.opponent().0)),
            )
            .unwrap_or(board)
        };
        let columns = image(self, mirror_columns);
        let rows = image(self, u64::swap_bytes);
        let both = image(columns, u64::swap_bytes);
        consider(columns, 1);
        consider(rows, 2);
        consider(both, 3);
        consider(image(self, transpose), 4);
        consider(image(columns, transpose), 5);
        consider(image(rows, transpose), 6);
        consider(image(both, transpose), 7);
        best
    }
}

#[inline]
const fn mirror_columns(mut bits: u64) -> u64 {
    bits = (bits >> 1) & 0x5555_5555_5555_5555 | (bits & 0x5555_5555_5555_5555) << 1;
    bits = (bits >> 2) & 0x3333_3333_3333_3333 | (bits & 0x3333_3333_3333_3333) << 2;
    (bits >> 4) & 0x0f0f_0f0f_0f0f_0f0f | (bits & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// Mirrors about the a1–h8 diagonal by swapping blocks of 1, 2 and 4 squares.
#[inline]
const fn transpose(mut bits: u64) -> u64 {
    let mut t = (bits ^ (bits >> 7)) & 0x00aa_00aa_00aa_00aa;
    bits ^= t ^ (t << 7);
    t = (bits ^ (bits >> 14)) & 0x0000_cccc_0000_cccc;
    bits ^= t ^ (t << 14);
    t = (bits ^ (bits >> 28)) & 0x0000_0000_f0f0_f0f0;
    bits ^ t ^ (t << 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_board() -> impl Strategy<Value = Board> {
        (any::<u64>(), any::<u64>()).prop_map(|(discs, colours)| {
            Board::new(Bitboard(discs & colours), Bitboard(discs & !colours)).unwrap()
        })
    }

    proptest! {
        #[test]
        fn a_symmetry_moves_the_set_as_it_moves_each_square(bits: u64) {
            for symmetry in Symmetry::all() {
                let one_by_one: Bitboard =
                    Bitboard(bits).into_iter().map(|s| symmetry.apply_to_square(s)).collect();
                prop_assert_eq!(symmetry.apply(Bitboard(bits)), one_by_one);
            }
        }

        #[test]
        fn the_inverse_undoes(bits: u64) {
            for symmetry in Symmetry::all() {
                let there = symmetry.apply(Bitboard(bits));
                prop_assert_eq!(symmetry.inverse().apply(there), Bitboard(bits));
            }
        }

        #[test]
        fn all_eight_images_share_one_canonical_form(board in any_board()) {
            let canonical = board.canonical();
            for symmetry in Symmetry::all() {
                let image = board.under(symmetry);
                prop_assert!(canonical <= image);
                let (form, path) = image.canonical_with_symmetry();
                prop_assert_eq!(form, canonical);
                prop_assert_eq!(image.under(path), canonical);
            }
        }

        #[test]
        fn the_rules_do_not_see_symmetry(board in any_board()) {
            let moves = board.legal_moves();
            for symmetry in Symmetry::all() {
                prop_assert_eq!(board.under(symmetry).legal_moves(), symmetry.apply(moves));
                for square in moves {
                    let there = board.under(symmetry).play(symmetry.apply_to_square(square));
                    prop_assert_eq!(there, board.play(square).map(|b| b.under(symmetry)));
                }
            }
        }
    }
}
