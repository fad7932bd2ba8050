//! What is in collections of games.

use super::game::BadGamesView;
use serde::Serialize;

/// All files that were read.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CountedCollectionsView {
    pub files: Vec<CountedFileView>,
    pub total: CountedTotalView,
    #[serde(flatten)]
    pub bad: BadGamesView,
}

/// A file of games, counted.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CountedFileView {
    pub file: String,
    pub format: String,
    #[serde(flatten)]
    pub counts: CountsView,
}

/// All files together.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CountedTotalView {
    #[serde(flatten)]
    pub counts: CountsView,
    /// Up to symmetry.
    pub distinct_positions: u64,
    /// Otherwise within about 0.4 %.
    pub distinct_positions_exact: bool,
}

/// What was counted.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CountsView {
    pub games: u64,
    pub plies: u64,
    pub black_wins: u64,
    pub draws: u64,
    pub white_wins: u64,
    pub no_result: u64,
    pub first_year: Option<u16>,
    pub last_year: Option<u16>,
    /// Different ones.
    pub players: usize,
    /// Games that stop before the end.
    pub unfinished: u64,
    /// Games that were left out.
    pub bad: u64,
}
