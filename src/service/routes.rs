//! All addresses, and the document that describes them.

use super::problem::Problem;
use super::settings::Settings;
use super::shared::Shared;
use super::{
    analyse, cluster, collection, document, games, growing, guard, line, metrics, openings, page,
    play, position, stats, version,
};
use crate::view::ErrorBody;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Response, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Serialize;
use std::any::Any;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Emilia",
        description = "An Othello position database: what people played, what the engine thinks, \
                       and the engine itself. Values are in discs, seen by the player to move. \
                       Errors are JSON with a code for programs, a message for people and the \
                       input that was at fault. Addresses without v1 are the same as those with \
                       it."
    ),
    tags(
        (name = "book", description = "What the book knows"),
        (name = "engine", description = "Searches made now"),
        (name = "games", description = "Games and openings"),
        (name = "grow", description = "Changes to the book; they need the server's token"),
        (name = "server", description = "How the server is"),
    ),
    components(schemas(ErrorBody))
)]
struct Described;

/// The server is there.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Always ok.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Answers as long as the server is there.
#[utoipa::path(get, path = "/health", tag = "server", responses((status = 200, body = Health)))]
async fn health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// The service without its sockets.
pub fn router(shared: Arc<Shared>) -> Router {
    let reading = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(position::one))
        .routes(routes!(position::many))
        .routes(routes!(line::line))
        .routes(routes!(stats::stats))
        .routes(routes!(analyse::analyse))
        .routes(routes!(play::play))
        .routes(routes!(play::players))
        .routes(routes!(collection::read))
        .routes(routes!(games::find))
        .routes(routes!(openings::openings))
        .routes(routes!(health))
        .routes(routes!(metrics::metrics));
    let changing = OpenApiRouter::new()
        .routes(routes!(growing::learn))
        .routes(routes!(growing::expand))
        .routes(routes!(growing::jobs))
        .routes(routes!(growing::follow))
        .routes(routes!(growing::stop))
        .routes(routes!(cluster::cluster))
        .route_layer(from_fn_with_state(shared.clone(), guard::with_token));
    let (api, document) = reading.merge(changing).split_for_parts();
    let document = Bytes::from(document::complete(&document).to_string());
    let describe = move || async move { ([(header::CONTENT_TYPE, "application/json")], document) };
    let all = api
        .route("/openapi.json", axum::routing::get(describe))
        .merge(page::routes())
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(Settings::BODY_BYTES))
        .layer(CatchPanicLayer::custom(broken))
        .layer(from_fn_with_state(shared.clone(), guard::guard))
        .with_state(shared);
    version::with_old_addresses(all)
}

async fn nothing_here(uri: Uri) -> Problem {
    Problem::NotFound(uri.path().to_owned())
}

async fn wrong_method(method: Method) -> Problem {
    let method = method.to_string();
    Problem::Method { method }
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
