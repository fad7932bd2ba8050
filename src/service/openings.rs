//! `GET /api/openings`: what people call positions.

use super::asked::Asks;
use super::problem::Problem;
use crate::book::{Opening, Openings};
use crate::othello::moves_to_string;
use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Called {
    /// Only those whose name, or another name, contains this.
    #[serde(default)]
    #[param(example = "tiger")]
    name: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct OpeningsView {
    openings: Vec<OpeningView>,
}

/// A named position.
#[derive(Serialize, ToSchema)]
pub struct OpeningView {
    #[schema(example = "Tiger")]
    name: &'static str,
    /// What else it is called.
    also: &'static [String],
    /// One way to get there.
    moves: String,
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

/// The named openings.
#[utoipa::path(get, path = "/api/openings", tag = "games", params(Called),
    responses((status = 200, body = OpeningsView)))]
pub async fn openings(Asks(called): Asks<Called>) -> Result<Json<OpeningsView>, Problem> {
    let wanted = called.name.unwrap_or_default();
    let all = Openings::shipped().all().iter();
    let openings = all.filter(|opening| opening.is_called(&wanted));
    Ok(Json(OpeningsView {
        openings: openings.map(OpeningView::from).collect(),
    }))
}
