//! What patterns cannot see: counts over the whole board, each with a small table of weights.

use crate::othello::kernel::Kernel;
use crate::othello::{Bitboard, Board};

/// How many counts there are.
pub const SCALARS: usize = 5;

/// Entries of each count's table; larger counts share the last one.
pub const SCALAR_SIZE: usize = 32;

/// The counts of a position, all below [`SCALAR_SIZE`]: the mover's moves, the opponent's moves,
/// the empty squares beside opponent's discs (where the mover may play one day), those beside the
/// mover's discs, and which quadrants have an odd number of empty squares.
#[inline(always)]
pub fn scalars<K: Kernel>(kernel: K, board: Board) -> [usize; SCALARS] {
    let (mover, opponent) = (board.mover().0, board.opponent().0);
    let empties = !(mover | opponent);
    let count = |set: u64| (set.count_ones() as usize).min(SCALAR_SIZE - 1);
    [
        count(kernel.moves(mover, opponent)),
        count(kernel.moves(opponent, mover)),
        count(board.opponent().grown().0 & empties),
        count(board.mover().grown().0 & empties),
        parity(Bitboard(empties)),
    ]
}

/// The number of quadrants with an odd number of empty squares, or 5 for two odd quadrants that
/// touch only at the centre. The symmetries of the board do not change it; whether it is odd tells
/// who moves last.
#[inline(always)]
fn parity(empties: Bitboard) -> usize {
    const OPPOSITE: [Bitboard; 2] = [
        Bitboard(1 << 63 | 1).odd_quadrant_marks(),
        Bitboard(1 << 56 | 1 << 7).odd_quadrant_marks(),
    ];
    let odd = empties.odd_quadrant_marks();
    if odd == OPPOSITE[0] || odd == OPPOSITE[1] {
        5
    } else {
        odd.count() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::othello::kernel::Portable;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_counts_do_not_see_symmetry_and_stay_in_their_tables(discs: u64, colours: u64) {
            let board = Board::new(Bitboard(discs & colours), Bitboard(discs & !colours)).unwrap();
            let counts = scalars(Portable, board);
            prop_assert!(counts.iter().all(|&count| count < SCALAR_SIZE));
            for symmetry in Symmetry::all() {
                prop_assert_eq!(scalars(Portable, board.under(symmetry)), counts);
            }
        }
    }
}
