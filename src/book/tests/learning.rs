//! Games in: once each, in any order, to any depth.

use super::scripted::{Impatient, Manner, Scripted, Then};
use super::*;

#[test]
fn learning_twice_changes_nothing_and_deeper_adds_only_what_is_deeper() {
    let games: Vec<_> = SampleGames::new(3).take(150).collect();
    let (_a, once) = new_store();
    let learned = learn_all(&once, &games, 30, 1);
    assert_eq!((learned.games, learned.known), (150, 0));
    let findings = sound(&once);
    assert_eq!(findings.games, 150);
    assert_eq!(findings.positions, learned.positions);
    let start = NodeKey::of(Board::START);
    let statistics = once.reader().statistics(start).unwrap().unwrap();
    assert_eq!(statistics.games, 150);

    let before = raw_nodes(&once);
    let again = learn_all(&once, &games, 30, 1);
    assert_eq!((again.games, again.known, again.positions), (0, 150, 0));
    assert_eq!(raw_nodes(&once), before);
    assert_eq!(once.reader().statistics(start).unwrap(), Some(statistics));

    let (_b, stepwise) = new_store();
    learn_all(&stepwise, &games[..70], 10, 1);
    learn_all(&stepwise, &games[50..], 20, 1);
    learn_all(&stepwise, &games, 30, 1);
    assert_eq!(raw_nodes(&stepwise), before);
    assert_eq!(sound(&stepwise).statistics, findings.statistics);
    let reader = stepwise.reader();
    assert_eq!(reader.statistics(start).unwrap(), Some(statistics));
}

#[test]
fn a_number_of_games_is_needed_whatever_their_order() {
    let games: Vec<_> = SampleGames::new(4).take(120).collect();
    let mut reversed = games.clone();
    reversed.reverse();
    let (_a, forwards) = new_store();
    learn_all(&forwards, &games, 20, 3);
    let (_b, backwards) = new_store();
    learn_all(&backwards, &reversed, 20, 3);
    assert_eq!(raw_nodes(&forwards), raw_nodes(&backwards));
    sound(&forwards);
    for key in all_nodes(&forwards).keys() {
        let games = forwards.reader().statistics(*key).unwrap().unwrap().games;
        assert!(games >= 3, "{key}: {games}");
    }
    // A lower number later brings in what was held back.
    learn_all(&forwards, &games, 20, 1);
    let (_c, all) = new_store();
    learn_all(&all, &games, 20, 1);
    assert_eq!(raw_nodes(&forwards), raw_nodes(&all));
}

#[test]
fn a_few_more_games_go_through_the_queue_and_give_the_same_book() {
    let games: Vec<_> = SampleGames::new(6).take(400).collect();
    let (_a, grown) = new_store();
    learn_all(&grown, &games[..399], 40, 1);
    grown.compact().unwrap();
    let plan = Plan {
        plies: 40,
        min_games: 1,
        games_at_once: 100,
    };
    let mut learner = Learner::new(&grown, plan);
    learner.add(&games[399..]).unwrap();
    learner.finish().unwrap();
    assert!(!grown.reader().flag(Flag::SweepDue).unwrap());
    let waiting = check(&grown, &()).unwrap();
    assert!(waiting.waiting > 0);
    assert!(waiting.is_sound(), "{:?}", waiting.violations);
    settle(&grown, &()).unwrap();
    sound(&grown);
    let (_b, at_once) = new_store();
    learn_all(&at_once, &games, 40, 1);
    assert_eq!(raw_nodes(&grown), raw_nodes(&at_once));
}

#[test]
fn games_that_are_half_counted_admit_nothing() {
    let games: Vec<_> = SampleGames::new(4).take(120).collect();
    let (_a, store) = new_store();
    learn_all(&store, &games, 20, 3);
    let before = raw_nodes(&store);
    let profile = store.reader().profile().unwrap();
    let mut batch = store.batch().unwrap();
    batch.raise(Flag::RecountDue);
    batch.commit().unwrap();
    let plan = Plan {
        plies: 20,
        min_games: 2,
        games_at_once: 40,
    };
    let searching = Searching {
        analyst: &mut Scripted::new(Manner::PLAIN),
        errand: None,
        correct: 0,
    };
    let watcher = Impatient::after(0, Then::Stops);
    let mut learner = Learner::new(&store, plan).searching(searching, &watcher);
    assert!(!learner.add(&games).unwrap(), "nothing was written");
    assert_eq!(learner.finish().unwrap(), Learned::default());
    assert!(store.reader().flag(Flag::RecountDue).unwrap());
    assert_eq!(store.reader().profile().unwrap(), profile);
    assert_eq!(raw_nodes(&store), before);
    learn_all(&store, &games, 20, 2);
    sound(&store);
    let (_b, at_once) = new_store();
    learn_all(&at_once, &games, 20, 2);
    assert_eq!(raw_nodes(&store), raw_nodes(&at_once));
}
