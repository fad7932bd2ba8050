//! How sure a search must be before it cuts on a shallower one.

use std::fmt;

/// A confidence step of multi-ProbCut. Larger is surer; [`Selectivity::Exact`] never cuts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Selectivity {
    P68,
    P82,
    P91,
    P96,
    P99,
    Exact,
}

impl Selectivity {
    /// All steps, the boldest first.
    pub const ALL: [Selectivity; 6] = [
        Selectivity::P68,
        Selectivity::P82,
        Selectivity::P91,
        Selectivity::P96,
        Selectivity::P99,
        Selectivity::Exact,
    ];

    pub(super) fn from_bits(bits: u8) -> Selectivity {
        *Selectivity::ALL
            .get(bits as usize)
            .unwrap_or(&Selectivity::P68)
    }

    /// How many standard deviations a shallow value must lie beyond the bound, in hundredths.
    pub const fn deviations(self) -> i32 {
        match self {
            Selectivity::P68 => 100,
            Selectivity::P82 => 135,
            Selectivity::P91 => 170,
            Selectivity::P96 => 205,
            Selectivity::P99 => 260,
            Selectivity::Exact => i32::MAX,
        }
    }

    /// The confidence as people write it, in per cent.
    pub const fn percent(self) -> u32 {
        match self {
            Selectivity::P68 => 68,
            Selectivity::P82 => 82,
            Selectivity::P91 => 91,
            Selectivity::P96 => 96,
            Selectivity::P99 => 99,
            Selectivity::Exact => 100,
        }
    }
}

impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.percent()))
    }
}
