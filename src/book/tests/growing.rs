//! Growth with an analyst that fails: it ends, says why, and goes on when it is called again.

use super::asking::build;
use super::scripted::{Manner, Scripted, Timekeeper};
use super::*;
use crate::engine::{Expansion, Reach, Side, Taste, deviate, expand, play_out, prove};

const LEVEL: u8 = 2;

const TASTE: Taste = Taste {
    side: Side::Both,
    slack: 400,
    human_weight: 0.0,
};

/// One way to grow.
type Way = fn(&Store, &mut Scripted) -> Grown;

fn by_expansion(store: &Store, who: &mut Scripted) -> Grown {
    let expansion = Expansion {
        from: Position::START,
        taste: TASTE,
        positions: Some(30),
        until_error: None,
        memory: Budget::USUAL,
    };
    expand(store, who, LEVEL, &expansion, &Timekeeper::default()).unwrap()
}

fn by_deviation(store: &Store, who: &mut Scripted) -> Grown {
    let reach = Reach {
        from: Position::START,
        relative: 100,
        absolute: 100,
        plies: 6,
        positions: None,
    };
    deviate(store, who, LEVEL, &reach, &Timekeeper::default()).unwrap()
}

fn by_playing_out(store: &Store, who: &mut Scripted) -> Grown {
    play_out(
        store,
        who,
        LEVEL,
        Position::START,
        0,
        &Timekeeper::default(),
    )
    .unwrap()
}

fn by_proof(store: &Store, who: &mut Scripted) -> Grown {
    let from = near_the_end();
    prove(store, who, LEVEL, from, 6, &Timekeeper::default())
        .unwrap()
        .0
}

/// The game that the book is made of.
fn game() -> Game {
    SampleGames::new(2).next().unwrap()
}

/// A position of the game with some empty squares.
fn near_the_end() -> Position {
    let game = game();
    let mut position = game.start();
    for square in game.moves() {
        if position.board.empty_count() <= 9 {
            break;
        }
        position = position.play(*square).unwrap();
    }
    position
}

fn book(plies: usize) -> (TempDir, Store) {
    let (folder, store) = new_store();
    let line: String = game()
        .moves()
        .iter()
        .take(plies)
        .map(Square::to_string)
        .collect();
    build(&store, &[&line], LEVEL, &mut Scripted::new(Manner::PLAIN));
    (folder, store)
}

fn begins(way: usize) -> (TempDir, Store, Way) {
    let ways: [(usize, Way); 4] = [
        (8, by_expansion),
        (8, by_deviation),
        (8, by_playing_out),
        (52, by_proof),
    ];
    let (plies, way) = ways[way];
    let (folder, store) = book(plies);
    (folder, store, way)
}

#[test]
fn growth_ends_with_what_failed_and_goes_on_when_it_is_called_again() {
    for number in 0..4 {
        for rarity in [1, 3] {
            let (_folder, store, grow) = begins(number);
            let shy = Scripted::new(Manner::PLAIN);
            let mut shy = shy.refusing(move |one| one.position.board().hash() % rarity == 0);
            let grown = grow(&store, &mut shy);
            let when = format!("way {number}, one of {rarity} fails");
            assert!(!grown.failures.is_empty(), "{when}");
            let asked = shy.take_asked();
            let refused: BTreeSet<NodeKey> =
                grown.failures.iter().map(|one| one.position).collect();
            for key in &refused {
                let times = asked.iter().filter(|one| one.position == *key).count();
                assert_eq!(times, 1, "{when}: {key}");
            }
            settle(&store, &()).unwrap();
            sound(&store);
            agrees_with_the_judge(&store, &when);

            let mut willing = Scripted::new(Manner::PLAIN);
            let grown = grow(&store, &mut willing);
            assert!(grown.failures.is_empty(), "{when}");
            let asked: BTreeSet<NodeKey> = willing.asked.iter().map(|one| one.position).collect();
            assert!(
                refused.is_subset(&asked),
                "{when}: what failed is asked again"
            );
            sound(&store);
            agrees_with_the_judge(&store, &when);
            let left = raw_rows(&store, Table::Wanted);
            assert!(left.is_empty(), "{when}: {left:?}");
        }
    }
}

