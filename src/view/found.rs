//! What a search found.

use crate::othello::moves_to_string;
use crate::search::{Bound, SearchResult};
use serde::Serialize;
use utoipa::ToSchema;

/// What a search found, so far or in the end.
#[derive(Serialize, ToSchema)]
pub struct FoundView {
    /// In discs, seen by the player to move.
    pub value: f64,
    /// Whether the value is exact, or what it is at least or at most.
    pub bound: BoundView,
    /// Null when the game is over.
    pub best: Option<String>,
    /// The expected moves, passes left out.
    pub line: String,
    /// Moves that were looked ahead.
    pub depth: u32,
    /// How sure a shallow search had to be to cut, in per cent: 100 never cut.
    pub selectivity: u32,
    /// The value is the result with perfect play.
    pub solved: bool,
    /// Positions that were looked at.
    pub nodes: u64,
    /// Since the search began.
    pub seconds: f64,
    /// Nodes a second; 0 where the time is too short to tell.
    pub nps: u64,
    /// The best moves, when more than one was asked for.
    pub moves: Vec<FoundMove>,
}

#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum BoundView {
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// One of the best moves.
#[derive(Serialize, ToSchema)]
pub struct FoundMove {
    /// Its square.
    #[serde(rename = "move")]
    pub square: String,
    /// In discs, seen by the player who makes it.
    pub value: f64,
    /// The move and what is expected after it.
    pub line: String,
}

impl From<&SearchResult> for FoundView {
    fn from(result: &SearchResult) -> FoundView {
        let seconds = result.time.as_secs_f64();
        FoundView {
            value: discs(result.value),
            bound: match result.bound {
                Bound::Exact => BoundView::Exact,
                Bound::AtLeast => BoundView::Lower,
                Bound::AtMost => BoundView::Upper,
            },
            best: result.best.map(|square| square.to_string()),
            line: moves_to_string(&result.pv),
            depth: result.depth,
            selectivity: result.selectivity.percent(),
            solved: result.solved,
            nodes: result.nodes,
            seconds,
            nps: if seconds > 0.0 {
                (result.nodes as f64 / seconds) as u64
            } else {
                0
            },
            moves: result
                .moves
                .iter()
                .map(|m| FoundMove {
                    square: m.square.to_string(),
                    value: discs(m.value),
                    line: moves_to_string(&m.pv),
                })
                .collect(),
        }
    }
}

/// Centi-discs as discs.
pub fn discs(value: i32) -> f64 {
    f64::from(value) / 100.0
}
