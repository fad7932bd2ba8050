//! The book over HTTP, and the page that shows it. [`run`] serves a listener until it is told to
//! stop; everything else here is behind it.
//!
//! `routes` lists the addresses, `document` describes them, `guard` is what every request passes,
//! `connections` what every socket does, `readers` are the threads that look positions up.
//!
//! Nobody can silence it: a connection needs a `places`, a request the right `origin`, a body comes in
//! under limits of its own (`bodies`, `upload`, `pace`) before anything is done for it, long work runs
//! in the `background` and ends when its client leaves, large answers are counted until they are
//! fetched (`outgoing`, `sending`). What a client may have at a time is a `shares`, and goes along
//! with the work. Those who fail again and again wait (`failures`). Looks at a position have no such
//! limits, and neither have `health` and readiness.
//!
//! Without a token the book is only
//! read. With one, this process must have opened it for writing, and is then the only one that
//! may: jobs write on a thread of their own, and each request reads a snapshot. A book that is
//! opened for reading follows whoever writes to it (see `Store::open_read_only`).

mod analyse;
mod answers;
mod asked;
mod background;
mod bodies;
mod clients;
mod cluster;
mod collection;
mod connections;
mod document;
mod failures;
mod games;
mod growing;
mod guard;
mod health;
mod jobs;
mod line;
mod metrics;
mod openings;
mod origin;
mod outgoing;
mod pace;
mod page;
mod page_engine;
mod places;
mod play;
mod position;
mod problem;
mod readers;
mod routes;
mod searches;
mod sending;
mod settings;
mod shared;
mod shares;
mod site;
mod stats;
mod store_metrics;
mod token;
mod upload;
mod version;
mod watched;
mod work;

pub use clients::Proxies;
pub use origin::{Host, Neighbours, NoHost};
pub use settings::Settings;
pub use shared::CannotStart;
pub use site::{SITE_BOOK, SiteFile, site_files};
pub use token::{BadToken, Token};

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
