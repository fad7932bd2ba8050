//! Large answers on their way out. Whoever asks for much and does not read keeps it in our memory:
//! so each client has some at a time, and all together not more than so many bytes. An answer is
//! handed to the socket piece by piece, so that it counts until it is fetched.

use super::places::Caller;
use super::problem::{Problem, What};
use super::shared::Shared;
use super::shares::{Share, Shares};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Smaller ones are not worth counting: all connections together hold some megabytes of them.
const LARGE: u64 = 16 << 10;
/// Large ones of one client.
const PER_CLIENT: usize = 8;
/// All large ones together, in kilobytes.
const MEMORY: usize = 32 << 10;
/// For others to be fetched.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is handed to the socket at once.
const PIECE: usize = 16 << 10;

pub struct Outgoing {
    clients: Arc<Shares>,
    memory: Arc<Semaphore>,
}

impl Outgoing {
    pub fn new() -> Outgoing {
        Outgoing {
            clients: Shares::new(PER_CLIENT),
            memory: Arc::new(Semaphore::new(MEMORY)),
        }
    }
}

/// Lets a large answer out when there is room for it.
pub async fn count_large(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let response = next.run(request).await;
    let Some(size) = response.body().size_hint().exact() else {
        return Ok(response);
    };
    if size < LARGE {
        return Ok(response);
    }
    let outgoing = &shared.outgoing;
    let (what, limit) = (What::Answers, outgoing.clients.each());
    let share = outgoing.clients.wait(caller.client, PATIENCE).await;
    let share = share.ok_or(Problem::TooMany { what, limit })?;
    let kilobytes = size.div_ceil(1 << 10).min(MEMORY as u64) as u32;
    let memory = outgoing.memory.clone().acquire_many_owned(kilobytes);
    let memory = tokio::time::timeout(PATIENCE, memory)
        .await
        .map_err(|_| Problem::Busy)?
        .map_err(|_| Problem::Closing)?;
    let (parts, body) = response.into_parts();
    // What is of one size is in memory as a whole already.
    let rest = body.collect().await.map_err(|_| Problem::Internal)?;
    let pieces = Pieces {
        rest: rest.to_bytes(),
        _held: (share, memory),
    };
    Ok(Response::from_parts(parts, Body::new(pieces)))
}

struct Pieces {
    rest: Bytes,
    _held: (Share, OwnedSemaphorePermit),
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(size);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
