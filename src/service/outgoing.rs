//! Large answers on their way out. Whoever asks for much and does not read keeps it in our memory:
//! so each client has some at a time, and all together not more than so many bytes. Room is taken
//! before an answer is made, as those that wait for room would be in memory, too. An answer is
//! handed to the socket piece by piece, so that it counts until it is fetched.

use super::places::Caller;
use super::problem::{Problem, What};
use super::shares::{Share, Shares};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
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
/// Those of one client that are made or fetched at a time.
const PER_CLIENT: usize = 8;
/// For others to be fetched.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is handed to the socket at once.
const PIECE: usize = 16 << 10;

/// Room for the answers of a group of addresses, which wait for each other and for no others.
pub struct Outgoing {
    clients: Arc<Shares>,
    memory: Arc<Semaphore>,
    kilobytes: u32,
    /// How much longer an answer is than what asks for it.
    expansion: u64,
}

impl Outgoing {
    /// For answers whose size nothing tells beforehand.
    pub fn new(kilobytes: u32) -> Arc<Outgoing> {
        Outgoing::by_request(kilobytes, 0)
    }

    /// For answers that are about so many times as long as the body that asks for them.
    pub fn by_request(kilobytes: u32, expansion: u64) -> Arc<Outgoing> {
        Arc::new(Outgoing {
            clients: Shares::new(PER_CLIENT),
            memory: Arc::new(Semaphore::new(kilobytes as usize)),
            kilobytes,
            expansion,
        })
    }

    async fn room(&self, kilobytes: u32) -> Result<OwnedSemaphorePermit, Problem> {
        let room = self.memory.clone().acquire_many_owned(kilobytes);
        tokio::time::timeout(PATIENCE, room)
            .await
            .map_err(|_| Problem::Busy)?
            .map_err(|_| Problem::Closing)
    }

    /// No answer is refused because it alone is larger than all the room there is.
    fn in_kilobytes(&self, bytes: u64) -> u32 {
        bytes.div_ceil(1 << 10).min(self.kilobytes.into()) as u32
    }
}

/// Lets an answer be made when there is room for it, and counts it until it is fetched. Whoever is
/// refused is not heard any longer: he may have asked for more of the same in one breath.
pub async fn count_large(
    State(outgoing): State<Arc<Outgoing>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    counted(&outgoing, &caller, request, next)
        .await
        .unwrap_or_else(|problem| ([(header::CONNECTION, "close")], problem).into_response())
}

async fn counted(
    outgoing: &Outgoing,
    caller: &Caller,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (what, limit) = (What::Answers, outgoing.clients.each());
    let share = outgoing.clients.wait(caller.client, PATIENCE).await;
    let share = share.ok_or(Problem::TooMany { what, limit })?;
    let asked = request.body().size_hint().exact().unwrap_or(0);
    let expected = (asked * outgoing.expansion).max(LARGE);
    let mut room = outgoing.room(outgoing.in_kilobytes(expected)).await?;
    let response = next.run(request).await;
    let Some(size) = response.body().size_hint().exact() else {
        return Ok(response);
    };
    if size < LARGE {
        return Ok(response);
    }
    let (taken, needed) = (room.num_permits() as u32, outgoing.in_kilobytes(size));
    if needed > taken {
        room.merge(outgoing.room(needed - taken).await?);
    } else {
        room.split((taken - needed) as usize);
    }
    let (parts, body) = response.into_parts();
    // What is of one size is in memory as a whole already.
    let rest = body.collect().await.map_err(|_| Problem::Internal)?;
    let pieces = Pieces {
        rest: rest.to_bytes(),
        _held: (share, room),
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
