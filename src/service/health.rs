//! `GET /health` and `GET /ready`: for whoever watches the server. They need no permit of any kind
//! and answer whatever the load.

use super::problem::Problem;
use super::shared::{STALLED, Shared};
use crate::othello::Position;
use crate::view::ErrorBody;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// A look into the book that takes longer is no look.
const LOOK: Duration = Duration::from_secs(2);

/// The server is there.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// Always ok.
    #[schema(example = "ok")]
    status: &'static str,
}

const OK: Json<Health> = Json(Health { status: "ok" });

/// Answers as long as the server is there.
#[utoipa::path(get, path = "/health", tag = "server", responses((status = 200, body = Health)))]
pub async fn health() -> Json<Health> {
    OK
}

/// The book is open and answers, there is room for more, and nothing holds up those who write.
#[utoipa::path(get, path = "/ready", tag = "server",
    responses((status = 200, body = Health), (status = 503, body = ErrorBody)))]
pub async fn ready(State(shared): State<Arc<Shared>>) -> Result<Json<Health>, Problem> {
    if shared.is_closing() {
        return Err(Problem::Closing);
    }
    let look = shared.look(Position::START);
    match tokio::time::timeout(LOOK, look).await {
        Err(_) => return Err(Problem::NotReady("the book does not answer in time")),
        Ok(Err(_)) => return Err(Problem::NotReady("the book cannot be read")),
        Ok(Ok(_)) => {}
    }
    let writing = shared.must_be_writable();
    match tokio::time::timeout(LOOK, writing).await {
        Err(_) => Err(Problem::NotReady(STALLED)),
        Ok(written) => written.map(|()| OK),
    }
}
