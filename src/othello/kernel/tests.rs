//! Every kernel against brute force: one square at a time, one step at a time.

use super::*;
use crate::othello::Random;
use proptest::prelude::*;

/// Walks the board square by square, as the rules are written.
fn flips_by_walking(index: usize, mover: u64, opponent: u64) -> u64 {
    let on = |set: u64, x: i32, y: i32| set >> (y * 8 + x) & 1 == 1;
    let inside = |x: i32, y: i32| (0..8).contains(&x) && (0..8).contains(&y);
    let mut flips = 0;
    for (dx, dy) in [
        (-1, -1),
        (0, -1),
        (1, -1),
        (-1, 0),
        (1, 0),
        (-1, 1),
        (0, 1),
        (1, 1),
    ] {
        let (mut x, mut y) = (index as i32 % 8 + dx, index as i32 / 8 + dy);
        let mut line = 0;
        while inside(x, y) && on(opponent, x, y) {
            line |= 1 << (y * 8 + x);
            (x, y) = (x + dx, y + dy);
        }
        if inside(x, y) && on(mover, x, y) {
            flips |= line;
        }
    }
    flips
}

fn moves_by_walking(mover: u64, opponent: u64) -> u64 {
    (0..64)
        .filter(|&index| (mover | opponent) >> index & 1 == 0)
        .filter(|&index| flips_by_walking(index, mover, opponent) != 0)
        .fold(0, |moves, index| moves | 1 << index)
}

/// The first disagreement of a kernel with the portable one over boards drawn from a seed.
struct CompareWithPortable {
    seed: u64,
    boards: u32,
}

impl Job for CompareWithPortable {
    type Output = Result<(), String>;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Self::Output {
        let mut numbers = Random::new(self.seed);
        let mut random = || numbers.next();
        for board in 0..self.boards {
            // Three densities: sparse, half full and nearly full boards.
            let occupied = match board % 3 {
                0 => random() & random(),
                1 => random(),
                _ => random() | random() | random(),
            };
            let mover = occupied & random();
            let opponent = occupied & !mover;
            let expected = Portable.moves(mover, opponent);
            let found = kernel.moves(mover, opponent);
            if found != expected {
                return Err(format!(
                    "moves({mover:#x}, {opponent:#x}): {found:#x}, not {expected:#x}"
                ));
            }
            let last = random() as usize % 64;
            let own = mover & !(1 << last);
            let expected = Portable.count_last_flips(last, own);
            let found = kernel.count_last_flips(last, own);
            if found != expected {
                return Err(format!(
                    "last flips({last}, {own:#x}): {found}, not {expected}"
                ));
            }
            let mut empties = !occupied;
            while empties != 0 {
                let index = empties.trailing_zeros() as usize;
                empties &= empties - 1;
                let expected = Portable.flips(index, mover, opponent);
                let found = kernel.flips(index, mover, opponent);
                if found != expected {
                    return Err(format!(
                        "flips({index}, {mover:#x}, {opponent:#x}): {found:#x}, not {expected:#x}"
                    ));
                }
            }
        }
        Ok(())
    }
}

#[test]
fn every_tier_agrees_with_the_portable_kernel_on_two_million_boards() {
    for &tier in Tier::available() {
        let job = CompareWithPortable {
            seed: 2,
            boards: 2_000_000,
        };
        assert_eq!(dispatch_on(tier, job), Ok(()), "tier {tier}");
    }
}

#[test]
fn a_tier_the_cpu_lacks_or_nobody_knows_is_refused_by_name() {
    assert!("sse9".parse::<Tier>().unwrap_err().contains("sse9"));
    assert_eq!("portable".parse(), Ok(Tier::Portable));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_portable_kernel_follows_the_rules_as_written(
        discs: u64,
        colours: u64,
        index in 0..64usize,
    ) {
        let mover = discs & colours;
        let opponent = discs & !colours;
        prop_assert_eq!(Portable.moves(mover, opponent), moves_by_walking(mover, opponent));
        if discs >> index & 1 == 0 {
            let expected = flips_by_walking(index, mover, opponent);
            prop_assert_eq!(Portable.flips(index, mover, opponent), expected);
        }
    }
}
