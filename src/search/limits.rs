//! What a search is asked for.

use super::params::{BOLD_SOLVE_EMPTIES, LONG_SOLVE_EMPTIES, look_ahead};
use super::selectivity::Selectivity;
use super::time::Budget;
use crate::othello::Bitboard;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The value this many plies deep; a depth that reaches the end of the game solves.
    Depth {
        plies: u32,
        selectivity: Selectivity,
    },
    /// The exact final score.
    Score,
    /// Win, draw or loss only.
    Outcome,
    /// The exact score where it lies strictly between the two, a bound elsewhere.
    Window { alpha: i32, beta: i32 },
}

/// When to stop, and how much to report.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub goal: Goal,
    /// Stop after about this many nodes.
    pub nodes: Option<u64>,
    pub time: Option<Budget>,
    /// How many of the best moves get a value of their own.
    pub multi_pv: usize,
    /// Report the mean of the last two depths: odd and even depths lean to opposite sides.
    pub average: bool,
    /// Moves of the root to leave out; leaving out all of them leaves out none.
    pub without: Bitboard,
    /// Where the goal is a depth: only a value strictly between the two, in centi-discs, need be
    /// found out; beyond them a bound will do.
    pub window: Option<(i32, i32)>,
}

impl Limits {
    pub fn depth(plies: u32) -> Limits {
        Limits::new(Goal::Depth {
            plies,
            selectivity: Selectivity::P91,
        })
    }

    pub fn solve() -> Limits {
        Limits::new(Goal::Score)
    }

    pub fn new(goal: Goal) -> Limits {
        Limits {
            goal,
            nodes: None,
            time: None,
            multi_pv: 1,
            average: false,
            without: Bitboard::EMPTY,
            window: None,
        }
    }

    /// How hard to look, for playing, analysing and filling books alike: the depth of the middle
    /// game, and an endgame solved from as many empty squares as costs about as much.
    ///
    /// Measured over positions of self-play games, relative to depth 8: depth 10 costs 4, depth 12
    /// costs 10, solving 20 empty squares 98 (at 96 %, 45), solving 22 of them 620. So two plies
    /// cost about as much as one more empty square, and depth 10 about as much as solving 16.
    pub fn level(level: u32, empties: u32) -> Limits {
        let sure_from = if level <= 10 {
            // The lowest levels do not see the end before they are near it.
            (10 + level * 3 / 5).min(2 * level + 3)
        } else {
            16 + (level - 10) * 3 / 4
        };
        // For the same price a selective solution reaches a little farther.
        let solve_from = sure_from + if level <= 10 { 1 } else { 2 };
        Limits::new(if empties <= sure_from {
            Goal::Score
        } else if empties <= solve_from {
            Goal::Depth {
                plies: empties,
                selectivity: Selectivity::P96,
            }
        } else {
            Goal::Depth {
                plies: level.min(empties - 1),
                selectivity: Selectivity::P82,
            }
        })
    }
}

/// One iteration: a depth and how sure its cuts are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub plies: u32,
    pub selectivity: Selectivity,
}

/// The iterations that lead to a goal, shallow and bold ones first: each orders the moves of the
/// next.
pub(super) fn steps(goal: Goal, empties: u32) -> Vec<Step> {
    let climb = |last: u32, selectivity: Selectivity| {
        (1..=last).map(move |plies| Step { plies, selectivity })
    };
    let solve = |sure: Selectivity| {
        // One bold solution on the way; a long one goes by all that are less sure than itself.
        let presearches = Selectivity::ALL.into_iter().filter(move |&s| {
            let is_taken = empties > LONG_SOLVE_EMPTIES || s == Selectivity::P82;
            s < sure && empties >= BOLD_SOLVE_EMPTIES && is_taken
        });
        climb(look_ahead(empties), Selectivity::P68)
            .chain(presearches.map(move |selectivity| Step {
                plies: empties,
                selectivity,
            }))
            .chain([Step {
                plies: empties,
                selectivity: sure,
            }])
            .collect()
    };
    match goal {
        Goal::Depth { plies, selectivity } if plies < empties => {
            climb(plies, selectivity).collect()
        }
        Goal::Depth { selectivity, .. } => solve(selectivity),
        Goal::Score | Goal::Outcome | Goal::Window { .. } => solve(Selectivity::Exact),
    }
}
