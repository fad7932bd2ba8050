//! What is wrong is found, named and mended.

use super::scripted::{Impatient, Manner, Scripted, Then, surviving};
use super::*;
use crate::book::statistics::Played;

#[test]
fn a_check_names_what_is_wrong_and_a_repair_mends_it() {
    let games: Vec<_> = SampleGames::new(8).take(40).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    let good = raw_nodes(&store);
    let (key, node) = all_nodes(&store).into_iter().nth(30).unwrap();
    let mut wrong = node;
    wrong.derived.value = Value::new(123);
    wrong.derived.leads_on = !wrong.derived.leads_on;
    let over = Board::new(
        crate::othello::Bitboard(0xff),
        crate::othello::Bitboard::EMPTY,
    );
    let mut batch = store.batch().unwrap();
    batch.put_node(key, &wrong);
    batch.put_node(NodeKey::of(over.unwrap()), &Node::new(Origin::Import));
    let start = NodeKey::of(Board::START);
    let mut statistics = store.reader().learned(start).unwrap().unwrap();
    statistics.wins += 5;
    let only = None;
    batch.put_played(start, &Played { statistics, only });
    batch.commit().unwrap();
    let findings = check(&store, &()).unwrap();
    let told: Vec<String> = findings.violations.iter().map(|v| v.to_string()).collect();
    for words in [
        "the value is +1.23",
        "whether it is a leaf is",
        "nobody who is to move",
        "40 games, but 45 results",
    ] {
        assert!(
            told.iter().any(|text| text.contains(words)),
            "{words}: {told:?}"
        );
    }
    // The position where nobody moves.
    let expected = Repaired {
        records: 1,
        ..Repaired::default()
    };
    assert_eq!(repair(&store, &()).unwrap(), expected);
    assert_eq!(raw_nodes(&store), good);
}

#[test]
fn a_repair_makes_an_index_anew_whose_file_is_damaged() {
    let games: Vec<_> = SampleGames::new(8).take(400).collect();
    let (folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    store.compact().unwrap();
    let good = raw_rows(&store, Table::Index);
    let files = store.files(Table::Index);
    assert!(!files.is_empty());
    drop(store);
    for file in files {
        // Within the rows: the end says where they are.
        let mut bytes = std::fs::read(&file).unwrap();
        let half = bytes.len() / 2;
        bytes[..half].iter_mut().for_each(|byte| *byte ^= 0x55);
        std::fs::write(&file, bytes).unwrap();
    }
    let store = Store::open(folder.path()).unwrap();
    let told = check(&store, &()).unwrap().violations;
    assert_eq!(told, [Violation::IndexFile]);
    assert_eq!(repair(&store, &()).unwrap().records, 1);
    sound(&store);
    assert!(raw_rows(&store, Table::Index) == good);
    // Nothing of the damaged file is left for whoever puts the files in order.
    store.compact().unwrap();
    sound(&store);
}

fn orphans(store: &Store) -> usize {
    let violations = check(store, &()).unwrap().violations;
    let orphans = violations
        .iter()
        .filter(|v| matches!(v, Violation::Orphan(_)));
    assert_eq!(orphans.clone().count(), violations.len(), "{violations:?}");
    orphans.count()
}

fn remove(store: &Store, keys: &[NodeKey]) {
    let mut batch = store.batch().unwrap();
    for key in keys {
        batch.remove(Table::Nodes, &key.to_bytes());
    }
    batch.commit().unwrap();
    sweep(store, &()).unwrap();
}

#[test]
fn a_lost_position_comes_back_because_others_hang_on_it() {
    let games: Vec<_> = SampleGames::new(8).take(60).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 24, 1);
    let good = all_nodes(&store);
    // The only parent of somebody, several times, far enough apart.
    let mut parents: HashMap<NodeKey, Vec<NodeKey>> = HashMap::new();
    for key in good.keys() {
        for child in children(*key) {
            if good.contains_key(&child) {
                parents.entry(child).or_default().push(*key);
            }
        }
    }
    let lost: BTreeSet<NodeKey> = parents
        .values()
        .filter(|parents| parents.len() == 1 && parents[0].layer().discs() % 6 == 0)
        .map(|parents| parents[0])
        .take(8)
        .collect();
    let lost: Vec<NodeKey> = lost.into_iter().collect();
    remove(&store, &lost);
    assert!(orphans(&store) >= lost.len());
    let repaired = repair(&store, &()).unwrap();
    assert_eq!(repaired.orphans.removed, 0);
    sound(&store);
    // Every position that was left is there still, and the lost ones with them.
    let mended = all_nodes(&store);
    assert!(good.keys().all(|key| mended.contains_key(key)));
}

