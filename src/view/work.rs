//! How much a command searched, and whether something is left.

use crate::book::Settled;
use serde::Serialize;

/// The work of a command that searches a book.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub struct SearchWorkView {
    pub searched: u64,
    /// Nothing is left to do; otherwise the same command goes on.
    pub finished: bool,
    pub seconds: f64,
}

/// A book that grew.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub struct GrownView {
    /// Positions that came in.
    pub added: u64,
    #[serde(flatten)]
    pub work: SearchWorkView,
}

/// A book that was searched at a level.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub struct DeepenedView {
    #[serde(flatten)]
    pub work: SearchWorkView,
    /// Positions that became others, where that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<u64>,
}

/// What followed for the values.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct SettledView {
    pub recomputed: u64,
    pub changed: u64,
    pub seconds: f64,
}

impl SettledView {
    pub fn of(settled: &Settled, seconds: f64) -> SettledView {
        SettledView {
            recomputed: settled.recomputed,
            changed: settled.changed,
            seconds,
        }
    }
}
