use super::*;
use crate::book::care::forget::Few;
use crate::book::edge::{Destination, edges};
use crate::book::node::{EngineNumber, Evaluation, Found, Level, Origin, Value};
use crate::book::tests::{
    all_nodes, any_alternative, any_level, any_value, learn_all, new_store, raw_nodes, sound,
};
use crate::book::{forget, settle, subtree, sweep};
use crate::games::{Game, SampleGames};
use crate::othello::{MoveList, Random};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// A book of games, evaluated at random. Nothing is solved: proofs at random contradict each
/// other, and a value that one of them had cut would rise when it goes.
fn book(seed: u64) -> (TempDir, Store) {
    let mut random = Random::new(seed);
    let any_level = |random: &mut Random| Level {
        solved: false,
        ..any_level(random)
    };
    let (folder, store) = new_store();
    let games: Vec<Game> = SampleGames::new(seed).take(80).collect();
    learn_all(&store, &games, 16, 1);
    let mut batch = store.batch().unwrap();
    for (key, mut node) in all_nodes(&store) {
        let (value, level) = (any_value(&mut random), any_level(&mut random));
        let engine = EngineNumber::UNKNOWN;
        node.evaluation = Some(Evaluation {
            value,
            level,
            engine,
        });
        if random.below(2) == 0 {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            let found = Found::NoneAbove(value);
            node.alternative = Some(any_alternative(key, found, level));
        }
        batch.put_node(key, &node);
    }
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    (folder, store)
}

fn moves(text: &str) -> Vec<Square> {
    MoveList::parse(Position::START, text).unwrap().moves
}

#[test]
fn pruning_leaves_a_sound_book_and_the_best_line() {
    let (_folder, store) = book(1);
    let before = all_nodes(&store);
    let mut kept_before = u64::MAX;
    for loss in [6400, 1000, 200, 0] {
        let trimmed = prune(&store, loss, &()).unwrap();
        settle(&store, &()).unwrap();
        sound(&store);
        let after = all_nodes(&store);
        assert_eq!(after.len() as u64, trimmed.kept);
        assert!(trimmed.kept <= kept_before);
        assert!(after.keys().all(|key| before.contains_key(key)));
        kept_before = trimmed.kept;
    }
    assert!(kept_before < before.len() as u64 / 4);
    let start = NodeKey::of(Position::START.board);
    let value = |model: &crate::book::tests::Model| model[&start].derived.value;
    assert_eq!(value(&all_nodes(&store)), value(&before));
    let again = prune(&store, 0, &()).unwrap();
    assert_eq!(again.removed, 0);
}

#[test]
fn a_position_is_forgotten_with_all_that_only_it_leads_to() {
    let (_folder, store) = book(2);
    let before = all_nodes(&store).len() as u64;
    let removed = forget(&store, &moves("f5d6"), &()).unwrap();
    settle(&store, &()).unwrap();
    sound(&store);
    assert_eq!(all_nodes(&store).len() as u64 + removed, before);
    assert!(removed > 10);
    assert!(forget(&store, &moves("f5d6"), &()).is_err());
    assert!(matches!(
        forget(&store, &[], &()),
        Err(TrimError::Everything)
    ));
}

/// Both ways to forget, on books of their own; what becomes of the rest is the same.
#[test]
fn what_is_little_is_forgotten_like_what_is_much() {
    for (seed, line) in [(4, "f5d6"), (5, "f5f6"), (6, "f5d6c3d3"), (7, "f5f4")] {
        let ((_folder, one), (_other, other)) = (book(seed), book(seed));
        let moves = moves(line);
        if one.reader().contains(&[key_of(line)]).unwrap() == [false] {
            continue;
        }
        let few = Few::below(&one, key_of(line), &()).unwrap().unwrap();
        let removed = few.remove(&one).unwrap();
        let trimmed = trim(&other, &Rule::Without(key_of(line)), &()).unwrap();
        assert_eq!(removed, trimmed.removed, "{line} ({} moves)", moves.len());
        for store in [&one, &other] {
            // Whoever was killed here only has to settle what is left.
            assert_eq!(forget(store, &moves, &()).unwrap(), 0);
            settle(store, &()).unwrap();
            sound(store);
            assert!(forget(store, &moves, &()).is_err());
        }
        assert!(raw_nodes(&one) == raw_nodes(&other), "{line}");
    }
}

