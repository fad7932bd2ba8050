//! The end of the game: win, draw or loss first, the exact result when that fits.
//!
//! Both are the search of the middle game without cuts, to the end: the last eight squares are the
//! solver's. The paper says that solutions of 24 to 26 empty squares for win, draw or loss are "not
//! uncommon", not when they are begun. Here they are begun from 24 on where what is left of the
//! budget is likely to suffice, judging by what was measured with this program; where only the
//! depth is limited, from 16, and exact ones from 14.

use super::search::{Node, Search, TO_THE_END};
use crate::othello::Square;
use crate::players::ending::Ending;

const ENDGAME_FROM: u32 = 24;
const EXACT_ALWAYS: u32 = 14;
const OUTCOME_ALWAYS: u32 = 16;

/// The nodes that a search for win, draw or loss takes on average: measured 390 thousand with 16
/// empty squares, and 2.7 times as many with each more.
fn outcome_cost(empties: u32) -> u64 {
    (390_000.0 * 2.7_f64.powi(empties as i32 - 16)) as u64
}

/// The same of an exact search: 220 thousand with 14 empty squares, and 2.3 times as many with each
/// more.
fn exact_cost(empties: u32) -> u64 {
    (220_000.0 * 2.3_f64.powi(empties as i32 - 14)) as u64
}

impl Search<'_> {
    /// Searches to the end, if it is near enough. `moves` are the root's, the likely best first.
    pub fn ending(&mut self, root: &Node, moves: &mut [Square]) -> Option<Ending> {
        let empties = root.board.empty_count();
        let left = self.budget.nodes_left(self.nodes);
        let fits = |cost: u64, always: u32| left.map_or(empties <= always, |left| cost <= left);
        if empties > ENDGAME_FROM {
            None
        } else if fits(exact_cost(empties), EXACT_ALWAYS) {
            let mut found = None;
            let is_whole = self.iterate(root, moves, TO_THE_END, |square, value| {
                found = Some(Ending::Exact(square, value / 100));
            });
            found.filter(|_| is_whole)
        } else if fits(outcome_cost(empties), OUTCOME_ALWAYS) {
            self.outcome(root, moves)
        } else {
            None
        }
    }

    fn outcome(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        let mut drawn = None;
        for &square in moves {
            // Once a draw is there, only a win counts.
            let floor = if drawn.is_some() { 0 } else { -1 };
            match self.root_value(root, square, TO_THE_END, floor, 1)? {
                1.. => return Some(Ending::Outcome(square, 1)),
                0 => drawn = drawn.or(Some(square)),
                _ => {}
            }
        }
        Some(drawn.map_or(Ending::Lost, |square| Ending::Outcome(square, 0)))
    }
}
