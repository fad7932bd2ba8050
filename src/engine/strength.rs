//! What a level of the book's searches means: how deep, how sure, solved from where.

use crate::book::Level;
use crate::search::{Goal, Limits, Selectivity};

/// A level as the book's analyst understands it: the depth of the middle game, and an endgame
/// solved from as many empty squares as costs about as much.
///
/// Measured over positions of self-play games, relative to depth 8: depth 10 costs 4, depth 12
/// costs 10, solving 20 empty squares 98 (at 96 %, 45), solving 22 of them 620. So two plies cost
/// about as much as one more empty square, and depth 10 about as much as solving 16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength(u32);

impl Strength {
    pub const fn of_level(level: u8) -> Strength {
        Strength(level as u32)
    }

    /// From this many empty squares on a position is solved without a doubt.
    const fn sure_from(self) -> u32 {
        10 + self.0 * 3 / 5
    }

    pub(super) fn limits(self, empties: u32) -> Limits {
        let goal = if empties <= self.sure_from() {
            Goal::Score
        } else if empties <= self.sure_from() + 1 {
            // For the same price a selective solution reaches one square farther.
            Goal::Depth {
                plies: empties,
                selectivity: Selectivity::P96,
            }
        } else {
            Goal::Depth {
                plies: self.0.min(empties - 1),
                selectivity: Selectivity::P82,
            }
        };
        Limits {
            average: true,
            ..Limits::new(goal)
        }
    }

    /// What a search of this strength is worth.
    pub(super) fn level(self, empties: u32) -> Level {
        let depth = |plies: u32| u8::try_from(plies).unwrap_or(u8::MAX);
        match self.limits(empties).goal {
            Goal::Depth { plies, selectivity } => Level {
                depth: depth(plies),
                selectivity: selectivity.percent() as u8,
                solved: false,
            },
            _ => Level {
                depth: depth(empties),
                selectivity: 100,
                solved: true,
            },
        }
    }

    /// About as large as what the search finds; it is forgotten before each one.
    pub(super) const fn table_bytes(self) -> usize {
        let doublings = if self.0 / 2 < 12 { self.0 / 2 } else { 12 };
        1 << (16 + doublings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_level_covers_a_lower_one_everywhere() {
        for empties in 1..=60 {
            for level in 1..60 {
                let [low, high] = [level, level + 1].map(|l| Strength::of_level(l).level(empties));
                assert!(high.covers(low), "{empties} empties: {high} after {low}");
            }
        }
    }
}
