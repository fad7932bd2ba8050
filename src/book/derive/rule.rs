//! The one rule behind every derived number, for the incremental pass, the full sweep and the
//! check alike:
//!
//! - value = the largest of the moves whose value is known: those into the book (with the edge's
//!   sign), those that end the game, and the alternative unless its move is one of those.
//!   Where no move is known, the position's own evaluation; where there is none either, the value
//!   is unknown, and unknown moves never count.
//! - The bounds hold for every legal move: one that is not in the book may be worth anything,
//!   unless a solved alternative limits it. A solved evaluation limits the whole position.
//! - The value never leaves the bounds.
//!
//! Of equal moves the lowest square of the canonical board is the best one.

use crate::book::edge::{Destination, for_each_edge_with};
use crate::book::key::NodeKey;
use crate::book::node::{Bounds, Derived, Found, Node, Value};
use crate::othello::kernel::{Kernel, Portable};
use crate::othello::{Board, Score, Square};

/// What a position needs to know of one below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Below {
    pub value: Option<Value>,
    pub bounds: Bounds,
    pub lines: u32,
}

impl From<&Derived> for Below {
    fn from(derived: &Derived) -> Below {
        Below {
            value: derived.value,
            bounds: derived.bounds,
            lines: derived.lines,
        }
    }
}

/// The derived part of a node, given what is in the book below it.
pub fn derive(key: NodeKey, node: &Node, below: impl FnMut(NodeKey) -> Option<Below>) -> Derived {
    derive_with(Portable, key.board(), node, below)
}

/// The most children a position can have: no position has more legal moves than this.
const MOST_MOVES: usize = 64;

/// [`derive`] within a region that is compiled for the kernel's tier.
#[inline(always)]
pub fn derive_with<K: Kernel>(
    kernel: K,
    board: Board,
    node: &Node,
    mut below: impl FnMut(NodeKey) -> Option<Below>,
) -> Derived {
    let mut best = Best::default();
    let mut lower = Score::MIN;
    let mut upper = Score::MIN;
    let mut lines = 0u32;
    let mut outside = false;
    // Moves that the board or the book answers for, whatever a search said about them.
    let mut settled = [false; MOST_MOVES];
    // Moves of a symmetric board may lead to one position; its lines count once.
    let mut children: [Option<NodeKey>; MOST_MOVES] = [None; MOST_MOVES];
    let mut count = 0;
    for_each_edge_with(kernel, board, |edge| match edge.to {
        Destination::End(score) => {
            best.consider(Value::of_score(score), edge.square);
            lower = lower.max(score);
            upper = upper.max(score);
            settled[edge.square.index()] = true;
        }
        Destination::Position { key, sign } => match below(key) {
            Some(child) => {
                if let Some(value) = child.value {
                    best.consider(sign.value(value), edge.square);
                }
                let bounds = sign.bounds(child.bounds);
                lower = lower.max(bounds.lower);
                upper = upper.max(bounds.upper);
                settled[edge.square.index()] = true;
                let known = children.get(..count).unwrap_or_default();
                if !known.contains(&Some(key)) {
                    lines = lines.saturating_add(child.lines);
                    if let Some(place) = children.get_mut(count) {
                        *place = Some(key);
                        count += 1;
                    }
                }
            }
            None => outside = true,
        },
    });

    let mut outside_upper = Score::MAX;
    if let Some(alternative) = node.alternative {
        let solved = alternative.level.solved;
        match alternative.found {
            Found::Move(square, value) => {
                if !settled[square.index()] {
                    best.consider(value, square);
                    if solved {
                        lower = lower.max(value.floor());
                    }
                }
                if solved {
                    outside_upper = value.ceil();
                }
            }
            Found::NoneAbove(value) if solved => outside_upper = value.ceil(),
            Found::NoneAbove(_) => {}
        }
    }
    if outside {
        upper = upper.max(outside_upper);
    }
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
        lines: lines.max(1),
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
    use crate::book::edge::edges;
    use crate::book::node::{Alternative, Evaluation, Level, Origin};
    use super::*;

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

    fn child(centidiscs: Option<i32>) -> Option<Below> {
        Some(Below {
            value: centidiscs.map(value),
            bounds: Bounds::UNKNOWN,
            lines: 2,
        })
    }

    /// Derives with these children, by the order of the moves.
    fn derived(node: &Node, children: [Option<Below>; 3]) -> Derived {
        let mut given = children.into_iter();
        derive(after_f5(), node, |_| given.next().flatten())
    }

    #[test]
    fn without_any_value_below_the_value_is_unknown() {
        let node = Node::new(Origin::Game);
        assert_eq!(derived(&node, [None; 3]), Derived::LEAF);
        let unknown = derived(&node, [child(None), child(None), None]);
        assert_eq!((unknown.value, unknown.best), (None, None));
        assert_eq!(unknown.lines, 4);
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
        node.evaluation = Some(Evaluation {
            value: value(250),
            level: level(false),
        });
        assert_eq!(derived(&node, [None; 3]).value, Some(value(250)));
        let unknown = [child(None), None, None];
        assert_eq!(derived(&node, unknown).value, Some(value(250)));
        let known = [child(Some(900)), None, None];
        assert_eq!(derived(&node, known).value, Some(value(-900)));
    }

    #[test]
    fn the_alternative_counts_until_its_move_is_in_the_book() {
        let moves = edges(after_f5().board());
        let mut node = Node::new(Origin::Game);
        node.alternative = Some(Alternative {
            found: Found::Move(moves[1].square, value(500)),
            level: level(false),
        });
        let outside = derived(&node, [child(Some(-100)), None, None]);
        assert_eq!(outside.value, Some(value(500)));
        assert_eq!(outside.best, Some(moves[1].square));
        let inside = derived(&node, [child(Some(-100)), child(Some(200)), None]);
        assert_eq!(inside.value, Some(value(100)));
    }

    #[test]
    fn bounds_need_every_move_and_a_solved_alternative_covers_the_rest() {
        let exact = |discs: i32| {
            let score = Score::new(discs).unwrap();
            Some(Below {
                value: Some(Value::of_score(score)),
                bounds: Bounds {
                    lower: score,
                    upper: score,
                },
                lines: 1,
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
        node.alternative = Some(Alternative {
            found: Found::NoneAbove(value(600)),
            level: level(true),
        });
        let covered = derived(&node, [exact(-4), None, None]);
        assert_eq!(covered.bounds.upper.discs(), 6);
        assert_eq!(covered.value, Some(value(400)), "a bound is no value");
    }

    #[test]
    fn a_solved_position_is_never_worth_less_than_its_solution() {
        let mut node = Node::new(Origin::Game);
        node.evaluation = Some(Evaluation {
            value: value(800),
            level: level(true),
        });
        let found = derived(&node, [child(Some(300)), None, None]);
        assert_eq!(found.value, Some(value(800)));
        assert_eq!(found.best, None, "the move that is known does not reach it");
        assert!(found.bounds.is_exact());
    }
}
