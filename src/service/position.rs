//! `GET /api/v1/position` and `POST /api/v1/positions`: what the book knows.

use super::asked::{Asks, Sent, read_position, where_is};
use super::background::Chore;
use super::games;
use super::places::Caller;
use super::problem::Problem;
use super::settings::Settings;
use super::shared::Shared;
use crate::book::{Reader, Selection, Ways, look_up, look_up_among};
use crate::othello::PositionText;
use crate::view::{ErrorBody, PositionView};
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many positions one request may ask about.
const BATCH: usize = 1000;

fn view(reader: &Reader<'_>, asked: &PositionText, ways: bool) -> Result<PositionView, Problem> {
    let answer = look_up(reader, asked.position, counted(ways))?;
    Ok(PositionView::new(&answer, asked))
}

const fn counted(ways: bool) -> Ways {
    if ways { Ways::Counted } else { Ways::LeftOut }
}

/// A position, and how much is wanted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Moves from the start; passes may be left out.
    #[serde(default)]
    #[param(required = false, example = "f5d6c3")]
    moves: String,
    /// 64 squares from a1 to h8 (X Black, O White, - empty) and the side to move, instead of moves.
    #[serde(default)]
    #[param(required = false)]
    board: String,
    /// Count the ways into each position, which takes longer than all the rest.
    #[serde(default)]
    #[param(required = false)]
    ways: bool,
    /// Count only games of this year, or of these years.
    #[param(example = "2000-2015")]
    years: Option<String>,
    /// Count only games of this player.
    player: Option<String>,
}

/// Everything the book knows about a position and each of its moves.
#[utoipa::path(
    get, path = "/api/v1/position", operation_id = "position", tag = "book", params(Wanted),
    responses((status = 200, body = PositionView))
)]
pub async fn one(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(wanted): Asks<Wanted>,
) -> Result<Json<PositionView>, Problem> {
    let asked = where_is(&wanted.moves, &wanted.board)?;
    let ways = wanted.ways;
    let years = games::read("years", wanted.years.as_deref())?;
    let player = games::name("player", wanted.player)?;
    if years.is_some() || player.is_some() {
        let some = Selection {
            years,
            player,
            ..Selection::default()
        };
        let among = move |reader: &Reader<'_>, is_over: &dyn Fn() -> bool| {
            let answer = look_up_among(reader, asked.position, counted(ways), &some, is_over)?;
            Ok(Json(PositionView::new(&answer, &asked)))
        };
        return shared.scan(caller.client, among).await;
    }
    // The route leaves time for a scan; a look has to be quicker.
    let limit = Settings::ANSWER_TIME;
    let look = tokio::time::timeout(limit, look(shared, asked, ways));
    look.await.unwrap_or(Err(Problem::Timeout { limit }))
}

async fn look(
    shared: Arc<Shared>,
    asked: PositionText,
    ways: bool,
) -> Result<Json<PositionView>, Problem> {
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
    /// Each as moves from the start, or as a board with the side to move.
    #[schema(example = json!(["f5d6", "f5f6"]), max_items = 1000)]
    positions: Vec<String>,
    /// Count the ways into each position, which takes longer than all the rest.
    #[serde(default)]
    ways: bool,
}

/// In the order they were asked in.
#[derive(Serialize, ToSchema)]
pub struct PositionViews {
    /// Each a PositionView, or an ErrorBody where there is no such position.
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
    post, path = "/api/v1/positions", operation_id = "positions", tag = "book",
    request_body = Positions,
    responses((status = 200, body = PositionViews))
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
    let batch = move |chore: &Chore| {
        let reader = store.snapshot();
        let answer = |text: &String| match read_position(text) {
            _ if chore.is_over() => {
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
