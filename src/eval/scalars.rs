//! What patterns cannot see: counts over the whole board, each with a small table of weights.

use crate::othello::Board;
use crate::othello::kernel::Kernel;

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
        count(neighbours(opponent) & empties),
        count(neighbours(mover) & empties),
        parity(empties),
    ]
}

/// The number of quadrants with an odd number of empty squares, or 5 for two odd quadrants that
/// touch only at the centre. The symmetries of the board do not change it; whether it is odd tells
/// who moves last.
#[inline(always)]
fn parity(empties: u64) -> usize {
    const WEST: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const NORTH: u64 = 0x0000_0000_ffff_ffff;
    let odd = |quadrant: u64| (empties & quadrant).count_ones() as usize & 1;
    let (a, b) = (odd(WEST & NORTH), odd(!WEST & NORTH));
    let (c, d) = (odd(WEST & !NORTH), odd(!WEST & !NORTH));
    let total = a + b + c + d;
    if total == 2 && a == d { 5 } else { total }
}

/// The squares beside or diagonally beside a set, and the set itself.
#[inline(always)]
fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    wide | wide << 8 | wide >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::kernel::Portable;
    use crate::othello::{Bitboard, Symmetry};
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
