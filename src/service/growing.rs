//! What changes the book, for those who have the token: uploads to learn, and the list of jobs.

use super::analyse::Events;
use super::asked::{Asks, GREATEST_WHOLE, Named, Sent, where_is, whole, within};
use super::places::Caller;
use super::problem::Problem;
use super::shared::Shared;
use super::upload::FileBytes;
use super::work::{UploadedLesson, Work};
use crate::engine::centidiscs;
use crate::engine::{Course, Expansion, HUMAN_WEIGHT, Side, Taste, Wishes, defaults};
use crate::othello::moves_to_string;
use crate::view::{ErrorBody, JobKind, JobView, JobsView};
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use axum::{Extension, Json};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

/// How often the news of jobs are told at most.
const NEWS: Duration = Duration::from_millis(250);
/// How a file of games is learned: as emilia book build has it, with the same words.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadedGames {
    /// The file's name: its ending helps where the content leaves a doubt.
    #[serde(default)]
    #[param(required = false, example = "games.txt")]
    name: String,
    /// Learn the positions after at most this many moves; as far as the book goes if it is left
    /// out, and 40 in a new book.
    #[serde(default)]
    #[param(required = false, nullable = false, value_type = u8, minimum = 0, maximum = 60)]
    plies: Option<u8>,
    /// Take in only positions that this many games reached; as many as the book asks for if it is
    /// left out, and 1 in a new book.
    #[serde(default)]
    #[param(required = false, nullable = false, value_type = u32, format = Int64,
            minimum = 1, maximum = 4_294_967_295u32)]
    min_games: Option<u32>,
    /// Let `plies` and `min_games` take in more than the book did so far, of its own games, too.
    #[serde(default)]
    #[param(required = false, default = false)]
    widen: bool,
    /// Then search the positions of these games that are not searched to this level; 0 does not.
    #[serde(default = "usual_level")]
    #[param(required = false, default = 8, minimum = 0, maximum = 60)]
    level: u8,
    /// From this many empty squares on, replace moves that give discs away by best play; 0 leaves
    /// games as they are.
    #[serde(default = "usual_correct")]
    #[param(required = false, default = 18, minimum = 0, maximum = 30)]
    correct: u8,
}

fn usual_level() -> u8 {
    defaults::LEVEL_OF_A_BOOK
}

fn usual_correct() -> u8 {
    Course::USUAL_CORRECT
}

/// Where and how far the book grows; from the start if neither moves nor a board are given.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "moves": "f5d6c3", "positions": 10, "level": 4 }))]
pub struct Growth {
    /// Moves from the start; passes may be left out.
    #[serde(default)]
    moves: String,
    /// 64 squares from a1 to h8 and the side to move, instead of moves.
    #[serde(default)]
    board: String,
    /// Stop when this many positions have come in.
    #[serde(default = "hundred", deserialize_with = "whole")]
    #[schema(default = 100, minimum = 1, maximum = 1_000_000)]
    positions: u64,
    /// How hard each is searched.
    #[serde(default = "ten", deserialize_with = "whole")]
    #[schema(default = 10, minimum = 1, maximum = 30)]
    level: u8,
    /// Never follow a move that gives away more discs than this.
    #[serde(default = "four")]
    #[schema(default = 4.0, minimum = 0.0, maximum = 128.0)]
    slack: f64,
}

fn hundred() -> u64 {
    100
}

fn ten() -> u8 {
    10
}

fn four() -> f64 {
    4.0
}

/// Learn a file of games in the background.
#[utoipa::path(
    post, path = "/api/v1/games", operation_id = "learn_games", tag = "grow",
    params(UploadedGames), security(("token" = [])),
    request_body(content = inline(FileBytes), content_type = "application/octet-stream",
                 example = json!("f5d6c3d3c4f4f6f3e6e7\n")),
    responses((status = 202, body = JobView))
)]
pub async fn learn(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(wanted): Asks<UploadedGames>,
    body: Body,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let lesson = UploadedLesson {
        wishes: Wishes {
            plies: wanted
                .plies
                .map(|n| within("plies", n, 0..=60))
                .transpose()?,
            min_games: wanted
                .min_games
                .map(|n| within("min_games", n, 1..=u32::MAX))
                .transpose()?,
            widen: wanted.widen,
        },
        level: within("level", wanted.level, 0..=60)?,
        correct: within("correct", wanted.correct, 0..=30)?,
    };
    let (uploads, failures) = (&shared.learned, &shared.failures);
    let upload = uploads
        .receive(body, &wanted.name, &caller, failures)
        .await?;
    shared.must_be_writable().await?;
    let this = shared.clone();
    shared
        .read(move |_| {
            // What is no collection, or too much for the book, is told now and not by the job.
            upload.games()?;
            lesson.course(&this.store)?;
            let about = upload.name.clone();
            let work = Work::Learn { upload, lesson };
            let job = this.jobs()?.add(JobKind::Learn, about, work)?;
            Ok((StatusCode::ACCEPTED, Json(job)))
        })
        .await
}

