//! What a leaf costs: a three-ply walk of the game tree with and without the evaluation of its
//! leaves, per CPU tier. The difference, divided by the leaves, is the price of the last update
//! and the evaluation in the setting in which the search pays it.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use emilia::eval::{Evaluator, Features};
use emilia::othello::kernel::{Job, Kernel, dispatch_on};
use emilia::othello::{Board, Tier};

fn main() {
    divan::main();
}

/// A position of a random game with 28 empty squares.
fn position(seed: u64) -> Board {
    let mut state = seed;
    let mut board = Board::START;
    while board.empty_count() > 28 && !board.is_over() {
        let moves = board.legal_moves();
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chosen = (state >> 33) as usize % moves.count().max(1) as usize;
        board = match moves.into_iter().nth(chosen) {
            Some(square) => board.play_unchecked(square, board.flips(square)),
            None => board.pass(),
        };
    }
    board
}

/// What the walk does with its positions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Do {
    /// Makes the moves only.
    Walk,
    /// Updates the indices at every move, too.
    Update,
    /// Also evaluates the leaves.
    Evaluate,
}

struct Walk {
    evaluator: &'static Evaluator,
    boards: Vec<Board>,
    what: Do,
}

impl Job for &Walk {
    /// The leaves and something that depends on all of them.
    type Output = (usize, i32);

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> (usize, i32) {
        let mut total = (0, 0);
        for &board in &self.boards {
            let node = Node {
                walk: self,
                board,
                features: self.evaluator.features(board),
                plies: 3,
            };
            let (leaves, sum) = kernel.enter(node);
            total = (total.0 + leaves, total.1 ^ sum);
        }
        total
    }
}

struct Node<'a> {
    walk: &'a Walk,
    board: Board,
    features: Features,
    plies: u32,
}

impl Job for Node<'_> {
    type Output = (usize, i32);

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> (usize, i32) {
        let mut total = (0, 0);
        for square in self.board.legal_moves_with(kernel) {
            let flips = self.board.flips_with(kernel, square);
            let board = self.board.play_unchecked(square, flips);
            let features = match self.walk.what {
                Do::Walk => self.features,
                _ => self.features.after_move(kernel, square.index(), flips.0),
            };
            let (leaves, sum) = if self.plies > 1 {
                kernel.enter(Node {
                    walk: self.walk,
                    board,
                    features,
                    plies: self.plies - 1,
                })
            } else if self.walk.what == Do::Evaluate {
                (1, self.walk.evaluator.evaluate(kernel, &features, board))
            } else {
                (1, black_box(&features).indices().len() as i32)
            };
            total = (total.0 + leaves, total.1 ^ sum);
        }
        total
    }
}

fn bench(bencher: Bencher, tier: Tier, what: Do) {
    let walk = Walk {
        evaluator: Evaluator::builtin(),
        boards: (0..8).map(position).collect(),
        what,
    };
    let (leaves, _) = dispatch_on(tier, &walk);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| dispatch_on(tier, black_box(&walk)));
}

#[divan::bench(args = Tier::available())]
fn walk(bencher: Bencher, tier: &Tier) {
    bench(bencher, *tier, Do::Walk);
}

#[divan::bench(args = Tier::available())]
fn walk_and_update(bencher: Bencher, tier: &Tier) {
    bench(bencher, *tier, Do::Update);
}

#[divan::bench(args = Tier::available())]
fn walk_update_and_evaluate(bencher: Bencher, tier: &Tier) {
    bench(bencher, *tier, Do::Evaluate);
}
