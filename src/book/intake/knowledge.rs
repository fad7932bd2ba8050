//! Two books may know different things about a position: which of them stands.
//!
//! Every choice is the largest in a total order, so merging books gives the same in whatever order
//! and however often it is done. Values and bounds are not chosen: they are derived again, and
//! bounds that were proven on either side meet there.

use crate::book::node::{Alternative, Evaluation, Found, Level, Node, Origin};
use crate::book::statistics::Statistics;
use std::cmp::Reverse;

/// What both know together; the derived part is the first one's, and due to be derived again.
pub fn join(one: &Node, other: &Node) -> Node {
    Node {
        origin: one.origin.max_by_reason(other.origin),
        evaluation: one
            .evaluation
            .into_iter()
            .chain(other.evaluation)
            .max_by_key(depth_of_evaluation),
        alternative: one
            .alternative
            .into_iter()
            .chain(other.alternative)
            .max_by_key(depth_of_alternative),
        derived: one.derived,
    }
}

impl Origin {
    /// A game is the best reason to be in a book, an import the weakest.
    fn max_by_reason(self, other: Origin) -> Origin {
        let rank = |origin| match origin {
            Origin::Import => 0,
            Origin::Expansion => 1,
            Origin::Game => 2,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

/// Solved is deeper than any depth; of equal depths the surer search is.
fn depth(level: Level) -> (bool, u8, u8) {
    (level.solved, level.depth, level.selectivity)
}

fn depth_of_evaluation(evaluation: &Evaluation) -> impl Ord + use<> {
    (
        depth(evaluation.level),
        evaluation.value,
        Reverse(evaluation.engine),
    )
}

/// Of equal searches the one that names a move says more, and the lower value promises less.
fn depth_of_alternative(alternative: &Alternative) -> impl Ord + use<> {
    let says = match alternative.found {
        Found::Move(..) => 2,
        Found::NoneAbove(_) => 1,
        Found::AtLeast(..) => 0,
    };
    (
        depth(alternative.level),
        says,
        Reverse(alternative.found.value()),
        Reverse(alternative.found.square()),
        alternative.among.count(),
        alternative.among,
        Reverse(alternative.engine),
    )
}

/// Of two counts of games that nobody can tell apart, the larger one: adding them could count a
/// game twice.
pub fn larger_count(one: Statistics, other: Statistics) -> Statistics {
    let order = |counted: &Statistics| {
        let years = counted.years;
        let results = (counted.wins, counted.draws, counted.losses);
        (
            counted.games,
            results,
            !counted.discs_unknown,
            counted.disc_sum,
            years,
        )
    };
    if order(&other) > order(&one) {
        other
    } else {
        one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::node::{EngineNumber, Value};
    use crate::othello::{Bitboard, Square};

    fn level(depth: u8, selectivity: u8, solved: bool) -> Level {
        Level {
            depth,
            selectivity,
            solved,
        }
    }

    fn evaluated(centidiscs: i32, level: Level) -> Node {
        let value = Value::new(centidiscs).unwrap();
        Node {
            evaluation: Some(Evaluation {
                value,
                level,
                engine: EngineNumber::UNKNOWN,
            }),
            ..Node::new(Origin::Import)
        }
    }

    #[test]
    fn the_deeper_search_stands_from_both_sides() {
        let shallow = evaluated(900, level(12, 82, false));
        let deep = evaluated(100, level(20, 73, false));
        let surer = evaluated(200, level(20, 98, false));
        let solved = evaluated(-400, level(10, 100, true));
        for (weaker, stronger) in [(shallow, deep), (deep, surer), (surer, solved)] {
            assert_eq!(join(&weaker, &stronger).evaluation, stronger.evaluation);
            assert_eq!(join(&stronger, &weaker).evaluation, stronger.evaluation);
        }
        let nothing = Node::new(Origin::Game);
        let both = join(&deep, &nothing);
        assert_eq!(
            (both.evaluation, both.origin),
            (deep.evaluation, Origin::Game)
        );
    }

    #[test]
    fn of_equal_searches_a_move_stands_before_a_limit() {
        let with = |found| Node {
            alternative: Some(Alternative {
                found,
                level: level(12, 82, false),
                engine: EngineNumber::UNKNOWN,
                among: Bitboard::EMPTY,
            }),
            ..Node::new(Origin::Game)
        };
        let value = |centidiscs| Value::new(centidiscs).unwrap();
        let limit = with(Found::NoneAbove(value(-300)));
        let best = with(Found::Move(Square::at(2, 3), value(100)));
        let lower = with(Found::Move(Square::at(2, 3), value(50)));
        assert_eq!(join(&limit, &best), best);
        assert_eq!(join(&best, &limit), best);
        assert_eq!(join(&best, &lower), lower);
        assert_eq!(join(&lower, &best), lower);
    }

    #[test]
    fn anonymous_games_are_never_counted_twice() {
        let counted = |games, wins| Statistics {
            games,
            wins,
            ..Statistics::default()
        };
        assert_eq!(larger_count(counted(5, 1), counted(7, 0)), counted(7, 0));
        assert_eq!(larger_count(counted(7, 0), counted(5, 1)), counted(7, 0));
        assert_eq!(larger_count(counted(7, 0), counted(7, 0)), counted(7, 0));
    }
}
