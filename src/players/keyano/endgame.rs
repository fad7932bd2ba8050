//! The end of the game: win, draw or loss first, the exact result when that fits.
//!
//! Both are the search of the middle game without cuts, to the end: the last eight squares are the
//! solver's. The paper says that solutions of 24 to 26 empty squares for win, draw or loss are "not
//! uncommon", not when they are begun. Here they are begun from 24 on where what is left of the
//! budget is likely to suffice, judging by what was measured with this program; where only the
//! depth is limited, from 16, and exact ones from 14.

use super::search::{Node, Search, TO_THE_END};
use crate::othello::Square;
use crate::players::ending::{Aim, Cost, EndgamePlan, Ending};

const PLAN: EndgamePlan = EndgamePlan {
    from: 24,
    exact: Cost {
        empties: 14,
        nodes: 220_000.0,
        growth: 2.3,
    },
    outcome: Cost {
        empties: 16,
        nodes: 390_000.0,
        growth: 2.7,
    },
};

impl Search<'_> {
    /// Searches to the end, if it is near enough. `moves` are the root's, the likely best first.
    pub fn ending(&mut self, root: &Node, moves: &mut [Square]) -> Option<Ending> {
        let left = self.budget.nodes_left(self.nodes);
        match PLAN.aim(root.board.empty_count(), left)? {
            Aim::Exact => {
                let mut found = None;
                let is_whole = self.iterate(root, moves, TO_THE_END, |square, value| {
                    found = Some(Ending::Exact(square, value / 100));
                });
                found.filter(|_| is_whole)
            }
            Aim::Outcome => Ending::by_outcome(moves, |square, floor| {
                self.root_value(root, square, TO_THE_END, floor, 1)
            }),
        }
    }
}
