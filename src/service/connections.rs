//! Connections: accepted, counted, and closed in time. A server that is full closes the connection
//! that has been idle for longest, so that idle ones never keep others out.

use super::settings::Settings;
use super::shared::Shared;
use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

/// More than any head we expect, and no feast for those who send endless ones.
const HEAD_BYTES: usize = 32 << 10;
/// After an error of `accept`, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Who sent a request, and over which connection.
#[derive(Clone)]
pub struct Caller {
    pub address: IpAddr,
    slot: Arc<Slot>,
}

impl Caller {
    /// The connection is at work until this is dropped.
    pub fn busy(&self) -> Busy {
        self.slot.requests.fetch_add(1, Relaxed);
        Busy(self.slot.clone())
    }
}

/// A request that is under way.
pub struct Busy(Arc<Slot>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.touch();
        self.0.requests.fetch_sub(1, Relaxed);
    }
}

/// An open connection.
struct Slot {
    began: Instant,
    /// When it last did something, in milliseconds after it began.
    active: AtomicU64,
    requests: AtomicUsize,
    /// Somebody else needs the place.
    evicted: Notify,
}

impl Slot {
    fn touch(&self) {
        self.active
            .store(self.began.elapsed().as_millis() as u64, Relaxed);
    }

    fn idle_since(&self) -> Option<Instant> {
        let active = Duration::from_millis(self.active.load(Relaxed));
        (self.requests.load(Relaxed) == 0).then(|| self.began + active)
    }
}

#[derive(Default)]
struct Places {
    slots: Mutex<HashMap<u64, Arc<Slot>>>,
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection; none if all are at work.
    fn take(&self, number: u64, limit: usize) -> Option<Arc<Slot>> {
        let mut slots = self.lock();
        if slots.len() >= limit {
            let idle = slots
                .iter()
                .filter_map(|(number, slot)| Some((slot.idle_since()?, *number)))
                .min()?;
            if let Some(slot) = slots.remove(&idle.1) {
                slot.evicted.notify_one();
            }
        }
        let slot = Arc::new(Slot {
            began: Instant::now(),
            active: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            evicted: Notify::new(),
        });
        slots.insert(number, slot.clone());
        Some(slot)
    }
}

/// Serves until `shutdown`, then ends searches, lets answers that are under way be finished, and
/// lets jobs write what they have.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shared: Arc<Shared>,
    shutdown: impl Future<Output = ()>,
) {
    let places = Arc::new(Places::default());
    let (closing, closed) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        while connections.try_join_next().is_some() {}
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Some(slot) = places.take(number, shared.settings.connections) else {
            tracing::warn!(%address, "every connection is at work; one was refused");
            continue;
        };
        let connection = Connection {
            router: router.clone(),
            caller: Caller {
                address: address.ip(),
                slot,
            },
            closing: closed.clone(),
        };
        let (places, shared) = (places.clone(), shared.clone());
        connections.spawn(async move {
            shared.metrics.connections.inc();
            connection.serve(stream, address).await;
            shared.metrics.connections.dec();
            places.lock().remove(&number);
        });
    }
    drop(listener);
    tracing::info!("shutting down");
    shared.close();
    // Nobody listens only if there is no connection left.
    let _ = closing.send(true);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(Settings::GRACE, all_ended)
        .await
        .is_err()
    {
        tracing::warn!("some answers were not finished in time");
    }
    connections.shutdown().await;
}

struct Connection {
    router: Router,
    caller: Caller,
    closing: watch::Receiver<bool>,
}

impl Connection {
    async fn serve(self, stream: TcpStream, address: SocketAddr) {
        // Answers are one write each: waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        let Connection {
            router,
            caller,
            mut closing,
        } = self;
        let slot = caller.slot.clone();
        let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
            let busy = caller.busy();
            request.extensions_mut().insert(caller.clone());
            let answer = router.clone().oneshot(request);
            async move {
                let answer = answer.await;
                drop(busy);
                answer
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Settings::HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = slot.evicted.notified() => return,
            () = closed(&mut closing) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%address, %error, "a connection broke");
        }
    }
}

/// Waits for the end of the server.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the server is gone, which is the same.
    let _ = closing.wait_for(|closing| *closing).await;
}
