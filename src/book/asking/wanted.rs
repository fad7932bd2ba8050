//! What a position still has to be asked: Delteil's rule.
//!
//! A leaf wants its value. Every other position wants to know whether a move that has no value in
//! the book beats those that have: that is what keeps a mistake of a game from becoming the best
//! move. Once this is known, it is asked again in one case only: the best value dropped from β to
//! α, and moves that were not considered so far may lie between the two.

use super::analyst::Analyst;
use super::question::{BestMove, Claim, MovesQuestion, Window};
use crate::book::family::Family;
use crate::book::node::{
    Alternative, Derived, EngineNumber, Evaluation, Found, Level, Node, Value,
};
use crate::othello::Bitboard;

/// An alternative that is worse than the best move by more than this, in centi-discs, is only
/// known to be worse: telling by how much would cost several times as much.
const NEAR: i32 = 300;

/// What is good enough: the answer that this level would get, of any engine or of this one alone.
#[derive(Clone, Copy)]
pub struct Standard<'a> {
    pub analyst: &'a dyn Analyst,
    pub level: u8,
    pub only: Option<EngineNumber>,
}

impl Standard<'_> {
    fn is_met_by(&self, level: Level, engine: EngineNumber, family: &Family) -> bool {
        let promised = self.analyst.promises(family.key().board(), self.level);
        level.covers(promised) && self.only.is_none_or(|only| only == engine)
    }

    /// The alternative, if it is good enough and looked at all that is open now.
    fn known(&self, family: &Family, node: &Node) -> Option<Alternative> {
        let open = family.open();
        node.alternative
            .filter(|known| open & !known.among == Bitboard::EMPTY)
            .filter(|known| self.is_met_by(known.level, known.engine, family))
    }
}

/// What a search could add to what the node knows; none if nothing. The positions below must be
/// settled.
pub fn wanted(family: &Family, node: &Node, standard: Standard<'_>) -> Option<MovesQuestion> {
    let open = family.open();
    if open.is_empty() || family.derive(node).bounds.is_exact() {
        return None;
    }
    let without = family.valued();
    let known = standard.known(family, node);
    let window = if without.is_empty() {
        let own = node
            .evaluation
            .is_some_and(|own| standard.is_met_by(own.level, own.engine, family));
        if own || known.is_some() {
            return None;
        }
        Window::FULL
    } else {
        let best = family.best_valued();
        match known.map(|known| known.found) {
            Some(found) if found.square().is_some_and(|named| open.contains(named)) => return None,
            Some(found) => {
                let alpha = best?;
                let beta = found.limit().unwrap_or(Value::MAX);
                if alpha >= beta {
                    return None;
                }
                Window { alpha, beta }
            }
            None => Window {
                alpha: best.map_or(Value::MIN, nearly),
                beta: Value::MAX,
            },
        }
    };
    Some(MovesQuestion {
        position: family.key(),
        without,
        window,
        level: standard.level,
    })
}

/// A question about the moves that have no value in the book, down to `slack` centi-discs below
/// the best that have one, for who wants to know the next best as well; none if there are none.
pub fn beside(
    family: &Family,
    node: &Node,
    standard: Standard<'_>,
    slack: u16,
) -> Option<MovesQuestion> {
    if family.open().is_empty() || family.derive(node).bounds.is_exact() {
        return None;
    }
    let known = standard.known(family, node);
    let limit = known.and_then(|known| known.found.limit());
    let best = family
        .best_valued()
        .map(|best| best.centidiscs() - i32::from(slack));
    let alpha = best.and_then(Value::new).unwrap_or(Value::MIN);
    Some(MovesQuestion {
        position: family.key(),
        without: family.valued(),
        window: Window {
            alpha,
            beta: limit.filter(|limit| *limit > alpha).unwrap_or(Value::MAX),
        },
        level: standard.level,
    })
}

/// The position itself on the whole scale, unless that is known.
pub fn whole(family: &Family, node: &Node, standard: Standard<'_>) -> Option<MovesQuestion> {
    let is_known = node
        .evaluation
        .is_some_and(|own| standard.is_met_by(own.level, own.engine, family));
    (!is_known).then(|| MovesQuestion::whole(family.key(), standard.level))
}

/// The best value fell below what moves may be worth that were not considered: Delteil's one case.
/// `before` is what was derived when it was looked at last.
pub fn has_dropped(family: &Family, node: &Node, before: &Derived) -> bool {
    let Some(known) = node.alternative else {
        return false;
    };
    let open = family.open();
    if open.is_empty()
        || known
            .found
            .square()
            .is_some_and(|named| open.contains(named))
    {
        return false;
    }
    let limit = known.found.value();
    let was_reached = before.value.is_none_or(|value| value >= limit);
    was_reached && family.best_valued().is_some_and(|best| best < limit)
}

