//! The interface has a version in its addresses. Those of before it had one, `/api/position` and so
//! on, mean the first: they are rewritten on the way in, so that everything behind knows one
//! address of everything.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::http::uri::{PathAndQuery, Uri};
use tower::Layer;
use tower::util::MapRequestLayer;

const FIRST: &str = "/api/v1/";

/// The same addresses, and those of before there were versions.
pub fn with_old_addresses(router: Router) -> Router {
    // A layer of the router itself would come after the choice of the route.
    let rewrite = MapRequestLayer::new(|mut request: Request<Body>| {
        if let Some(uri) = with_version(request.uri()) {
            *request.uri_mut() = uri;
        }
        request
    });
    Router::new().fallback_service(rewrite.layer(router))
}

/// The address with a version, if it has none.
fn with_version(uri: &Uri) -> Option<Uri> {
    let name = uri.path().strip_prefix("/api/")?;
    let (version, _) = name.split_once('/').unwrap_or((name, ""));
    let digits = version.strip_prefix('v').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let query = uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    let path = PathAndQuery::try_from(format!("{FIRST}{name}{query}")).ok()?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_without_a_version_get_one() {
        let rewritten = |text: &'static str| {
            with_version(&Uri::from_static(text))
                .map_or_else(|| text.to_owned(), |uri| uri.to_string())
        };
        for (asked, answered) in [
            ("/api/position?moves=f5", "/api/v1/position?moves=f5"),
            ("/api/jobs/7", "/api/v1/jobs/7"),
            ("/api/v1/position", "/api/v1/position"),
            ("/api/v2/position", "/api/v2/position"),
            ("/api/values", "/api/v1/values"),
            ("/api/", "/api/v1/"),
            ("/api", "/api"),
            ("/health", "/health"),
            ("http://host:1/api/line", "http://host:1/api/v1/line"),
        ] {
            assert_eq!(rewritten(asked), answered);
        }
    }
}
