//! Bodies in JSON on their way in. They are read before anything is done for the request, some at a
//! time for each client and not more than so many bytes in all; whoever sends nothing, or a byte now
//! and then, is told so and dropped. Limits of tower-http know sizes, but neither clients nor pace.

use super::pace::Pace;
use super::places::{Caller, Waiting};
use super::problem::{Problem, What};
use super::shared::Shared;
use super::shares::Shares;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bodies that one client may have open, or worked on, at a time.
const PER_CLIENT: usize = 16;
/// A client with more waits for his own others to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// All bodies together, in kilobytes.
const MEMORY: usize = 32 << 10;

pub struct Bodies {
    open: Arc<Shares>,
    memory: Arc<Semaphore>,
}

impl Bodies {
    pub fn new() -> Bodies {
        Bodies {
            open: Shares::new(PER_CLIENT),
            memory: Arc::new(Semaphore::new(MEMORY)),
        }
    }
}

/// What a body comes with: frames, at a decent pace, and no more than so many bytes.
pub struct Arriving {
    body: Body,
    pace: Pace,
    left: usize,
    limit: usize,
    waiting: Waiting,
}

impl Arriving {
    /// What is announced as too large need not be sent at all.
    pub fn new(body: Body, limit: usize, caller: &Caller) -> Result<Arriving, Problem> {
        if body.size_hint().lower() > limit as u64 {
            return Err(Problem::TooLarge { limit });
        }
        Ok(Arriving {
            body,
            pace: Pace::begin(),
            left: limit,
            limit,
            waiting: caller.waiting(),
        })
    }

    /// The next bytes; none after the last.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            let frame = tokio::time::timeout_at(self.pace.deadline().into(), self.body.frame());
            let frame = match frame.await.map_err(|_| Problem::SlowBody)? {
                None => return Ok(None),
                Some(frame) => frame.map_err(|_| Problem::BrokenUpload)?,
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let limit = self.limit;
            self.left = (self.left)
                .checked_sub(data.len())
                .ok_or(Problem::TooLarge { limit })?;
            self.pace.add(data.len());
            if data.len() > 1 << 10 {
                self.waiting.got_on();
            }
            return Ok(Some(data));
        }
    }
}

/// Reads the body of a request, and only then lets it on. For a route, with the size it takes.
pub async fn read_first(
    State((shared, limit)): State<(Arc<Shared>, usize)>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let bodies = &shared.bodies;
    // Held until the answer, like the memory: so long the body, or what was read from it, is there.
    let _open = {
        let _waiting = caller.waiting();
        shared.failures.check(caller.client).await?;
        let (what, limit) = (What::Bodies, bodies.open.each());
        let open = bodies.open.wait(caller.client, PATIENCE).await;
        open.ok_or(Problem::TooMany { what, limit })?
    };
    let read = whole(body, limit, &caller, &bodies.memory).await;
    let (bytes, _memory) =
        read.inspect_err(|problem| shared.failures.note(caller.client, problem))?;
    let request = Request::from_parts(parts, Body::from(bytes));
    Ok(next.run(request).await)
}

async fn whole(
    body: Body,
    limit: usize,
    caller: &Caller,
    memory: &Arc<Semaphore>,
) -> Result<(Vec<u8>, Vec<OwnedSemaphorePermit>), Problem> {
    let mut arriving = Arriving::new(body, limit, caller)?;
    let (mut bytes, mut held) = (Vec::new(), Vec::new());
    while let Some(data) = arriving.next().await? {
        let kilobytes = data.len().div_ceil(1 << 10) as u32;
        let more = memory.clone().try_acquire_many_owned(kilobytes);
        held.push(more.map_err(|_| Problem::Busy)?);
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, held))
}
