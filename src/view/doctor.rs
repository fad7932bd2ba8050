//! What a program and the machine it runs on have.

use serde::Serialize;
use std::path::PathBuf;

/// What would be used, and what is wrong with it.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct DoctorView {
    pub version: String,
    /// Changes with the evaluation, the search and the levels.
    pub engine: String,
    /// The CPU tier that is used.
    pub tier: String,
    /// All tiers that this machine has, the best last.
    pub tiers: Vec<String>,
    /// Threads of a search.
    pub threads: usize,
    /// Megabytes of the table of a search.
    pub hash: u32,
    /// Megabytes of memory that are free; none where the system does not say.
    pub memory_free: Option<u64>,
    /// Files that may be open at the same time; none where there is no limit.
    pub open_files: Option<u64>,
    pub weights: WeightsView,
    pub book: PlaceView,
    /// The variables that are set, with their values; of secrets only that they are set.
    pub variables: Vec<VariableView>,
    /// What is wrong, and what to do about it.
    pub problems: Vec<String>,
}

#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct WeightsView {
    /// None for those that are built in.
    pub file: Option<PathBuf>,
    /// Tells them from others; none where they cannot be read.
    pub fingerprint: Option<String>,
}

#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct PlaceView {
    /// None where nobody knows where it would be.
    pub path: Option<PathBuf>,
    /// Who says so.
    pub said_by: String,
    /// Whether it is there.
    pub exists: bool,
    /// About how many there are; none where there is no book, or one that cannot be opened.
    pub positions: Option<u64>,
}

#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct VariableView {
    pub name: String,
    pub value: String,
}
