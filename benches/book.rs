//! What a book costs: `cargo bench --bench book`.
//!
//! The book is made of the WTHOR base to ply 40 where it is at hand (`../shared/data/wthor`, or
//! under `EMILIA_SHARED`), and of sample games otherwise. It is built once, in a temporary folder.

#[path = "../tests/shared/wthor.rs"]
mod wthor;

use divan::Bencher;
use divan::counter::ItemsCount;
use emilia::book::{
    Analyst, AnalystError, Assignment, BestMove, Cause, Claim, EngineNumber, Errand, Evaluation,
    Finding, Layer, Learner, Level, Mark, Node, NodeKey, Plan, Question, QuestionId, Reply,
    Searching, Store, Table, Value, Ways, answer_wants, look_up, query, settle, settle_by_queue,
    sweep,
};
use emilia::engine::{Expansion, LocalAnalyst, expand};
use emilia::games::{Game, SampleGames, open};
use emilia::othello::{Board, Color, MoveList, Position};
use emilia::search::StopButton;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const PLAN: Plan = Plan {
    plies: 40,
    min_games: 1,
    games_at_once: 10_000,
};
const SAMPLES: usize = 20_000;

fn games() -> Vec<Game> {
    let Some(folder) = wthor::folder() else {
        return SampleGames::new(1).take(SAMPLES).collect();
    };
    let mut games = Vec::new();
    for path in wthor::files(&folder) {
        let mut reader = open(&path).unwrap();
        while let Some(batch) = reader.next_batch() {
            games.extend(batch.into_iter().flatten());
        }
    }
    games
}

fn build(path: &Path, games: &[Game]) -> Store {
    let store = Store::open_or_create(path).unwrap();
    let mut learner = Learner::new(&store, PLAN);
    learner.add(games).unwrap();
    learner.finish().unwrap();
    settle(&store, &()).unwrap();
    store
}

/// Built, compacted and closed.
fn book() -> &'static Path {
    static BOOK: OnceLock<TempDir> = OnceLock::new();
    BOOK.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let store = build(folder.path(), &games());
        store.compact().unwrap();
        let positions = store.estimated_records(Table::Nodes).unwrap();
        let bytes = store.bytes_on_disk(Table::Nodes).unwrap();
        let each = bytes as f64 / positions as f64;
        eprintln!("{positions} positions, {each:.1} bytes each");
        folder
    })
    .path()
}

/// One writer at a time: the benches that open the book take turns.
static TURN: Mutex<()> = Mutex::new(());

#[divan::bench(sample_count = 3)]
fn import_and_propagate(bencher: Bencher) {
    let games = games();
    bencher
        .counter(ItemsCount::new(games.len()))
        .bench_local(|| {
            let folder = tempfile::tempdir().unwrap();
            build(folder.path(), &games);
        });
}

#[divan::bench(sample_count = 20)]
fn open_to_write(bencher: Bencher) {
    let _turn = TURN.lock();
    let path = book();
    bencher.bench_local(|| Store::open(path).unwrap());
}

#[divan::bench(sample_count = 5)]
fn full_sweep(bencher: Bencher) {
    let _turn = TURN.lock();
    let store = Store::open(book()).unwrap();
    let positions = sweep(&store, &()).unwrap().recomputed;
    bencher
        .counter(ItemsCount::new(positions))
        .bench_local(|| sweep(&store, &()).unwrap());
}

/// A leaf of the fullest layer gets another value, and the whole way up hears of it.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn update_one_leaf(bencher: Bencher) {
    let _turn = TURN.lock();
    let store = Store::open(book()).unwrap();
    let reader = store.reader();
    let layer = Layer::of_discs(44);
    let mut rows = reader.rows(Table::Nodes, layer).unwrap();
    let mut leaves: Vec<(NodeKey, Node)> = Vec::new();
    while let Some(row) = rows.next_node().unwrap() {
        leaves.push(row);
    }
    let mut number = 0usize;
    bencher.bench_local(|| {
        // A prime step visits leaves from all over the layer.
        number = number.wrapping_add(7919);
        let (key, mut node) = leaves[number % leaves.len()];
        node.evaluation = Some(Evaluation {
            value: Value::new((number % 4000) as i32 - 2000).unwrap(),
            level: Level {
                depth: 12,
                selectivity: 82,
                solved: false,
            },
            engine: EngineNumber::UNKNOWN,
        });
        let mut batch = store.batch().unwrap();
        batch.put_node(key, &node);
        batch.mark(key, Mark::Changed, None);
        batch.commit().unwrap();
        settle_by_queue(&store, &()).unwrap()
    });
}

/// Some sample games are learned and searched on one thread: what a level costs per position.
#[divan::bench(sample_count = 1, args = [2, 4, 6, 8])]
fn search_all_positions(bencher: Bencher, level: u8) {
    let folder = tempfile::tempdir().unwrap();
    let mut analyst = LocalAnalyst::new(1, StopButton::new()).unwrap();
    let assignment = Assignment {
        everything: true,
        ..Assignment::of(Errand::new(Cause::Deepen, level).unwrap())
    };
    let games: Vec<Game> = SampleGames::new(1).take(60).collect();
    let store = build(folder.path(), &games);
    let mut rows = 0;
    let reader = store.reader();
    let mut all = reader.rows(Table::Nodes, None).unwrap();
    while all.next_row().unwrap().is_some() {
        rows += 1u64;
    }
    drop(all);
    bencher
        .counter(ItemsCount::new(rows))
        .bench_local(|| answer_wants(&store, &mut analyst, assignment, &()).unwrap());
}

