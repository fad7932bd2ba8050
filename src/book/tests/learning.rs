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

/// A book that may take little memory writes batches of so many games as files.
const LARGE: usize = 1200;

fn small_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        memory: StoreOptions::LEAST_MEMORY,
        ..StoreOptions::default()
    };
    let store = options.open_or_create(folder.path()).unwrap();
    (folder, store)
}

fn learn_at_once(store: &Store, games: &[Game], min_games: u32, games_at_once: usize) {
    let plan = Plan {
        plies: 60,
        min_games,
        games_at_once,
    };
    let mut learner = Learner::new(store, plan);
    learner.add(games).unwrap();
    learner.finish().unwrap();
    assert!(settle(store, &()).unwrap().finished);
}

/// Of games to the end, each position but the last.
fn passages(games: &[Game]) -> usize {
    games.iter().map(|game| game.moves().len()).sum()
}

fn all_rows(store: &Store) -> Vec<Vec<(Vec<u8>, Vec<u8>)>> {
    let tables = [Table::Nodes, Table::Statistics, Table::Games, Table::Index];
    tables.map(|table| raw_rows(store, table)).into()
}

#[test]
fn large_batches_give_the_book_of_small_ones() {
    let games: Vec<_> = SampleGames::new(8).take(3 * LARGE).collect();
    for min_games in [1, 2] {
        let (_a, small) = new_store();
        learn_at_once(&small, &games, min_games, 300);
        // Into an empty book, then beside what is there; the last ones some of them again.
        let (_b, large) = small_store();
        learn_at_once(&large, &games[..2 * LARGE], min_games, LARGE);
        learn_at_once(&large, &games[LARGE / 2..], min_games, usize::MAX);
        sound(&large);
        assert!(all_rows(&small) == all_rows(&large), "{min_games}");
    }
}

#[test]
fn a_large_batch_that_is_killed_between_its_tables_is_learned_by_the_same_games() {
    let games: Vec<_> = SampleGames::new(9).take(2 * LARGE).collect();
    let (_a, whole) = new_store();
    learn_at_once(&whole, &games, 1, 300);
    let wanted = all_rows(&whole);
    for tables in 0..=3 {
        let (_b, store) = small_store();
        learn_at_once(&store, &games[..LARGE], 1, 300);
        let reader = whole.reader();
        let mut batch = store.batch().unwrap();
        batch.expect_passages(passages(&games[LARGE..])).unwrap();
        assert!(batch.is_large());
        let mut rows = reader.rows(Table::Statistics, None).unwrap();
        while let Some((key, played)) = rows.next_played().unwrap() {
            batch.put_node(key, &Node::new(Origin::Game));
            batch.put_played(key, &played);
            if played.only.is_none() {
                batch.add_to_games_at(key, &reader.games_at(key).unwrap());
            }
        }
        batch.commit_in_part(tables).unwrap();
        let found = check(&store, &()).unwrap();
        assert!(found.is_sound(), "{tables}: {:?}", found.violations);
        assert!(found.index_due && found.sweep_due);
        learn_at_once(&store, &games, 1, usize::MAX);
        sound(&store);
        assert!(all_rows(&store) == wanted, "{tables}");
    }
}

#[test]
fn rows_that_come_in_no_order_are_an_error_of_a_large_batch() {
    let (_a, store) = small_store();
    let mut batch = store.batch().unwrap();
    batch.expect_passages(100 * LARGE).unwrap();
    for line in ["f5d6", "f5"] {
        batch.put_node(key_after(line), &Node::new(Origin::Game));
    }
    assert!(batch.commit().is_err());
    assert!(store.is_empty().unwrap());
}

#[test]
fn what_a_killed_process_left_of_its_files_goes_when_the_book_is_opened() {
    let (folder, store) = small_store();
    drop(store);
    let left = folder.path().join("bulk-left");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("records-0.sst"), "half").unwrap();
    Store::open(folder.path()).unwrap();
    assert!(!left.exists());
}
