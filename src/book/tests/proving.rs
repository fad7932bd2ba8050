//! Bounds say what is proven of the moves as they are now, and nothing more.

use super::judge::result_of;
use super::*;
use crate::othello::Bitboard;

const SOLVED: Level = Level {
    depth: 6,
    selectivity: 100,
    solved: true,
};

fn put(store: &Store, nodes: &[(NodeKey, Node)]) {
    let mut batch = store.batch().unwrap();
    for (key, node) in nodes {
        batch.put_node(*key, node);
    }
    batch.commit().unwrap();
    sweep(store, &()).unwrap();
}

fn bounds(store: &Store, key: NodeKey) -> (i32, i32) {
    let bounds = store.reader().node(key).unwrap().unwrap().derived.bounds;
    (bounds.lower.discs(), bounds.upper.discs())
}

#[test]
fn a_solved_none_above_proves_nothing_about_a_move_that_came_out_of_the_book() {
    // After f5: d6 is in the book and proven to be a draw; of the others none is above −2.00.
    let (_folder, store) = new_store();
    let (parent, child) = (key_after("f5"), key_after("f5d6"));
    let others: Bitboard = ["f4", "f6"]
        .map(|square| canonical("f5", square))
        .into_iter()
        .collect();
    let mut above = Node::new(Origin::Import);
    above.alternative = Some(Alternative {
        among: others,
        ..any_alternative(parent, Found::NoneAbove(value(-200)), SOLVED)
    });
    let mut below = Node::new(Origin::Import);
    below.evaluation = Some(Evaluation {
        value: value(0),
        level: SOLVED,
        engine: EngineNumber::UNKNOWN,
    });
    put(&store, &[(parent, above), (child, below)]);
    assert_eq!(bounds(&store, parent), (0, 0));

    let mut batch = store.batch().unwrap();
    batch.remove(Table::Nodes, &child.to_bytes());
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    assert_eq!(
        bounds(&store, parent),
        (-64, 64),
        "d6 may be worth anything"
    );
    agrees_with_the_judge(&store, "without the child");
    // The same by a file that has the parent alone.
    let mut whole = above;
    whole.alternative = Some(any_alternative(
        parent,
        Found::NoneAbove(value(-200)),
        SOLVED,
    ));
    put(&store, &[(parent, whole)]);
    assert_eq!(
        bounds(&store, parent),
        (-64, -2),
        "all moves were looked at"
    );
}

#[test]
fn a_solved_at_least_bounds_its_move_from_below_and_no_other() {
    let (_folder, store) = new_store();
    let parent = key_after("f5");
    let mut node = Node::new(Origin::Import);
    let found = Found::AtLeast(canonical("f5", "d6"), value(350));
    node.alternative = Some(any_alternative(parent, found, SOLVED));
    put(&store, &[(parent, node)]);
    assert_eq!(bounds(&store, parent), (3, 64));
    assert_eq!(value_after(&store, "f5"), Some(value(350)));
    agrees_with_the_judge(&store, "with a lower bound");
}

/// What a solver could have said about some moves of a position.
fn truthful(random: &mut Random, key: NodeKey) -> Alternative {
    let legal = key.board().legal_moves();
    let square = random.square(legal).unwrap();
    let some = legal.into_iter().filter(|_| random.below(2) == 0);
    let among = some.collect::<Bitboard>().with(square);
    let worth = |square: Square| -result_of(key.board().play(square).unwrap());
    let best = among
        .into_iter()
        .max_by_key(|square| worth(*square))
        .unwrap();
    let most = 100 * worth(best);
    let slack = random.below(300) as i32;
    let found = match random.below(3) {
        0 => Found::Move(best, value(most)),
        1 => Found::NoneAbove(value((most + slack).min(6400))),
        _ => Found::AtLeast(square, value((100 * worth(square) - slack).max(-6400))),
    };
    Alternative {
        among,
        ..any_alternative(key, found, SOLVED)
    }
}

#[test]
fn what_is_proven_is_true_whatever_comes_in_and_goes() {
    let mut random = Random::new(17);
    let mut proven = 0;
    for _ in 0..12 {
        let root = late_position(&mut random, 7);
        let keys = universe(root, 6, 400);
        let (_folder, store) = new_store();
        for _ in 0..8 {
            let mut batch = store.batch().unwrap();
            for key in &keys {
                match random.below(6) {
                    0 => batch.remove(Table::Nodes, &key.to_bytes()),
                    1 => {
                        let mut node = Node::new(Origin::Import);
                        node.alternative = Some(truthful(&mut random, *key));
                        batch.put_node(*key, &node);
                    }
                    2 => {
                        let mut node = Node::new(Origin::Import);
                        node.evaluation = Some(Evaluation {
                            value: value(100 * result_of(key.board())),
                            level: SOLVED,
                            engine: EngineNumber::UNKNOWN,
                        });
                        batch.put_node(*key, &node);
                    }
                    3 => batch.put_node(*key, &Node::new(Origin::Import)),
                    _ => {}
                }
            }
            batch.commit().unwrap();
            sweep(&store, &()).unwrap();
            agrees_with_the_judge(&store, "with proofs");
            for (key, node) in all_nodes(&store) {
                let (result, found) = (result_of(key.board()), node.derived.bounds);
                let is_true = found.lower.discs() <= result && result <= found.upper.discs();
                assert!(is_true, "{key} is worth {result}, not {found:?}");
                proven += usize::from(found.is_exact());
            }
        }
    }
    assert!(proven > 500, "{proven}");
}
