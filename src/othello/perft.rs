//! Counting the leaves of the game tree: the proof that move generation is right.

use super::bitboard::Bitboard;
use super::board::Board;
use super::kernel::{Job, Kernel, Tier, dispatch_on};

/// Whether a forced pass uses up a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passes {
    CountAsMove,
    Free,
}

/// The number of positions after exactly `depth` plies; a game that ends earlier counts as one
/// leaf where it ends.
pub fn perft(board: Board, depth: u32, passes: Passes) -> u64 {
    perft_on(Tier::best(), board, depth, passes)
}

/// [`perft`] on a given CPU tier.
pub fn perft_on(tier: Tier, board: Board, depth: u32, passes: Passes) -> u64 {
    match passes {
        Passes::CountAsMove => dispatch_on(tier, Count::<false> { board, depth }),
        Passes::Free => dispatch_on(tier, Count::<true> { board, depth }),
    }
}

struct Count<const PASSES_FREE: bool> {
    board: Board,
    depth: u32,
}

impl<const PASSES_FREE: bool> Job for Count<PASSES_FREE> {
    type Output = u64;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> u64 {
        let Count { mut board, depth } = self;
        if depth == 0 {
            return 1;
        }
        let mut moves = board.legal_moves_with(kernel);
        if moves.is_empty() {
            let other = board.pass();
            let answers = other.legal_moves_with(kernel);
            if answers.is_empty() {
                return 1;
            }
            if !PASSES_FREE {
                let count = Count::<PASSES_FREE> {
                    board: other,
                    depth: depth - 1,
                };
                return kernel.enter(count);
            }
            (board, moves) = (other, answers);
        }
        match depth {
            1 => moves.count() as u64,
            2 => children(kernel, board, moves)
                .map(|b| leaves_below::<PASSES_FREE, K>(kernel, b))
                .sum(),
            _ => children(kernel, board, moves)
                .map(|board| {
                    kernel.enter(Count::<PASSES_FREE> {
                        board,
                        depth: depth - 1,
                    })
                })
                .sum(),
        }
    }
}

#[inline(always)]
fn children<K: Kernel>(kernel: K, board: Board, moves: Bitboard) -> impl Iterator<Item = Board> {
    moves
        .into_iter()
        .map(move |square| board.play_unchecked(square, board.flips_with(kernel, square)))
}

/// The leaves one ply below, without a call: most of the time goes here.
#[inline(always)]
fn leaves_below<const PASSES_FREE: bool, K: Kernel>(kernel: K, board: Board) -> u64 {
    let moves = board.legal_moves_with(kernel).count() as u64;
    if moves != 0 {
        return moves;
    }
    if !PASSES_FREE {
        return 1;
    }
    (board.pass().legal_moves_with(kernel).count() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_PASSES: [u64; 10] = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284];

    #[test]
    fn the_known_counts_on_every_tier() {
        for &tier in Tier::available() {
            for (ply, &expected) in WITH_PASSES.iter().enumerate().take(9) {
                let found = perft_on(tier, Board::START, ply as u32 + 1, Passes::CountAsMove);
                assert_eq!(found, expected, "{tier}, {} plies", ply + 1);
            }
            assert_eq!(
                perft_on(tier, Board::START, 9, Passes::Free),
                3005320,
                "{tier}"
            );
        }
    }

    #[test]
    fn ten_plies_with_and_without_passes() {
        assert_eq!(perft(Board::START, 10, Passes::CountAsMove), WITH_PASSES[9]);
        assert_eq!(perft(Board::START, 10, Passes::Free), 24571420);
    }

    #[test]
    fn a_finished_game_is_one_leaf_and_no_ply_is_one_leaf() {
        let over = Board::new(Bitboard(1), Bitboard::EMPTY).unwrap();
        assert_eq!(perft(over, 5, Passes::CountAsMove), 1);
        assert_eq!(perft(Board::START, 0, Passes::Free), 1);
    }
}
