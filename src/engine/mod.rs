//! The engine at work: it answers the book's questions, drives the building of books, plays
//! games (book first, then search) and judges games that others played.

mod analyst;
mod audit;
mod builder;
mod clock;
mod correct;
mod decision;
mod graph;
mod grow;
mod judge;
mod lag;
mod lesson;
mod pace;
mod player;
mod policy;
mod progress;
mod selfplay;
mod skill;
mod strength;

pub use analyst::LocalAnalyst;
pub use audit::{Judged, Sample, audit};
pub use builder::{Evaluated, evaluate};
pub use clock::{ByoYomi, GameClock, NotATimeControl, OutOfTime, TimeControl};
pub use correct::Corrector;
pub use decision::{Decision, Reason, Valued, Verified};
pub use graph::svg_graph;
pub use grow::{
    Expansion, GrowError, Grown, HUMAN_WEIGHT, Reach, Side, Taste, expand, grow_in_rounds,
    play_out, prove,
};
pub use judge::{Judge, JudgedMove, Judgement, Phase, Quality};
pub use lag::Lag;
pub use lesson::{Lesson, learn_game};
pub use pace::Pace;
pub use player::{Allowance, Player};
pub use policy::{Confidence, Draws, Lines, Policy};
pub use progress::GameInProgress;
pub use selfplay::SelfPlay;
pub use skill::{NotASkill, Skill};
pub use strength::Strength;
