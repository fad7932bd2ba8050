//! The book over HTTP, and the page that shows it. [`run`] serves a listener until it is told to
//! stop; everything else here is behind it.
//!
//! `routes` lists the addresses, `document` describes them, `guard` is what every request passes, `connections` what every
//! socket does, `readers` are the threads that look positions up. Without a token the book is only
//! read. With one, this process must have opened it for writing, and is then the only one that
//! may: jobs write on a thread of their own, and each request reads a snapshot. A book that is
//! opened for reading follows whoever writes to it (see `Store::open_read_only`).

mod analyse;
mod answers;
mod asked;
mod cluster;
mod collection;
mod connections;
mod document;
mod games;
mod growing;
mod guard;
mod jobs;
mod line;
mod metrics;
mod openings;
mod page;
mod play;
mod position;
mod problem;
mod readers;
mod routes;
mod searches;
mod settings;
mod shared;
mod stats;
mod store_metrics;
mod upload;
mod version;
mod work;

pub use settings::Settings;
pub use shared::CannotStart;

use crate::book::Store;
use shared::Shared;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves a book until `shutdown` comes to an end. Then searches end with what they have, answers
/// are finished, and a job that is at work writes what it has.
pub async fn run(
    listener: TcpListener,
    store: Arc<Store>,
    settings: Settings,
    shutdown: impl Future<Output = ()>,
) -> Result<(), CannotStart> {
    let shared = Arc::new(Shared::new(store, settings)?);
    let router = routes::router(shared.clone());
    connections::serve(listener, router, shared.clone(), shutdown).await;
    // It stops at its next batch, however long that takes: half a batch would be lost.
    let ended = tokio::task::spawn_blocking(move || {
        if let Some(jobs) = &shared.jobs {
            jobs.join();
        }
    });
    if ended.await.is_err() {
        tracing::error!("the jobs could not be waited for");
    }
    Ok(())
}