fn nearly(best: Value) -> Value {
    Value::new(best.centidiscs() - NEAR).unwrap_or(Value::MIN)
}

impl MovesQuestion {
    /// The answer still speaks of every move that nothing else tells about.
    pub fn fits(&self, family: &Family) -> bool {
        let open = family.open();
        let is_whole = self.without.is_empty();
        is_whole || !open.is_empty() && open & !self.among() == Bitboard::EMPTY
    }

    /// Writes the answer into the node; what is derived is not touched.
    pub fn answered(&self, node: &mut Node, best: &BestMove, engine: EngineNumber) {
        let BestMove {
            square,
            value,
            claim,
            level,
        } = *best;
        let found = match claim {
            Claim::Exactly => Found::Move(square, value),
            Claim::AtLeast => Found::AtLeast(square, value),
            Claim::AtMost => Found::NoneAbove(value.min(self.window.alpha)),
        };
        let legal = self.position.board().legal_moves();
        node.alternative = Some(Alternative {
            found,
            level,
            engine,
            among: if level.solved { self.among() } else { legal },
        });
        // A leaf's best move is both: its value, and what moves that come in have to beat.
        if self.without.is_empty() {
            node.evaluation = Some(Evaluation {
                value,
                level,
                engine,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyst::{AnalystError, Reply};
    use super::super::question::{Question, QuestionId};
    use super::*;
    use crate::book::edge::edges;
    use crate::book::key::NodeKey;
    use crate::book::node::{Level, Origin};
    use crate::book::store::Store;
    use crate::othello::{Board, Square};
    use std::time::Duration;
    use tempfile::TempDir;

    const LEVEL: Level = Level {
        depth: 6,
        selectivity: 82,
        solved: false,
    };

    /// Promises, and is not asked for more.
    struct Promise;

    impl Analyst for Promise {
        fn engine(&self) -> &str {
            "promise"
        }

        fn promises(&self, _: Board, level: u8) -> Level {
            Level {
                depth: level,
                ..LEVEL
            }
        }

        fn workers(&self) -> usize {
            1
        }

        fn room(&self) -> usize {
            0
        }

        fn ask(&mut self, _: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
            Err(AnalystError::Stopped)
        }

        fn next(&mut self, _: Duration) -> Result<Option<Reply>, AnalystError> {
            Err(AnalystError::Stopped)
        }
    }

    /// The position after f5 with its three moves, all different, and a book around it.
    struct Scene {
        _folder: TempDir,
        store: Store,
        key: NodeKey,
        moves: Vec<Square>,
    }

    impl Scene {
        fn new() -> Scene {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open_or_create(&folder.path().join("b")).unwrap();
            let key = NodeKey::of(Board::START.play("f5".parse().unwrap()).unwrap());
            let moves = edges(key.board()).iter().map(|edge| edge.square).collect();
            Scene {
                _folder: folder,
                store,
                key,
                moves,
            }
        }

        /// Puts the position after one of the moves in, worth this much to who makes the move, or
        /// nobody knows how much.
        fn put(&self, place: usize, centidiscs: impl Into<Option<i32>>) {
            let centidiscs = centidiscs.into();
            let child = edges(self.key.board())[place].child().unwrap();
            let mut node = Node::new(Origin::Game);
            node.derived.value = centidiscs.and_then(|value| Value::new(-value));
            let mut batch = self.store.batch().unwrap();
            batch.put_node(child, &node);
            batch.commit().unwrap();
        }

        fn family(&self) -> Family {
            Family::read(&self.store.reader(), self.key).unwrap()
        }

        fn wanted(&self, node: &Node) -> Option<MovesQuestion> {
            let standard = Standard {
                analyst: &Promise,
                level: LEVEL.depth,
                only: None,
            };
            wanted(&self.family(), node, standard)
        }
    }

    fn window(alpha: i32, beta: i32) -> Window {
        Window {
            alpha: Value::new(alpha).unwrap(),
            beta: Value::new(beta).unwrap(),
        }
    }

    fn finding(square: Square, centidiscs: i32, fails_low: bool) -> BestMove {
        BestMove {
            square,
            value: Value::new(centidiscs).unwrap(),
            claim: if fails_low {
                Claim::AtMost
            } else {
                Claim::Exactly
            },
            level: LEVEL,
        }
    }

    const ENGINE: EngineNumber = EngineNumber(1);

    #[test]
    fn a_leaf_wants_its_value_until_it_has_one_of_the_level() {
        let scene = Scene::new();
        let mut node = Node::new(Origin::Game);
        let question = scene.wanted(&node).unwrap();
        assert_eq!(
            (question.without, question.window),
            (Bitboard::EMPTY, Window::FULL)
        );
        question.answered(&mut node, &finding(scene.moves[1], 120, false), ENGINE);
        assert_eq!(node.evaluation.map(|own| own.value), Value::new(120));
        assert_eq!(scene.wanted(&node), None);
        node.evaluation = None;
        assert_eq!(scene.wanted(&node), None, "its best move tells as much");
        node.alternative = None;
        assert!(scene.wanted(&node).is_some());
    }

    #[test]
    fn what_a_leaf_knew_is_its_alternative_when_another_move_comes_in() {
        let scene = Scene::new();
        let mut node = Node::new(Origin::Game);
        let question = scene.wanted(&node).unwrap();
        question.answered(&mut node, &finding(scene.moves[1], 120, false), ENGINE);
        scene.put(0, -500);
        assert_eq!(scene.wanted(&node), None);
    }

    #[test]
    fn a_position_with_moves_in_the_book_wants_the_best_of_the_others() {
        let scene = Scene::new();
        scene.put(0, -500);
        let mut node = Node::new(Origin::Game);
        let question = scene.wanted(&node).unwrap();
        assert_eq!(question.without, scene.moves[0].into());
        assert_eq!(question.window, window(-800, 6400));
        question.answered(&mut node, &finding(scene.moves[2], -900, true), ENGINE);
        assert_eq!(
            node.alternative.map(|known| known.found),
            Value::new(-900).map(Found::NoneAbove)
        );
        assert_eq!(node.evaluation, None);
        assert_eq!(scene.wanted(&node), None);
    }

    #[test]
    fn only_a_best_value_that_dropped_makes_the_others_worth_a_search() {
        let scene = Scene::new();
        let mut node = Node::new(Origin::Game);
        node.alternative = Some(Alternative {
            found: Found::Move(scene.moves[1], Value::new(400).unwrap()),
            level: LEVEL,
            engine: ENGINE,
            among: scene.key.board().legal_moves(),
        });
        scene.put(0, 100);
        // The move that promised 4 discs comes in: it keeps the promise, then it breaks it.
        scene.put(1, 400);
        assert_eq!(scene.wanted(&node), None);
        scene.put(1, 250);
        let question = scene.wanted(&node).unwrap();
        assert_eq!(question.window, window(250, 400));
        assert_eq!(
            question.without,
            [scene.moves[0], scene.moves[1]].into_iter().collect()
        );
        question.answered(&mut node, &finding(scene.moves[2], 230, true), ENGINE);
        assert_eq!(scene.wanted(&node), None);
        scene.put(1, 150);
        assert_eq!(scene.wanted(&node).unwrap().window, window(150, 230));
        scene.put(2, 0);
        assert_eq!(scene.wanted(&node), None, "every move is in the book");
    }

    #[test]
    fn a_move_whose_position_has_no_value_is_asked_about_with_the_others() {
        let scene = Scene::new();
        scene.put(0, 100);
        scene.put(1, None);
        let node = Node::new(Origin::Game);
        let question = scene.wanted(&node).unwrap();
        assert_eq!(question.without, scene.moves[0].into());
    }

    #[test]
    fn a_drop_is_seen_once_and_only_where_moves_were_not_considered() {
        let scene = Scene::new();
        let mut node = Node::new(Origin::Game);
        node.alternative = Some(Alternative {
            found: Found::NoneAbove(Value::new(150).unwrap()),
            level: LEVEL,
            engine: ENGINE,
            among: scene.key.board().legal_moves(),
        });
        let before = |centidiscs: i32| Derived {
            value: Value::new(centidiscs),
            ..Derived::LEAF
        };
        scene.put(0, 100);
        assert!(has_dropped(&scene.family(), &node, &before(300)));
        assert!(
            !has_dropped(&scene.family(), &node, &before(120)),
            "it was below before"
        );
        scene.put(0, 200);
        assert!(
            !has_dropped(&scene.family(), &node, &before(300)),
            "nothing can beat it"
        );
        scene.put(0, 100);
        scene.put(1, 0);
        scene.put(2, 0);
        assert!(
            !has_dropped(&scene.family(), &node, &before(300)),
            "all are in the book"
        );
    }
}
