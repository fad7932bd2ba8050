//! What people call positions.

use crate::book::{Opening, Openings};
use crate::othello::{PositionText, moves_to_string};
use serde::Serialize;
use utoipa::ToSchema;

/// The named openings.
#[derive(Serialize, ToSchema)]
pub struct OpeningsView {
    /// By name.
    pub openings: Vec<OpeningView>,
}

/// A named position.
#[derive(Serialize, ToSchema)]
pub struct OpeningView {
    /// What it is called.
    #[schema(example = "Tiger")]
    pub name: &'static str,
    /// What else it is called.
    pub also: &'static [String],
    /// One way to get there.
    #[schema(example = "f5d6c3d3c4f4c5b3c2")]
    pub moves: String,
}

impl OpeningsView {
    /// Those whose name, or another name, contains this.
    pub fn called(name: &str) -> OpeningsView {
        let all = Openings::shipped().all().iter();
        let found = all.filter(|opening| opening.is_called(name));
        OpeningsView {
            openings: found.map(OpeningView::from).collect(),
        }
    }
}

impl From<&'static Opening> for OpeningView {
    fn from(opening: &'static Opening) -> OpeningView {
        OpeningView {
            name: &opening.name,
            also: &opening.also,
            moves: moves_to_string(&opening.moves),
        }
    }
}

/// What a position is called: after the deepest named position its line went through, if the line
/// is known.
pub fn opening_of(asked: &PositionText) -> Option<&'static Opening> {
    match &asked.moves {
        Some(moves) => Openings::shipped().of_moves(moves),
        None => Openings::shipped().at(asked.position.board),
    }
}

/// The same as one name.
pub fn name_of(asked: &PositionText) -> Option<&'static str> {
    opening_of(asked).map(|opening| opening.name.as_str())
}
