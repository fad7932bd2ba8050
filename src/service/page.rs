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
    ($path:expr, $kind:expr, $name:expr) => {
        ($path, $kind, include_bytes!(concat!("page/", $name)))
    };
}

macro_rules! files {
    ($($path:literal => $page:literal,)* scripts: $($script:literal)*) => {
        &[
            $(file!($path, HTML, $page),)*
            file!("/page/style.css", STYLE, "style.css"),
            file!("/page/icon.svg", IMAGE, "icon.svg"),
            $(file!(concat!("/page/", $script), SCRIPT, $script),)*
        ]
    };
}

/// One page shows all views; each has its own address.
static FILES: &[File] = files! {
    "/" => "index.html",
    "/games" => "index.html",
    "/play" => "index.html",
    "/programs" => "index.html",
    "/grow" => "index.html",
    "/docs" => "docs.html",
    scripts:
    "address.js" "api.js" "app.js" "board.js" "clock.js" "connection.js" "diagram.js" "docs.js"
    "dom.js" "editor.js" "engine-lines.js" "errands.js" "evalbar.js" "explore.js" "files.js"
    "find.js" "game-list.js" "games.js" "graph.js" "grow.js" "jobs.js" "lines.js" "moves.js"
    "notation.js" "picture.js" "play-setup.js" "play.js" "players-bar.js" "programs.js" "review.js"
    "rules.js" "session.js" "settings.js" "share.js" "sound.js" "texts-en.js" "texts-fr.js"
    "texts-ja.js" "texts.js" "transport.js" "tree-view.js" "tree.js" "why.js" "wthor-names.js"
};

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
                #[cfg(debug_assertions)]
                if let Some(answer) = from_folder(place) {
                    return answer;
                }
                match READY.get(place) {
                    Some(file) => answer(file, request.headers()),
                    None => Problem::Internal.into_response(),
                }
            }),
        )
    };
    FILES.iter().enumerate().fold(Router::new(), add)
}

/// While the page is being written: the file as it is now in the folder that EMILIA_PAGE names.
#[cfg(debug_assertions)]
fn from_folder(place: usize) -> Option<Response> {
    let folder = std::env::var_os("EMILIA_PAGE")?;
    let (path, kind, _) = FILES.get(place)?;
    let name = match path.strip_prefix("/page/") {
        Some(name) => name,
        None if *path == "/docs" => "docs.html",
        None => "index.html",
    };
    let content = std::fs::read(std::path::Path::new(&folder).join(name)).ok()?;
    let kind = HeaderValue::from_static(kind);
    Some(([(header::CONTENT_TYPE, kind)], content).into_response())
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
        let packed: usize = READY.iter().map(|file| file.packed.len()).sum();
        assert!(packed < 120_000, "{packed} bytes, packed");
        for (path, _, content) in FILES {
            let text = String::from_utf8_lossy(content);
            let foreign = text
                .match_indices("://")
                .filter(|(at, _)| !text[at + 3..].starts_with("www.w3.org/"))
                .count();
            assert_eq!(foreign, 0, "{path} names another server");
        }
    }
}
