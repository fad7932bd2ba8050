//! What happens to every request on its way in and out: a number for the log, a line in it, headers
//! that tell browsers what not to do, packing where the caller understands it: all of them layers of
//! tower-http. By hand are only what it cannot do: our counters by route, a time limit that answers
//! as all our errors do, and not believing every number a caller gives a request.

use super::origin::only_neighbours;
use super::problem::Problem;
use super::shared::Shared;
use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tower::util::{MapRequestLayer, option_layer};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::cors::CorsLayer;
use tower_http::request_id::{
    MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Nothing but our own files, no frames, no forms: the page needs no more.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// Smaller answers are sent as they are: packing them takes longer than sending them.
const WORTH_PACKING: u16 = 1 << 10;

/// All that surrounds the routes.
pub fn around(router: Router, shared: &Arc<Shared>) -> Router {
    let always = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
    };
    let trace = TraceLayer::new_for_http()
        .make_span_with(|request: &Request| {
            let id = request.headers().get(REQUEST_ID);
            let id = id.and_then(|id| id.to_str().ok()).unwrap_or_default();
            tracing::info_span!("request", id, method = %request.method(), path = request.uri().path())
        })
        .on_request(())
        .on_response(|response: &Response<Body>, time: Duration, _: &Span| {
            let status = response.status().as_u16();
            tracing::info!(status, ms = time.as_secs_f64() * 1e3, "answered");
        })
        .on_body_chunk(())
        .on_eos(())
        .on_failure(());
    // Bytes that are no text are weights, which are packed already.
    let worth_packing = SizeAbove::new(WORTH_PACKING)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("application/octet-stream"));
    let pack = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(worth_packing);
    // Those named by --cors, and nobody else.
    let named = &shared.settings.neighbours.cors;
    let cors = CorsLayer::new()
        .allow_origin(named.clone())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
        .expose_headers([REQUEST_ID, header::RETRY_AFTER]);
    let cors = (!named.is_empty()).then_some(cors);
    // The first is the outermost.
    let inner = (option_layer(cors), CatchPanicLayer::custom(broken));
    router
        .layer((from_fn_with_state(shared.clone(), only_neighbours), inner))
        .layer((
            MapRequestLayer::new(forget_strange_number),
            SetRequestIdLayer::new(REQUEST_ID, Numbers::default()),
            trace,
            PropagateRequestIdLayer::new(REQUEST_ID),
            from_fn_with_state(shared.clone(), count),
            // One file needs another: that of the engine in the browser.
            SetResponseHeaderLayer::if_not_present(
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(POLICY),
            ),
            always(header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            always(header::X_FRAME_OPTIONS, "DENY"),
            always(header::REFERRER_POLICY, "no-referrer"),
            // What the book says may be another thing in a moment; files say otherwise themselves.
            SetResponseHeaderLayer::if_not_present(
                header::CACHE_CONTROL,
                HeaderValue::from_static("no-store"),
            ),
            pack,
        ))
}

/// Counts what is answered.
async fn count(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    // Paths that do not exist are one: whoever guesses at them must not fill our memory.
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let status = response.status().as_u16();
    shared.metrics.answered(route, status, began.elapsed());
    response
}

/// Gives up what is not answered in time. Work in the background ends by itself before; this is for
/// what has none.
pub async fn within(
    State(limit): State<Duration>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let answer = tokio::time::timeout(limit, next.run(request));
    answer.await.map_err(|_| Problem::Timeout { limit })
}

/// The caller's own number for a request is kept if it is a decent one.
fn forget_strange_number<B>(mut request: axum::http::Request<B>) -> axum::http::Request<B> {
    let decent = |value: &HeaderValue| {
        let bytes = value.as_bytes();
        let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=64).contains(&bytes.len()) && bytes.iter().all(letter)
    };
    let strange = |value: &HeaderValue| !decent(value);
    if request.headers().get(REQUEST_ID).is_some_and(strange) {
        request.headers_mut().remove(REQUEST_ID);
    }
    request
}

/// Numbers for requests, other ones in each run. Random ones would say no more and cost more.
#[derive(Clone)]
struct Numbers {
    start: u64,
    count: Arc<AtomicU64>,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers {
            start: RandomState::new().hash_one(0),
            count: Arc::default(),
        }
    }
}

impl MakeRequestId for Numbers {
    fn make_request_id<B>(&mut self, _: &axum::http::Request<B>) -> Option<RequestId> {
        let count = self.count.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9);
        let number = self.start.wrapping_add(count);
        let number = HeaderValue::from_str(&format!("{number:016x}")).ok()?;
        Some(RequestId::new(number))
    }
}

/// A bug: told, but no reason to end.
fn broken(reason: Box<dyn Any + Send>) -> Response<Body> {
    let text = reason
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(reason.downcast_ref::<&str>().copied());
    tracing::error!(reason = text, "a request broke the server's rules");
    Problem::Internal.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decent_request_id_is_kept_and_another_forgotten() {
        let with = |value: &'static str| {
            let mut request = axum::http::Request::new(());
            let value = HeaderValue::from_static(value);
            request.headers_mut().insert(REQUEST_ID, value);
            let request = forget_strange_number(request);
            request.headers().get(REQUEST_ID).cloned()
        };
        assert_eq!(with("abc-1").unwrap(), "abc-1");
        assert_eq!(with("a b"), None);
        let mut numbers = Numbers::default();
        let mut number = || {
            let made = numbers.make_request_id(&axum::http::Request::new(()));
            made.unwrap().into_header_value()
        };
        assert_ne!(number(), number());
    }
}
