//! Connections: accepted, given a place, and closed in time. The accept loop is our own because
//! neither axum nor hyper-util knows how many connections there are and which of them to close.

use super::places::{Busy, Caller, Place, Places, Slot, Taken};
use super::sending::Socket;
use super::settings::Settings;
use super::shared::Shared;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::ServiceExt;

/// More than any head we expect, and no feast for those who send endless ones.
const HEAD_BYTES: usize = 16 << 10;
/// After an error of `accept`, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown`, then ends searches, lets answers that are under way be finished, and
/// lets jobs write what they have.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shared: Arc<Shared>,
    shutdown: impl Future<Output = ()>,
) {
    let settings = &shared.settings;
    let places = Places::new(settings.connections, settings.connections_per_client());
    let graceful = GracefulShutdown::new();
    let (open, closed) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        while connections.try_join_next().is_some() {}
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let is_proxy = settings.proxies.include(peer.ip());
        let place = match places.take(peer.ip().into(), is_proxy) {
            Taken::Free(place) => place,
            Taken::OfAnother(place) => {
                shared.metrics.evicted.inc();
                place
            }
            Taken::None => {
                shared.metrics.refused.inc();
                tracing::debug!(%peer, "there is no place for a connection");
                continue;
            }
        };
        let connection = Connection {
            router: router.clone(),
            shared: shared.clone(),
            place,
            peer,
            closed: closed.clone(),
        };
        connections.spawn(connection.serve(stream, graceful.watcher()));
    }
    drop(listener);
    tracing::info!("shutting down");
    shared.close();
    drop(open);
    if tokio::time::timeout(Settings::GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some answers were not finished in time");
    }
    connections.shutdown().await;
}

struct Connection {
    router: Router,
    shared: Arc<Shared>,
    place: Place,
    peer: SocketAddr,
    closed: Closed,
}

/// Changes when the server shuts down, and never before.
type Closed = watch::Receiver<()>;

impl Connection {
    async fn serve(self, stream: TcpStream, watcher: Watcher) {
        let Connection {
            router,
            shared,
            place,
            peer,
            closed,
        } = self;
        shared.metrics.connections.inc();
        let _open = Open(shared.clone());
        // Answers are one write each: waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else {
            return;
        };
        // Whoever says nothing gets no buffers: thousands of them are cheap.
        if !speaks(&stream, &place.slot, closed).await {
            return;
        }
        let slot = place.slot.clone();
        let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
            let proxies = &shared.settings.proxies;
            let caller = Caller {
                client: proxies.client(peer.ip(), request.headers()),
                local,
                slot: slot.clone(),
            };
            let busy = caller.busy();
            request.extensions_mut().insert(caller);
            let answer = router.clone().oneshot(request);
            async move {
                let answer: Response = answer.await?;
                Ok::<_, std::convert::Infallible>(answer.map(|body| Held { body, _busy: busy }))
            }
        });
        let socket = Socket::new(stream, place.slot.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Settings::HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(socket), service);
        let ended = tokio::select! {
            ended = watcher.watch(connection) => ended,
            () = place.slot.evicted.notified() => return,
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection broke");
        }
    }
}

/// Waits for the first word; false if none came while there was time. Hyper would let a shutdown
/// wait for it. Peeks, as tokio takes what was just accepted for readable until somebody tries.
async fn speaks(stream: &TcpStream, slot: &Slot, mut closed: Closed) -> bool {
    let mut first = [0];
    let word = tokio::time::timeout(Settings::HEAD_TIME, stream.peek(&mut first));
    tokio::select! {
        spoken = word => matches!(spoken, Ok(Ok(1..))),
        () = slot.evicted.notified() => false,
        _ = closed.changed() => false,
    }
}

/// A connection that is counted.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.metrics.connections.dec();
    }
}

/// The body of an answer. Its connection is at work until all of it is given to the socket, which
/// then takes over (see `sending`).
struct Held {
    body: Body,
    _busy: Busy,
}

impl hyper::body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[tokio::test]
    async fn a_connection_that_says_nothing_holds_up_no_shutdown() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (_client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, peer) = accepted.unwrap();
        let Taken::Free(place) = Places::new(1, 1).take(peer.ip().into(), false) else {
            panic!("there is a place");
        };
        let (open, closed) = watch::channel(());
        let mut waits = pin!(speaks(&stream, &place.slot, closed));
        let first = poll_fn(|context| Poll::Ready(waits.as_mut().poll(context))).await;
        assert_eq!(first, Poll::Pending);
        drop(open);
        let then = poll_fn(|context| Poll::Ready(waits.as_mut().poll(context))).await;
        assert_eq!(then, Poll::Ready(false));
    }
}
