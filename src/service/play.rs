//! `POST /api/move`: the move of the player, who asks the book first.

use super::analyse::{FoundView, discs, time_within};
use super::asked::{Sent, Where};
use super::connections::Caller;
use super::problem::{ErrorBody, Problem};
use super::shared::{Shared, off_thread};
use crate::book::{Ways, look_up};
use crate::search::Limits;
use crate::search::time::Budget;
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

const LEVEL: u32 = 12;
const TIME: Duration = Duration::from_secs(5);

/// A position and how strong an answer is wanted.
#[derive(Deserialize, ToSchema)]
pub struct Move {
    #[serde(flatten)]
    place: Where,
    /// About the depth in the middle game, with an exact endgame to match.
    #[schema(default = 12, maximum = 60)]
    level: Option<u32>,
    /// Think no longer than this.
    #[schema(default = 5.0)]
    seconds: Option<f64>,
    /// Ask the book first.
    #[schema(default = true)]
    book: Option<bool>,
}

/// A move and where it comes from.
#[derive(Serialize, ToSchema)]
pub struct MoveMade {
    /// Null when the game is over.
    #[serde(rename = "move")]
    square: Option<String>,
    /// In discs, seen by the player who makes the move.
    value: Option<f64>,
    source: Source,
    /// What the search found, if there was one.
    search: Option<FoundView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    Book,
    Search,
    Over,
}

/// The player's move: from the book if it has one, and searched within the time otherwise.
#[utoipa::path(
    post, path = "/api/move", tag = "engine", request_body = Move,
    responses((status = 200, body = MoveMade), (status = 400, body = ErrorBody),
              (status = 429, body = ErrorBody))
)]
pub async fn play(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Sent(wanted): Sent<Move>,
) -> Result<Json<MoveMade>, Problem> {
    let position = wanted.place.read()?.position;
    let level = wanted.level.unwrap_or(LEVEL);
    if level > 60 {
        return Err(Problem::value("level", "levels go from 0 to 60"));
    }
    let time = time_within(wanted.seconds, TIME, shared.settings.search_time)?;
    if position.board.is_over() {
        return Ok(Json(MoveMade {
            square: None,
            value: None,
            source: Source::Over,
            search: None,
        }));
    }
    if wanted.book.unwrap_or(true) {
        let answer = shared
            .clone()
            .read(move |reader| Ok(look_up(reader, position, Ways::LeftOut)?))
            .await?;
        let value = answer.node.and_then(|node| node.derived.value);
        if let (Some(best), Some(value)) = (answer.best, value) {
            return Ok(Json(MoveMade {
                square: Some(best.to_string()),
                value: Some(value.discs()),
                source: Source::Book,
                search: None,
            }));
        }
    }
    let board = if position.board.must_pass() {
        position.board.pass()
    } else {
        position.board
    };
    let limits = Limits {
        time: Some(Budget::exactly(time)),
        average: true,
        ..Limits::level(level, board.empty_count())
    };
    let mut ticket = shared.searches.ticket(caller.address).await?;
    off_thread(move || {
        let button = ticket.button().clone();
        let found = ticket
            .searcher()
            .search_with(board, &limits, &button, &mut |_| {});
        Ok(Json(MoveMade {
            square: found.best.map(|square| square.to_string()),
            value: Some(discs(found.value)),
            source: Source::Search,
            search: Some((&found).into()),
        }))
    })
    .await
}
