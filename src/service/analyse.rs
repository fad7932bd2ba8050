//! `POST /api/v1/analyse`: a search that tells what it finds, depth by depth, as server-sent events.
//! It ends when the client leaves.

use super::asked::{Sent, where_is, whole, within};
use super::background::PressedWhenLeft;
use super::places::Caller;
use super::problem::Problem;
use super::shared::Shared;
use crate::search::Limits;
use crate::search::time::Budget;
use crate::view::FoundView;
use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use futures_core::Stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// The shortest time that can be asked for, in seconds.
const SHORTEST: f64 = 0.001;
/// More events than a search has depths: sending never waits for a slow reader.
const EVENTS: usize = 128;

/// A position and how hard to look at it; the start if neither moves nor a board are given.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "moves": "f5d6c3", "level": 6 }))]
pub struct Analyse {
    /// Moves from the start; passes may be left out.
    #[serde(default)]
    moves: String,
    /// 64 squares from a1 to h8 and the side to move, instead of moves.
    #[serde(default)]
    board: String,
    /// About the depth in the middle game, with an exact endgame to match.
    #[serde(default = "usual_level", deserialize_with = "whole")]
    #[schema(default = 18, minimum = 0, maximum = 60)]
    level: u32,
    /// Stop after this long, or when the server's own limit is reached.
    #[serde(default = "usual_seconds")]
    #[schema(default = 10.0, minimum = 0.001)]
    seconds: f64,
    /// How many of the best moves get a value of their own.
    #[serde(default = "one", deserialize_with = "whole")]
    #[schema(default = 1, minimum = 1, maximum = 64)]
    best_of: usize,
}

/// Some seconds in the middle game.
fn usual_level() -> u32 {
    18
}

fn usual_seconds() -> f64 {
    10.0
}

fn one() -> usize {
    1
}

/// Seconds as a request gives them, within what the server allows.
pub fn time_within(seconds: f64, most: Duration) -> Result<Duration, Problem> {
    if seconds.is_nan() || seconds < SHORTEST {
        return Err(Problem::value(
            "seconds",
            "give at least a thousandth of a second, such as 0.5",
        ));
    }
    // What does not fit is more than the server allows.
    Ok(Duration::try_from_secs_f64(seconds).map_or(most, |time| time.min(most)))
}

/// Search a position, deeper and deeper.
///
/// Answers with server-sent events: `depth` after each iteration and `done` at the end, both with
/// the same fields. Leaving ends the search.
#[utoipa::path(
    post, path = "/api/v1/analyse", tag = "engine", request_body = Analyse,
    responses((status = 200, body = FoundView, content_type = "text/event-stream")),
    extensions(("x-events" = json!(["depth", "done"])))
)]
pub async fn analyse(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Sent(wanted): Sent<Analyse>,
) -> Result<Sse<KeepAliveStream<Events>>, Problem> {
    let board = where_is(&wanted.moves, &wanted.board)?.position.board;
    let level = within("level", wanted.level, 0..=60)?;
    let time = time_within(wanted.seconds, shared.settings.search_time)?;
    let limits = Limits {
        time: Some(Budget::exactly(time)),
        multi_pv: within("best_of", wanted.best_of, 1..=64)?,
        average: true,
        ..Limits::level(level, board.empty_count())
    };
    let mut ticket = shared.searches.ticket(caller.client).await?;
    let button = ticket.button().clone();
    let (sender, receiver) = mpsc::channel(EVENTS);
    tokio::task::spawn_blocking(move || {
        let send = |name: &str, found: &FoundView| {
            if let Ok(event) = Event::default().event(name).json_data(found) {
                // Full or closed: nobody is reading.
                let _ = sender.try_send(event);
            }
        };
        // An iteration that is cut off has values of some moves only.
        let mut ranked = Vec::new();
        let button = ticket.button().clone();
        let searcher = ticket.searcher();
        let mut result = searcher.search_with(board, &limits, &button, &mut |result| {
            ranked.clone_from(&result.moves);
            send("depth", &result.into());
        });
        result.moves = ranked;
        send("done", &(&result).into());
    });
    let events = Events {
        receiver,
        _search: Some(PressedWhenLeft(button)),
    };
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(2))))
}

/// Events as they come; dropping it, as happens when the client leaves, ends the search.
pub struct Events {
    pub(super) receiver: mpsc::Receiver<Event>,
    pub(super) _search: Option<PressedWhenLeft>,
}

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|event| event.map(Ok))
    }
}
