use super::*;
use crate::book::index_key::IndexKey;
use crate::book::key::NodeKey;
use crate::book::list::GameNumber;
use crate::book::node::{Node, Origin, Value};
use crate::book::statistics::Played;
use crate::book::store::{PutPosition, Reader, Store, Table};
use crate::othello::{Board, Random};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn start() -> NodeKey {
    NodeKey::of(Board::START)
}

/// Positions of random games, without the start.
fn positions(count: usize) -> Vec<NodeKey> {
    let mut random = Random::new(5);
    let mut found = BTreeSet::new();
    while found.len() < count {
        let mut board = Board::START;
        while let moves = board.legal_moves().into_iter().collect::<Vec<_>>()
            && let Some(&square) = moves.get(random.below(moves.len() as u64) as usize)
        {
            board = board.play(square).unwrap();
            found.insert(NodeKey::of(board));
        }
    }
    let mut found: Vec<NodeKey> = found.into_iter().take(count).collect();
    // Each round writes all over the book.
    for place in (1..found.len()).rev() {
        found.swap(place, random.below(place as u64 + 1) as usize);
    }
    found
}

/// Writes rounds: each adds positions, and says in the start position how many rounds there
/// were, once as a value and once as a list that grows.
struct Writer {
    store: Store,
    keys: Vec<NodeKey>,
    rounds: i32,
}

/// So many positions are new in a round, as long as there are any.
const NEW: usize = 200;
const POSITIONS: usize = 60_000;

impl Writer {
    /// Its files are small and many.
    fn new(path: &Path) -> Writer {
        let store = Store::open_or_create(path).unwrap();
        for table in Table::ALL {
            let small = [
                ("write_buffer_size", "65536"),
                ("target_file_size_base", "2048"),
                ("max_bytes_for_level_base", "32768"),
            ];
            let family = store.family(table).unwrap();
            store.db().unwrap().set_options_cf(family, &small).unwrap();
        }
        let mut writer = Writer {
            store,
            keys: positions(POSITIONS),
            rounds: 0,
        };
        writer.round();
        writer
    }

    fn round(&mut self) {
        self.rounds += 1;
        let mut node = Node::new(Origin::Game);
        node.derived.value = Value::new(self.rounds);
        let mut batch = self.store.batch().unwrap();
        batch.put_node(start(), &node);
        let played = Played::default();
        batch.put_played(start(), &played);
        // Rounds rise like the numbers of games.
        let round = GameNumber(self.rounds as u32);
        batch.add_to_list(&IndexKey::Position(start()), &[round]);
        let first = (self.rounds as usize - 1) * NEW;
        let new = self.keys.iter().skip(first).take(NEW);
        // Others are written once more.
        let known = self.keys.iter().take(first).step_by(97);
        for key in new.chain(known) {
            batch.put_node(*key, &node);
            batch.put_played(*key, &played);
        }
        batch.commit().unwrap();
    }

    fn files(&self) -> usize {
        self.store.db().unwrap().live_files().unwrap().len()
    }
}

/// The number of rounds that a reader sees, each whole.
fn rounds(reader: &Reader<'_>) -> i32 {
    let node = reader.node(start()).unwrap().unwrap();
    let rounds = node.derived.value.unwrap().centidiscs();
    let listed = reader.list(&IndexKey::Position(start())).unwrap().len();
    assert_eq!(listed as i32, rounds, "a list of rounds and the last round");
    let count = |table| reader.count(table).unwrap() as usize;
    let positions = 1 + (NEW * rounds as usize).min(POSITIONS);
    assert_eq!(count(Table::Nodes), positions, "in round {rounds}");
    assert_eq!(count(Table::Statistics), positions, "in round {rounds}");
    rounds
}

