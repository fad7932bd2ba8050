//! `GET /api/games`: games of the book that went through a position.

use super::asked::{Asked, Asks};
use super::collection::GameView;
use super::places::Caller;
use super::problem::{ErrorBody, Problem, What};
use super::settings::Settings;
use super::shared::Shared;
use crate::book::{ArchivedGame, NodeKey, games_through};
use crate::othello::moves_to_string;
use axum::extract::State;
use axum::{Extension, Json};
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
    #[param(default = 10)]
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
    /// Some of them, as many as are found in time, turned so that they go through the position as
    /// it was asked for.
    games: Vec<GameView>,
}

impl From<ArchivedGame> for GameView {
    fn from(game: ArchivedGame) -> GameView {
        GameView {
            black: game.black.map(|name| name.to_string()),
            white: game.white.map(|name| name.to_string()),
            event: game.event.map(|name| name.to_string()),
            year: game.year,
            result: game.result.map(|score| score.discs()),
            moves: moves_to_string(&game.moves),
            start: None,
        }
    }
}

/// Games of the book that went through a position.
#[utoipa::path(
    get, path = "/api/games", tag = "games", params(Through),
    responses((status = 200, body = GamesView), (status = 400, body = ErrorBody))
)]
pub async fn through(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(through): Asks<Through>,
) -> Result<Json<GamesView>, Problem> {
    let asked = Asked::read(&through.position)?;
    if through.limit > MOST {
        let reason = format!("at most {MOST} games at once");
        return Err(Problem::value("limit", reason));
    }
    // Games that went through a rare position are found by reading all games: some at a time, so
    // that those who ask for anything else do not notice, and only as long as somebody waits.
    let shares = &shared.scans_per_client;
    let (what, limit) = (What::Scans, shares.each());
    let share = shares.wait(caller.client, Settings::SCAN_WAIT).await;
    let share = share.ok_or(Problem::TooMany { what, limit })?;
    let store = shared.store.clone();
    shared
        .scans
        .run(share, Settings::SCAN_TIME, move |errand| {
            let reader = store.snapshot();
            let position = asked.position.after_forced_pass();
            let total = reader
                .learned(NodeKey::of(position.board))?
                .map_or(0, |learned| learned.games);
            let limit = through.limit.min(total as usize);
            let games = games_through(&reader, position, limit, &|| errand.is_over())?;
            let games = games.into_iter().map(GameView::from).collect();
            Ok(Json(GamesView { total, games }))
        })
        .await
}
