//! The search: an exact endgame solver and a selective midgame behind one façade, [`Searcher`].
//!
//! `searcher` starts threads, `root` deepens, `midgame` searches with the evaluation and `ordering`,
//! `endgame` without it, by `end_moves`, and `last` by `last_squares`. What they share: `table`,
//! `probcut`, `stability`, `split`, `time`.

pub mod bench;
mod control;
mod end_moves;
mod endgame;
mod last;
mod last_squares;
mod limits;
mod midgame;
mod ordering;
mod params;
mod probcut;
mod root;
mod searcher;
mod selectivity;
mod skill;
mod slices;
mod split;
mod stability;
mod table;
pub mod time;
mod worker;

/// Values of different versions are not quite the same: it goes up with each change of the search
/// or the evaluation that changes [`BENCH_OF_VERSION`].
pub const VERSION: u32 = 5;
/// What `emilia bench --quick` counts in this version. A test holds the two together.
pub const BENCH_OF_VERSION: u64 = 2_275_916;

pub use control::StopButton;
pub use limits::{Goal, Limits};
pub use searcher::{Bound, MoveValue, SearchResult, Searcher};
pub use selectivity::Selectivity;
pub use skill::{NotASkill, Skill, pick};
pub use slices::{InSlices, Slice};
pub use worker::{Algorithm, Parallel};
