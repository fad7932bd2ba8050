//! The evaluator against itself: move by move against from scratch, tier against tier.

use super::*;
use crate::othello::kernel::{Job, Portable, dispatch_on};
use crate::othello::{Bitboard, Symmetry, Tier};

/// Plays random games and compares, at every position, the indices that followed the moves with
/// those from scratch, and this tier's value with the portable one.
struct FollowGames {
    seed: u64,
    games: u32,
}

impl Job for FollowGames {
    type Output = Result<u32, String>;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Self::Output {
        let evaluator = Evaluator::builtin();
        let mut state = self.seed;
        let mut random = |below: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % below
        };
        let mut positions = 0;
        for _ in 0..self.games {
            let mut board = Board::START;
            let mut features = evaluator.features(board);
            loop {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    if board.is_over() {
                        break;
                    }
                    board = board.pass();
                    features = features.after_pass();
                } else {
                    let skip = random(moves.count()) as usize;
                    let Some(square) = moves.into_iter().nth(skip) else {
                        break;
                    };
                    let flips = board.flips(square);
                    features = features.after_move(kernel, square.index(), flips.0);
                    board = board.play_unchecked(square, flips);
                }
                positions += 1;
                if features != evaluator.features(board) {
                    return Err(format!("the indices went astray at {board:?}"));
                }
                let value = evaluator.evaluate(kernel, &features, board);
                let portable = evaluator.evaluate(Portable, &features, board);
                if value != portable {
                    return Err(format!("{value}, portably {portable}, at {board:?}"));
                }
            }
        }
        Ok(positions)
    }
}

#[test]
fn every_tier_follows_the_moves_and_gives_the_portable_value() {
    for &tier in Tier::available() {
        let job = FollowGames {
            seed: 11,
            games: 300,
        };
        let positions = dispatch_on(tier, job).unwrap();
        assert!(positions > 15_000, "{tier}: {positions} positions");
    }
}

fn value(board: Board) -> i32 {
    let evaluator = Evaluator::builtin();
    evaluator.evaluate(Portable, &evaluator.features(board), board)
}

#[test]
fn the_value_does_not_see_symmetry() {
    let board = Board::new(
        Bitboard(0x0000_1c38_1008_0400),
        Bitboard(0x0010_2004_2c14_1800),
    )
    .unwrap();
    for symmetry in Symmetry::all() {
        assert_eq!(value(board.under(symmetry)), value(board));
    }
}

#[test]
fn a_corner_is_worth_having() {
    // The start with a1 added for either player.
    let corner = 1;
    let mine = Board::new(
        Bitboard(Board::START.mover().0 | corner),
        Board::START.opponent(),
    );
    let theirs = Board::new(
        Board::START.mover(),
        Bitboard(Board::START.opponent().0 | corner),
    );
    assert!(value(mine.unwrap()) > value(theirs.unwrap()));
}

#[test]
fn indices_of_nonsense_moves_stay_inside_the_table() {
    let evaluator = Evaluator::builtin();
    for &tier in Tier::available() {
        struct Nonsense<'a>(&'a Evaluator);
        impl Job for Nonsense<'_> {
            type Output = i32;
            #[inline(always)]
            fn run<K: Kernel>(self, kernel: K) -> i32 {
                let mut features = self.0.features(Board::START);
                for square in 0..200 {
                    features = features.after_move(kernel, square, u64::MAX << (square % 64));
                    self.0.evaluate(kernel, &features, Board::START);
                }
                self.0.evaluate(kernel, &features, Board::START)
            }
        }
        let portable = Nonsense(evaluator).run(Portable);
        assert_eq!(dispatch_on(tier, Nonsense(evaluator)), portable);
    }
}

#[test]
fn a_file_without_patterns_or_of_nonsense_is_refused() {
    let mut container = Container::default();
    container.set(MANIFEST, b"nothing".to_vec());
    let file = container.encode().unwrap();
    assert!(matches!(
        Evaluator::decode(&file),
        Err(WeightsError::Missing(_))
    ));
    assert!(Evaluator::decode(b"EMILIAWTnonsense").is_err());
    assert!(Evaluator::load(Path::new("/nowhere/weights")).is_err());
}
