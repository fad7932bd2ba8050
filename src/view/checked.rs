//! What a check of a book found.

use crate::book::{Findings, Repaired};
use serde::Serialize;

/// What holds in a book, and what does not.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CheckedView {
    /// Nothing is wrong, though work may be left.
    pub sound: bool,
    pub positions: u64,
    /// Positions with statistics.
    pub statistics: u64,
    pub games: u64,
    /// The games are to be counted and indexed.
    pub index_due: bool,
    /// Positions that wait to be re-examined.
    pub waiting: u64,
    /// Positions that are to be searched.
    pub wanted: u64,
    pub sweep_due: bool,
    pub violation_count: u64,
    /// The first of them, in words.
    pub violations: Vec<String>,
    /// What was mended before, where that was asked for.
    pub repaired: Option<RepairedView>,
}

/// What was mended.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct RepairedView {
    /// Replaced or removed.
    pub records: u64,
    /// Positions that nothing led to.
    pub removed: u64,
    /// Lost positions that connect others again.
    pub brought_back: u64,
}

impl CheckedView {
    pub fn of(findings: &Findings, repaired: Option<Repaired>) -> CheckedView {
        let violations = findings.violations.iter();
        CheckedView {
            sound: findings.is_sound(),
            positions: findings.positions,
            statistics: findings.statistics,
            games: findings.games,
            index_due: findings.index_due,
            waiting: findings.waiting,
            wanted: findings.wanted,
            sweep_due: findings.sweep_due,
            violation_count: findings.violation_count,
            violations: violations.map(|violation| violation.to_string()).collect(),
            repaired: repaired.map(RepairedView::from),
        }
    }
}

impl From<Repaired> for RepairedView {
    fn from(repaired: Repaired) -> RepairedView {
        RepairedView {
            records: repaired.records,
            removed: repaired.orphans.removed,
            brought_back: repaired.orphans.brought_back,
        }
    }
}
