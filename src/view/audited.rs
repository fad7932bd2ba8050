//! How good a book's moves are, as a deeper search judges them.

use super::BadGamesView;
use serde::Serialize;

/// All moves that were judged.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct AuditView {
    /// The judge's.
    pub level: u8,
    /// That of the engine in positions which the book does not know; null where only the book's own
    /// were drawn.
    pub playing: Option<u8>,
    #[serde(flatten)]
    pub judged: AuditedMovesView,
    /// The most that a move gives away, in discs.
    pub worst: f64,
    pub plies: Vec<AuditedPlyView>,
    #[serde(flatten)]
    pub bad: BadGamesView,
}

/// The positions after so many moves.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct AuditedPlyView {
    pub ply: u8,
    #[serde(flatten)]
    pub judged: AuditedMovesView,
}

/// Some of the moves.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub struct AuditedMovesView {
    /// In each of which one move was judged.
    pub positions: u64,
    /// In positions that the book knew; in the others the engine moved.
    pub in_book: u64,
    /// Moves that the judge would play, too.
    pub best: u64,
    /// What a move gives away, in discs.
    pub mean_loss: f64,
}
