//! What a position is worth without looking ahead.

use crate::othello::Board;
use crate::othello::kernel::Kernel;

pub struct Evaluator;

#[derive(Clone, Copy)]
pub struct Features;

impl Evaluator {
    pub fn builtin() -> &'static Evaluator {
        &Evaluator
    }
    pub fn features(&self, _board: Board) -> Features {
        Features
    }
    #[inline(always)]
    pub fn evaluate<K: Kernel>(&self, kernel: K, _features: &Features, board: Board) -> i32 {
        const C: u64 = 0x8100_0000_0000_0081;
        const X: u64 = 0x0042_0000_0000_4200;
        let (p, o) = (board.mover().0, board.opponent().0);
        let count = |b: u64| b.count_ones() as i32;
        let e = !(p | o);
        let near = |b: u64| {
            let h = b & 0x7e7e_7e7e_7e7e_7e7e;
            (b << 8 | b >> 8 | h << 1 | h >> 1 | h << 7 | h >> 7 | h << 9 | h >> 9) & e
        };
        let m = count(kernel.moves(p, o)) - count(kernel.moves(o, p));
        let pm = count(near(o)) - count(near(p));
        let c = count(p & C) - count(o & C);
        let x = count(p & X) - count(o & X);
        (m * 110 + pm * 60 + c * 900 - x * 350).clamp(-6300, 6300)
    }
}

impl Features {
    #[inline(always)]
    pub fn after_move<K: Kernel>(&self, _kernel: K, _square: usize, _flips: u64) -> Features {
        Features
    }
    #[inline(always)]
    pub fn after_pass(&self) -> Features {
        Features
    }
}
