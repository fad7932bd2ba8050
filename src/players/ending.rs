//! The end of a game for programs that search for the outcome, and for the exact result where that
//! fits: when they begin, and what they then know.

use crate::othello::Square;

/// What is known of the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The best move and the final difference of discs.
    Exact(Square, i32),
    /// A move that wins or, where none does, one that draws.
    Outcome(Square, i32),
    /// Every move loses.
    Lost,
}

impl Ending {
    /// Win, draw or loss, by the first move that decides it. `value` is that of a move where it is
    /// above the floor, or anything not above it; none when the budget ran out.
    pub fn by_outcome(
        moves: &[Square],
        mut value: impl FnMut(Square, i32) -> Option<i32>,
    ) -> Option<Ending> {
        let mut drawn = None;
        for &square in moves {
            // Once a draw is there, only a win counts.
            let floor = if drawn.is_some() { 0 } else { -1 };
            match value(square, floor)? {
                1.. => return Some(Ending::Outcome(square, 1)),
                0 => drawn = drawn.or(Some(square)),
                _ => {}
            }
        }
        Some(drawn.map_or(Ending::Lost, |square| Ending::Outcome(square, 0)))
    }
}

/// What a search to the end costs, as measured with the program that makes it.
pub struct Cost {
    /// With so many empty squares it takes so many nodes on average; it is made from here on where
    /// only the depth is limited.
    pub empties: u32,
    pub nodes: f64,
    /// How many times as many with each empty square more.
    pub growth: f64,
}

impl Cost {
    /// Whether the nodes that are left are likely to suffice.
    fn fits(&self, empties: u32, left: Option<u64>) -> bool {
        let more = empties as i32 - self.empties as i32;
        let nodes = (self.nodes * self.growth.powi(more)) as u64;
        left.map_or(empties <= self.empties, |left| nodes <= left)
    }
}

/// When a program begins to search for the end.
pub struct EndgamePlan {
    /// Not with more empty squares than these.
    pub from: u32,
    pub exact: Cost,
    pub outcome: Cost,
}

/// What such a search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    Exact,
    Outcome,
}

impl EndgamePlan {
    /// What to search for with so many empty squares and so many nodes left, if anything.
    pub fn aim(&self, empties: u32, left: Option<u64>) -> Option<Aim> {
        if empties > self.from {
            None
        } else if self.exact.fits(empties, left) {
            Some(Aim::Exact)
        } else if self.outcome.fits(empties, left) {
            Some(Aim::Outcome)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: EndgamePlan = EndgamePlan {
        from: 20,
        exact: Cost {
            empties: 13,
            nodes: 1_000.0,
            growth: 2.0,
        },
        outcome: Cost {
            empties: 15,
            nodes: 1_000.0,
            growth: 2.0,
        },
    };

    #[test]
    fn the_exact_result_comes_first_where_the_nodes_suffice_for_it() {
        assert_eq!(PLAN.aim(14, Some(2_000)), Some(Aim::Exact));
        assert_eq!(PLAN.aim(14, Some(1_999)), Some(Aim::Outcome));
        assert_eq!(PLAN.aim(14, Some(499)), None);
        assert_eq!(PLAN.aim(21, Some(u64::MAX)), None);
    }

    #[test]
    fn without_a_limit_of_nodes_the_measured_squares_decide() {
        let aims = [13, 14, 15, 16].map(|empties| PLAN.aim(empties, None));
        let outcome = Some(Aim::Outcome);
        assert_eq!(aims, [Some(Aim::Exact), outcome, outcome, None]);
    }
}
