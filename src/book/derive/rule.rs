//! The one rule behind every derived number, for the incremental pass, the full sweep and the
//! check alike:
//!
//! - What a move is worth: the result, if it ends the game; the value of the position it leads to
//!   (with the edge's sign), if the book has that position and it has a value; otherwise what a
//!   search said of this very move, if the alternative names it.
//! - value = the largest of the moves whose worth is known. Where no move is known, the position's
//!   own evaluation; where there is none either, the value is unknown.
//! - The bounds hold for every legal move as it is now. A move is bounded by the end of the game,
//!   by the bounds of the position that it leads to, and by a solved alternative that looked at
//!   this move: none of those that it looked at is better than it says, and the one that it names
//!   is as good. Any other move may be worth anything. A solved evaluation bounds the whole
//!   position.
//! - The value never leaves the bounds.
//!
//! Of equal moves the lowest square of the canonical board is the best one.

use crate::book::edge::{Destination, for_each_edge_with};
use crate::book::key::NodeKey;
use crate::book::node::{Bounds, Derived, Node, Told, Value};
use crate::othello::kernel::{Kernel, Portable};
use crate::othello::{Board, Score, Square};

/// The derived part of a node, given what is in the book below it.
pub fn derive(key: NodeKey, node: &Node, below: impl FnMut(NodeKey) -> Option<Told>) -> Derived {
    derive_with(Portable, key.board(), node, below)
}

/// [`derive`] within a region that is compiled for the kernel's tier.
#[inline(always)]
pub fn derive_with<K: Kernel>(
    kernel: K,
    board: Board,
    node: &Node,
    mut below: impl FnMut(NodeKey) -> Option<Told>,
) -> Derived {
    let solved = node.alternative.filter(|known| known.level.solved);
    let limit = solved
        .and_then(|known| known.found.limit())
        .map(Value::ceil);
    let named = node.alternative.and_then(|known| known.found.square());
    let mut best = Best::default();
    let mut lower = Score::MIN;
    let mut upper = Score::MIN;
    let mut leads_on = false;
    for_each_edge_with(kernel, board, |edge| {
        let mut bounds = Bounds::UNKNOWN;
        let mut worth = None;
        match edge.to {
            Destination::End(score) => {
                worth = Some(Value::of_score(score));
                bounds = Bounds {
                    lower: score,
                    upper: score,
                };
            }
            Destination::Position { key, sign } => {
                if let Some(child) = below(key) {
                    worth = child.value.map(|value| sign.value(value));
                    bounds = sign.bounds(child.bounds);
                    leads_on |= worth.is_some();
                }
            }
        }
        if let Some(known) = solved
            && known.among.contains(edge.square)
            && !matches!(edge.to, Destination::End(_))
        {
            if let Some(limit) = limit {
                bounds.upper = bounds.upper.min(limit);
            }
            if named == Some(edge.square) {
                bounds.lower = bounds.lower.max(known.found.value().floor());
            }
        }
        if worth.is_none() && named == Some(edge.square) {
            worth = node.alternative.map(|known| known.found.value());
        }
        if let Some(worth) = worth {
            best.consider(worth, edge.square);
        }
        lower = lower.max(bounds.lower);
        upper = upper.max(bounds.upper);
    });

    if let Some(evaluation) = node.evaluation.filter(|found| found.level.solved) {
        lower = lower.max(evaluation.value.floor());
        upper = upper.min(evaluation.value.ceil());
    }
    // Only searches that contradict each other get here; what was proven from below stands.
    let bounds = Bounds {
        lower,
        upper: upper.max(lower),
    };

    let found = best.0;
    let guess = found
        .map(|(value, _)| value)
        .or(node.evaluation.map(|evaluation| evaluation.value));
    let value = guess.map(|value| bounds.clamp(value));
    // A value that was lifted to the lower bound rests on no move that is known.
    let best = found
        .filter(|(known, _)| value.is_some_and(|value| value <= *known))
        .map(|(_, square)| square);
    Derived {
        value,
        best,
        bounds,
        leads_on,
    }
}

#[derive(Default)]
struct Best(Option<(Value, Square)>);

