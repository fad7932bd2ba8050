//! `POST /api/analyse`: a search that tells what it finds, depth by depth, as server-sent events.
//! It ends when the client leaves.

use super::asked::{Sent, Where};
use super::background::PressedWhenLeft;
use super::places::Caller;
use super::problem::{ErrorBody, Problem};
use super::shared::Shared;
use crate::othello::moves_to_string;
use crate::search::time::Budget;
use crate::search::{Bound, Limits, SearchResult};
use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// What is searched when nothing is said: some seconds in the middle game.
const LEVEL: u32 = 18;
const TIME: Duration = Duration::from_secs(10);
/// More events than a search has depths: sending never waits for a slow reader.
const EVENTS: usize = 128;

/// A position and how hard to look at it.
#[derive(Deserialize, ToSchema)]
pub struct Analyse {
    #[serde(flatten)]
    place: Where,
    /// About the depth in the middle game, with an exact endgame to match.
    #[schema(default = 18, maximum = 60)]
    level: Option<u32>,
    /// Stop after this long.
    #[schema(default = 10.0)]
    seconds: Option<f64>,
    /// How many of the best moves get a value of their own.
    #[schema(default = 1, maximum = 64)]
    best_of: Option<usize>,
}

/// What a search found so far; the event `depth` after each iteration, `done` at the end.
#[derive(Serialize, ToSchema)]
pub struct FoundView {
    /// In discs, seen by the player to move.
    pub value: f64,
    /// Whether the value is exact, lower or upper.
    #[schema(example = "exact")]
    pub bound: &'static str,
    pub best: Option<String>,
    /// The expected moves, passes left out.
    pub line: String,
    pub depth: u32,
    /// How sure a shallow search had to be to cut, in per cent: 100 never cut.
    pub selectivity: u32,
    /// The value is the result with perfect play.
    pub solved: bool,
    pub nodes: u64,
    pub seconds: f64,
    /// The best moves, when more than one was asked for.
    pub moves: Vec<FoundMove>,
}

#[derive(Serialize, ToSchema)]
pub struct FoundMove {
    #[serde(rename = "move")]
    pub square: String,
    pub value: f64,
    pub line: String,
}

impl From<&SearchResult> for FoundView {
    fn from(result: &SearchResult) -> FoundView {
        FoundView {
            value: discs(result.value),
            bound: match result.bound {
                Bound::Exact => "exact",
                Bound::AtLeast => "lower",
                Bound::AtMost => "upper",
            },
            best: result.best.map(|square| square.to_string()),
            line: moves_to_string(&result.pv),
            depth: result.depth,
            selectivity: result.selectivity.percent(),
            solved: result.solved,
            nodes: result.nodes,
            seconds: result.time.as_secs_f64(),
            moves: result
                .moves
                .iter()
                .map(|m| FoundMove {
                    square: m.square.to_string(),
                    value: discs(m.value),
                    line: moves_to_string(&m.pv),
                })
                .collect(),
        }
    }
}

/// Centi-discs as discs.
pub fn discs(value: i32) -> f64 {
    f64::from(value) / 100.0
}

/// Seconds as a request gives them, within what the server allows.
pub fn time_within(
    seconds: Option<f64>,
    default: Duration,
    most: Duration,
) -> Result<Duration, Problem> {
    let Some(seconds) = seconds else {
        return Ok(default.min(most));
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| !time.is_zero())
        .map(|time| time.min(most))
        .ok_or_else(|| Problem::value("seconds", "give seconds above 0, such as 0.5"))
}

/// Search a position, deeper and deeper.
///
/// Answers with server-sent events: `depth` after each iteration and `done` at the end, both with
/// the same fields. Leaving ends the search.
#[utoipa::path(
    post, path = "/api/analyse", tag = "engine", request_body = Analyse,
    responses(
        (status = 200, body = FoundView, content_type = "text/event-stream"),
        (status = 400, body = ErrorBody), (status = 429, body = ErrorBody)
    )
)]
pub async fn analyse(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Sent(wanted): Sent<Analyse>,
) -> Result<Sse<KeepAliveStream<Events>>, Problem> {
    let asked = wanted.place.read()?;
    let board = asked.position.board;
    let level = wanted.level.unwrap_or(LEVEL);
    if level > 60 {
        return Err(Problem::value("level", "levels go from 0 to 60"));
    }
    let time = time_within(wanted.seconds, TIME, shared.settings.search_time)?;
    let limits = Limits {
        time: Some(Budget::exactly(time)),
        multi_pv: wanted.best_of.unwrap_or(1).clamp(1, 64),
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
