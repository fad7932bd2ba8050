//! The engine at work: it answers the book's questions, drives the building of books, plays
//! games (book first, then search) and judges games that others played.

mod analyst;
mod audit;
mod builder;
mod correct;
mod grow;
mod selfplay;
mod strength;

pub use analyst::LocalAnalyst;
pub use audit::{Judged, Sample, audit};
pub use builder::{Evaluated, evaluate};
pub use correct::Corrector;
pub use grow::{
    Expansion, GrowError, Grown, Reach, Side, Taste, expand, grow_in_rounds, play_out, prove,
};
pub use selfplay::SelfPlay;
pub use strength::Strength;
