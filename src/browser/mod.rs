//! The engine inside a web page: orders come as a line of text, searches run in slices, and what
//! they find goes out as JSON. `tools/wasm` compiles it for the browser; the page's worker
//! (`service/page/engine-worker.js`) is its only user.
//!
//! Everything but `exports` is plain code, tested like any other.

mod engine;
#[cfg(target_family = "wasm")]
mod exports;
mod order;
mod report;

pub use engine::{Engine, Told, run_bench};
pub use order::OrderError;

#[cfg(test)]
mod tests;
