//! A match between two contestants.

use serde::Serialize;

/// How it went; wins, points, discs and Elo are those of the first.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct MatchView {
    pub first: ContestantView,
    pub second: ContestantView,
    /// Of each player and game.
    pub clock: Option<String>,
    /// Different ones that were played; where the players find their own, positions that they came
    /// to in eight moves.
    pub openings: usize,
    pub games: usize,
    pub wins: usize,
    pub draws: usize,
    pub losses: usize,
    /// Mean points of a game: 1 for a win, ½ for a draw.
    pub points: f64,
    /// Mean result of a game.
    pub discs: f64,
    pub elo: Option<EloView>,
    pub sprt: Option<SprtView>,
}

/// One of the two.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct ContestantView {
    pub contestant: String,
    pub seconds_per_game: f64,
    pub book_moves_per_game: f64,
    /// Games that were lost by the clock or an illegal move.
    pub forfeits: usize,
}

/// A difference in strength, and where it lies with 95 % confidence. What is infinite is null.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct EloView {
    pub difference: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// The sequential test, as far as it is.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct SprtView {
    pub elo0: f64,
    pub elo1: f64,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// At the first it is decided for `elo0`, at the second for `elo1`.
    pub bounds: (f64, f64),
    /// Whether `elo1` was accepted; null while it is not decided.
    pub accepted: Option<bool>,
}

impl EloView {
    /// JSON has no infinity: an open end is null.
    pub fn new(difference: f64, [low, high]: [f64; 2]) -> EloView {
        let finite = |number: f64| number.is_finite().then_some(number);
        EloView {
            difference: finite(difference),
            low: finite(low),
            high: finite(high),
        }
    }
}
