use super::*;
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::node::{Node, Origin, Value};
use crate::book::statistics::Statistics;
use crate::othello::{Board, Score};

fn start() -> NodeKey {
    NodeKey::of(Board::START)
}

fn with_one_position(path: &Path) -> Store {
    let store = Store::open_or_create(path).unwrap();
    let mut batch = store.batch().unwrap();
    batch.put_node(start(), &Node::new(Origin::Game));
    batch.commit().unwrap();
    store
}

fn error(result: Result<Store, StoreError>) -> StoreError {
    result.err().expect("must not open")
}

#[test]
fn what_is_written_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/book");
    drop(with_one_position(&path));
    for store in [Store::open(&path), Store::open_read_only(&path)] {
        let node = store.unwrap().reader().node(start()).unwrap();
        assert_eq!(node, Some(Node::new(Origin::Game)));
    }
}

#[test]
fn statistics_that_an_early_book_did_not_add_up_are_sums() {
    let folder = tempfile::tempdir().unwrap();
    let games = [
        (Some(10), Some(1999)),
        (Some(-4), None),
        (None, Some(1980)),
        (Some(0), Some(2010)),
    ];
    for (result, year) in games {
        let store = Store::open_or_create(folder.path()).unwrap();
        let game = Statistics::of_game(result.and_then(Score::new), year);
        let family = store.family(Table::Statistics).unwrap();
        let bytes = codec::statistics_to_bytes(&game);
        let db = store.db().unwrap();
        db.merge_cf(family, start().to_bytes(), bytes).unwrap();
    }
    let store = Store::open(folder.path()).unwrap();
    store.compact().unwrap();
    let expected = Statistics {
        games: 4,
        wins: 1,
        draws: 1,
        losses: 1,
        disc_sum: 6,
        discs_unknown: false,
        years: Some((1980, 2010)),
    };
    assert_eq!(store.reader().statistics(start()).unwrap(), Some(expected));
}

#[test]
fn a_snapshot_does_not_see_what_is_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_one_position(folder.path());
    let before = store.snapshot();
    let mut node = Node::new(Origin::Game);
    node.derived.value = Value::new(100);
    let mut batch = store.batch().unwrap();
    batch.put_node(start(), &node);
    batch.commit().unwrap();
    let value = |reader: &Reader<'_>| reader.node(start()).unwrap().unwrap().derived.value;
    assert_eq!(value(&before), None);
    assert_eq!(value(&store.reader()), Value::new(100));
}

#[test]
fn a_folder_that_is_no_book_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious.txt");
    fs::write(&precious, "mine").unwrap();
    for result in [
        Store::open_or_create(folder.path()),
        Store::open(folder.path()),
        Store::open_read_only(folder.path()),
        Store::open_or_create(&precious),
    ] {
        assert!(matches!(error(result), StoreError::NotABook { .. }));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(precious).unwrap(), "mine");
}

#[test]
fn a_marker_that_says_nothing_is_told_from_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    drop(Store::open_or_create(&path).unwrap());
    for rubbish in [&b"rubbish"[..], b"", b"\xff\xfe", b"emilia book, format x"] {
        fs::write(path.join(MARKER), rubbish).unwrap();
        for result in [Store::open(&path), Store::open_read_only(&path)] {
            let error = error(result);
            assert!(matches!(error, StoreError::BadMarker { .. }), "{error}");
        }
    }
}

#[test]
fn a_book_that_is_not_there_is_not_begun_by_looking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none");
    for result in [Store::open(&path), Store::open_read_only(&path)] {
        let error = error(result);
        assert!(error.to_string().contains("emilia book build"), "{error}");
    }
    assert!(!path.exists());
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(with_one_position(folder.path()));
    fs::write(folder.path().join(MARKER), "emilia book, format 4\n").unwrap();
    let error = error(Store::open_or_create(folder.path()));
    assert!(matches!(error, StoreError::Newer { found: 4, .. }));
}

#[test]
fn a_second_writer_is_told_to_wait_while_readers_read() {
    let folder = tempfile::tempdir().unwrap();
    let writer = with_one_position(folder.path());
    let second = error(Store::open(folder.path()));
    assert!(matches!(second, StoreError::Locked { .. }), "{second}");
    let reading = Store::open_read_only(folder.path()).unwrap();
    assert!(reading.reader().node(start()).unwrap().is_some());
    let refused = reading.batch().err().expect("must not write");
    assert!(
        matches!(refused, StoreError::OpenedForReading { .. }),
        "{refused}"
    );
    drop(writer);
}

#[test]
fn a_damaged_file_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_one_position(folder.path());
    store.compact().unwrap();
    drop(store);
    for entry in fs::read_dir(folder.path().join("db")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sst") {
            let mut bytes = fs::read(&path).unwrap();
            let half = bytes.len() / 2;
            bytes.iter_mut().take(half).for_each(|byte| *byte ^= 0x5a);
            fs::write(&path, bytes).unwrap();
        }
    }
    let result = Store::open(folder.path()).and_then(|store| {
        store.reader().node(start())?;
        Ok(store)
    });
    let error = error(result);
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("restore a backup"));
}

#[test]
fn a_database_that_lost_its_list_of_files_is_not_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_one_position(folder.path());
    store.compact().unwrap();
    drop(store);
    fs::remove_file(folder.path().join("db/CURRENT")).unwrap();
    let files = || fs::read_dir(folder.path().join("db")).unwrap().count();
    let before = files();
    Store::open(folder.path()).err().expect("must not open");
    assert!(files() >= before);
    assert!(!folder.path().join("db/CURRENT").exists());
}

#[test]
fn a_beginning_that_was_cut_short_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    write_marker(folder.path()).unwrap();
    fs::create_dir(folder.path().join("db")).unwrap();
    let store = with_one_position(folder.path());
    assert!(store.reader().profile().unwrap().is_some());
}

#[test]
fn half_a_marker_does_not_stand_in_the_way_of_a_book() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".EMILIA-BOOK-x1"), "emilia bo").unwrap();
    let error = error(Store::open_read_only(folder.path()));
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    drop(with_one_position(folder.path()));
    Store::open(folder.path()).unwrap();
}

#[test]
fn a_copy_is_a_book_and_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_one_position(&folder.path().join("book"));
    let copy = folder.path().join("copy");
    store.copy_to(&copy).unwrap();
    let again = store.copy_to(&copy).unwrap_err();
    assert!(matches!(again, StoreError::TargetExists { .. }));
    let copied = Store::open(&copy).unwrap();
    assert!(copied.reader().node(start()).unwrap().is_some());
}

#[test]
fn files_that_come_in_batches_lie_as_they_came_and_are_put_in_order_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(folder.path()).unwrap();
    let on_top = || {
        let files = store.db().unwrap().live_files().unwrap();
        let nodes = Table::Nodes.name();
        let is_on_top =
            |file: &&rocksdb::LiveFile| file.column_family_name == nodes && file.level == 0;
        files.iter().filter(is_on_top).count()
    };
    // Each reaches over all others.
    let hand_over = |batch: u8| {
        let mut files = row_files::RowFiles::new(&store, Table::Nodes).unwrap();
        for first in 0..3 {
            files.put(&[first, batch], &[batch]).unwrap();
        }
        files.hand_over().unwrap();
    };
    let unordered = store.leave_unordered().unwrap();
    (0..=20).for_each(hand_over);
    assert!(store.wait_for_order(&()).unwrap());
    // The first came where it stays.
    assert_eq!(on_top(), 20);
    drop(unordered);
    assert!(store.wait_for_order(&()).unwrap());
    assert_eq!(on_top(), 0);
}
