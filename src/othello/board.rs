//! The board as the rules see it: the player to move and the other.

use super::bitboard::Bitboard;
use super::kernel::{Kernel, Portable};
use super::score::Score;
use super::square::Square;

/// The discs of the player to move and of the opponent; they never overlap. Colours are not
/// stored: see [`Position`](super::Position) for a board with a colour to move.
///
/// ```
/// use emilia::othello::{Board, IllegalMove, Square};
///
/// let f5: Square = "f5".parse()?;
/// assert!(Board::START.legal_moves().contains(f5));
///
/// // Seen by the other player: one disc is left, and four stand against it.
/// let board = Board::START.play(f5)?;
/// assert_eq!((board.mover().count(), board.opponent().count()), (1, 4));
///
/// assert_eq!(board.play(f5), Err(IllegalMove::Occupied(f5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    mover: Bitboard,
    opponent: Bitboard,
}

/// A move the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    #[error("{0} is occupied")]
    Occupied(Square),
    #[error("{0} turns no disc")]
    TurnsNothing(Square),
    #[error("a player who can move may not pass")]
    NeedlessPass,
}

impl Board {
    /// The start: Black to move, with d5 and e4.
    pub const START: Board = Board {
        mover: Bitboard(0x0000_0008_1000_0000),
        opponent: Bitboard(0x0000_0010_0800_0000),
    };

    /// A board of these discs, unless they overlap.
    pub const fn new(mover: Bitboard, opponent: Bitboard) -> Option<Board> {
        if mover.0 & opponent.0 == 0 {
            Some(Board { mover, opponent })
        } else {
            None
        }
    }

    /// A board of discs known to be apart, for the search's inner loops.
    #[inline(always)]
    pub(crate) const fn of_disjoint(mover: u64, opponent: u64) -> Board {
        debug_assert!(mover & opponent == 0);
        Board {
            mover: Bitboard(mover),
            opponent: Bitboard(opponent),
        }
    }

    #[inline]
    pub const fn mover(self) -> Bitboard {
        self.mover
    }

    #[inline]
    pub const fn opponent(self) -> Bitboard {
        self.opponent
    }

    #[inline]
    pub const fn occupied(self) -> Bitboard {
        Bitboard(self.mover.0 | self.opponent.0)
    }

    #[inline]
    pub const fn empties(self) -> Bitboard {
        Bitboard(!self.occupied().0)
    }

    #[inline]
    pub const fn disc_count(self) -> u32 {
        self.occupied().count()
    }

    #[inline]
    pub const fn empty_count(self) -> u32 {
        self.empties().count()
    }

    /// Where the player to move may play.
    #[inline]
    pub fn legal_moves(self) -> Bitboard {
        self.legal_moves_with(Portable)
    }

    #[inline(always)]
    pub fn legal_moves_with<K: Kernel>(self, kernel: K) -> Bitboard {
        Bitboard(kernel.moves(self.mover.0, self.opponent.0))
    }

    /// The discs that a move on an empty square turns; none if the move is illegal.
    #[inline]
    pub fn flips(self, square: Square) -> Bitboard {
        self.flips_with(Portable, square)
    }

    #[inline(always)]
    pub fn flips_with<K: Kernel>(self, kernel: K, square: Square) -> Bitboard {
        Bitboard(kernel.flips(square.index(), self.mover.0, self.opponent.0))
    }

    /// The board after a legal move, seen by the other player, who may have to pass.
    #[inline]
    pub fn play(self, square: Square) -> Result<Board, IllegalMove> {
        self.play_with(Portable, square)
    }

    #[inline(always)]
    pub fn play_with<K: Kernel>(self, kernel: K, square: Square) -> Result<Board, IllegalMove> {
        if self.occupied().contains(square) {
            return Err(IllegalMove::Occupied(square));
        }
        let flips = self.flips_with(kernel, square);
        if flips.is_empty() {
            return Err(IllegalMove::TurnsNothing(square));
        }
        Ok(self.play_unchecked(square, flips))
    }

    /// The board after a move known to be legal that turns `flips`.
    #[inline(always)]
    pub const fn play_unchecked(self, square: Square, flips: Bitboard) -> Board {
        Board {
            mover: Bitboard(self.opponent.0 ^ flips.0),
            opponent: Bitboard(self.mover.0 | flips.0 | square.bit()),
        }
    }

    /// The same discs with the other player to move.
    #[inline]
    pub const fn pass(self) -> Board {
        Board {
            mover: self.opponent,
            opponent: self.mover,
        }
    }

    /// The player to move has no move, but the other has.
    pub fn must_pass(self) -> bool {
        self.legal_moves().is_empty() && !self.pass().legal_moves().is_empty()
    }

    /// Neither player can move.
    pub fn is_over(self) -> bool {
        self.legal_moves().is_empty() && self.pass().legal_moves().is_empty()
    }

    /// The result for the player to move if the game ends here; empty squares go to the winner.
    pub const fn final_score(self) -> Score {
        Score::of_finished(self.mover.count(), self.opponent.count())
    }

    /// Mixes the whole position into 64 well-spread bits, for tables in memory. Records on disk
    /// use keys, never this hash, so it may change from version to version.
    #[inline(always)]
    pub const fn hash(self) -> u64 {
        // Two odd constants, one widening product: every input bit reaches both halves.
        let a = self.mover.0 ^ 0x9e37_79b9_7f4a_7c15;
        let b = self.opponent.0 ^ 0xd1b5_4a32_d192_ed03;
        let product = (a.wrapping_mul(0xa076_1d64_78bd_642f) as u128)
            .wrapping_mul((b.rotate_left(32) ^ a) as u128 | 1 << 64);
        let folded = product as u64 ^ (product >> 64) as u64;
        folded ^ b.wrapping_mul(0xe703_7ed1_a0b4_28db).rotate_right(29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_start_has_four_moves_and_black_owns_d5() {
        let moves: Vec<String> = Board::START
            .legal_moves()
            .into_iter()
            .map(|s| s.to_string())
            .collect();
        assert_eq!(moves, ["d3", "c4", "f5", "e6"]);
        assert!(Board::START.mover().contains("d5".parse().unwrap()));
    }

    #[test]
    fn an_illegal_move_says_why() {
        let play = |name: &str| Board::START.play(name.parse().unwrap()).unwrap_err();
        assert_eq!(play("d4").to_string(), "d4 is occupied");
        assert_eq!(play("a1").to_string(), "a1 turns no disc");
    }

    #[test]
    fn overlapping_discs_make_no_board() {
        assert_eq!(Board::new(Bitboard(3), Bitboard(2)), None);
    }

    #[test]
    fn the_hash_spreads_the_opening_positions_over_a_small_table() {
        let mut layer = HashSet::from([Board::START]);
        for _ in 0..7 {
            layer = layer
                .iter()
                .flat_map(|b| b.legal_moves().into_iter().map(|s| b.play(s).unwrap()))
                .collect();
        }
        let slots: HashSet<u64> = layer.iter().map(|b| b.hash() >> 48).collect();
        // Of n boards thrown into 65536 slots at random, about 65536(1 − e^(−n/65536)) are hit.
        let expected = 65536.0 * (1.0 - (-(layer.len() as f64) / 65536.0).exp());
        assert!(
            slots.len() as f64 > 0.98 * expected,
            "{} of {expected}",
            slots.len()
        );
        let low: HashSet<u64> = layer.iter().map(|b| b.hash() & 0xffff).collect();
        assert!(
            low.len() as f64 > 0.98 * expected,
            "{} of {expected}",
            low.len()
        );
    }
}
