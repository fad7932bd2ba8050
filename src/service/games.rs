//! `GET /api/v1/games`: games of the book, by position, player, event, year and result.

use super::asked::{Asks, read_position, within};
use super::places::Caller;
use super::problem::Problem;
use super::shared::Shared;
use crate::book::{GameNumber, Page, Reader, Selection, find_games};
use crate::games::Name;
use crate::view::FoundGamesView;
use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use std::str::FromStr;
use std::sync::Arc;
use utoipa::IntoParams;

/// How many games one answer holds.
const MOST: usize = 100;

/// Which games; everything that is said must be true of them.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// They went through this position: moves from the start, or 64 squares and the side to move.
    #[param(example = "f5d6c3")]
    position: Option<String>,
    /// Black or White has this name or, if nobody has it, one that begins like this.
    player: Option<String>,
    /// The same for the event.
    event: Option<String>,
    /// Played in this year, or in these years.
    #[param(example = "2000-2015")]
    years: Option<String>,
    /// black, white or draw.
    result: Option<String>,
    /// At most so many games, from 1 to 100.
    #[serde(default = "ten")]
    #[param(required = false, default = 10, minimum = 1, maximum = 100)]
    limit: usize,
    /// Only games after this number: what the page before gave as `next`.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 4_294_967_295_u64)]
    after: Option<u32>,
}

fn ten() -> usize {
    10
}

/// A parameter that may be left out.
pub(super) fn read<T: FromStr<Err = &'static str>>(
    name: &'static str,
    text: Option<&str>,
) -> Result<Option<T>, Problem> {
    let read = text.map(str::parse).transpose();
    read.map_err(|reason: &str| Problem::NoSuch(name, reason.into()))
}

/// A name that may be left out. An empty one would be the beginning of everybody's.
pub(super) fn name(field: &'static str, text: Option<String>) -> Result<Option<String>, Problem> {
    let Some(text) = text else {
        return Ok(None);
    };
    let reason = || format!("this is no name: leave {field} out to mean all");
    let name = Name::tidy(&text).ok_or_else(|| Problem::NoSuch(field, reason()))?;
    Ok(Some(name.to_string()))
}

/// Games of the book by position, player, event, years and result, in the order in which they were
/// learned.
#[utoipa::path(
    get, path = "/api/v1/games", operation_id = "games", tag = "games", params(Which),
    responses((status = 200, body = FoundGamesView))
)]
pub async fn find(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(which): Asks<Which>,
) -> Result<Json<FoundGamesView>, Problem> {
    let asked = which.position.as_deref().map(read_position).transpose()?;
    within("limit", which.limit, 1..=MOST)?;
    let page = Page {
        after: which.after.map(GameNumber),
        limit: which.limit,
    };
    let selection = Selection {
        position: asked.map(|asked| asked.position),
        years: read("years", which.years.as_deref())?,
        winner: read("result", which.result.as_deref())?,
        player: name("player", which.player)?,
        event: name("event", which.event)?,
    };
    let find = move |reader: &Reader<'_>, is_over: &dyn Fn() -> bool| {
        let found = find_games(reader, &selection, page, is_over)?;
        Ok(Json(FoundGamesView::from(&found)))
    };
    shared.scan(caller.client, find).await
}
