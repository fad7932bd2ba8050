//! The name of a book.

use serde::{Deserialize, Serialize};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::xxh3_128;

/// What a book is called by machines: made with it, kept by its backups, and no other book's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct BookId(pub u128);

impl BookId {
    /// Different each time: the time, the process, and what the system's randomness adds.
    pub(super) fn new() -> BookId {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut seeds = Vec::new();
        seeds.extend(now.map_or(0, |time| time.as_nanos()).to_be_bytes());
        seeds.extend(std::process::id().to_be_bytes());
        for _ in 0..2 {
            seeds.extend(RandomState::new().build_hasher().finish().to_be_bytes());
        }
        BookId(xxh3_128(&seeds))
    }

    /// The name under which somebody asks who only reads the book.
    pub const fn of_reader(self) -> BookId {
        BookId(!self.0)
    }
}

impl fmt::Display for BookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
