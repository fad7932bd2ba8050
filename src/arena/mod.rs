//! The referee of matches: contestants of any kind, paired games from balanced openings, clocks,
//! forfeits, and what the results say about strength.

mod contestant;
mod groups;
mod gtp_client;
mod ladder;
mod match_log;
mod nboard_client;
mod openings;
mod process;
mod referee;
mod spec;
mod tally;

pub use contestant::{Contestant, Failure};
pub use groups::Groups;
pub use ladder::{Ladder, Rung};
pub use match_log::{LogError, MatchLog};
pub use openings::{
    Opening, OpeningError, balanced, builtin_openings, distinct, played, read_openings,
};
pub use referee::{GameReport, Pairing, Referee, Side};
pub use spec::{Spec, SpecError};
pub use tally::{Elo, Sprt, Standing, Tally};
