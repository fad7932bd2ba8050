//! The exact endgame in whole discs, null window only: from the reach of the evaluation's move
//! ordering down to the last four squares.

use super::candidates::Candidates;
use super::last::{Last3, Last4, final_score, last_1, last_2};
use super::last_squares::Squares;
use super::params::{
    END_CORNER, END_ETC_EMPTIES, END_FRONTIER, END_MOBILITY, END_PARITY, FORGET_EMPTIES,
    FRONTIER_MIN_EMPTIES, LOCAL_EMPTIES, SHALLOW_EMPTIES, STABILITY_FROM,
};
use super::selectivity::Selectivity;
use super::stability::count_stable;
use super::table::{Finding, Table};
use super::worker::Worker;
use crate::othello::kernel::{Call, Kernel};
use crate::othello::{Bitboard, Board, Square};

const CORNERS: u64 = Bitboard::CORNERS.0;

/// A position to solve, with its legal moves, known to the caller from ordering, and alpha.
struct EndNullWindow;

impl<K: Kernel> Call<&mut Worker<'_, K>, Board, u64, i32> for EndNullWindow {
    type Output = i32;

    /// Whether the score is above `alpha`, as a bound in discs.
    #[inline(always)]
    fn run<Same: Kernel>(
        _: Same,
        worker: &mut Worker<'_, K>,
        board: Board,
        moves: u64,
        alpha: i32,
    ) -> i32 {
        let (own, other) = (board.mover().0, board.opponent().0);
        let empties_set = board.empties().0;
        let empties = empties_set.count_ones();
        if moves == 0 {
            return worker.end_after_pass(board, alpha);
        }
        worker.nodes += 1;
        if let Some(bound) = worker.stability_cut(own, other, alpha, empties) {
            return bound;
        }
        let hash = board.hash();
        let mut table_moves = [None; 2];
        let remembered = empties > FORGET_EMPTIES;
        if remembered && let Some(known) = worker.end_table(empties).probe(board, hash) {
            if known.depth as u32 >= empties && known.selectivity == Selectivity::Exact {
                if known.lower as i32 > alpha * 100 {
                    return known.lower as i32 / 100;
                }
                if known.upper as i32 <= alpha * 100 {
                    return known.upper as i32 / 100;
                }
            }
            table_moves = [known.best, known.second];
        }

        let mut candidates = Candidates::new();
        let mut key = i32::MIN;
        let odd = odd_quadrants(empties_set);
        let mut left = moves;
        while left != 0 {
            let square = left.trailing_zeros();
            left &= left - 1;
            let flips = worker.kernel.flips(square as usize, own, other);
            if flips == other {
                return 64;
            }
            let bit = 1 << square;
            let (next_own, next_other) = (other ^ flips, own | flips | bit);
            if empties > FORGET_EMPTIES + 1 {
                let next = Board::of_disjoint(next_own, next_other);
                worker.end_table(empties - 1).prefetch(next.hash());
            }
            let answers = worker.kernel.moves(next_own, next_other);
            let mut score = -END_MOBILITY * weighted_mobility(answers);
            if empties >= FRONTIER_MIN_EMPTIES {
                score -= END_FRONTIER * frontier(next_other, !(next_own | next_other));
            }
            if odd & bit != 0 {
                score += END_PARITY;
            }
            if bit & CORNERS != 0 {
                score += END_CORNER;
            }
            key = key.max(candidates.push(square, flips, answers, score));
        }
        if table_moves[0].is_some() {
            key = candidates.prefer(table_moves);
        }

        if empties >= END_ETC_EMPTIES
            && let Some(score) = worker.known_refutation(board, &candidates, alpha)
        {
            return score;
        }
        let mut best = (i32::MIN, 0);
        // Every candidate is tried once.
        while key != i32::MIN {
            let (place, square) = (Candidates::place(key), Candidates::square(key));
            let flips = candidates.flips[place];
            let next = Board::of_disjoint(other ^ flips, own | flips | 1 << square);
            let score = -worker.end_null_window(next, candidates.answers[place], -alpha - 1);
            if score > best.0 {
                best = (score, square);
                if score > alpha {
                    break;
                }
            }
            key = candidates.after(key);
        }
        if remembered {
            let finding = Finding {
                value: best.0 * 100,
                alpha: alpha * 100,
                beta: alpha * 100 + 1,
                depth: empties,
                selectivity: Selectivity::Exact,
                best: Square::new(best.1 as u8),
            };
            worker.end_table(empties).store(board, hash, finding);
        }
        best.0
    }
}

