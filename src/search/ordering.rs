//! Which move to try first.

use super::midgame::INFINITE;
use super::params::{
    MIDGAME_MOBILITY, SECOND_MOVE, SOLVE_FRONTIER, SOLVE_MOBILITY, SOLVE_PARITY, sort_depth,
};
use super::worker::Worker;
use crate::eval::Features;
use crate::othello::kernel::Kernel;
use crate::othello::{Bitboard, Board, Square};

/// A legal move and how promising it looks.
#[derive(Clone, Copy)]
pub struct RatedMove {
    pub square: Square,
    pub flips: u64,
    pub score: i32,
}

/// Moves with corners counted twice.
#[inline(always)]
pub fn weighted_mobility(moves: u64) -> i32 {
    (moves.count_ones() + (moves & Bitboard::CORNERS.0).count_ones()) as i32
}

/// The empty squares beside these discs in a direction in which a disc can be turned, which one of
/// the edge cannot across it: where the other side may come to move.
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

/// One ply of alpha-beta above `$below`; a macro, because only what is inlined is compiled for the
/// CPU tier, and a function cannot be inlined into itself.
macro_rules! look_further {
    ($worker:ident, $below:ident, $board:ident, $features:ident, $window:ident) => {{
        $worker.nodes += 1;
        let (alpha, beta) = $window;
        let mut best = -INFINITE;
        for square in $board.legal_moves_with($worker.kernel) {
            let flips = $board.flips_with($worker.kernel, square);
            let next = $board.play_unchecked(square, flips);
            let next_features = $features.after_move($worker.kernel, square.index(), flips.0);
            let value = -$worker.$below(next, &next_features, (-beta, -alpha.max(best)));
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        if best == -INFINITE {
            // A pass or the end: the static value says enough for ordering.
            best = $worker.evaluator.rate($worker.kernel, $features, $board);
        }
        best
    }};
}

impl<K: Kernel> Worker<'_, K> {
    /// Pushes the moves on the move stack, not yet rated. Whoever looks up the positions they
    /// lead to will find them on their way from memory.
    #[inline(always)]
    pub(super) fn list_moves(&mut self, board: Board, moves: u64, prefetch: bool) {
        for square in Bitboard(moves) {
            let flips = board.flips_with(self.kernel, square);
            if prefetch {
                self.table
                    .prefetch(board.play_unchecked(square, flips).hash());
            }
            self.moves.push(RatedMove {
                square,
                flips: flips.0,
                score: 0,
            });
        }
    }

    /// Rates the moves listed from `start` on.
    #[inline(always)]
    pub(super) fn rate_moves(
        &mut self,
        start: usize,
        board: Board,
        features: &Features,
        table_moves: [Option<Square>; 2],
        depth: u32,
        solving: bool,
    ) {
        let odd = board.empties().odd_quadrants();
        let sort_depth = sort_depth(depth, solving);
        for index in start..self.moves.len() {
            let RatedMove { square, flips, .. } = self.moves[index];
            self.moves[index].score = if flips == board.opponent().0 {
                INFINITE * 8
            } else if table_moves[0] == Some(square) {
                INFINITE * 4
            } else {
                let next = board.play_unchecked(square, Bitboard(flips));
                let next_features = features.after_move(self.kernel, square.index(), flips);
                let value = -self.shallow_value(next, &next_features, sort_depth);
                let answers = self.kernel.moves(next.mover().0, next.opponent().0);
                let mobility = weighted_mobility(answers);
                let mut score = value;
                if solving {
                    let places = frontier(next.opponent().0, next.empties().0);
                    score -= SOLVE_MOBILITY * mobility + SOLVE_FRONTIER * places;
                    if odd.contains(square) {
                        score += SOLVE_PARITY;
                    }
                } else {
                    score -= MIDGAME_MOBILITY * mobility;
                }
                if table_moves[1] == Some(square) {
                    score += SECOND_MOVE;
                }
                score
            };
        }
    }

    /// Moves the best of the moves from `turn` on to that place.
    #[inline(always)]
    pub(super) fn bring_best_forward(&mut self, turn: usize) {
        let rest = &mut self.moves[turn..];
        let mut top = 0;
        for i in 1..rest.len() {
            if rest[i].score > rest[top].score {
                top = i;
            }
        }
        if !rest.is_empty() {
            rest.swap(0, top);
        }
    }

    /// A plain alpha-beta of a few plies, for ordering only.
    #[inline(always)]
    fn shallow_value(&mut self, board: Board, features: &Features, depth: u32) -> i32 {
        const OPEN: (i32, i32) = (-INFINITE, INFINITE);
        match depth {
            0 => self.look_0(board, features, OPEN),
            1 => self.look_1(board, features, OPEN),
            _ => self.look_2(board, features, OPEN),
        }
    }

    #[inline(always)]
    fn look_0(&mut self, board: Board, features: &Features, _: (i32, i32)) -> i32 {
        self.nodes += 1;
        self.evaluator.rate(self.kernel, features, board)
    }

    #[inline(always)]
    fn look_1(&mut self, board: Board, features: &Features, window: (i32, i32)) -> i32 {
        look_further!(self, look_0, board, features, window)
    }

    #[inline(always)]
    fn look_2(&mut self, board: Board, features: &Features, window: (i32, i32)) -> i32 {
        look_further!(self, look_1, board, features, window)
    }
}