#[test]
fn growth_that_nothing_answers_changes_nothing_that_is_known() {
    for number in 0..4 {
        let (_folder, store, grow) = begins(number);
        let before = all_nodes(&store);
        let mut mute = Scripted::new(Manner::PLAIN).refusing(|_| true);
        grow(&store, &mut mute);
        settle(&store, &()).unwrap();
        sound(&store);
        let after = all_nodes(&store);
        for (key, node) in before {
            assert_eq!(after[&key], node, "way {number}: {key}");
        }
    }
}

#[test]
fn late_and_repeated_answers_do_not_change_how_a_book_grows() {
    // Best first, what comes in depends on how many questions are asked at a time.
    for number in 1..4 {
        let (_plain, plain, grow) = begins(number);
        grow(&plain, &mut Scripted::new(Manner::PLAIN));
        for seed in 0..3 {
            let (_folder, store, grow) = begins(number);
            grow(&store, &mut Scripted::new(Manner::DIFFICULT).seeded(seed));
            assert!(raw_nodes(&store) == raw_nodes(&plain), "way {number}");
        }
    }
}

#[test]
fn best_first_growth_with_any_analyst_leaves_a_book_that_follows_the_rule() {
    for seed in 0..8 {
        let (_folder, store, grow) = begins(0);
        let manner = Manner {
            room: 1 + seed as usize % 4,
            ..Manner::DIFFICULT
        };
        let mut who = Scripted::new(manner).seeded(seed);
        let grown = grow(&store, &mut who);
        assert_eq!(grown.added, 30);
        sound(&store);
        agrees_with_the_judge(&store, "best first");
        let names: BTreeSet<QuestionId> = who
            .asked
            .iter()
            .map(|asked| QuestionId::of(&Question::Moves(*asked), who.engine()))
            .collect();
        assert_eq!(names.len(), who.asked.len(), "no question is asked twice");
    }
}

#[test]
fn a_proof_ends_with_the_result_of_best_play() {
    let (_folder, store) = book(52);
    let from = near_the_end();
    let mut who = Scripted::new(Manner::DIFFICULT);
    let (grown, bounds) = prove(&store, &mut who, LEVEL, from, 6, &Timekeeper::default()).unwrap();
    assert!(grown.exhausted && grown.added > 0);
    let result = judge::result_of(from.board);
    assert_eq!(
        (bounds.lower.discs(), bounds.upper.discs()),
        (result, result)
    );
    sound(&store);
    agrees_with_the_judge(&store, "proven");
}

#[test]
fn growth_ends_where_a_move_that_a_search_named_leads_to_an_unsearched_position() {
    let ways: [(&str, Way); 3] = [
        ("best first", by_expansion),
        ("within reach", by_deviation),
        ("played out", by_playing_out),
    ];
    for (name, grow) in ways {
        let (_folder, store) = new_store();
        let mut who = Scripted::new(Manner::PLAIN);
        who.tell("f5d6", 700);
        build(&store, &["f5f4e3"], LEVEL, &mut who);
        build(&store, &["f5d6c3"], 0, &mut who);
        assert_eq!(value_after(&store, "f5"), Some(value(700)));
        who.take_asked();
        println!("{name}");
        grow(&store, &mut who);
        assert!(value_after(&store, "f5d6").is_some(), "{name}");
        let names: BTreeSet<QuestionId> = who
            .asked
            .iter()
            .map(|asked| QuestionId::of(&Question::Moves(*asked), who.engine()))
            .collect();
        assert_eq!(
            names.len(),
            who.asked.len(),
            "{name}: nothing is asked twice"
        );
        sound(&store);
        agrees_with_the_judge(&store, name);
    }
}
