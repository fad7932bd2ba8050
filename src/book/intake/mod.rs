//! What comes in: games, and positions of other books.

pub mod absorb;
pub mod admit;
pub mod archive;
pub mod endings;
pub mod knowledge;
pub mod learn;
pub mod lesson;
pub mod merge;
pub mod plan;
pub mod recount;
