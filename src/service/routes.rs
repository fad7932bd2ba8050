//! All addresses, and the document that describes them.

use super::outgoing::Outgoing;
use super::problem::Problem;
use super::settings::Settings;
use super::shared::Shared;
use super::token::only_with_token;
use super::{
    analyse, bodies, cluster, collection, document, games, growing, guard, health, line, metrics,
    openings, outgoing, page, page_engine, play, position, stats, version,
};
use crate::view::ErrorBody;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::middleware::from_fn_with_state;
use std::sync::Arc;
use std::time::Duration;
use utoipa::OpenApi;
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

/// The service without its sockets. Each group of routes says what its requests bring and how long
/// they may take.
pub fn router(shared: Arc<Shared>) -> Router {
    let within = |limit: Duration| from_fn_with_state(limit, guard::within);
    let body = |limit: usize| from_fn_with_state((shared.clone(), limit), bodies::read_first);
    let large = |room: &Arc<Outgoing>| from_fn_with_state(room.clone(), outgoing::count_large);
    let small_lists = Outgoing::new(Settings::LISTS_KILOBYTES);
    let whole_files = Outgoing::new(Settings::FILES_KILOBYTES);
    let many_positions =
        Outgoing::by_request(Settings::BATCHES_KILOBYTES, Settings::BATCH_EXPANSION);
    let group = OpenApiRouter::new;

    let watching = group()
        .routes(routes!(health::health))
        .routes(routes!(health::ready));
    let position = group()
        .routes(routes!(position::one))
        .route_layer(within(Settings::SCAN_WAIT + Settings::SCAN_TIME));
    let looks = group()
        .routes(routes!(line::line))
        .routes(routes!(stats::stats))
        .routes(routes!(play::players))
        .routes(routes!(openings::openings))
        .routes(routes!(metrics::metrics))
        .route_layer(within(Settings::ANSWER_TIME))
        .route_layer(large(&small_lists));
    let batches = group()
        .routes(routes!(position::many))
        .route_layer(within(Settings::ANSWER_TIME))
        .route_layer(large(&many_positions))
        .route_layer(body(Settings::BATCH_BYTES));
    let scans = group()
        .routes(routes!(games::find))
        .route_layer(within(Settings::SCAN_WAIT + Settings::SCAN_TIME))
        .route_layer(large(&small_lists));
    let analyses = group()
        .routes(routes!(analyse::analyse))
        .route_layer(within(Settings::ANSWER_TIME))
        .route_layer(body(Settings::BODY_BYTES));
    let moves = group()
        .routes(routes!(play::play))
        .route_layer(within(shared.settings.search_time + Settings::ANSWER_TIME))
        .route_layer(body(Settings::BODY_BYTES));
    let collections = group()
        .routes(routes!(collection::read))
        .route_layer(within(Settings::UPLOAD_TIME))
        .route_layer(large(&whole_files));

    let learning = group()
        .routes(routes!(growing::learn))
        .route_layer(within(Settings::UPLOAD_TIME));
    let expanding = group()
        .routes(routes!(growing::expand))
        .route_layer(within(Settings::ANSWER_TIME))
        .route_layer(body(Settings::BODY_BYTES));
    let jobs = group()
        .routes(routes!(growing::jobs))
        .routes(routes!(growing::follow))
        .routes(routes!(growing::stop))
        .routes(routes!(growing::resume))
        .routes(routes!(cluster::cluster))
        .route_layer(within(Settings::ANSWER_TIME))
        .route_layer(large(&small_lists));
    let changing = [learning, expanding, jobs]
        .into_iter()
        .fold(group(), OpenApiRouter::merge)
        .route_layer(from_fn_with_state(shared.clone(), only_with_token));

    let all = [
        watching,
        position,
        looks,
        batches,
        scans,
        analyses,
        moves,
        collections,
        changing,
    ];
    let described = OpenApiRouter::with_openapi(Described::openapi());
    let all = all.into_iter().fold(described, OpenApiRouter::merge);
    let (api, document) = all.split_for_parts();
    // Written once: whoever asks for it gets the same bytes as everybody.
    let document = Bytes::from(document::complete(&document).to_string());
    let describe = move || async move {
        let kind = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, kind)], document)
    };
    let router = api
        .route("/openapi.json", axum::routing::get(describe))
        .merge(page::routes())
        .merge(page_engine::routes())
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method);
    let guarded = guard::around(router.with_state(shared.clone()), &shared);
    version::with_old_addresses(guarded)
}

async fn nothing_here(uri: Uri) -> Problem {
    Problem::NotFound(uri.path().to_owned())
}

async fn wrong_method(method: Method) -> Problem {
    let method = method.to_string();
    Problem::Method { method }
}
