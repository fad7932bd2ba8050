//! What happens to every request on its way in and out: a number for the log, a place among those
//! that are worked on, a time limit, counters, and headers that tell browsers what not to do.

use super::problem::Problem;
use super::settings::Settings;
use super::shared::Shared;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Nothing but our own files, no frames, no forms: the page needs no more.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

pub async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let id = request_id(request.headers());
    let span = tracing::info_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        method = %request.method(),
        path = request.uri().path(),
    );
    let limit = time_for(
        route.as_ref().map_or("", MatchedPath::as_str),
        &shared.settings,
    );
    let mut response = match shared.requests.try_acquire() {
        Err(_) => Problem::Busy.into_response(),
        Ok(_permit) => {
            let answer = next.run(request).instrument(span.clone());
            tokio::time::timeout(limit, answer)
                .await
                .unwrap_or_else(|_| Problem::Timeout { limit }.into_response())
        }
    };
    let time = began.elapsed();
    let status = response.status().as_u16();
    // Paths that do not exist are one: whoever guesses at them must not fill our memory.
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    shared.metrics.answered(route, status, time);
    span.in_scope(|| tracing::info!(status, ms = time.as_secs_f64() * 1e3, "answered"));

    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // What the book says may be another thing in a moment; files say otherwise themselves.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// How long an answer may take.
fn time_for(route: &str, settings: &Settings) -> Duration {
    match route {
        "/api/v1/move" => settings.search_time + Settings::ANSWER_TIME,
        "/api/v1/games" | "/api/v1/collection" => Settings::UPLOAD_TIME,
        _ => Settings::ANSWER_TIME,
    }
}

/// The caller's own number for a request, if it is a decent one, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    static START: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let decent = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        (1..=64).contains(&bytes.len()) && bytes.iter().all(letter)
    };
    if let Some(value) = headers.get(REQUEST_ID).filter(decent) {
        return value.clone();
    }
    let number = START.wrapping_add(COUNT.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9));
    HeaderValue::from_str(&format!("{number:016x}"))
        .unwrap_or_else(|_| HeaderValue::from_static("none"))
}

/// Lets those through who may change the book.
pub async fn with_token(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(token) = &shared.settings.token else {
        return Problem::ReadOnly.into_response();
    };
    let sent = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if sent.is_some_and(|sent| is_same(sent.as_bytes(), token.as_bytes())) {
        next.run(request).await
    } else {
        Problem::Token.into_response()
    }
}

/// Takes the same time wherever the first difference is.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).map(|(a, b)| a ^ b);
    one.len() == other.len() && differences.fold(0, |all, one| all | one) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        assert!(is_same(b"secret", b"secret"));
        assert!(!is_same(b"secret", b"secreT"));
        assert!(!is_same(b"secret", b"secret1"));
        assert!(!is_same(b"", b"secret"));
    }

    #[test]
    fn a_decent_request_id_is_kept_and_another_replaced() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(value));
            request_id(&headers)
        };
        assert_eq!(with("abc-1"), "abc-1");
        assert_ne!(with("a b"), "a b");
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }
}
