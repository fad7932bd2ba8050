//! What is asked: Delteil's rule, counted by who is asked.

use super::judge::still_asked;
use super::overlapping::assert_from_below;
use super::scripted::{Manner, Scripted};
use super::*;
use crate::othello::Bitboard;

/// The moves of a set after a line, as the canonical board has them.
fn moves_after(line: &str, squares: &[&str]) -> Bitboard {
    squares
        .iter()
        .map(|square| canonical(line, square))
        .collect()
}

fn window(alpha: i32, beta: i32) -> Window {
    Window {
        alpha: value(alpha),
        beta: value(beta),
    }
}

/// Learns games for an errand, or for none, without answering what they want.
pub(super) fn take_in(store: &Store, lines: &[&str], errand: Option<Errand>, who: &mut Scripted) {
    let games: Vec<Game> = lines.iter().map(|line| game_of(line)).collect();
    let plan = Plan {
        plies: 60,
        min_games: 1,
        games_at_once: 40,
    };
    let searching = Searching {
        analyst: who,
        errand,
        correct: 0,
    };
    let mut learner = Learner::new(store, plan).searching(searching, &());
    learner.add(&games).unwrap();
    learner.finish().unwrap();
}

/// The same, and answers.
pub(super) fn build(store: &Store, lines: &[&str], level: u8, who: &mut Scripted) -> Settled {
    let errand = Errand::new(Cause::Build, level);
    take_in(store, lines, errand, who);
    match errand {
        Some(errand) => answer_wants(store, who, Assignment::of(errand), &()).unwrap(),
        None => settle(store, &()).unwrap(),
    }
}

pub(super) fn deepen(store: &Store, level: u8, who: &mut Scripted) -> Settled {
    let assignment = Assignment {
        everything: true,
        ..Assignment::of(Errand::new(Cause::Deepen, level).unwrap())
    };
    answer_wants(store, who, assignment, &()).unwrap()
}

/// The positions that were asked about.
pub(super) fn positions(asked: &[MovesQuestion]) -> BTreeSet<NodeKey> {
    asked.iter().map(|one| one.position).collect()
}

fn keys(lines: &[&str]) -> BTreeSet<NodeKey> {
    lines.iter().map(|line| key_after(line)).collect()
}

#[test]
fn a_leaf_is_asked_as_a_whole_and_other_positions_about_the_moves_without_a_value() {
    let (_folder, store) = new_store();
    let mut who = Scripted::plain().values("f5d6c3", -200);
    build(&store, &["f5d6c3"], 2, &mut who);
    let asked = who.take_asked();
    let leaf = key_after("f5d6c3");
    assert_eq!(asked[0], MovesQuestion::whole(leaf, 2));
    let above = |line: &str, book: &str, best: i32| MovesQuestion {
        position: key_after(line),
        without: moves_after(line, &[book]),
        window: window(best - 300, 6400),
        level: 2,
    };
    assert_eq!(asked[1], above("f5d6", "c3", 200));
    assert_eq!(asked[2], above("f5", "d6", -200));
    // All four first moves lead to one position of the book.
    assert_eq!(asked.len(), 3);
    agrees_with_the_judge(&store, "after the build");
}

#[test]
fn what_a_search_said_of_a_move_stands_until_its_position_has_a_value() {
    // Once an unsearched position hid its parent's alternative: −1.51 after f5 became −7.53 when
    // d6 came in, and the start jumped.
    for manner in [Manner::PLAIN, Manner::DIFFICULT] {
        let (_folder, store) = new_store();
        let who = Scripted::plain().behaving(manner);
        let mut who = who.values("f5f4e3f6d3", -753).says("f5d6", -151);
        build(&store, &["f5f4e3f6d3"], 3, &mut who);
        let node = store.reader().node(key_after("f5")).unwrap().unwrap();
        let d6 = canonical("f5", "d6");
        assert_eq!(node.alternative.unwrap().found.square(), Some(d6));
        assert_eq!(node.derived.best, Some(d6));
        assert_eq!(value_after(&store, "f5"), Some(value(-151)));
        assert_eq!(value_after(&store, ""), Some(value(151)));

        who.take_asked();
        build(&store, &["f5d6c3"], 0, &mut who);
        assert!(who.asked.is_empty(), "level 0 wants nothing");
        assert_eq!(store.reader().node(key_after("f5")).unwrap(), Some(node));
        assert_eq!(value_after(&store, "f5d6"), None);
        assert_eq!(value_after(&store, ""), Some(value(151)));
        sound(&store);
        agrees_with_the_judge(&store, "with an unsearched child");
    }
}