/// The same with few empties: odd quadrants first, and no other order.
struct Shallow;

impl<K: Kernel> Call<&mut Worker<'_, K>, Board, u64, i32> for Shallow {
    type Output = i32;

    #[inline(always)]
    fn run<Same: Kernel>(
        _: Same,
        worker: &mut Worker<'_, K>,
        board: Board,
        moves: u64,
        alpha: i32,
    ) -> i32 {
        let (own, other) = (board.mover().0, board.opponent().0);
        let empties_set = board.empties().0;
        let empties = empties_set.count_ones();
        if empties <= 4 {
            return solve_last(worker, board, alpha);
        }
        if moves == 0 {
            return worker.end_after_pass(board, alpha);
        }
        worker.nodes += 1;
        if let Some(bound) = worker.stability_cut(own, other, alpha, empties) {
            return bound;
        }
        let odd = odd_quadrants(empties_set);
        let mut best = i32::MIN;
        for set in [moves & odd, moves & !odd] {
            let mut left = set;
            while left != 0 {
                let square = left.trailing_zeros();
                left &= left - 1;
                let flips = worker.kernel.flips(square as usize, own, other);
                let (next_own, next_other) = (other ^ flips, own | flips | 1 << square);
                let next = Board::of_disjoint(next_own, next_other);
                let score = if empties == 5 {
                    let odd = odd ^ quadrant_of(square);
                    let squares = Squares::by_parity(empties_set & !(1 << square), odd);
                    let (kernel, nodes) = (worker.kernel, &mut worker.nodes);
                    -kernel.call::<Last4, _, _, _, _>(nodes, next, squares, -alpha - 1)
                } else {
                    let answers = worker.kernel.moves(next_own, next_other);
                    let kernel = worker.kernel;
                    -kernel.call::<Shallow, _, _, _, _>(&mut *worker, next, answers, -alpha - 1)
                };
                if score > alpha {
                    return score;
                }
                best = best.max(score);
            }
        }
        best
    }
}

impl<K: Kernel> Worker<'_, K> {
    #[inline(always)]
    pub fn end_null_window(&mut self, board: Board, moves: u64, alpha: i32) -> i32 {
        let kernel = self.kernel;
        if board.empty_count() <= SHALLOW_EMPTIES {
            kernel.call::<Shallow, _, _, _, _>(self, board, moves, alpha)
        } else {
            kernel.call::<EndNullWindow, _, _, _, _>(self, board, moves, alpha)
        }
    }

    /// The player to move has no move.
    #[inline(always)]
    fn end_after_pass(&mut self, board: Board, alpha: i32) -> i32 {
        let (own, other) = (board.mover().0, board.opponent().0);
        let answers = self.kernel.moves(other, own);
        if answers == 0 {
            return final_score(own, other);
        }
        -self.end_null_window(board.pass(), answers, -alpha - 1)
    }

    /// The score within a window of discs, by null windows from its middle outwards.
    pub fn end_window(&mut self, board: Board, moves: u64, alpha: i32, beta: i32) -> i32 {
        let (mut lower, mut upper) = (alpha, beta);
        let mut score = alpha;
        while lower < upper {
            let middle = lower + (upper - lower) / 2;
            score = self.end_null_window(board, moves, middle);
            if score > middle {
                lower = score;
            } else {
                upper = score;
            }
        }
        score
    }

    /// The score of a move whose position the table already knows to be bad enough for the opponent.
    #[inline(always)]
    fn known_refutation(&self, board: Board, moves: &Candidates, alpha: i32) -> Option<i32> {
        let (own, other) = (board.mover().0, board.opponent().0);
        let empties = board.empty_count() - 1;
        let table = self.end_table(empties);
        for (square, flips) in moves.iter() {
            let next = Board::of_disjoint(other ^ flips, own | flips | 1 << square);
            if let Some(known) = table.probe(next, next.hash())
                && known.depth as u32 >= empties
                && known.selectivity == Selectivity::Exact
                && -(known.upper as i32) > alpha * 100
            {
                return Some(-(known.upper as i32) / 100);
            }
        }
        None
    }

    /// Where positions with this many empties are remembered.
    #[inline(always)]
    fn end_table(&self, empties: u32) -> &Table {
        if empties <= LOCAL_EMPTIES {
            self.local
        } else {
            self.table
        }
    }

    /// The opponent's stable discs already keep the score at or below alpha.
    #[inline(always)]
    pub fn stability_cut(&self, own: u64, other: u64, alpha: i32, empties: u32) -> Option<i32> {
        if alpha < STABILITY_FROM[empties as usize & 63]
            // All its discs would not be enough.
            || 2 * other.count_ones() as i32 <= 63 - alpha
        {
            return None;
        }
        let bound = 64 - 2 * count_stable(self.edges, other, own) as i32;
        (bound <= alpha).then_some(bound)
    }
}

