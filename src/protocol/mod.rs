//! The languages other programs speak to an engine: NBoard, GTP and the few console commands of
//! Edax that scripts use. Lines in, lines out; what to play is decided in `engine`.

pub mod console;
pub mod gtp;
mod inbox;
pub mod nboard;
