//! What comes in: games, and positions of other books.

pub mod absorb;
pub mod archive;
pub mod endings;
pub mod knowledge;
pub mod learn;
pub mod merge;
pub mod recount;
