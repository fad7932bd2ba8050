//! What came of learning games.

use crate::book::Learned;
use serde::Serialize;
use utoipa::ToSchema;

/// Games that were learned, all of them written.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct LearnedView {
    /// Games that were new, or that were learned deeper.
    pub games: u64,
    /// Games that were known before.
    pub known: u64,
    /// Games that were left out because they do not begin at the start position.
    pub other_start: u64,
    /// Positions that came into the book.
    pub positions: u64,
}

impl From<Learned> for LearnedView {
    fn from(learned: Learned) -> LearnedView {
        LearnedView {
            games: learned.games,
            known: learned.known,
            other_start: learned.other_start,
            positions: learned.positions,
        }
    }
}
