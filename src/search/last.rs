//! The last four empties, unrolled: nine of ten nodes of an endgame are here.
//!
//! All scores are discs; `alpha` opens the null window (alpha, alpha + 1). Each function counts
//! the positions it looks at.

use crate::othello::Score;
use crate::othello::kernel::Kernel;

/// No legal move has been found yet: below every score.
const NONE: i32 = -127;

/// The final score of the player whose discs these are.
#[inline(always)]
pub fn final_score(own: u64, other: u64) -> i32 {
    Score::of_finished(own.count_ones(), other.count_ones()).discs()
}

/// One empty square; `own` is to move and everything but `square` and `own` is the opponent's.
#[inline(always)]
pub fn last_1<K: Kernel>(kernel: K, own: u64, square: usize) -> i32 {
    let discs = own.count_ones() as i32;
    let turned = kernel.count_last_flips(square, own) as i32;
    if turned != 0 {
        return 2 * (discs + turned + 1) - 64;
    }
    let turned = kernel.count_last_flips(square, !own & !(1 << square)) as i32;
    if turned != 0 {
        return 2 * (discs - turned) - 64;
    }
    // Nobody can play: the empty square goes to the winner. 63 discs: no draw.
    2 * discs - if discs >= 32 { 62 } else { 64 }
}

#[inline(always)]
pub fn last_2<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    own: u64,
    other: u64,
    alpha: i32,
    a: usize,
    b: usize,
) -> i32 {
    *nodes += 1;
    let mut best = NONE;
    let flips = kernel.flips(a, own, other);
    if flips != 0 {
        *nodes += 1;
        best = -last_1(kernel, other ^ flips, b);
        if best > alpha {
            return best;
        }
    }
    let flips = kernel.flips(b, own, other);
    if flips != 0 {
        *nodes += 1;
        return best.max(-last_1(kernel, other ^ flips, a));
    }
    if best != NONE {
        return best;
    }
    // A pass: the same for the other side, minimising.
    let mut least = -NONE;
    let flips = kernel.flips(a, other, own);
    if flips != 0 {
        *nodes += 1;
        least = last_1(kernel, own ^ flips, b);
        if least <= alpha {
            return least;
        }
    }
    let flips = kernel.flips(b, other, own);
    if flips != 0 {
        *nodes += 1;
        return least.min(last_1(kernel, own ^ flips, a));
    }
    if least != -NONE {
        least
    } else {
        final_score(own, other)
    }
}

/// Three empties, in any order.
#[inline(always)]
pub fn last_3<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    own: u64,
    other: u64,
    alpha: i32,
    squares: [usize; 3],
) -> i32 {
    *nodes += 1;
    let [a, b, c] = single_first(squares);
    let mut best = NONE;
    for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
        let flips = kernel.flips(square, own, other);
        if flips != 0 {
            let next = own | flips | 1 << square;
            let score = -last_2(kernel, nodes, other ^ flips, next, -alpha - 1, x, y);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best != NONE {
        return best;
    }
    let mut least = -NONE;
    for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
        let flips = kernel.flips(square, other, own);
        if flips != 0 {
            let next = other | flips | 1 << square;
            let score = last_2(kernel, nodes, own ^ flips, next, alpha, x, y);
            if score <= alpha {
                return score;
            }
            least = least.min(score);
        }
    }
    if least != -NONE {
        least
    } else {
        final_score(own, other)
    }
}

/// Four empties in the order in which they should be tried.
#[inline(always)]
pub fn last_4<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    own: u64,
    other: u64,
    alpha: i32,
    squares: [usize; 4],
) -> i32 {
    *nodes += 1;
    let [a, b, c, d] = squares;
    let orders = [
        (a, [b, c, d]),
        (b, [a, c, d]),
        (c, [a, b, d]),
        (d, [a, b, c]),
    ];
    let mut best = NONE;
    for (square, rest) in orders {
        let flips = kernel.flips(square, own, other);
        if flips != 0 {
            let next = own | flips | 1 << square;
            let score = -last_3(kernel, nodes, other ^ flips, next, -alpha - 1, rest);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best != NONE {
        return best;
    }
    let mut least = -NONE;
    for (square, rest) in orders {
        let flips = kernel.flips(square, other, own);
        if flips != 0 {
            let next = other | flips | 1 << square;
            let score = last_3(kernel, nodes, own ^ flips, next, alpha, rest);
            if score <= alpha {
                return score;
            }
            least = least.min(score);
        }
    }
    if least != -NONE {
        least
    } else {
        final_score(own, other)
    }
}

const QUADRANTS: [u64; 4] = [
    0x0f0f_0f0f,
    0xf0f0_f0f0,
    0x0f0f_0f0f << 32,
    0xf0f0_f0f0 << 32,
];

/// Four empty squares, those alone in their quadrant first: there the mover has the last word.
#[inline(always)]
pub fn by_parity(empties: u64) -> [usize; 4] {
    let alone = QUADRANTS.iter().fold(0, |alone, &quadrant| {
        let here = empties & quadrant;
        // Clearing the lowest bit empties a quadrant of one square.
        alone
            | if here & here.wrapping_sub(1) == 0 {
                here
            } else {
                0
            }
    });
    let others = empties & !alone;
    let (first, then) = if alone == 0 {
        (others, 0)
    } else {
        (alone, others)
    };
    let mut squares = [0; 4];
    let (mut left, mut next) = (first, then);
    for square in &mut squares {
        if left == 0 {
            (left, next) = (next, 0);
        }
        *square = left.trailing_zeros() as usize & 63;
        left &= left.wrapping_sub(1);
    }
    squares
}

/// Three squares with the one that is alone in its quadrant first.
#[inline(always)]
fn single_first([a, b, c]: [usize; 3]) -> [usize; 3] {
    // Two squares share a quadrant when they agree in bits 2 (column half) and 5 (row half).
    let apart = |x: usize, y: usize| (x ^ y) & 0b100_100 != 0;
    if !apart(a, b) {
        [c, a, b]
    } else if !apart(a, c) {
        [b, a, c]
    } else {
        [a, b, c]
    }
}
