//! What the search is made of, and the search itself. `cargo bench --bench search`.
//!
//! Ratios within one run count, not the times: the machine may be shared.

use divan::{Bencher, black_box};
use emilia::eval::{Evaluator, Features};
use emilia::othello::kernel::{Job, Kernel, dispatch_on};
use emilia::othello::{Board, MoveList, Position, Square, Tier, read_obf};
use emilia::search::{Limits, Searcher};
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

/// Positions of random games with this many empties, the same in every run.
fn boards(empties: u32, count: usize) -> Vec<Board> {
    let mut seed = 0x0e11_1ab0_u64;
    let mut random = move |limit: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as u32 % limit
    };
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = Board::START;
        while board.empty_count() > empties && !board.is_over() {
            if board.must_pass() {
                board = board.pass();
            }
            let moves = board.legal_moves();
            let square = moves.into_iter().nth(random(moves.count()) as usize);
            board = square.and_then(|s| board.play(s).ok()).unwrap_or(board);
        }
        if board.empty_count() == empties && !board.legal_moves().is_empty() {
            found.push(board);
        }
    }
    found
}

const SAMPLE: usize = 256;

struct Moves<'a>(&'a [Board]);

impl Job for Moves<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> u64 {
        self.0
            .iter()
            .map(|board| kernel.moves(board.mover().0, board.opponent().0))
            .fold(0, |sum, moves| sum ^ moves)
    }
}

struct Flips<'a>(&'a [(Board, Square)]);

impl Job for Flips<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> u64 {
        self.0
            .iter()
            .map(|(board, square)| {
                kernel.flips(square.index(), board.mover().0, board.opponent().0)
            })
            .fold(0, |sum, flips| sum ^ flips)
    }
}

/// One move and the evaluation after it: a leaf of the search.
struct Leaves<'a>(&'a Evaluator, &'a [(Board, Square, Features)]);

impl Job for Leaves<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> i32 {
        let Leaves(evaluator, leaves) = self;
        let mut sum = 0;
        for (board, square, features) in leaves {
            let flips = board.flips_with(kernel, *square);
            let after = features.after_move(kernel, square.index(), flips.0);
            sum ^= evaluator.evaluate(kernel, &after, board.play_unchecked(*square, flips));
        }
        sum
    }
}

fn with_moves(boards: Vec<Board>) -> Vec<(Board, Square)> {
    boards
        .into_iter()
        .filter_map(|board| board.legal_moves().first().map(|square| (board, square)))
        .collect()
}

#[divan::bench(args = Tier::available())]
fn move_generation(bencher: Bencher, tier: &Tier) {
    let boards = boards(30, SAMPLE);
    bencher
        .counter(divan::counter::ItemsCount::new(boards.len()))
        .bench_local(|| dispatch_on(*tier, Moves(black_box(&boards))));
}

#[divan::bench(args = Tier::available())]
fn flips(bencher: Bencher, tier: &Tier) {
    let boards = with_moves(boards(30, SAMPLE));
    bencher
        .counter(divan::counter::ItemsCount::new(boards.len()))
        .bench_local(|| dispatch_on(*tier, Flips(black_box(&boards))));
}

#[divan::bench(args = Tier::available())]
fn evaluation(bencher: Bencher, tier: &Tier) {
    let evaluator = Evaluator::builtin();
    let leaves: Vec<_> = with_moves(boards(30, SAMPLE))
        .into_iter()
        .map(|(board, square)| (board, square, evaluator.features(board)))
        .collect();
    bencher
        .counter(divan::counter::ItemsCount::new(leaves.len()))
        .bench_local(|| dispatch_on(*tier, Leaves(evaluator, black_box(&leaves))));
}

/// Through the façade: with few empties most of it is the start of a search, so the growth from
/// one row to the next is what the last squares cost.
#[divan::bench(args = [4, 6, 8, 10])]
fn last_empties(bencher: Bencher, empties: u32) {
    let boards = boards(empties, 32);
    let searcher = Searcher::new(1 << 20);
    bencher
        .counter(divan::counter::ItemsCount::new(boards.len()))
        .bench_local(|| {
            searcher.clear();
            for &board in &boards {
                black_box(searcher.search(board, &Limits::solve()));
            }
        });
}

/// Endgames of our own with 20 empties, for machines without the shared problem files.
const OWN_ENDGAMES: [&str; 2] = [
    "c4e3f5b4d3e6f4f3d2f6g6g5b5e2g4c5c6g3e1f2h3h5h6h4a3d6f7c3f1c1d1g1b3c2e7g7h8h7b1a6",
    "c4e3f4c5d6f5d3f3c6c2e2d1f1c3c1b1f2b3d2e6a3b5b6a4a5d7b4c7e8c8g3a7g4h4g5g6a2h5g2h3",
];

/// FFO 40–44 where the shared data is, else our own.
fn endgames() -> Vec<Board> {
    let shared = std::env::var_os("EMILIA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let file = shared.join("data/positions/fforum-40-59.obf");
    let problems = std::fs::read_to_string(file)
        .ok()
        .and_then(|text| read_obf(&text).ok());
    match problems {
        Some(problems) => problems.iter().take(5).map(|p| p.position.board).collect(),
        None => OWN_ENDGAMES
            .iter()
            .filter_map(|game| MoveList::parse(Position::START, game).ok())
            .map(|list| list.end.board)
            .collect(),
    }
}

/// FFO 40–44 with one thread and with two: the ratio is what the second core brings.
#[divan::bench(args = [1, 2], sample_count = 3, sample_size = 1)]
fn endgames_by_threads(bencher: Bencher, threads: usize) {
    let boards = endgames();
    let searcher = Searcher::new(256 << 20).with_threads(threads);
    bencher.bench_local(|| {
        searcher.clear();
        for &board in &boards {
            black_box(searcher.search(board, &Limits::solve()));
        }
    });
}
