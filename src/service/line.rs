//! `GET /api/v1/line`: a line of moves, step by step, as the book sees it.

use super::asked::{Asks, Where};
use super::problem::Problem;
use super::shared::Shared;
use crate::view::LineView;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;

/// What the book thinks of each position of a line, and what each move cost.
#[utoipa::path(
    get, path = "/api/v1/line", tag = "book", params(Where),
    responses((status = 200, body = LineView))
)]
pub async fn line(
    State(shared): State<Arc<Shared>>,
    Asks(place): Asks<Where>,
) -> Result<Json<LineView>, Problem> {
    let asked = place.read()?;
    shared
        .read(move |reader| Ok(Json(LineView::look_up(reader, &asked)?)))
        .await
}
