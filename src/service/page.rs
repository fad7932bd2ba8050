//! The page's files, inside the binary. Each has a tag of its content, so that a browser that has
//! it is told so and nothing more, and is sent packed where that is understood.

use super::problem::Problem;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Path, kind, content.
pub type File = (&'static str, &'static str, &'static [u8]);

const HTML: &str = "text/html; charset=utf-8";
pub const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

macro_rules! file {
    ($path:literal, $kind:expr, $name:literal) => {
        ($path, $kind, include_bytes!(concat!("page/", $name)))
    };
}

/// One page shows four views; each has its own address.
static FILES: [File; 21] = [
    file!("/", HTML, "index.html"),
    file!("/play", HTML, "index.html"),
    file!("/programs", HTML, "index.html"),
    file!("/grow", HTML, "index.html"),
    file!("/docs", HTML, "docs.html"),
    file!("/page/style.css", STYLE, "style.css"),
    file!("/page/icon.svg", IMAGE, "icon.svg"),
    file!("/page/app.js", SCRIPT, "app.js"),
    file!("/page/api.js", SCRIPT, "api.js"),
    file!("/page/board.js", SCRIPT, "board.js"),
    file!("/page/docs.js", SCRIPT, "docs.js"),
    file!("/page/dom.js", SCRIPT, "dom.js"),
    file!("/page/explore.js", SCRIPT, "explore.js"),
    file!("/page/files.js", SCRIPT, "files.js"),
    file!("/page/graph.js", SCRIPT, "graph.js"),
    file!("/page/grow.js", SCRIPT, "grow.js"),
    file!("/page/moves.js", SCRIPT, "moves.js"),
    file!("/page/play.js", SCRIPT, "play.js"),
    file!("/page/programs.js", SCRIPT, "programs.js"),
    file!("/page/rules.js", SCRIPT, "rules.js"),
    file!("/page/transport.js", SCRIPT, "transport.js"),
];

/// A file as it is sent.
pub struct Ready {
    kind: &'static str,
    content: &'static [u8],
    /// Empty where it is sent as it is.
    packed: Vec<u8>,
    tag: HeaderValue,
}

impl Ready {
    pub fn new(file: &File) -> Ready {
        Ready {
            packed: pack(file.2),
            ..Ready::as_it_is(file)
        }
    }

    /// Of a file that packing makes no smaller.
    pub fn as_it_is(&(_, kind, content): &File) -> Ready {
        Ready {
            kind,
            content,
            packed: Vec::new(),
            tag: HeaderValue::from_str(&format!("\"{:016x}\"", xxh3_64(content)))
                .unwrap_or_else(|_| HeaderValue::from_static("\"0\"")),
        }
    }
}

static READY: LazyLock<Vec<Ready>> = LazyLock::new(|| FILES.iter().map(Ready::new).collect());

/// The path of each file and its content.
pub fn files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().map(|&(path, _, content)| (path, content))
}

/// Empty if it cannot be packed, which memory never refuses.
fn pack(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(content);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Routes to all files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let add = |router: Router<S>, (place, (path, ..)): (usize, &File)| {
        router.route(
            path,
            get(move |request: Request| async move {
                match READY.get(place) {
                    Some(file) => answer(file, request.headers()),
                    None => Problem::Internal.into_response(),
                }
            }),
        )
    };
    FILES.iter().enumerate().fold(Router::new(), add)
}

pub fn answer(file: &'static Ready, asked: &HeaderMap) -> Response {
    let says = |name, words: &[u8]| {
        asked.get_all(name).iter().any(|value| {
            value
                .as_bytes()
                .windows(words.len())
                .any(|part| part == words)
        })
    };
    let headers = [
        (header::ETAG, file.tag.clone()),
        // Kept, but asked about each time: a new version is seen at once.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if says(header::IF_NONE_MATCH, file.tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))];
    if says(header::ACCEPT_ENCODING, b"gzip") && !file.packed.is_empty() {
        let packed = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        return (headers, kind, packed, file.packed.as_slice()).into_response();
    }
    (headers, kind, file.content).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_asks_nobody_else() {
        let total: usize = FILES.iter().map(|(.., content)| content.len()).sum();
        assert!(total < 300_000, "{total} bytes");
        for (path, _, content) in &FILES {
            let text = String::from_utf8_lossy(content);
            let foreign = text
                .match_indices("://")
                .filter(|(at, _)| !text[at + 3..].starts_with("www.w3.org/"))
                .count();
            assert_eq!(foreign, 0, "{path} names another server");
        }
    }
}
