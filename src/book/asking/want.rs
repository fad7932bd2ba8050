//! What is wanted, as it stands in the database: a position, how hard to look, and for whose work.
//!
//! A want is written in the same batch as the change that caused it, and taken off in the same
//! batch as the answer that fulfils it. So a kill, Ctrl-C or the end of the time forgets nothing,
//! and the command that wanted it goes on with it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whose work it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Cause {
    Build,
    Learn,
    Upload,
    Deepen,
    Expand,
    Deviate,
    PlayOut,
    Solve,
}

impl Cause {
    pub const ALL: [Cause; 8] = [
        Cause::Build,
        Cause::Learn,
        Cause::Upload,
        Cause::Deepen,
        Cause::Expand,
        Cause::Deviate,
        Cause::PlayOut,
        Cause::Solve,
    ];

    const fn byte(self) -> u8 {
        match self {
            Cause::Build => 1,
            Cause::Learn => 2,
            Cause::Upload => 3,
            Cause::Deepen => 4,
            Cause::Expand => 5,
            Cause::Deviate => 6,
            Cause::PlayOut => 7,
            Cause::Solve => 8,
        }
    }
}

/// As the command is called.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cause::Build => "build",
            Cause::Learn => "learn",
            Cause::Upload => "upload",
            Cause::Deepen => "deepen",
            Cause::Expand => "expand",
            Cause::Deviate => "deviate",
            Cause::PlayOut => "play-out",
            Cause::Solve => "solve",
        })
    }
}

/// A piece of work that searches: the command and its level. The same command at the same level
/// goes on with what was left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Errand {
    pub cause: Cause,
    /// From 1 on.
    pub level: u8,
}

impl Errand {
    /// None at level 0, which wants nothing.
    pub fn new(cause: Cause, level: u8) -> Option<Errand> {
        (level > 0).then_some(Errand { cause, level })
    }

    pub const BYTES: usize = 2;

    pub const fn to_bytes(self) -> [u8; Errand::BYTES] {
        [self.cause.byte(), self.level]
    }

    pub fn from_bytes(bytes: [u8; Errand::BYTES]) -> Option<Errand> {
        let [cause, level] = bytes;
        let cause = Cause::ALL.into_iter().find(|one| one.byte() == cause)?;
        Errand::new(cause, level)
    }
}

/// `build, level 8`.
impl fmt::Display for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, level {}", self.cause, self.level)
    }
}

/// That a position be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Want {
    pub errand: Errand,
    /// How hard to look: most often the errand's own level.
    pub level: u8,
    pub what: Wanted,
}

/// What is wanted of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// What Delteil's rule asks.
    ByRule,
    /// The same, and then the moves beside the book that are worse than the best by up to this
    /// many centi-discs.
    Beside(u16),
    /// A search of the position itself, whatever the book has below it.
    Whole,
}

/// No slack is so large: moves differ by at most 128 discs.
const WHOLE: u16 = u16::MAX;

impl Wanted {
    const fn number(self) -> u16 {
        match self {
            Wanted::ByRule => 0,
            Wanted::Beside(slack) => slack,
            Wanted::Whole => WHOLE,
        }
    }

    const fn of_number(number: u16) -> Wanted {
        match number {
            0 => Wanted::ByRule,
            WHOLE => Wanted::Whole,
            slack => Wanted::Beside(slack),
        }
    }
}

impl Want {
    /// What Delteil's rule wants, for an errand.
    pub const fn of(errand: Errand) -> Want {
        Want {
            errand,
            level: errand.level,
            what: Wanted::ByRule,
        }
    }

    pub const BYTES: usize = 3;

    /// Without the errand, which is part of the key.
    pub const fn to_bytes(self) -> [u8; Want::BYTES] {
        let [high, low] = self.what.number().to_be_bytes();
        [self.level, high, low]
    }

    pub const fn from_bytes(errand: Errand, bytes: [u8; Want::BYTES]) -> Want {
        let [level, high, low] = bytes;
        Want {
            errand,
            level,
            what: Wanted::of_number(u16::from_be_bytes([high, low])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_are_read_as_they_were_written() {
        for cause in Cause::ALL {
            let errand = Errand::new(cause, 17).unwrap();
            assert_eq!(Errand::from_bytes(errand.to_bytes()), Some(errand));
            for what in [Wanted::ByRule, Wanted::Beside(401), Wanted::Whole] {
                let want = Want {
                    errand,
                    level: 3,
                    what,
                };
                assert_eq!(Want::from_bytes(errand, want.to_bytes()), want);
            }
        }
        assert_eq!(Errand::new(Cause::Build, 0), None);
        assert_eq!(Errand::from_bytes([0, 1]), None);
        assert_eq!(Errand::from_bytes([9, 1]), None);
    }
}