/// Somebody who knows everything at once: what is left is the book's own work.
struct AtOnce(VecDeque<Reply>);

impl Analyst for AtOnce {
    fn engine(&self) -> &str {
        "at once"
    }

    fn promises(&self, _: Board, level: u8) -> Level {
        Level {
            depth: level,
            selectivity: 82,
            solved: false,
        }
    }

    fn workers(&self) -> usize {
        1
    }

    fn room(&self) -> usize {
        64_usize.saturating_sub(self.0.len())
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        for (id, question) in questions {
            let Question::Moves(asked) = question else {
                return Err(AnalystError::Broken("this is no question of moves".into()));
            };
            let board = asked.position.board();
            // Some discs either way, as a real one finds.
            let value = (board.hash() % 801) as i32 - 400;
            let (alpha, beta) = (asked.window.alpha, asked.window.beta);
            let value = Value::new(value).unwrap();
            let claim = if value <= alpha {
                Claim::AtMost
            } else if value >= beta {
                Claim::AtLeast
            } else {
                Claim::Exactly
            };
            let best = BestMove {
                square: asked.among().first().unwrap(),
                value,
                claim,
                level: self.promises(board, asked.level),
            };
            let outcome = Ok(Finding::Moves(best));
            self.0.push_back(Reply {
                id,
                outcome,
                by: None,
            });
        }
        Ok(())
    }

    fn next(&mut self, _: Duration) -> Result<Option<Reply>, AnalystError> {
        Ok(self.0.pop_front())
    }
}

/// One year of games, to ply 40.
fn games_of_a_year() -> Vec<Game> {
    let year = wthor::folder().map(|folder| folder.join("WTH_2013.wtb"));
    let Some(mut reader) = year.and_then(|year| open(&year).ok()) else {
        return SampleGames::new(1).take(2_000).collect();
    };
    std::iter::from_fn(|| reader.next_batch())
        .flatten()
        .flatten()
        .collect()
}

/// Learns and searches a year of games, with answers that cost nothing.
fn build_at_once(path: &Path, games: &[Game], analyst: &mut AtOnce) -> (Store, u64) {
    let store = Store::open_or_create(path).unwrap();
    let errand = Errand::new(Cause::Build, 1).unwrap();
    let searching = Searching {
        analyst,
        errand: Some(errand),
        correct: 0,
    };
    let mut learner = Learner::new(&store, PLAN).searching(searching, &());
    learner.add(games).unwrap();
    learner.finish().unwrap();
    let settled = answer_wants(&store, analyst, Assignment::of(errand), &()).unwrap();
    assert!(settled.finished);
    (store, settled.searched)
}

/// How many answers the driver applies: a build.
#[divan::bench(sample_count = 3)]
fn drive_a_build(bencher: Bencher) {
    let games = games_of_a_year();
    let mut analyst = AtOnce(VecDeque::new());
    let folder = tempfile::tempdir().unwrap();
    let (_, answers) = build_at_once(folder.path(), &games, &mut analyst);
    bencher.counter(ItemsCount::new(answers)).bench_local(|| {
        let folder = tempfile::tempdir().unwrap();
        build_at_once(folder.path(), &games, &mut analyst).1
    });
}

/// How many positions the driver takes in best first; some 1.8 answers each.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn drive_an_expansion(bencher: Bencher) {
    const POSITIONS: u64 = 10_000;
    let mut analyst = AtOnce(VecDeque::new());
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = build_at_once(folder.path(), &games_of_a_year(), &mut analyst);
    let expansion = Expansion::from_start(POSITIONS);
    bencher
        .counter(ItemsCount::new(POSITIONS))
        .bench_local(|| expand(&store, &mut analyst, 1, &expansion, &()).unwrap());
}

fn tiger() -> Position {
    MoveList::parse(Position::START, "f5d6c3d3c4").unwrap().end
}

/// With the ways into each position, as `book query` shows them.
#[divan::bench(sample_count = 200)]
fn query_hot(bencher: Bencher) {
    let _turn = TURN.lock();
    let store = Store::open(book()).unwrap();
    bencher.bench_local(|| query(&store.reader(), tiger()).unwrap());
}

/// Nothing of the book is in our memory yet.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn query_cold(bencher: Bencher) {
    let _turn = TURN.lock();
    let path = book();
    bencher
        .with_inputs(|| Store::open_read_only(path).unwrap())
        .bench_local_values(|store| {
            query(&store.reader(), tiger()).unwrap();
            store
        });
}

/// Positions from all over the book, as the service answers them, without the ways into them.
#[divan::bench(sample_count = 20_000, sample_size = 1)]
fn look_up_anywhere(bencher: Bencher) {
    let _turn = TURN.lock();
    let store = Store::open(book()).unwrap();
    let reader = store.reader();
    let mut rows = reader.rows(Table::Nodes, None).unwrap();
    let mut boards = Vec::new();
    for number in 0u64.. {
        match rows.next_node().unwrap() {
            Some((key, _)) if number.is_multiple_of(97) => boards.push(key.board()),
            Some(_) => {}
            None => break,
        }
    }
    let mut number = 0usize;
    bencher.bench_local(|| {
        // A prime step goes from layer to layer.
        number = number.wrapping_add(7919);
        let position = Position {
            board: boards[number % boards.len()],
            turn: Color::Black,
        };
        look_up(&store.snapshot(), position, Ways::LeftOut).unwrap()
    });
}