#[test]
fn the_same_again_asks_nothing() {
    let (_folder, store) = new_store();
    let games: Vec<Game> = SampleGames::new(5).take(12).collect();
    let lines: Vec<String> = games
        .iter()
        .map(|game| text_of(&game.moves()[..12]))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for level in [1, 2, 3] {
        let mut who = Scripted::new(Manner::PLAIN);
        let settled = build(&store, &lines, level, &mut who);
        assert!(settled.finished && settled.searched == who.answered && who.answered > 50);
        let names: BTreeSet<QuestionId> = who.take_asked().iter().map(name_of).collect();
        assert_eq!(
            names.len() as u64,
            who.answered,
            "each question is asked once"
        );
        let before = raw_nodes(&store);
        assert_eq!(build(&store, &lines, level, &mut who).searched, 0);
        assert_eq!(build(&store, &lines, level - 1, &mut who).searched, 0);
        assert_eq!(deepen(&store, level, &mut who).searched, 0);
        assert!(who.asked.is_empty());
        assert_eq!(raw_nodes(&store), before);
    }
}

fn text_of(moves: &[Square]) -> String {
    moves.iter().map(|square| square.to_string()).collect()
}

fn name_of(asked: &MovesQuestion) -> QuestionId {
    QuestionId::of(&Question::Moves(*asked), "scripted")
}

#[test]
fn a_rise_asks_nothing() {
    let (_folder, store) = new_store();
    let mut who = Scripted::plain().values("f5d6c3", -200);
    build(&store, &["f5d6c3"], 2, &mut who);
    who.take_asked();
    // A better answer to f5: the leaf is asked, and f5f6 about the moves beside e6. After f5 the
    // value rises, and nothing else is to be found out.
    who.tell_best("f5f6e6", -700);
    let before = value_after(&store, "f5");
    build(&store, &["f5f6e6"], 2, &mut who);
    assert_eq!(positions(&who.take_asked()), keys(&["f5f6e6", "f5f6"]));
    assert_eq!(
        (before, value_after(&store, "f5")),
        (Some(value(-200)), Some(value(-200)))
    );

    who.tell_best("f5f4e3", 900);
    build(&store, &["f5f4e3"], 2, &mut who);
    let asked = who.take_asked();
    assert_eq!(value_after(&store, "f5"), Some(value(900)));
    assert_eq!(positions(&asked), keys(&["f5f4e3", "f5f4"]));
    assert_eq!(asked.len(), 2);
}

#[test]
fn a_drop_asks_once_between_the_old_value_and_the_new_one() {
    let (_folder, store) = new_store();
    // After f5, d6 is worth +4.00, and nothing else is worth more than +1.00.
    let mut who = Scripted::plain().values("f5d6c3", 400);
    build(&store, &["f5d6c3"], 2, &mut who);
    assert_eq!(value_after(&store, "f5"), Some(value(400)));
    who.take_asked();
    // Then c4 refutes it: d6 is worth −9.00.
    who.tell_best("f5d6c4", -900);
    build(&store, &["f5d6c4"], 2, &mut who);
    let asked = who.take_asked();
    assert_eq!(asked[0], MovesQuestion::whole(key_after("f5d6c4"), 2));
    let drop = MovesQuestion {
        position: key_after("f5"),
        without: moves_after("f5", &["d6"]),
        window: window(-900, 100),
        level: 2,
    };
    assert_eq!(asked[1..], [drop]);
    let said = store
        .reader()
        .node(key_after("f5"))
        .unwrap()
        .unwrap()
        .alternative;
    assert_eq!(said.unwrap().found, Found::NoneAbove(value(-900)));
    assert_eq!(value_after(&store, "f5"), Some(value(-900)));
    assert_eq!(build(&store, &["f5d6c4"], 2, &mut who).searched, 0);
}

#[test]
fn a_better_move_beside_the_book_stops_a_drop() {
    let (_folder, store) = new_store();
    let mut who = Scripted::plain().values("f5d6c3", 400);
    build(&store, &["f5d6c3"], 2, &mut who);
    who.take_asked();
    who.tell_best("f5d6c4", -900);
    who.tell("f5f4", -120);
    build(&store, &["f5d6c4"], 2, &mut who);
    assert_eq!(value_after(&store, "f5"), Some(value(-120)));
    // Its move comes in and is worth less than it was thought to be.
    who.take_asked();
    who.tell_best("f5f4e3", -800);
    build(&store, &["f5f4e3"], 2, &mut who);
    let asked = who.take_asked();
    assert_eq!(positions(&asked), keys(&["f5f4e3", "f5f4", "f5"]));
    let drop = MovesQuestion {
        position: key_after("f5"),
        without: moves_after("f5", &["d6", "f4"]),
        window: window(-800, -120),
        level: 2,
    };
    assert_eq!(asked.last(), Some(&drop));
    assert_eq!(value_after(&store, "f5"), Some(value(-800)));
}

