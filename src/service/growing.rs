//! What changes the book, for those who have the token: uploads to learn, and the list of jobs.

use super::analyse::Events;
use super::asked::{Asks, Named, Sent, Where};
use super::jobs::JobView;
use super::places::Caller;
use super::problem::{ErrorBody, Problem};
use super::shared::Shared;
use super::work::Work;
use crate::engine::{Expansion, HUMAN_WEIGHT, Side, Taste};
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

/// How often the news of jobs are told at most.
const NEWS: Duration = Duration::from_millis(250);
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadedGames {
    /// The file's name: its ending helps where the content leaves a doubt.
    #[serde(default)]
    name: Option<String>,
    /// Learn the positions after at most this many moves; as many as the book has, and no more.
    #[serde(default)]
    plies: Option<u8>,
    /// Afterwards search the positions of these games that are not searched to this level; 0 does
    /// not.
    #[serde(default)]
    level: u8,
}

/// The levels that a book is searched with, as emilia book build has them.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=30;
/// How many positions one job may bring in.
const POSITIONS: std::ops::RangeInclusive<u64> = 1..=1_000_000;

/// Where and how far the book grows.
#[derive(Deserialize, ToSchema)]
pub struct Growth {
    #[serde(flatten)]
    place: Where,
    /// Stop when this many positions have come in.
    #[schema(default = 100, maximum = 1_000_000)]
    positions: Option<u64>,
    /// How hard each is searched.
    #[schema(default = 10, maximum = 30)]
    level: Option<u8>,
    /// Never follow a move that gives away more discs than this.
    #[schema(default = 4.0)]
    slack: Option<f64>,
}

/// All jobs, the newest first.
#[derive(Serialize, ToSchema)]
pub struct JobsView {
    jobs: Vec<JobView>,
}

/// Learn a file of games in the background.
#[utoipa::path(
    post, path = "/api/games", tag = "grow", params(UploadedGames), security(("token" = [])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 202, body = JobView), (status = 401, body = ErrorBody),
              (status = 413, body = ErrorBody), (status = 422, body = ErrorBody))
)]
pub async fn learn(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(lesson): Asks<UploadedGames>,
    body: Body,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    if lesson.plies.is_some_and(|plies| plies > 60) {
        return Err(Problem::value("plies", "a game has at most 60 moves"));
    }
    if !LEVELS.contains(&lesson.level) {
        return Err(Problem::value("level", "levels go from 0 to 30"));
    }
    let (uploads, failures) = (&shared.learned, &shared.failures);
    let upload = uploads
        .receive(body, lesson.name.as_deref(), &caller, failures)
        .await?;
    let this = shared.clone();
    shared
        .read(move |_| {
            // What is no collection is told now and not by the job.
            upload.games()?;
            let about = upload.name.clone();
            let level = lesson.level;
            let work = Work::Learn {
                upload,
                plies: lesson.plies,
                level,
            };
            let job = this.jobs()?.add("learn", about, work)?;
            Ok((StatusCode::ACCEPTED, Json(job)))
        })
        .await
}

/// Let the book grow in the background, where it pays most.
#[utoipa::path(
    post, path = "/api/expand", tag = "grow", request_body = Growth, security(("token" = [])),
    responses((status = 202, body = JobView), (status = 400, body = ErrorBody),
              (status = 401, body = ErrorBody))
)]
pub async fn expand(
    State(shared): State<Arc<Shared>>,
    Sent(growth): Sent<Growth>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let asked = growth.place.read()?;
    let positions = growth.positions.unwrap_or(100);
    if !POSITIONS.contains(&positions) {
        return Err(Problem::value(
            "positions",
            "bring in 1 to 1000000 positions",
        ));
    }
    let level = growth.level.unwrap_or(10);
    if level == 0 || !LEVELS.contains(&level) {
        return Err(Problem::value(
            "level",
            "levels to grow with go from 1 to 30",
        ));
    }
    let slack = growth.slack.unwrap_or(4.0);
    if !(0.0..=128.0).contains(&slack) {
        return Err(Problem::value("slack", "a move gives away 0 to 128 discs"));
    }
    let expansion = Expansion {
        from: asked.position,
        taste: Taste {
            side: Side::Both,
            slack: (slack * 100.0).round() as i32,
            human_weight: HUMAN_WEIGHT,
        },
        positions: Some(positions),
        until_error: None,
    };
    let about = match asked.line() {
        Some(line) if line.is_empty() => "from the start".into(),
        Some(line) => format!("from {line}"),
        None => format!("from {}", asked.position),
    };
    let work = Work::Expand { expansion, level };
    let job = shared.jobs()?.add("expand", about, work)?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// What the book is doing, and did.
#[utoipa::path(get, path = "/api/jobs", tag = "grow", security(("token" = [])),
    responses((status = 200, body = JobsView), (status = 401, body = ErrorBody)))]
pub async fn jobs(State(shared): State<Arc<Shared>>) -> Result<Json<JobsView>, Problem> {
    let jobs = shared.jobs()?.list();
    Ok(Json(JobsView { jobs }))
}

/// The list of jobs, again whenever one gets on, as server-sent events named `jobs`.
#[utoipa::path(get, path = "/api/jobs/events", tag = "grow", security(("token" = [])),
    responses((status = 200, body = JobsView, content_type = "text/event-stream"),
              (status = 401, body = ErrorBody)))]
pub async fn follow(
    State(shared): State<Arc<Shared>>,
) -> Result<Sse<KeepAliveStream<Events>>, Problem> {
    let mut changes = shared.jobs()?.changes();
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Ok(jobs) = shared.jobs() {
            let view = JobsView { jobs: jobs.list() };
            let Ok(event) = Event::default().event("jobs").json_data(&view) else {
                break;
            };
            if sender.send(event).await.is_err() || jobs.is_closed() {
                break;
            }
            tokio::time::sleep(NEWS).await;
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { break },
                () = sender.closed() => break,
            }
        }
    });
    let events = Events {
        receiver,
        _search: None,
    };
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(5))))
}

/// Stop a job; what it has written stays.
#[utoipa::path(delete, path = "/api/jobs/{id}", tag = "grow", security(("token" = [])),
    params(("id" = u64, Path, description = "The job's number")),
    responses((status = 200, body = JobView), (status = 404, body = ErrorBody)))]
pub async fn stop(
    State(shared): State<Arc<Shared>>,
    Named(id): Named<u64>,
) -> Result<Json<JobView>, Problem> {
    let job = shared.jobs()?.stop(id);
    job.map(Json)
        .ok_or_else(|| Problem::NotFound(format!("job {id}")))
}
