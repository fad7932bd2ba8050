//! What the machine beneath gives: large pages and clocks. Nothing here knows of Othello.

#[cfg(target_family = "wasm")]
mod host_clock;
mod huge_pages;
mod timepiece;

#[cfg(target_family = "wasm")]
pub use host_clock::set_clock;
pub use huge_pages::ask_for_huge_pages;
pub use timepiece::{NoCpuTime, Timepiece, count_cpu_time};