#[test]
fn a_question_leaves_out_only_moves_that_have_a_value() {
    let (_folder, store) = new_store();
    let mut who = Scripted::plain().values("f5f4e3", -300).says("f5d6", 150);
    build(&store, &["f5f4e3"], 2, &mut who);
    let d6 = canonical("f5", "d6");
    let worth_of_d6 = |store: &Store| {
        let answer = query(&store.reader(), after("f5")).unwrap();
        answer
            .moves
            .iter()
            .find(|one| one.square.to_string() == "d6")
            .unwrap()
            .value
    };
    assert_eq!(worth_of_d6(&store), Some(value(150)));
    build(&store, &["f5d6c3"], 0, &mut who);
    // Whatever else comes in at this level, the search of d6 stands.
    who.take_asked();
    who.tell_best("f5f6e6", -250);
    build(&store, &["f5f6e6", "f5f4d3", "f5f4e3d6"], 2, &mut who);
    assert!(!who.asked.is_empty());
    assert_eq!(worth_of_d6(&store), Some(value(150)));
    agrees_with_the_judge(&store, "at the same level");
    // A deeper search looks at it again, because its position still has no value.
    who.take_asked();
    who.tell("f5d6", 130);
    build(&store, &["f5f6e6"], 3, &mut who);
    let asked = who.take_asked();
    let again = asked
        .iter()
        .find(|one| one.position == key_after("f5"))
        .unwrap();
    assert!(!again.without.contains(d6) && again.level == 3);
    assert_eq!(worth_of_d6(&store), Some(value(130)));
    agrees_with_the_judge(&store, "at a higher level");
}

#[test]
fn proven_positions_and_those_whose_moves_all_have_values_are_never_asked() {
    let mut random = Random::new(31);
    for seed in 0..30 {
        let root = late_position(&mut random, 6);
        let (_folder, store) = new_store();
        let errand = Errand::new(Cause::Deepen, 1).unwrap();
        let mut batch = store.batch().unwrap();
        for key in universe(root, 2 + seed % 4, 200) {
            batch.put_node(key, &Node::new(Origin::Import));
            batch.want(key, Want::of(errand));
        }
        batch.commit().unwrap();
        sweep(&store, &()).unwrap();
        let mut who = Scripted::new(Manner::PLAIN);
        let mut model = all_nodes(&store);
        let assignment = Assignment::of(errand);
        answer_wants(&store, &mut who, assignment, &()).unwrap();
        let asked = who.take_asked();
        assert_eq!(
            by_the_rule(&mut model, &who, errand.level, |_| true),
            asked_by_layer(&asked)
        );
        assert!(all_nodes(&store) == model);
        assert!(
            store
                .reader()
                .node(root)
                .unwrap()
                .unwrap()
                .derived
                .bounds
                .is_exact()
        );
    }
}

/// The questions of each layer, the fullest first.
type ByLayer = Vec<(u8, BTreeMap<NodeKey, (Bitboard, Window)>)>;

fn asked_by_layer(asked: &[MovesQuestion]) -> ByLayer {
    let mut layers: ByLayer = Vec::new();
    for question in asked {
        let discs = question.position.layer().discs();
        if layers.last().is_none_or(|(last, _)| *last != discs) {
            layers.push((discs, BTreeMap::new()));
        }
        let (_, layer) = layers.last_mut().unwrap();
        let old = layer.insert(question.position, (question.without, question.window));
        assert_eq!(old, None, "one question for each position");
    }
    layers
}

/// What the rule's words ask of some positions of a settled book, from the fullest layer on, each
/// when all below it is known. The model becomes what the answers make of it.
fn by_the_rule(
    model: &mut Model,
    who: &Scripted,
    level: u8,
    is_wanted: impl Fn(NodeKey) -> bool,
) -> ByLayer {
    let mut layers: ByLayer = Vec::new();
    let keys: Vec<NodeKey> = model.keys().rev().copied().collect();
    for key in keys {
        let derived = judge::judged_one(model, key);
        model.get_mut(&key).unwrap().derived = derived;
        if !is_wanted(key) {
            continue;
        }
        let promised = who.promises(key.board(), level);
        let Some((without, window)) = still_asked(model, key, promised, |_| true) else {
            continue;
        };
        let discs = key.layer().discs();
        if layers.last().is_none_or(|(last, _)| *last != discs) {
            layers.push((discs, BTreeMap::new()));
        }
        layers.last_mut().unwrap().1.insert(key, (without, window));
        let question = MovesQuestion {
            position: key,
            without,
            window,
            level,
        };
        let best = who.best_move(&question);
        take_answer(model.get_mut(&key).unwrap(), &question, &best);
        let derived = judge::judged_one(model, key);
        model.get_mut(&key).unwrap().derived = derived;
    }
    layers
}