/// Reads until so many rounds are seen, which must be soon.
fn expect(reading: &Store, expected: i32) {
    let began = Instant::now();
    while rounds(&reading.snapshot()) != expected {
        assert!(began.elapsed() < Duration::from_secs(10), "{expected}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// So long that the next who reads looks first.
fn wait() {
    thread::sleep(OLD + Duration::from_millis(100));
}

#[test]
fn a_reader_follows_the_writer_and_a_snapshot_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(folder.path());
    let reading = Store::open_read_only(folder.path()).unwrap();
    let first = reading.snapshot();
    let state = reading.state();
    assert_eq!(first.state(), Some(state));
    for step in 0..4 {
        expect(&reading, writer.rounds);
        writer.round();
        // What is in the log is seen, and what is in files, and what was in others before.
        match step {
            1 => writer.store.flush().unwrap(),
            2 => writer.store.compact().unwrap(),
            _ => {}
        }
    }
    wait();
    assert!(reading.is_behind());
    assert_eq!(reading.state(), reading.state());
    assert_eq!(rounds(&reading.snapshot()), writer.rounds);
    assert_ne!(reading.state(), state);
    assert_eq!(rounds(&first), 1);
    assert_eq!(first.state(), Some(state));

    let quiet = reading.state();
    wait();
    assert_eq!(reading.snapshot().state(), Some(quiet), "nobody wrote");
}

#[test]
fn what_is_handed_over_in_files_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Store::open_or_create(folder.path()).unwrap();
    let reading = Store::open_read_only(folder.path()).unwrap();
    let before = reading.state();
    let node = Node::new(Origin::Import);
    let give = |put: &mut PutPosition<'_>| put(start(), &node, None).map(|()| true);
    writer.bulk_positions(give).unwrap();
    wait();
    assert_eq!(reading.snapshot().node(start()).unwrap(), Some(node));
    assert_ne!(reading.state(), before);
}

#[test]
fn readers_beside_a_busy_writer_see_whole_rounds_and_miss_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(folder.path());
    while writer.files() < 120 {
        writer.round();
        writer.store.flush().unwrap();
    }
    let seconds = std::env::var("EMILIA_LIVE_SECONDS").map_or(2, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let is_over = AtomicBool::new(false);
    let reading = Store::open_read_only(folder.path()).unwrap();
    let early = reading.snapshot();
    let early_rounds = rounds(&early);
    thread::scope(|scope| {
        let opening = scope.spawn(|| {
            let mut seen = 0;
            while !is_over.load(Relaxed) {
                let store = Store::open_read_only(folder.path()).unwrap();
                let now = rounds(&store.snapshot());
                assert!(now >= seen, "{now} after {seen}");
                seen = now;
            }
        });
        let following = scope.spawn(|| {
            let mut seen = BTreeSet::new();
            while !is_over.load(Relaxed) {
                let now = rounds(&reading.snapshot());
                assert!(seen.last().is_none_or(|&last| now >= last));
                seen.insert(now);
            }
            seen.len()
        });
        while Instant::now() < end && !opening.is_finished() && !following.is_finished() {
            writer.round();
            writer.store.flush().unwrap();
            if writer.rounds % 16 == 0 {
                writer.store.compact().unwrap();
            }
        }
        is_over.store(true, Relaxed);
        opening.join().unwrap();
        assert!(following.join().unwrap() > 1);
    });
    expect(&reading, writer.rounds);
    assert_eq!(rounds(&early), early_rounds);
    drop(early);
    drop(reading);
    // The readers took no file with them.
    let all = writer.rounds;
    drop(writer);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(rounds(&store.snapshot()), all);
}

#[test]
fn a_file_that_is_missing_while_nobody_writes_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::new(folder.path());
    writer.store.compact().unwrap();
    drop(writer);
    let reading = Store::open_read_only(folder.path()).unwrap();
    for entry in fs::read_dir(folder.path().join("db")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sst") {
            fs::remove_file(path).unwrap();
        }
    }
    let began = Instant::now();
    let error = Store::open_read_only(folder.path()).err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(began.elapsed() < PATIENCE);
    // Who had it open before goes on.
    wait();
    assert_eq!(rounds(&reading.snapshot()), 1);
}
