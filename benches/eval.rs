//! What a leaf costs: the update of the indices and the evaluation, per CPU tier.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use emilia::eval::{Evaluator, Features};
use emilia::othello::kernel::{Job, Kernel, dispatch_on};
use emilia::othello::{Board, Tier};

fn main() {
    divan::main();
}

/// A move of a random game: what the search would hand to the evaluation.
struct Step {
    board: Board,
    features: Features,
    square: usize,
    flips: u64,
}

/// Every move of a few random games, in an order that jumps between stages as little as a search.
fn steps() -> Vec<Step> {
    let evaluator = Evaluator::builtin();
    let mut steps = Vec::new();
    let mut state = 1u64;
    for _ in 0..400 {
        let mut board = Board::START;
        while !board.is_over() {
            let moves = board.legal_moves();
            if moves.is_empty() {
                board = board.pass();
                continue;
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let chosen = (state >> 33) as usize % moves.count() as usize;
            let Some(square) = moves.into_iter().nth(chosen) else {
                break;
            };
            let flips = board.flips(square);
            // Two stages of the middle game: leaves of one search lie close together.
            if (24..28).contains(&board.empty_count()) {
                steps.push(Step {
                    board,
                    features: evaluator.features(board),
                    square: square.index(),
                    flips: flips.0,
                });
            }
            board = board.play_unchecked(square, flips);
        }
    }
    steps
}

struct Evaluate<'a>(&'a [Step]);

impl Job for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> i32 {
        let evaluator = Evaluator::builtin();
        self.0
            .iter()
            .map(|step| evaluator.evaluate(kernel, &step.features, step.board))
            .fold(0, i32::wrapping_add)
    }
}

struct Update<'a>(&'a [Step]);

impl Job for Update<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> usize {
        let mut sum = 0;
        for step in self.0 {
            let after = step.features.after_move(kernel, step.square, step.flips);
            sum += black_box(&after).indices().next().unwrap_or(0);
        }
        sum
    }
}

struct Leaf<'a>(&'a [Step]);

impl Job for Leaf<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> i32 {
        let evaluator = Evaluator::builtin();
        let mut sum = 0i32;
        for step in self.0 {
            let after = step.features.after_move(kernel, step.square, step.flips);
            sum = sum.wrapping_add(evaluator.evaluate(kernel, &after, step.board));
        }
        sum
    }
}

/// Time per 1600 evaluations with the indices at hand.
#[divan::bench(args = Tier::available())]
fn evaluation(bencher: Bencher, tier: &Tier) {
    let steps = steps();
    bencher
        .counter(ItemsCount::new(steps.len()))
        .bench_local(|| dispatch_on(*tier, Evaluate(black_box(&steps))));
}

/// Time per 1600 updates of the indices.
#[divan::bench(args = Tier::available())]
fn update(bencher: Bencher, tier: &Tier) {
    let steps = steps();
    bencher
        .counter(ItemsCount::new(steps.len()))
        .bench_local(|| dispatch_on(*tier, Update(black_box(&steps))));
}

/// Time per 1600 leaves: update, then evaluation.
#[divan::bench(args = Tier::available())]
fn leaf(bencher: Bencher, tier: &Tier) {
    let steps = steps();
    bencher
        .counter(ItemsCount::new(steps.len()))
        .bench_local(|| dispatch_on(*tier, Leaf(black_box(&steps))));
}