/// Let the book grow in the background, where it pays most.
#[utoipa::path(
    post, path = "/api/v1/expand", tag = "grow", request_body = Growth, security(("token" = [])),
    responses((status = 202, body = JobView))
)]
pub async fn expand(
    State(shared): State<Arc<Shared>>,
    Sent(growth): Sent<Growth>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let asked = where_is(&growth.moves, &growth.board)?;
    let positions = within("positions", growth.positions, 1..=1_000_000)?;
    let level = within("level", growth.level, 1..=30)?;
    let slack = within("slack", growth.slack, 0.0..=128.0)?;
    let expansion = Expansion {
        from: asked.position,
        taste: Taste {
            side: Side::Both,
            slack: centidiscs(slack),
            human_weight: HUMAN_WEIGHT,
        },
        positions: Some(positions),
        until_error: None,
    };
    let about = match asked.moves.as_deref() {
        Some([]) => "from the start".into(),
        Some(line) => format!("from {}", moves_to_string(line)),
        None => format!("from {}", asked.position),
    };
    shared.must_be_writable().await?;
    let work = Work::Expand { expansion, level };
    let job = shared.jobs()?.add(JobKind::Expand, about, work)?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// What the book is doing, and did.
#[utoipa::path(get, path = "/api/v1/jobs", tag = "grow", security(("token" = [])),
    responses((status = 200, body = JobsView)))]
pub async fn jobs(State(shared): State<Arc<Shared>>) -> Result<Json<JobsView>, Problem> {
    let jobs = shared.jobs()?.list();
    Ok(Json(JobsView { jobs }))
}

/// The list of jobs, again whenever one gets on, as server-sent events named `jobs`.
#[utoipa::path(get, path = "/api/v1/jobs/events", operation_id = "follow_jobs", tag = "grow",
    security(("token" = [])),
    responses((status = 200, body = JobsView, content_type = "text/event-stream")),
    extensions(("x-events" = json!(["jobs"]))))]
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

/// Take up again, as a new job, one that was stopped while the book grew.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/resume", operation_id = "resume_job", tag = "grow",
    security(("token" = [])),
    params(("id" = u64, Path, description = "The job's number, as /api/v1/jobs lists it",
            minimum = 1, maximum = 9_007_199_254_740_991u64, example = 1)),
    responses((status = 202, body = JobView),
              (status = 404, body = ErrorBody, description = "There is no such job to resume")))]
pub async fn resume(
    State(shared): State<Arc<Shared>>,
    Named(id): Named<u64>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    within("id", id, 1..=GREATEST_WHOLE)?;
    let job = shared.jobs()?.resume(id);
    let job = job.ok_or_else(|| Problem::NotFound(format!("job {id} to resume")))??;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// Stop a job; what it has written stays.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", operation_id = "stop_job", tag = "grow",
    security(("token" = [])),
    params(("id" = u64, Path, description = "The job's number, as /api/v1/jobs lists it",
            minimum = 1, maximum = 9_007_199_254_740_991u64, example = 1)),
    responses((status = 200, body = JobView),
              (status = 404, body = ErrorBody, description = "There is no such job")))]
pub async fn stop(
    State(shared): State<Arc<Shared>>,
    Named(id): Named<u64>,
) -> Result<Json<JobView>, Problem> {
    within("id", id, 1..=GREATEST_WHOLE)?;
    let job = shared.jobs()?.stop(id);
    job.map(Json)
        .ok_or_else(|| Problem::NotFound(format!("job {id}")))
}
