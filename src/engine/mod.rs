//! The engine at work: it answers the book's questions, drives the building of books, plays
//! games (book first, then search), lets the programs of the papers play, and judges games that
//! others played.

mod allowance;
mod analyst;
mod audit;
mod clock;
mod correct;
mod course;
mod decision;
pub mod defaults;
mod discs;
mod graph;
mod grow;
mod guest;
mod judge;
mod lag;
mod lesson;
mod levels;
mod librarian;
mod pace;
pub mod picture;
mod player;
mod plays;
mod policy;
mod progress;
mod selfplay;

pub use crate::search::{NotASkill, Skill};
pub use allowance::Allowance;
pub use analyst::{LocalAnalyst, Searchers, table_bytes_for};
pub use audit::{Judged, Reached, Sample, Source as AuditSource, audit};
pub use clock::{ByoYomi, GameClock, NotATimeControl, OutOfTime, TimeControl};
pub use course::{Course, PlanError, Widening, Wishes, next_good_games};
pub use decision::{Decision, Reason, Thought, Valued, Verified};
pub use discs::{centidiscs, read_discs};
pub use graph::svg_graph;
pub use grow::{
    Expansion, GoodLines, GrowError, HUMAN_WEIGHT, Reach, Side, Taste, deepen_lines, deviate,
    expand, play_out, prove,
};
pub use guest::{Guest, Nobody, Who};
pub use judge::{Judge, JudgedMove, Judgement, Phase, Quality};
pub use lag::Lag;
pub use lesson::{Lesson, learn_game};
pub use levels::{engine_name, worth_of_level};
pub use librarian::Librarian;
pub use pace::Pace;
pub use player::Player;
pub use plays::{Plays, Ranked, Ranking};
pub use policy::{Confidence, Draws, Lines, Policy};
pub use progress::GameInProgress;
pub use selfplay::SelfPlay;
