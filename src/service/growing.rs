//! What changes the book, for those who have the token: uploads to learn, and the list of jobs.

use super::analyse::Events;
use super::asked::{Asks, Named};
use super::connections::Caller;
use super::jobs::JobView;
use super::problem::{ErrorBody, Problem};
use super::shared::Shared;
use super::upload::receive;
use super::work::Work;
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
/// What a book without a profile learns.
const PLIES: u8 = 40;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Lesson {
    /// The file's name: its ending helps where the content leaves a doubt.
    #[serde(default)]
    name: Option<String>,
    /// Learn the positions after at most this many moves; by default as many as the book has.
    #[serde(default)]
    plies: Option<u8>,
}

/// All jobs, the newest first.
#[derive(Serialize, ToSchema)]
pub struct JobsView {
    jobs: Vec<JobView>,
}

/// Learn a file of games in the background.
#[utoipa::path(
    post, path = "/api/games", tag = "grow", params(Lesson), security(("token" = [])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 202, body = JobView), (status = 401, body = ErrorBody),
              (status = 413, body = ErrorBody), (status = 422, body = ErrorBody))
)]
pub async fn learn(
    State(shared): State<Arc<Shared>>,
    Asks(lesson): Asks<Lesson>,
    body: Body,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    if lesson.plies.is_some_and(|plies| plies > 60) {
        return Err(Problem::value("plies", "a game has at most 60 moves"));
    }
    let upload = receive(body, lesson.name.as_deref(), shared.settings.upload_bytes).await?;
    let this = shared.clone();
    shared
        .read(move |reader| {
            // What is no collection is told now and not by the job.
            upload.games()?;
            let plies = match lesson.plies {
                Some(plies) => plies,
                None => reader.profile()?.map_or(PLIES, |profile| profile.plies),
            };
            let plies = if plies == 0 { PLIES } else { plies };
            let about = upload.name.clone();
            let job = this
                .jobs()?
                .add("learn", about, Work::Learn { upload, plies })?;
            Ok((StatusCode::ACCEPTED, Json(job)))
        })
        .await
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
    Extension(caller): Extension<Caller>,
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
        button: None,
        _busy: caller.busy(),
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
