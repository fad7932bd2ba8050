//! A result in discs.

use std::fmt;
use std::ops::Neg;

/// A disc difference from −64 to +64, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i8);

impl Score {
    pub const MIN: Score = Score(-64);
    pub const DRAW: Score = Score(0);
    pub const MAX: Score = Score(64);

    /// The score of this many discs, if it is within ±64.
    pub const fn new(discs: i32) -> Option<Score> {
        if -64 <= discs && discs <= 64 {
            Some(Score(discs as i8))
        } else {
            None
        }
    }

    /// The nearest score.
    pub fn clamped(discs: i32) -> Score {
        Score(discs.clamp(-64, 64) as i8)
    }

    pub const fn discs(self) -> i32 {
        self.0 as i32
    }

    /// The result when the game is over: the empty squares go to the winner.
    pub const fn of_finished(own: u32, other: u32) -> Score {
        let empties = 64 - own as i32 - other as i32;
        let difference = own as i32 - other as i32;
        Score(if difference > 0 {
            difference + empties
        } else if difference < 0 {
            difference - empties
        } else {
            0
        } as i8)
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// `+12`, `-4`, `+0`: always with a sign, as result tables are written.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+}", self.0))
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_takes_the_empty_squares() {
        assert_eq!(Score::of_finished(13, 0), Score::MAX);
        assert_eq!(Score::of_finished(20, 40).discs(), -24);
        assert_eq!(Score::of_finished(30, 30), Score::DRAW);
        assert_eq!(Score::of_finished(33, 31).discs(), 2);
    }
}
