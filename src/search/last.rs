//! The last four empties, unrolled: nine of ten nodes of an endgame are here.
//!
//! All scores are discs; `alpha` opens the null window (alpha, alpha + 1). Each function counts
//! the positions it looks at.

use super::last_squares::Squares;
use crate::othello::kernel::{Call, Kernel};
use crate::othello::{Bitboard, Board, Score};

/// The final score of the player whose discs these are.
#[inline(always)]
pub fn final_score(own: u64, other: u64) -> i32 {
    Score::of_finished(own.count_ones(), other.count_ones()).discs()
}

/// One empty square; `own` is to move and everything but `square` and `own` is the opponent's. A
/// score that is not above alpha may be too high.
#[inline(always)]
pub fn last_1<K: Kernel>(kernel: K, own: u64, square: u8, alpha: i32) -> i32 {
    let square = square as usize & 63;
    let discs = own.count_ones() as i32;
    let turned = kernel.count_last_flips(square, own) as i32;
    if turned != 0 {
        return 2 * (discs + turned + 1) - 64;
    }
    // Without a move it gets the empty square at best.
    let most = 2 * discs - 62;
    if most <= alpha {
        return most;
    }
    let turned = kernel.count_last_flips(square, !own & !(1 << square)) as i32;
    if turned != 0 {
        return 2 * (discs - turned) - 64;
    }
    // Nobody can play: the empty square goes to the winner. 63 discs: no draw.
    2 * discs - if discs >= 32 { 62 } else { 64 }
}

/// The score of a position whose mover can move, of the other's answer to a pass, or of the end.
/// Passes are rare, and their code is kept apart from what runs all the time.
macro_rules! or_pass {
    ($best:ident, $passed:ident, $kernel:expr, $nodes:expr, $board:expr, $squares:expr, $alpha:expr) => {
        match $best($kernel, $nodes, $board, $squares, $alpha) {
            Some(score) => score,
            None => $kernel.call_apart::<$passed, _, _, _, _>($nodes, $board, $squares, $alpha),
        }
    };
}

/// The score after a pass: the other's answer, or the end.
macro_rules! after_pass {
    ($passed:ident, $best:ident, $squares:ty) => {
        struct $passed;

        impl Call<&mut u64, Board, $squares, i32> for $passed {
            type Output = i32;

            #[inline(always)]
            fn run<K: Kernel>(
                kernel: K,
                nodes: &mut u64,
                board: Board,
                squares: $squares,
                alpha: i32,
            ) -> i32 {
                match $best(kernel, nodes, board.pass(), squares, -alpha - 1) {
                    Some(score) => -score,
                    None => final_score(board.mover().0, board.opponent().0),
                }
            }
        }
    };
}

after_pass!(Passed2, best_of_2, (u8, u8));
after_pass!(Passed3, best_of_3, [u8; 3]);
after_pass!(Passed4, best_of_4, Squares);

#[inline(always)]
pub fn last_2<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    board: Board,
    squares: (u8, u8),
    alpha: i32,
) -> i32 {
    *nodes += 1;
    or_pass!(best_of_2, Passed2, kernel, nodes, board, squares, alpha)
}

/// The best score over two squares, or one above alpha; none without a move.
#[inline(always)]
fn best_of_2<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    board: Board,
    (a, b): (u8, u8),
    alpha: i32,
) -> Option<i32> {
    let mut best = None;
    if let Some(next) = try_move(kernel, board, a) {
        *nodes += 1;
        let score = -last_1(kernel, next.mover().0, b, -alpha - 1);
        if score > alpha {
            return Some(score);
        }
        best = Some(score);
    }
    if let Some(next) = try_move(kernel, board, b) {
        *nodes += 1;
        best = best.max(Some(-last_1(kernel, next.mover().0, a, -alpha - 1)));
    }
    best
}

/// Three empties: the last three of four squares, in any order.
pub struct Last3;

impl Call<&mut u64, Board, Squares, i32> for Last3 {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(
        kernel: K,
        nodes: &mut u64,
        board: Board,
        squares: Squares,
        alpha: i32,
    ) -> i32 {
        *nodes += 1;
        or_pass!(
            best_of_3,
            Passed3,
            kernel,
            nodes,
            board,
            squares.last_3_single_first(),
            alpha
        )
    }
}

#[inline(always)]
fn best_of_3<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    board: Board,
    [a, b, c]: [u8; 3],
    alpha: i32,
) -> Option<i32> {
    // The three orders in one register, taken off at its low end.
    let order = |a: u8, b: u8, c: u8| u64::from(a) | u64::from(b) << 6 | u64::from(c) << 12;
    let mut orders = order(a, b, c) | order(b, a, c) << 18 | order(c, a, b) << 36;
    let mut best = None;
    for _ in 0..3 {
        let place = |number: u32| (orders >> (6 * number)) as u8 & 63;
        if let Some(next) = try_move(kernel, board, place(0)) {
            let score = -last_2(kernel, nodes, next, (place(1), place(2)), -alpha - 1);
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
        orders >>= 18;
    }
    best
}

/// Four empties in the order in which they should be tried.
pub struct Last4;

impl Call<&mut u64, Board, Squares, i32> for Last4 {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(
        kernel: K,
        nodes: &mut u64,
        board: Board,
        squares: Squares,
        alpha: i32,
    ) -> i32 {
        *nodes += 1;
        or_pass!(best_of_4, Passed4, kernel, nodes, board, squares, alpha)
    }
}

#[inline(always)]
fn best_of_4<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    board: Board,
    squares: Squares,
    alpha: i32,
) -> Option<i32> {
    let mut best = None;
    for first in 0..4 {
        let order = squares.with_first(first);
        if let Some(next) = try_move(kernel, board, order.get(0)) {
            let score = -kernel.call::<Last3, _, _, _, _>(&mut *nodes, next, order, -alpha - 1);
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
    }
    best
}

/// The board after a move, if it is legal.
#[inline(always)]
fn try_move<K: Kernel>(kernel: K, board: Board, square: u8) -> Option<Board> {
    let (own, other) = (board.mover().0, board.opponent().0);
    // Most of the last squares touch no opposing disc or turn none; the first test is cheaper.
    if NEIGHBOURS[square as usize & 63] & other == 0 {
        return None;
    }
    let flips = kernel.flips(square as usize, own, other);
    (flips != 0).then_some(Board::of_disjoint(other ^ flips, own | flips | 1 << square))
}

/// The squares around each square.
static NEIGHBOURS: [u64; 64] = neighbours();

const fn neighbours() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1 << square;
        table[square] = Bitboard(bit).grown().0 & !bit;
        square += 1;
    }
    table
}