impl Best {
    #[inline(always)]
    fn consider(&mut self, value: Value, square: Square) {
        if self.0.is_none_or(|(known, _)| value > known) {
            self.0 = Some((value, square));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::edge::edges;
    use crate::book::node::{Alternative, EngineNumber, Evaluation, Found, Level, Origin};
    use crate::othello::Bitboard;

    fn level(solved: bool) -> Level {
        Level {
            depth: 12,
            selectivity: 82,
            solved,
        }
    }

    fn value(centidiscs: i32) -> Value {
        Value::new(centidiscs).unwrap()
    }

    /// The position after f5 has three moves: d6, f6 and f4, all different.
    fn after_f5() -> NodeKey {
        NodeKey::of(Board::START.play("f5".parse().unwrap()).unwrap())
    }

    fn child(centidiscs: Option<i32>) -> Option<Told> {
        Some(Told {
            value: centidiscs.map(value),
            bounds: Bounds::UNKNOWN,
        })
    }

    fn evaluated(centidiscs: i32, solved: bool) -> Option<Evaluation> {
        Some(Evaluation {
            value: value(centidiscs),
            level: level(solved),
            engine: EngineNumber::UNKNOWN,
        })
    }

    /// Of a search that looked at all moves.
    fn alternative(found: Found, solved: bool) -> Option<Alternative> {
        Some(Alternative {
            found,
            level: level(solved),
            engine: EngineNumber::UNKNOWN,
            among: after_f5().board().legal_moves(),
        })
    }

    /// Derives with these children, by the order of the moves.
    fn derived(node: &Node, children: [Option<Told>; 3]) -> Derived {
        let mut given = children.into_iter();
        derive(after_f5(), node, |_| given.next().flatten())
    }

    #[test]
    fn without_any_value_below_the_value_is_unknown() {
        let node = Node::new(Origin::Game);
        assert_eq!(derived(&node, [None; 3]), Derived::LEAF);
        let unknown = derived(&node, [child(None), child(None), None]);
        assert_eq!((unknown.value, unknown.best), (None, None));
        assert!(!unknown.leads_on);
        assert!(derived(&node, [child(Some(1)), None, None]).leads_on);
    }

    #[test]
    fn the_value_is_the_largest_of_the_known_moves() {
        let node = Node::new(Origin::Game);
        let moves = edges(after_f5().board());
        let found = derived(&node, [child(Some(300)), child(None), child(Some(-100))]);
        assert_eq!(found.value, Some(value(100)));
        assert_eq!(found.best, Some(moves[2].square));
        assert_eq!(found.bounds, Bounds::UNKNOWN);
    }

    #[test]
    fn the_own_evaluation_counts_only_while_no_move_is_known() {
        let mut node = Node::new(Origin::Game);
        node.evaluation = evaluated(250, false);
        assert_eq!(derived(&node, [None; 3]).value, Some(value(250)));
        let unknown = [child(None), None, None];
        assert_eq!(derived(&node, unknown).value, Some(value(250)));
        let known = [child(Some(900)), None, None];
        assert_eq!(derived(&node, known).value, Some(value(-900)));
    }

    #[test]
    fn the_alternative_counts_until_its_move_has_a_value_in_the_book() {
        let moves = edges(after_f5().board());
        let mut node = Node::new(Origin::Game);
        node.alternative = alternative(Found::Move(moves[1].square, value(500)), false);
        let outside = derived(&node, [child(Some(-100)), None, None]);
        assert_eq!(outside.value, Some(value(500)));
        assert_eq!(outside.best, Some(moves[1].square));
        let unsearched = derived(&node, [child(Some(-100)), child(None), None]);
        assert_eq!(unsearched.value, Some(value(500)), "a game brought it in");
        assert_eq!(unsearched.best, Some(moves[1].square));
        let inside = derived(&node, [child(Some(-100)), child(Some(200)), None]);
        assert_eq!(inside.value, Some(value(100)));
    }

    #[test]
    fn bounds_need_every_move_and_a_solved_alternative_covers_the_rest() {
        let exact = |discs: i32| {
            let score = Score::new(discs).unwrap();
            Some(Told {
                value: Some(Value::of_score(score)),
                bounds: Bounds {
                    lower: score,
                    upper: score,
                },
            })
        };
        let mut node = Node::new(Origin::Game);
        let one = derived(&node, [exact(-4), None, None]);
        assert_eq!(
            (one.bounds.lower.discs(), one.bounds.upper.discs()),
            (4, 64)
        );
        let all = derived(&node, [exact(-4), exact(2), exact(10)]);
        assert!(all.bounds.is_exact());
        node.alternative = alternative(Found::NoneAbove(value(600)), true);
        let covered = derived(&node, [exact(-4), None, None]);
        assert_eq!(covered.bounds.upper.discs(), 6);
        assert_eq!(covered.value, Some(value(400)), "a bound is no value");
        // It says nothing of a move that it did not look at, as one whose position has vanished.
        let moves = edges(after_f5().board());
        if let Some(known) = &mut node.alternative {
            known.among &= !Bitboard::from(moves[0].square);
        }
        let vanished = derived(&node, [None, None, None]);
        assert_eq!(vanished.bounds.upper.discs(), 64);
    }

    #[test]
    fn a_solved_position_is_never_worth_less_than_its_solution() {
        let mut node = Node::new(Origin::Game);
        node.evaluation = evaluated(800, true);
        let found = derived(&node, [child(Some(300)), None, None]);
        assert_eq!(found.value, Some(value(800)));
        assert_eq!(found.best, None, "the move that is known does not reach it");
        assert!(found.bounds.is_exact());
    }

    #[test]
    fn a_search_that_failed_high_proves_no_upper_bound() {
        let moves = edges(after_f5().board());
        let mut node = Node::new(Origin::Game);
        node.alternative = alternative(Found::AtLeast(moves[1].square, value(600)), true);
        let found = derived(&node, [None; 3]);
        assert_eq!(found.value, Some(value(600)));
        assert_eq!(
            (found.bounds.lower.discs(), found.bounds.upper.discs()),
            (6, 64)
        );
    }

    #[test]
    fn an_alternative_that_is_no_legal_move_never_counts() {
        let mut node = Node::new(Origin::Game);
        node.alternative = alternative(Found::Move(Square::at(0, 0), value(900)), false);
        assert_eq!(derived(&node, [None; 3]), Derived::LEAF);
    }
}
