//! What a book remembers about itself, and its record.

use super::{CodecError, UNCHANGED_FORMAT, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};

/// What a book remembers about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Profile {
    version: u8,
    /// Seconds since 1970.
    pub created: u64,
    /// The deepest ply that games were learned to.
    pub plies: u8,
    /// The lowest number of games that a position needed to come in.
    pub min_games: u32,
}

const PROFILE_BYTES: usize = 14;

impl Profile {
    pub const fn new(created: u64) -> Profile {
        Profile {
            version: UNCHANGED_FORMAT,
            created,
            plies: 0,
            min_games: u32::MAX,
        }
    }

    /// No games were learned yet.
    pub const fn is_fresh(&self) -> bool {
        self.min_games == u32::MAX
    }
}

pub fn profile_to_bytes(profile: &Profile) -> [u8; PROFILE_BYTES] {
    to_bytes(profile)
}

pub fn profile_from_bytes(bytes: &[u8]) -> Result<Profile, CodecError> {
    from_bytes(bytes, PROFILE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_bytes_of_a_profile() {
        let profile = Profile {
            plies: 40,
            min_games: 2,
            ..Profile::new(258)
        };
        let bytes = profile_to_bytes(&profile);
        assert_eq!(bytes, [1, 0, 0, 0, 0, 0, 0, 1, 2, 40, 0, 0, 0, 2]);
        assert_eq!(profile_from_bytes(&bytes), Ok(profile));
    }
}