/// The squares in quadrants with an odd number of empties.
#[inline(always)]
pub fn odd_quadrants(empties: u64) -> u64 {
    // The parity of a quadrant, folded into the lowest bit of its corner, then spread over it.
    let mut parity = empties ^ empties >> 1;
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000_0011_0000_0011) * TOP_LEFT
}

const TOP_LEFT: u64 = 0x0f0f_0f0f;

/// The quadrant of a square (< 64).
#[inline(always)]
fn quadrant_of(square: u32) -> u64 {
    TOP_LEFT << (square & 0b100_100)
}

/// Moves with corners counted twice.
#[inline(always)]
pub fn weighted_mobility(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// The empty squares beside these discs: where the other side may come to move.
#[inline(always)]
pub fn frontier(discs: u64, empties: u64) -> i32 {
    let columns = discs & 0x7e7e_7e7e_7e7e_7e7e;
    let rows = discs & 0x00ff_ffff_ffff_ff00;
    let both = columns & rows;
    let around = columns << 1
        | columns >> 1
        | rows << 8
        | rows >> 8
        | both << 7
        | both >> 7
        | both << 9
        | both >> 9;
    (around & empties).count_ones() as i32
}

/// A search that starts with four empties or fewer.
#[inline(always)]
fn solve_last<K: Kernel>(worker: &mut Worker<'_, K>, board: Board, alpha: i32) -> i32 {
    let (own, other) = (board.mover().0, board.opponent().0);
    let empties = board.empties().0;
    let (kernel, nodes) = (worker.kernel, &mut worker.nodes);
    let squares = Squares::in_order(empties);
    let (a, b) = (squares.get(0), squares.get(1));
    match empties.count_ones() {
        0 => final_score(own, other),
        1 => {
            *nodes += 1;
            last_1(kernel, own, a, alpha)
        }
        2 => last_2(kernel, nodes, board, (a, b), alpha),
        3 => kernel.call::<Last3, _, _, _, _>(nodes, board, squares.as_last_3(), alpha),
        _ => {
            let squares = Squares::by_parity(empties, odd_quadrants(empties));
            kernel.call::<Last4, _, _, _, _>(nodes, board, squares, alpha)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quadrants_are_odd_where_counting_says_so(empties: u64) {
            let odd = odd_quadrants(empties);
            for square in 0..64 {
                let quadrant = quadrant_of(square);
                prop_assert!(quadrant >> square & 1 == 1);
                let counted = (empties & quadrant).count_ones() % 2;
                prop_assert_eq!(odd >> square & 1, u64::from(counted));
            }
        }
    }
}
