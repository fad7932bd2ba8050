//! What came of learning games.

use super::game::BadGamesView;
use super::work::SearchWorkView;
use crate::book::Learned;
use serde::Serialize;
use utoipa::ToSchema;

/// Games that were learned, all of them written.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct LearnedView {
    /// Games that were new, or that were learned deeper.
    pub games: u64,
    /// Games that were known before.
    pub known_games: u64,
    /// Games that were left out because they do not begin at the start position.
    pub other_start: u64,
    /// Positions that came into the book.
    pub positions: u64,
}

/// Collections that were learned and searched.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct BuiltView {
    #[serde(flatten)]
    pub learned: LearnedView,
    #[serde(flatten)]
    pub bad: BadGamesView,
    #[serde(flatten)]
    pub work: SearchWorkView,
    /// Positions whose value, or what follows from it, became another.
    pub changed: u64,
}

/// One game that was learned and searched.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct GameLearnedView {
    #[serde(flatten)]
    pub learned: LearnedView,
    #[serde(flatten)]
    pub work: SearchWorkView,
    /// Moves that the book now knows to be mistakes.
    pub losses: Vec<LossView>,
}

/// What a mistake gave away.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct LossView {
    /// The number of the move, from 1 on.
    pub ply: usize,
    pub played: String,
    pub best: String,
    pub discs: f64,
}

impl From<Learned> for LearnedView {
    fn from(learned: Learned) -> LearnedView {
        LearnedView {
            games: learned.games,
            known_games: learned.known,
            other_start: learned.other_start,
            positions: learned.positions,
        }
    }
}
