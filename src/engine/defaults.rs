//! What is taken where nobody says otherwise, and what may be said: threads, tables of known
//! positions, levels, with the reason wherever one place differs from the rest. The levels that a
//! player is named by (club, expert, …) are in `skill`.

use crate::search::Skill;
use std::ops::RangeInclusive;

/// Threads of every command that searches, learns or trains: one for each core.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads of whoever plays for another program (GTP, NBoard) or in a match: the opponent thinks
/// on the same machine, and who takes all of it wins by that.
pub const THREADS_OF_A_PLAYER: usize = 1;

/// Threads of a measurement: more than one give another count of nodes each time.
pub const THREADS_OF_A_MEASUREMENT: u16 = 1;
/// Of every command; more than there are cores make nothing faster, but the largest machines have
/// some hundreds.
pub const THREADS_ALLOWED: RangeInclusive<i64> = 1..=1024;

/// Megabytes for the table of a search that has the machine to itself.
pub const HASH: u32 = 256;
/// Of each search of a service, where there are as many as cores at a time.
pub const HASH_OF_A_SERVICE: u32 = 64;
/// Of a player in a match, where there are two for each game at a time.
pub const HASH_OF_A_PLAYER: u32 = 16;

/// Of every command: up to a terabyte.
pub const HASH_ALLOWED: RangeInclusive<i64> = 1..=1 << 20;

/// Level at which one position is looked at: that of the engine at its full strength.
pub const LEVEL: u32 = Skill::UNLIMITED_LEVEL;
/// For each of the sixty moves of a game: a minute or so for the game, exact from 20 empties.
pub const LEVEL_OF_A_GAME: u32 = 16;
/// For a game that was just played, while the player waits: a few seconds for all of it.
pub const LEVEL_AFTER_A_GAME: u32 = 12;
/// For positions of a book, of which there are thousands: some milliseconds each.
pub const LEVEL_OF_A_BOOK: u8 = 8;
/// For games of the engine against itself, which are wanted by the thousand.
pub const LEVEL_OF_SELFPLAY: u32 = 6;
