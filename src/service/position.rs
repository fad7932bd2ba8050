//! `GET /api/position` and `POST /api/positions`: what the book knows.

use super::asked::{Asked, Asks, Sent, Where};
use super::background::Errand;
use super::problem::{ErrorBody, Problem};
use super::settings::Settings;
use super::shared::Shared;
use super::view::PositionView;
use crate::book::{Reader, Ways, look_up};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many positions one request may ask about.
const BATCH: usize = 1000;

fn view(reader: &Reader<'_>, asked: &Asked, ways: bool) -> Result<PositionView, Problem> {
    let ways = if ways { Ways::Counted } else { Ways::LeftOut };
    let answer = look_up(reader, asked.position, ways)?;
    Ok(PositionView::new(&answer, asked))
}

/// A position, and how much is wanted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Moves from the start, such as f5d6c3; passes may be left out.
    #[param(example = "f5d6c3")]
    moves: Option<String>,
    /// 64 squares from a1 to h8 (X Black, O White, - empty) and the side to move.
    board: Option<String>,
    /// Count the ways into each position, which takes longer than all the rest.
    #[serde(default)]
    ways: bool,
}

/// Everything the book knows about a position and each of its moves.
#[utoipa::path(
    get, path = "/api/position", tag = "book", params(Wanted),
    responses((status = 200, body = PositionView), (status = 400, body = ErrorBody))
)]
pub async fn one(
    State(shared): State<Arc<Shared>>,
    Asks(wanted): Asks<Wanted>,
) -> Result<Json<PositionView>, Problem> {
    let Wanted { moves, board, ways } = wanted;
    let asked = Where { moves, board }.read()?;
    if ways {
        let counted = move |reader: &Reader<'_>| view(reader, &asked, ways);
        return shared.read(counted).await.map(Json);
    }
    let found = shared.answer(asked.position).await?;
    Ok(Json(PositionView::new(&found.answer, &asked)))
}

/// Many positions, each as moves from the start or as a board with the side to move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    #[schema(example = json!(["f5d6", "f5f6"]), max_items = 1000)]
    positions: Vec<String>,
    /// Count the ways into each position, which takes longer than all the rest.
    #[serde(default)]
    ways: bool,
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
    let store = shared.store.clone();
    let batch = move |errand: &Errand| {
        let reader = store.snapshot();
        let answer = |text: &String| match Asked::read(text) {
            _ if errand.is_over() => {
                let limit = Settings::ANSWER_TIME;
                Err(Problem::Timeout { limit })
            }
            Ok(asked) => Ok(PositionOrError::Position(Box::new(view(
                &reader,
                &asked,
                wanted.ways,
            )?))),
            Err(problem) => Ok(PositionOrError::Error(problem.body())),
        };
        let positions = wanted.positions.iter().map(answer);
        let positions = positions.collect::<Result<_, Problem>>()?;
        Ok(Json(PositionViews { positions }))
    };
    shared.batches.run((), Settings::ANSWER_TIME, batch).await
}
