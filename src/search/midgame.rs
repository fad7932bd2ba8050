//! The tree search with the evaluation: depth-limited, selective or exact, in centi-discs.
//!
//! A search whose depth equals the number of empties reaches the end of every game, so its values
//! are disc differences times 100 and no leaf is evaluated. A leaf of a shallower search is
//! evaluated as it stands, also where its player has no move. Where such a search may no longer cut
//! on shallower ones, [`super::endgame`] takes over.

use super::last::final_score;
use super::ordering::RatedMove;
use super::params::{ETC_MIN_DEPTH, FAST_EMPTIES, SPLIT_MIN_DEPTH, STOP_CHECK_DEPTH};
use super::selectivity::Selectivity;
use super::table::{Finding, Known};
use super::worker::{Algorithm, Worker};
use crate::eval::Features;
use crate::othello::kernel::{Call, Job, Kernel};
use crate::othello::{Bitboard, Board, Square};

/// Above every value a search returns.
pub const INFINITE: i32 = 10_000;

/// Arguments: the thread, the board, its features, and (alpha, depth).
struct NullWindow;

impl<K: Kernel> Call<&mut Worker<'_, K>, Board, &Features, (i32, u32)> for NullWindow {
    type Output = i32;

    #[inline(always)]
    fn run<Same: Kernel>(
        _: Same,
        worker: &mut Worker<'_, K>,
        board: Board,
        features: &Features,
        (alpha, depth): (i32, u32),
    ) -> i32 {
        let (own, other) = (board.mover().0, board.opponent().0);
        let tried_before = std::mem::take(&mut worker.tried_before);
        let empties = board.empty_count();
        let solving = depth >= empties;
        if depth == 0 && !solving {
            worker.nodes += 1;
            return worker.evaluator.evaluate(worker.kernel, features, board);
        }
        let moves = worker.kernel.moves(own, other);
        if solving && empties <= FAST_EMPTIES {
            return 100 * worker.end_null_window(board, moves, alpha.div_euclid(100));
        }
        if moves == 0 {
            let next = board.pass();
            if worker.kernel.moves(other, own) == 0 {
                worker.nodes += 1;
                return 100 * final_score(own, other);
            }
            return -worker.null_window(next, &features.after_pass(), -alpha - 1, depth);
        }
        worker.nodes += 1;
        if depth >= STOP_CHECK_DEPTH && worker.should_stop() {
            return alpha;
        }
        if let Some(bound) = worker.stability_cut(own, other, alpha.div_euclid(100), empties) {
            return 100 * bound;
        }
        if depth == 1 {
            return worker.last_ply(board, features, moves, alpha);
        }

        let hash = board.hash();
        let mut table_moves = [None; 2];
        let selectivity = worker.selectivity;
        if let Some(known) = worker.table.probe(board, hash) {
            if worker.serves(known.depth as u32, depth) && known.selectivity >= selectivity {
                if known.lower as i32 > alpha {
                    return known.lower as i32;
                }
                if known.upper as i32 <= alpha {
                    return known.upper as i32;
                }
            }
            table_moves = [known.best, known.second];
        }
        if selectivity != Selectivity::Exact
            && let Some(bound) = worker.probcut(board, features, alpha, depth, tried_before)
        {
            return bound;
        }
        if worker.stopped {
            return alpha;
        }

        // The table's move often refutes at once, and then the others need no rating.
        let mut best = (-INFINITE, None);
        let table_move = table_moves[0].filter(|square| moves & square.bit() != 0);
        if let Some(square) = table_move {
            let value = worker.null_window_after(board, features, square, alpha, depth);
            best = (value, Some(square));
        }
        let start = worker.moves.len();
        let mut left = moves & !table_move.map_or(0, Square::bit);
        if best.0 > alpha || worker.stopped {
            left = 0;
        }
        worker.list_moves(board, left, depth >= ETC_MIN_DEPTH);
        if depth >= ETC_MIN_DEPTH
            && let Some(bound) = worker.known_refutation(start, board, alpha, depth)
        {
            worker.moves.truncate(start);
            return bound;
        }
        worker.rate_moves(start, board, features, table_moves, depth, solving);
        let end = worker.moves.len();
        for turn in start..end {
            worker.bring_best_forward(turn);
            let tried = (turn - start) as u32 + u32::from(table_move.is_some());
            let is_young = best.1.is_some();
            if is_young && depth >= SPLIT_MIN_DEPTH && turn + 1 < end && worker.has_idle_help() {
                let brothers = worker.moves[turn..end].to_vec();
                let found = worker.split(board, features, alpha, depth, tried, brothers);
                if found.0 > best.0 {
                    best = found;
                }
                break;
            }
            let RatedMove { square, .. } = worker.moves[turn];
            worker.tried_before = tried;
            let value = worker.null_window_after(board, features, square, alpha, depth);
            if worker.stopped {
                break;
            }
            if value > best.0 {
                best = (value, Some(square));
                if value > alpha {
                    break;
                }
            }
        }
        worker.moves.truncate(start);
        if worker.stopped {
            return alpha;
        }
        let (value, best) = best;
        let finding = Finding {
            value,
            alpha,
            beta: alpha + 1,
            depth,
            selectivity,
            best,
        };
        worker.table.store(board, hash, finding);
        value
    }
}

