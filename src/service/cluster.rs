//! `GET /api/v1/cluster`: the machines that search for the book. Looked at now and then in the background,
//! so that neither an answer nor the counters wait for the NATS server.

use super::problem::Problem;
use super::shared::Shared;
use crate::cluster::{Address, ClusterError, Link, status};
use crate::view::{ClusterView, ErrorBody};
use axum::Json;
use axum::extract::State;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often it is looked at.
const AGAIN: Duration = Duration::from_secs(2);

/// What was seen last.
#[derive(Clone, Default)]
pub struct ClusterWatch(Arc<Mutex<LastView>>);

type LastView = Option<Result<ClusterView, String>>;

impl ClusterWatch {
    /// Looks as long as anybody holds this.
    pub fn start(address: Address) -> ClusterWatch {
        let watch = ClusterWatch::default();
        let seen = Arc::downgrade(&watch.0);
        tokio::spawn(async move {
            let mut link = None;
            loop {
                let found = look(&address, &mut link).await;
                let Some(seen) = seen.upgrade() else {
                    return;
                };
                let found = found.map_err(|error| error.to_string());
                *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                drop(seen);
                tokio::time::sleep(AGAIN).await;
            }
        });
        watch
    }

    pub fn seen(&self) -> Option<Result<ClusterView, String>> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }
}

async fn look(address: &Address, link: &mut Option<Link>) -> Result<ClusterView, ClusterError> {
    if link.is_none() {
        *link = Some(Link::connect(address, "emilia serve", Some(Duration::ZERO)).await?);
    }
    match link {
        Some(link) => status(link).await.map(ClusterView::from),
        None => Err(ClusterError::Server("there is no way to it".into())),
    }
}

/// Workers, what waits, and what nobody could answer, as they were a moment ago.
#[utoipa::path(get, path = "/api/v1/cluster", tag = "grow", security(("token" = [])),
    responses((status = 200, body = ClusterView),
              (status = 404, body = ErrorBody, description = "The server searches by itself")))]
pub async fn cluster(State(shared): State<Arc<Shared>>) -> Result<Json<ClusterView>, Problem> {
    let Some(watched) = &shared.cluster else {
        return Err(Problem::NotFound(
            "cluster: the server searches by itself (emilia serve --cluster URL)".into(),
        ));
    };
    match watched.seen() {
        Some(Ok(view)) => Ok(Json(view)),
        Some(Err(reason)) => Err(Problem::Cluster(reason)),
        None => Err(Problem::Cluster("nobody has looked yet".into())),
    }
}
