//! `GET /api/v1/openings`: what people call positions.

use super::asked::Asks;
use super::problem::Problem;
use crate::view::OpeningsView;
use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Called {
    /// Only those whose name, or another name, contains this.
    #[serde(default)]
    #[param(required = false, example = "tiger")]
    name: String,
}

/// The named openings.
#[utoipa::path(get, path = "/api/v1/openings", tag = "games", params(Called),
    responses((status = 200, body = OpeningsView)))]
pub async fn openings(Asks(called): Asks<Called>) -> Result<Json<OpeningsView>, Problem> {
    Ok(Json(OpeningsView::called(&called.name)))
}
