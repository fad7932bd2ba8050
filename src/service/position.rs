//! `GET /api/position` and `POST /api/positions`: what the book knows.

use super::asked::{Asked, Asks, Sent, Where};
use super::problem::{ErrorBody, Problem};
use super::shared::Shared;
use super::view::PositionView;
use crate::book::{Reader, query};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// How many positions one request may ask about.
const BATCH: usize = 1000;

fn look_up(reader: &Reader<'_>, asked: &Asked) -> Result<PositionView, Problem> {
    Ok(PositionView::new(&query(reader, asked.position)?, asked))
}

/// Everything the book knows about a position and each of its moves.
#[utoipa::path(
    get, path = "/api/position", tag = "book", params(Where),
    responses((status = 200, body = PositionView), (status = 400, body = ErrorBody))
)]
pub async fn one(
    State(shared): State<Arc<Shared>>,
    Asks(place): Asks<Where>,
) -> Result<Json<PositionView>, Problem> {
    let asked = place.read()?;
    shared
        .read(move |reader| look_up(reader, &asked))
        .await
        .map(Json)
}

/// Many positions, each as moves from the start or as a board with the side to move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    #[schema(example = json!(["f5d6", "f5f6"]), max_items = 1000)]
    positions: Vec<String>,
}

/// In the order they were asked in.
#[derive(Serialize, ToSchema)]
pub struct PositionViews {
    positions: Vec<PositionOrError>,
}

#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum PositionOrError {
    Position(Box<PositionView>),
    Error(ErrorBody),
}

/// Up to 1000 positions at once, all of the same moment.
#[utoipa::path(
    post, path = "/api/positions", tag = "book", request_body = Positions,
    responses((status = 200, body = PositionViews), (status = 400, body = ErrorBody))
)]
pub async fn many(
    State(shared): State<Arc<Shared>>,
    Sent(wanted): Sent<Positions>,
) -> Result<Json<PositionViews>, Problem> {
    let count = wanted.positions.len();
    if count > BATCH {
        let reason = format!("at most {BATCH} positions at once, not {count}");
        return Err(Problem::value("positions", reason));
    }
    shared
        .read(move |reader| {
            let answer = |text: &String| match Asked::read(text) {
                Ok(asked) => Ok(PositionOrError::Position(Box::new(look_up(
                    reader, &asked,
                )?))),
                Err(problem) => Ok(PositionOrError::Error(problem.body())),
            };
            let positions = wanted.positions.iter().map(answer);
            let positions = positions.collect::<Result<_, Problem>>()?;
            Ok(Json(PositionViews { positions }))
        })
        .await
}
