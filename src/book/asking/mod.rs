//! What is asked: what positions want to know, who answers, and the one driver between them.
//!
//! ```text
//! change (game, import, drop, level) ──▶ wanted (in the database, same batch)
//!          ▲                                   │  the driver takes questions while there is room
//!          │                                   ▼
//! derive, mark parents, commit  ◀── answer ── analyst: threads here, workers elsewhere, a test
//! ```

pub mod analyst;
pub mod best_first;
pub mod desk;
pub mod driver;
pub mod journal;
pub mod question;
pub mod source;
pub mod want;
pub mod wanted;
