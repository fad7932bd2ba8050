//! What a position still has to be asked: Delteil's rule.
//!
//! A leaf wants its value. Every other position wants to know whether a move that is not in the
//! book beats those that are: that is what keeps a mistake of a game from becoming the best move.
//! Once this is known, it is asked again in one case only: the best value dropped from β to α,
//! and moves that were not considered so far may lie between the two.

use crate::book::analyst::{Analyst, Finding, Question, Window};
use crate::book::family::Family;
use crate::book::node::{Alternative, Evaluation, Found, Node, Value};
use crate::othello::Bitboard;

/// An alternative that is worse than the best move by more than this, in centi-discs, is only
/// known to be worse: telling by how much would cost several times as much.
const NEAR: i32 = 300;

/// What a search of this level could add to what the node knows; none if nothing. The positions
/// below must be settled.
pub fn wanted(family: &Family, node: &Node, analyst: &dyn Analyst, level: u8) -> Option<Question> {
    let outside = family.outside();
    if level == 0 || outside.is_empty() || family.derive(node).bounds.is_exact() {
        return None;
    }
    let board = family.key().board();
    let without = family.settled();
    let promised = analyst.promises(board, level);
    let window = if without.is_empty() {
        let evaluation = node.evaluation.map(|own| own.level);
        let alternative = node.alternative.map(|known| known.level);
        let known = [evaluation, alternative].into_iter().flatten();
        if known.into_iter().any(|level| level.covers(promised)) {
            return None;
        }
        Window::FULL
    } else {
        let best = family.best_settled();
        let known = node
            .alternative
            .filter(|known| known.level.covers(promised));
        match known.map(|known| known.found) {
            Some(Found::Move(square, _)) if outside.contains(square) => return None,
            Some(Found::Move(_, limit) | Found::NoneAbove(limit)) => match best {
                Some(best) if best < limit => Window {
                    alpha: best,
                    beta: limit,
                },
                _ => return None,
            },
            None => Window {
                alpha: best.map_or(Value::MIN, nearly),
                beta: Value::MAX,
            },
        }
    };
    Some(Question {
        board,
        without,
        window,
        level,
    })
}

/// A question about the moves that are not in the book, down to `slack` centi-discs below the
/// best that is, for who wants to know the next best as well.
pub fn beside(family: &Family, node: &Node, asking: Asking<'_>, slack: i32) -> Question {
    let board = family.key().board();
    let promised = asking.analyst.promises(board, asking.level);
    let known = node
        .alternative
        .filter(|known| known.level.covers(promised));
    let limit = known.map(|known| match known.found {
        Found::Move(_, limit) | Found::NoneAbove(limit) => limit,
    });
    let best = family.best_settled().map(|best| best.centidiscs() - slack);
    let alpha = best.and_then(Value::new).unwrap_or(Value::MIN);
    Question {
        board,
        without: family.settled(),
        window: Window {
            alpha,
            beta: limit.filter(|limit| *limit > alpha).unwrap_or(Value::MAX),
        },
        level: asking.level,
    }
}

/// Whom to ask, and how hard to look.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pub analyst: &'a dyn Analyst,
    pub level: u8,
}

impl Asking<'_> {
    /// The node with what is wanted of it found out and its numbers derived, and whether that
    /// took a search. None if the search was stopped.
    pub fn complete(&self, family: &Family, mut node: Node) -> Option<(Node, bool)> {
        let question = wanted(family, &node, self.analyst, self.level);
        if let Some(question) = question {
            let finding = self.analyst.answer(&question)?;
            question.answered(&mut node, &finding);
        }
        node.derived = family.derive(&node);
        Some((node, question.is_some()))
    }
}

fn nearly(best: Value) -> Value {
    Value::new(best.centidiscs() - NEAR).unwrap_or(Value::MIN)
}

impl Question {
    /// Writes the answer into the node; what is derived is not touched.
    pub fn answered(&self, node: &mut Node, finding: &Finding) {
        let level = finding.level;
        let found = if finding.fails_low {
            Found::NoneAbove(finding.value.min(self.window.alpha))
        } else {
            Found::Move(finding.best, finding.value)
        };
        node.alternative = Some(Alternative { found, level });
        // A leaf's best move is both: its value, and what moves that come in have to beat.
        if self.without == Bitboard::EMPTY {
            let value = finding.value;
            node.evaluation = Some(Evaluation { value, level });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::book::edge::edges;
    use crate::book::key::NodeKey;
    use crate::book::node::{Level, Origin};
    use crate::book::store::Store;
    use super::*;
    use crate::othello::{Board, Square};
    use tempfile::TempDir;

    const LEVEL: Level = Level {
        depth: 6,
        selectivity: 82,
        solved: false,
    };

    /// Promises, and is not asked for more.
    struct Promise;

    impl Analyst for Promise {
        fn answer(&self, _: &Question) -> Option<Finding> {
            None
        }

        fn promises(&self, _: Board, level: u8) -> Level {
            Level {
                depth: level,
                ..LEVEL
            }
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

        /// Puts the position after one of the moves in, worth this much to who makes the move.
        fn put(&self, place: usize, centidiscs: i32) {
            let child = edges(self.key.board())[place].child().unwrap();
            let mut node = Node::new(Origin::Game);
            node.derived.value = Value::new(-centidiscs);
            let mut batch = self.store.batch().unwrap();
            batch.put_node(child, &node);
            batch.commit().unwrap();
        }

        fn wanted(&self, node: &Node) -> Option<Question> {
            let family = Family::read(&self.store.reader(), self.key).unwrap();
            wanted(&family, node, &Promise, LEVEL.depth)
        }
    }

    fn window(alpha: i32, beta: i32) -> Window {
        Window {
            alpha: Value::new(alpha).unwrap(),
            beta: Value::new(beta).unwrap(),
        }
    }

    fn finding(best: Square, centidiscs: i32, fails_low: bool) -> Finding {
        Finding {
            best,
            value: Value::new(centidiscs).unwrap(),
            fails_low,
            level: LEVEL,
        }
    }

    #[test]
    fn a_leaf_wants_its_value_until_it_has_one_of_the_level() {
        let scene = Scene::new();
        let mut node = Node::new(Origin::Game);
        let question = scene.wanted(&node).unwrap();
        assert_eq!(
            (question.without, question.window),
            (Bitboard::EMPTY, Window::FULL)
        );
        question.answered(&mut node, &finding(scene.moves[1], 120, false));
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
        question.answered(&mut node, &finding(scene.moves[1], 120, false));
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
        question.answered(&mut node, &finding(scene.moves[2], -900, true));
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
        question.answered(&mut node, &finding(scene.moves[2], 230, true));
        assert_eq!(scene.wanted(&node), None);
        scene.put(1, 150);
        assert_eq!(scene.wanted(&node).unwrap().window, window(150, 230));
        scene.put(2, 0);
        assert_eq!(scene.wanted(&node), None, "every move is in the book");
    }
}
