//! Values of more moves than the best.

use super::Root;
use crate::othello::kernel::Kernel;
use crate::search::limits::Step;
use crate::search::searcher::{MoveValue, SearchResult};

impl<K: Kernel> Root<'_, '_, K> {
    /// The values of the best moves, the best one's already known.
    pub(super) fn rank_others(&mut self, step: Step, best: &SearchResult) -> Vec<MoveValue> {
        let mut ranked: Vec<MoveValue> = best
            .best
            .map(|square| MoveValue {
                square,
                value: best.value,
                pv: best.pv.clone(),
            })
            .into_iter()
            .collect();
        for place in 1..self.limits.multi_pv.min(self.moves.len()) {
            let Some(value) = self.search_moves(place, step.plies, (-6500, 6500)) else {
                break;
            };
            let value = self.mean_of(place, value, step);
            if self.worker.stopped {
                break;
            }
            let m = &self.moves[place];
            ranked.push(MoveValue {
                square: m.square,
                value,
                pv: self.line_from(m.square, m.board),
            });
        }
        ranked
    }
}
