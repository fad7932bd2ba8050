//! The root of a search: its moves, and how their values are found out.
//!
//! `deepening` goes from depth to depth; each iteration is an `aspiration` or, where that is asked
//! for, MTD(f), within what `window` says. `means` are those of two depths, `several` values more
//! moves than the best, and `asker` turns all of it round for a player who had to pass.

mod asker;
mod aspiration;
mod deepening;
mod means;
mod mtdf;
mod several;
mod window;

use super::limits::Limits;
use super::midgame::INFINITE;
use super::worker::{Algorithm, Worker};
use crate::eval::Features;
use crate::othello::kernel::Kernel;
use crate::othello::{Board, Square};
use asker::Asker;

pub(super) use deepening::RootReport;

pub(super) struct RootMove {
    pub square: Square,
    pub board: Board,
    features: Features,
}

/// A root position on its way through the iterations.
pub(super) struct Root<'w, 's, K: Kernel> {
    pub worker: Worker<'s, K>,
    limits: &'w Limits,
    board: Board,
    features: Features,
    pub asker: Asker,
    pub moves: Vec<RootMove>,
}

impl<'w, 's, K: Kernel> Root<'w, 's, K> {
    pub fn new(worker: Worker<'s, K>, board: Board, limits: &'w Limits) -> Root<'w, 's, K> {
        let (asker, board) = Asker::of(board);
        let features = worker.evaluator.features(board);
        let legal = board.legal_moves();
        let wanted = legal & !limits.without;
        let moves = if wanted.is_empty() { legal } else { wanted }
            .into_iter()
            .map(|square| {
                let flips = board.flips(square);
                RootMove {
                    square,
                    board: board.play_unchecked(square, flips),
                    features: features.after_move(worker.kernel, square.index(), flips.0),
                }
            })
            .collect();
        Root {
            worker,
            limits,
            board,
            features,
            asker,
            moves,
        }
    }

    /// Searches the moves from `first` on and brings the best to that place.
    pub fn search_moves(&mut self, first: usize, plies: u32, window: (i32, i32)) -> Option<i32> {
        let (alpha, beta) = window;
        let worker = &mut self.worker;
        worker.nodes += 1;
        let mut best: Option<(i32, usize)> = None;
        for (index, m) in self.moves.iter().enumerate().skip(first) {
            let floor = best.map_or(alpha, |(value, _)| value.max(alpha));
            // A null window is a scout's work from the first move on.
            let scout =
                worker.algorithm != Algorithm::AlphaBeta && (index > first || beta - alpha == 1);
            let mut value = INFINITE;
            if scout {
                value = -worker.null_window(m.board, &m.features, -floor - 1, plies - 1);
            }
            if !worker.stopped && (!scout || value > floor && value < beta) {
                value = -worker.principal(m.board, &m.features, (-beta, -floor), plies - 1);
            }
            if worker.stopped {
                break;
            }
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, index));
                if value >= beta {
                    break;
                }
            }
        }
        let (value, index) = best?;
        if worker.stopped && value <= alpha {
            return None;
        }
        // The others keep their order: it is that of earlier iterations.
        self.moves[first..=index].rotate_right(1);
        Some(value)
    }

    /// The expected line, as far as the table remembers it.
    pub fn line_from(&self, first: Square, mut board: Board) -> Vec<Square> {
        let mut line = vec![first];
        while line.len() < 60 {
            if board.must_pass() {
                board = board.pass();
            }
            let known = self.worker.table.probe(board, board.hash());
            let Some(best) = known.and_then(|known| known.best) else {
                break;
            };
            let Ok(next) = board.play(best) else { break };
            line.push(best);
            board = next;
        }
        line
    }
}
