//! How large a served book is, and what its server can do.

use super::summary::SummaryView;
use serde::Serialize;
use utoipa::ToSchema;

/// How large the book is, and what it can do here.
#[derive(Serialize, ToSchema)]
pub struct StatsView {
    /// Null while a large book is being counted for the first time.
    pub positions: Option<u64>,
    /// Null while a large book is being counted for the first time.
    pub games: Option<u64>,
    /// On the disk.
    pub bytes: u64,
    /// False while changes wait to be carried up.
    pub settled: bool,
    /// Uploads and expansions are possible with the token.
    pub writable: bool,
    /// Other machines search for it; /api/v1/cluster tells which.
    pub cluster: bool,
    /// Searches that may run at the same time.
    pub searches: usize,
    /// Searches that run now.
    pub searches_running: usize,
    /// The longest that one request may have a position searched.
    pub search_seconds: f64,
    /// Of the program.
    pub version: &'static str,
    /// The book is being counted: what is in `counted` is from before its last change.
    pub counting: bool,
    /// Null until a walk through the whole book has come to its end for the first time.
    pub counted: Option<SummaryView>,
}