/// What the book keeps of an answer.
fn take_answer(node: &mut Node, question: &MovesQuestion, best: &BestMove) {
    // The first engine of the book.
    let engine = EngineNumber(1);
    let legal = question.position.board().legal_moves();
    let found = match best.claim {
        Claim::Exactly => Found::Move(best.square, best.value),
        Claim::AtMost => Found::NoneAbove(best.value),
        Claim::AtLeast => Found::AtLeast(best.square, best.value),
    };
    let among = if best.level.solved {
        question.among()
    } else {
        legal
    };
    node.alternative = Some(Alternative {
        found,
        level: best.level,
        engine,
        among,
    });
    if question.without.is_empty() {
        node.evaluation = Some(Evaluation {
            value: best.value,
            level: best.level,
            engine,
        });
    }
}

/// A book of some games, in which everything is answered.
fn answered_book(seed: u64, level: u8) -> (TempDir, Store) {
    let (folder, store) = new_store();
    let games: Vec<Game> = SampleGames::new(seed).take(25).collect();
    learn_all(&store, &games, 14, 1);
    deepen(&store, level, &mut Scripted::new(Manner::PLAIN));
    (folder, store)
}

#[test]
fn a_whole_book_is_asked_what_the_rule_asks() {
    for seed in 0..4 {
        let (_folder, store) = new_store();
        let games: Vec<Game> = SampleGames::new(seed).take(20).collect();
        learn_all(&store, &games, [12, 60][seed as usize % 2], 1);
        let mut model = all_nodes(&store);
        let mut who = Scripted::new(Manner::PLAIN);
        deepen(&store, 2, &mut who);
        let expected = by_the_rule(&mut model, &who, 2, |_| true);
        assert_eq!(asked_by_layer(&who.take_asked()), expected);
        for (key, node) in all_nodes(&store) {
            assert_eq!(node, model[&key], "seed {seed}: {key}");
        }
        for key in model.keys() {
            let promised = who.promises(key.board(), 2);
            assert_eq!(still_asked(&model, *key, promised, |_| true), None, "{key}");
        }
    }
}

#[test]
fn whatever_changes_only_drops_are_asked_about() {
    let (mut drops, mut rises) = (0, 0);
    for seed in 0..6 {
        let (_folder, store) = answered_book(seed, 2);
        let mut random = Random::new(seed);
        let errand = Errand::new(Cause::Learn, 2).unwrap();
        for _ in 0..40 {
            let mut model = all_nodes(&store);
            let leaves: Vec<NodeKey> = model
                .iter()
                .filter(|(_, node)| !node.derived.leads_on && node.alternative.is_some())
                .map(|(key, _)| *key)
                .collect();
            let leaf = leaves[random.below(leaves.len() as u64) as usize];
            let node = model.get_mut(&leaf).unwrap();
            let said = node.alternative.unwrap();
            let changed = any_value(&mut random);
            let up = changed > said.found.value();
            let square = random.square(leaf.board().legal_moves()).unwrap();
            node.alternative = Some(Alternative {
                found: Found::Move(square, changed),
                ..said
            });
            let mut batch = store.batch().unwrap();
            batch.put_node(leaf, node);
            batch.mark(leaf, Mark::Changed, Some(errand));
            batch.commit().unwrap();

            let mut who = Scripted::new(Manner::PLAIN);
            let before = all_nodes(&store);
            let settled = answer_wants(&store, &mut who, Assignment::of(errand), &()).unwrap();
            let expected = by_the_rule(&mut model, &who, 2, |_| true);
            let asked = asked_by_layer(&who.take_asked());
            assert_eq!(asked, expected, "seed {seed}");
            assert!(all_nodes(&store) == model);
            let told_anew = |key: &NodeKey| before[key].derived.told() != model[key].derived.told();
            let hears = |key: &NodeKey| {
                children(*key)
                    .iter()
                    .any(|c| model.contains_key(c) && told_anew(c))
            };
            let looked_at = model
                .keys()
                .filter(|key| **key == leaf || hears(key))
                .count();
            assert_eq!(settled.recomputed, looked_at as u64, "each position once");
            let questions: usize = asked.iter().map(|(_, layer)| layer.len()).sum();
            if up {
                rises += 1;
            }
            drops += questions;
        }
    }
    assert!(drops > 20 && rises > 20, "{drops} questions, {rises} rises");
}

#[test]
fn a_position_is_asked_after_those_below_it_whose_values_are_on_their_way() {
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner::DIFFICULT);
    build(
        &store,
        &["f5d6c3d3c4", "f5f6e6f4", "f5d6c4d3c3"],
        2,
        &mut who,
    );
    let asked = who.take_asked();
    assert_from_below(&asked, &store, "in a build");
    let root = asked
        .iter()
        .find(|one| one.position == key_after("f5"))
        .unwrap();
    assert_eq!(root.without, moves_after("f5", &["d6", "f6"]));
}