#[test]
fn what_nothing_can_connect_any_more_is_removed() {
    let games: Vec<_> = SampleGames::new(8).take(30).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 24, 1);
    let two_layers: Vec<NodeKey> = all_nodes(&store)
        .into_keys()
        .filter(|key| [14, 15].contains(&key.layer().discs()))
        .collect();
    remove(&store, &two_layers);
    assert!(orphans(&store) > 0);
    let repaired = repair(&store, &()).unwrap();
    assert!(repaired.orphans.removed > 0);
    assert_eq!(repaired.orphans.brought_back, 0);
    sound(&store);
    assert!(all_nodes(&store).keys().all(|key| key.layer().discs() < 14));
}

#[test]
fn a_book_of_a_part_of_the_game_has_no_orphans() {
    let root = late_position(&mut Random::new(3), 20);
    let (_folder, store) = new_store();
    let mut batch = store.batch().unwrap();
    for key in universe(root, 3, 100) {
        batch.put_node(key, &Node::new(Origin::Import));
    }
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    let positions = sound(&store).positions;
    assert_eq!(repair(&store, &()).unwrap(), Repaired::default());
    assert_eq!(sound(&store).positions, positions);
}

/// A book of some games, searched.
fn searched_book() -> (TempDir, Store) {
    let (folder, store) = new_store();
    let games: Vec<_> = SampleGames::new(12).take(20).collect();
    learn_all(&store, &games, 12, 1);
    asking::deepen(&store, 1, &mut Scripted::new(Manner::PLAIN));
    (folder, store)
}

/// Does something with a book, kills or stops it ever later and does it again, until it is finished
/// the first time. The book becomes what it becomes when nobody disturbs it.
fn disturbed_ever_later(then: Then, trim: impl Fn(&Store, &dyn Watcher) -> bool) {
    let (_folder, straight) = searched_book();
    let copies = tempfile::tempdir().unwrap();
    let path = |calls: u64| copies.path().join(calls.to_string());
    // Not after every call: that takes long.
    let some = || (0..200).step_by(7);
    for calls in some() {
        straight.copy_to(&path(calls)).unwrap();
    }
    trim(&straight, &());
    settle(&straight, &()).unwrap();
    for calls in some() {
        let store = Store::open(&path(calls)).unwrap();
        let watcher = Impatient::after(calls, then);
        let done = surviving(|| trim(&store, &watcher));
        drop(store);
        let store = Store::open(&path(calls)).unwrap();
        assert!(trim(&store, &()));
        settle(&store, &()).unwrap();
        let findings = check(&store, &()).unwrap();
        let when = format!("{then:?} at call {calls}");
        assert!(findings.is_sound(), "{when}: {:?}", findings.violations);
        agrees_with_the_judge(&store, &when);
        assert!(raw_nodes(&store) == raw_nodes(&straight), "{when}");
        if done == Some(true) {
            assert!(calls > 5);
            return;
        }
    }
    panic!("there are more calls than that");
}

#[test]
fn a_prune_that_was_killed_or_stopped_is_finished_by_the_same_one() {
    for then in [Then::Dies, Then::Stops] {
        disturbed_ever_later(then, |store, watcher| match prune(store, 500, watcher) {
            Ok(_) => true,
            Err(TrimError::Interrupted | TrimError::Unfinished) => false,
            Err(problem) => panic!("{problem}"),
        });
    }
}

#[test]
fn a_forget_that_was_killed_is_finished_by_the_same_one() {
    let line = MoveList::parse(Position::START, "f5d6").unwrap().moves;
    disturbed_ever_later(Then::Dies, |store, watcher| {
        forget(store, &line, watcher).unwrap();
        true
    });
}