struct Principal<'w, 's, K: Kernel> {
    worker: &'w mut Worker<'s, K>,
    board: Board,
    features: &'w Features,
    window: (i32, i32),
    depth: u32,
}

impl<K: Kernel> Job for Principal<'_, '_, K> {
    type Output = i32;

    #[inline(always)]
    fn run<Same: Kernel>(self, _: Same) -> i32 {
        let Principal {
            worker,
            board,
            features,
            window: (alpha, beta),
            depth,
        } = self;
        let empties = board.empty_count();
        let solving = depth >= empties;
        if beta - alpha == 1 && worker.algorithm != Algorithm::AlphaBeta {
            return worker.null_window(board, features, alpha, depth);
        }
        if depth == 0 && !solving {
            worker.nodes += 1;
            return worker.evaluator.evaluate(worker.kernel, features, board);
        }
        let moves = worker.kernel.moves(board.mover().0, board.opponent().0);
        if moves == 0 {
            let next = board.pass();
            if worker.kernel.moves(next.mover().0, next.opponent().0) == 0 {
                worker.nodes += 1;
                return 100 * final_score(board.mover().0, board.opponent().0);
            }
            return -worker.principal(next, &features.after_pass(), (-beta, -alpha), depth);
        }
        worker.nodes += 1;
        if worker.should_stop() {
            return alpha;
        }
        let hash = board.hash();
        let known = worker.table.probe(board, hash);
        let table_moves = known.map_or([None; 2], |known| [known.best, known.second]);
        // NegaScout comes here for the few nodes of the principal line only, which it wants
        // whole. Plain alpha-beta visits every node with an open window and cuts like the others.
        if worker.algorithm == Algorithm::AlphaBeta {
            if solving && empties <= FAST_EMPTIES {
                let (low, high) = (alpha.div_euclid(100), beta.div_euclid(100));
                return 100 * worker.end_window(board, moves, low, high.max(low + 1));
            }
            if let Some(bound) =
                worker.open_window_cut(board, features, known, (alpha, beta), depth)
            {
                return bound;
            }
        }

        let start = worker.moves.len();
        worker.list_moves(board, moves, false);
        worker.rate_moves(start, board, features, table_moves, depth, solving);
        let end = worker.moves.len();
        let mut best = (-INFINITE, None);
        for turn in start..end {
            worker.bring_best_forward(turn);
            let RatedMove { square, flips, .. } = worker.moves[turn];
            let next = board.play_unchecked(square, Bitboard(flips));
            let next_features = features.after_move(worker.kernel, square.index(), flips);
            let floor = best.0.max(alpha);
            let scout = turn > start && worker.algorithm != Algorithm::AlphaBeta;
            let mut value = INFINITE;
            if scout {
                value = -worker.null_window(next, &next_features, -floor - 1, depth - 1);
            }
            if !scout || value > floor && value < beta {
                value = -worker.principal(next, &next_features, (-beta, -floor), depth - 1);
            }
            if worker.stopped {
                break;
            }
            if value > best.0 {
                best = (value, Some(square));
                if value >= beta {
                    break;
                }
            }
        }
        worker.moves.truncate(start);
        if worker.stopped {
            return alpha;
        }
        let (value, best) = best;
        let selectivity = worker.selectivity;
        worker.table.store(
            board,
            hash,
            Finding {
                value,
                alpha,
                beta,
                depth,
                selectivity,
                best,
            },
        );
        value
    }
}