fn key_of(line: &str) -> NodeKey {
    NodeKey::of(MoveList::parse(Position::START, line).unwrap().end.board)
}

/// Lines are followed from the start with what they give away, one after the other.
#[test]
fn pruning_keeps_what_a_walk_over_all_lines_reaches() {
    for (seed, loss) in [(8, 0), (9, 150), (10, 700), (11, 2500)] {
        let (_folder, store) = book(seed);
        let all = all_nodes(&store);
        let mut kept: BTreeMap<NodeKey, i32> = BTreeMap::new();
        let mut lines = vec![(NodeKey::of(Position::START.board), 0)];
        while let Some((key, given)) = lines.pop() {
            let known = kept.entry(key).or_insert(i32::MAX);
            if given >= *known {
                continue;
            }
            *known = given;
            for edge in edges(key.board()) {
                let Destination::Position { key: child, sign } = edge.to else {
                    continue;
                };
                let Some(below) = all.get(&child) else {
                    continue;
                };
                let best = all[&key].derived.value;
                let worth = below.derived.value.map(|value| sign.value(value));
                let lost = match (best, worth) {
                    (Some(best), Some(worth)) => best.centidiscs() - worth.centidiscs(),
                    _ => 0,
                };
                let given = given + lost.max(0);
                if given <= loss {
                    lines.push((child, given));
                }
            }
        }
        let trimmed = prune(&store, loss, &()).unwrap();
        assert_eq!(trimmed.removed, (all.len() - kept.len()) as u64);
        assert!(all_nodes(&store).keys().eq(kept.keys()), "{seed}");
    }
}

#[test]
fn a_subtree_is_a_line_and_what_is_below_it() {
    let (_folder, store) = book(3);
    let (_other, part) = new_store();
    let absorbed = subtree(&store.reader(), &moves("f5d6c3"), &part, &()).unwrap();
    sound(&part);
    let (all, some) = (all_nodes(&store), all_nodes(&part));
    assert_eq!(some.len() as u64, absorbed.new);
    let end = MoveList::parse(Position::START, "f5d6c3").unwrap().end;
    let end = NodeKey::of(end.board);
    for (key, node) in &some {
        if key.layer() >= end.layer() {
            assert_eq!(node, &all[key], "{key}");
        } else {
            assert_eq!(some.keys().filter(|k| k.layer() == key.layer()).count(), 1);
        }
    }
    let (_third, whole) = new_store();
    subtree(&store.reader(), &[], &whole, &()).unwrap();
    assert!(raw_nodes(&whole) == raw_nodes(&store));
}

#[test]
fn a_part_of_a_book_knows_who_searched_it() {
    let (_folder, store) = new_store();
    store.engine_number("somebody else").unwrap();
    let engine = store.engine_number("emilia-1").unwrap();
    let start = NodeKey::of(Position::START.board);
    let mut node = Node::new(Origin::Game);
    node.evaluation = Some(Evaluation {
        value: Value::new(100).unwrap(),
        level: Level {
            depth: 8,
            selectivity: 82,
            solved: false,
        },
        engine,
    });
    let mut batch = store.batch().unwrap();
    batch.put_node(start, &node);
    batch.commit().unwrap();
    let (_other, part) = new_store();
    // What the new book calls its engines is its own affair.
    part.engine_number("a third").unwrap();
    subtree(&store.reader(), &[], &part, &()).unwrap();
    let copied = part.reader().node(start).unwrap().unwrap();
    let engines = part.reader().engines().unwrap();
    let engine = copied.evaluation.unwrap().engine;
    assert_eq!(engines.name(engine), Some("emilia-1"));
}
