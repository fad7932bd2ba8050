//! The files of the engine in the browser: its scripts, the module that `tools/wasm` makes, and the
//! program's own weights. Few who open the page want them, so nothing is made ready before.

use super::page::{File, Ready, SCRIPT, answer};
use crate::eval::Evaluator;
use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::routing::get;
use std::sync::LazyLock;

const MODULE: &str = "application/wasm";
const BYTES: &str = "application/octet-stream";

/// A worker goes by the rules that come with its own script. This one, and no page, may compile
/// WebAssembly; it may fetch nothing and load no other script.
const POLICY: &str = "default-src 'none'; script-src 'wasm-unsafe-eval'";

static FILES: [File; 4] = [
    ("/page/engine.js", SCRIPT, include_bytes!("page/engine.js")),
    (
        "/page/engine-worker.js",
        SCRIPT,
        include_bytes!("page/engine-worker.js"),
    ),
    (
        "/page/engine.wasm",
        MODULE,
        include_bytes!("page/engine.wasm"),
    ),
    ("/page/weights.emw", BYTES, Evaluator::builtin_file()),
];

static READY: [LazyLock<Ready>; 4] = [
    LazyLock::new(|| Ready::new(&FILES[0])),
    LazyLock::new(|| Ready::new(&FILES[1])),
    LazyLock::new(|| Ready::new(&FILES[2])),
    LazyLock::new(|| Ready::as_it_is(&FILES[3])),
];

/// The path of each file and its content.
pub fn files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().map(|&(path, _, content)| (path, content))
}

/// Routes to all files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let add = |router: Router<S>, ((path, ..), file): (&File, &'static LazyLock<Ready>)| {
        let send = async move |request: Request| {
            let policy = [(header::CONTENT_SECURITY_POLICY, POLICY)];
            (policy, answer(file, request.headers()))
        };
        router.route(path, get(send))
    };
    FILES.iter().zip(&READY).fold(Router::new(), add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_with_its_weights_is_less_than_six_megabytes() {
        let total: usize = FILES.iter().map(|(.., content)| content.len()).sum();
        assert!(total < 6_000_000, "{total} bytes");
    }
}
