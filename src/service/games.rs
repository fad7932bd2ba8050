//! `GET /api/v1/games`: games of the book that went through a position.

use super::asked::{Asks, read_position, within};
use super::problem::Problem;
use super::shared::Shared;
use crate::book::{NodeKey, games_through};
use crate::view::GameView;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many games one answer holds.
const MOST: usize = 100;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Through {
    /// Moves from the start, or 64 squares and the side to move.
    #[param(example = "f5d6c3")]
    position: String,
    /// At most so many games, up to 100.
    #[serde(default = "ten")]
    #[param(required = false, default = 10, minimum = 0, maximum = 100)]
    limit: usize,
}

fn ten() -> usize {
    10
}

/// Games that went through a position.
#[derive(Serialize, ToSchema)]
pub struct GamesView {
    /// How many the book has.
    total: u32,
    /// Some of them, turned so that they go through the position as it was asked for.
    games: Vec<GameView>,
}

/// Games of the book that went through a position.
#[utoipa::path(
    get, path = "/api/v1/games", operation_id = "games", tag = "games", params(Through),
    responses((status = 200, body = GamesView))
)]
pub async fn through(
    State(shared): State<Arc<Shared>>,
    Asks(through): Asks<Through>,
) -> Result<Json<GamesView>, Problem> {
    let asked = read_position(&through.position)?;
    within("limit", through.limit, 0..=MOST)?;
    // Games that went through a rare position are found by reading all games: one at a time, so
    // that those who ask for anything else do not notice.
    let this = shared.clone();
    let _turn = this.scans.acquire().await.map_err(|_| Problem::Internal)?;
    shared
        .read(move |reader| {
            let position = asked.position.after_forced_pass();
            let total = reader
                .learned(NodeKey::of(position.board))?
                .map_or(0, |learned| learned.games);
            let limit = through.limit.min(total as usize);
            let games = games_through(reader, position, limit)?;
            let games = games.into_iter().map(GameView::from).collect();
            Ok(Json(GamesView { total, games }))
        })
        .await
}
