//! The exact endgame in whole discs, null window only: from the reach of the evaluation's move
//! ordering down to the last four squares.

use super::end_moves::EndMoves;
use super::last::{Last3, Last4, final_score, last_1, last_2};
use super::last_squares::Squares;
use super::ordering::{frontier, weighted_mobility};
use super::params::{
    END_CORNER, END_ETC_EMPTIES, END_FRONTIER, END_MOBILITY, END_PARITY, FORGET_EMPTIES,
    FRONTIER_MIN_EMPTIES, LOCAL_EMPTIES, SHALLOW_EMPTIES, STABILITY_FROM,
};
use super::selectivity::Selectivity;
use super::stability::count_stable;
use super::table::{Finding, Known, Table};
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

        let mut list = EndMoves::new();
        let mut key = i32::MIN;
        let odd = board.empties().odd_quadrants().0;
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
            key = key.max(list.push(square, flips, answers, score));
        }
        if table_moves[0].is_some() {
            key = list.prefer(table_moves);
        }

        if empties >= END_ETC_EMPTIES
            && let Some(score) = worker.known_end_refutation(board, &list, alpha)
        {
            return score;
        }
        let mut best = (i32::MIN, 0);
        // Every one is tried once.
        while key != i32::MIN {
            let (place, square) = (EndMoves::place(key), EndMoves::square(key));
            let flips = list.flips[place];
            let next = Board::of_disjoint(other ^ flips, own | flips | 1 << square);
            let score = -worker.end_null_window(next, list.answers[place], -alpha - 1);
            if score > best.0 {
                best = (score, square);
                if score > alpha {
                    break;
                }
            }
            key = list.after(key);
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

/// The same with few empties: odd quadrants first, and no other order. It begins as the other does,
/// because the head of every [`Call`] is what its trait asks for.
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
        let odd = board.empties().odd_quadrants().0;
        let mut best = i32::MIN;
        for set in [moves & odd, moves & !odd] {
            let mut left = set;
            while left != 0 {
                let square = Square::lowest_of(left);
                left &= left - 1;
                let flips = worker.kernel.flips(square.index(), own, other);
                let (next_own, next_other) = (other ^ flips, own | flips | square.bit());
                let next = Board::of_disjoint(next_own, next_other);
                let score = if empties == 5 {
                    let odd = odd ^ square.quadrant().0;
                    let squares = Squares::by_parity(empties_set & !square.bit(), odd);
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

    /// The score of a move that the table already knows to refute.
    #[inline(always)]
    fn known_end_refutation(&self, board: Board, moves: &EndMoves, alpha: i32) -> Option<i32> {
        let (own, other) = (board.mover().0, board.opponent().0);
        let empties = board.empty_count() - 1;
        let positions = moves
            .iter()
            .map(|(square, flips)| Board::of_disjoint(other ^ flips, own | flips | 1 << square));
        let serves = |known: &Known| {
            known.depth as u32 >= empties && known.selectivity == Selectivity::Exact
        };
        let table = self.end_table(empties);
        let value = table.refutation(positions, alpha * 100, serves)?;
        Some(value / 100)
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
            let squares = Squares::by_parity(empties, board.empties().odd_quadrants().0);
            kernel.call::<Last4, _, _, _, _>(nodes, board, squares, alpha)
        }
    }
}
