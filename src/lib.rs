//! Emilia builds Othello opening books, keeps them in RocksDB, and plays from them.
//!
//! The map of rooms: data flows down this table and never back, and a room imports only from the
//! rooms its row names (`tests/architecture.rs` reads this very table and checks it).
//!
//! | room | holds | may import |
//! |---|---|---|
//! | `othello` | squares, boards, flips per CPU tier, symmetry, score, notation, perft | |
//! | `games` | a validated game; readers and writers: WTHOR, GGF, transcripts, SGF | `othello` |
//! | `cli` | one file per subcommand; progress bars and tables; the only user of anyhow | all |

pub mod cli;
pub mod games;
pub mod othello;