impl<K: Kernel> Worker<'_, K> {
    /// A bound on the value: above alpha, or not.
    #[inline(always)]
    pub(super) fn null_window(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
    ) -> i32 {
        let kernel = self.kernel;
        kernel.call::<NullWindow, _, _, _, _>(self, board, features, (alpha, depth))
    }

    /// The value of a move for the player who makes it, as a bound.
    #[inline(always)]
    fn null_window_after(
        &mut self,
        board: Board,
        features: &Features,
        square: Square,
        alpha: i32,
        depth: u32,
    ) -> i32 {
        let flips = board.flips_with(self.kernel, square);
        let next = board.play_unchecked(square, flips);
        let next_features = features.after_move(self.kernel, square.index(), flips.0);
        -self.null_window(next, &next_features, -alpha - 1, depth - 1)
    }

    /// The value within a window, by NegaScout (or plain alpha-beta where that was asked for).
    #[inline(always)]
    pub(super) fn principal(
        &mut self,
        board: Board,
        features: &Features,
        window: (i32, i32),
        depth: u32,
    ) -> i32 {
        let kernel = self.kernel;
        kernel.enter(Principal {
            worker: self,
            board,
            features,
            window,
            depth,
        })
    }

    /// A bound outside an open window, from the table or from shallower searches.
    fn open_window_cut(
        &mut self,
        board: Board,
        features: &Features,
        known: Option<Known>,
        (alpha, beta): (i32, i32),
        depth: u32,
    ) -> Option<i32> {
        if let Some(known) = known
            && self.serves(known.depth as u32, depth)
            && known.selectivity >= self.selectivity
        {
            if known.lower as i32 >= beta || known.lower == known.upper {
                return Some(known.lower as i32);
            }
            if known.upper as i32 <= alpha {
                return Some(known.upper as i32);
            }
        }
        if self.selectivity == Selectivity::Exact {
            return None;
        }
        self.probcut(board, features, beta - 1, depth, 0)
            .filter(|&bound| bound >= beta)
            .or_else(|| {
                self.probcut(board, features, alpha, depth, 0)
                    .filter(|&bound| bound <= alpha)
            })
    }

    /// One ply above the leaves: neither order nor table would pay.
    #[inline(always)]
    fn last_ply(&mut self, board: Board, features: &Features, moves: u64, alpha: i32) -> i32 {
        let mut best = -INFINITE;
        for square in Bitboard(moves) {
            let flips = board.flips_with(self.kernel, square);
            let next = board.play_unchecked(square, flips);
            let next_features = features.after_move(self.kernel, square.index(), flips.0);
            self.nodes += 1;
            let value = -self.evaluator.evaluate(self.kernel, &next_features, next);
            if value > best {
                best = value;
                if value > alpha {
                    break;
                }
            }
        }
        best
    }

    /// The value of a listed move that the table already knows to refute.
    #[inline(always)]
    fn known_refutation(&self, start: usize, board: Board, alpha: i32, depth: u32) -> Option<i32> {
        let positions = self.moves[start..]
            .iter()
            .map(|m| board.play_unchecked(m.square, Bitboard(m.flips)));
        self.table.refutation(positions, alpha, |known| {
            self.serves(known.depth as u32 + 1, depth) && known.selectivity >= self.selectivity
        })
    }
}
