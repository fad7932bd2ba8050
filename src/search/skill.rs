//! Playing levels, from a beginner's to all that the engine has.

use super::limits::Limits;
use crate::othello::Board;
use std::fmt;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How well to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skill {
    /// The search level (about the depth in the middle game); none means as deep as clock and
    /// node limit allow.
    pub level: Option<u32>,
    /// Moves that lose up to this much are played as well, in hundredths of a disc: an evaluation
    /// learned from millions of games beats people at depth 1, so depth alone makes no beginner.
    pub slack: i32,
}

impl Skill {
    /// The level that is searched at full strength when neither a clock nor a node limit is given:
    /// some seconds in the middle game, exact from 24 empties.
    pub const UNLIMITED_LEVEL: u32 = 21;

    pub const FULL: Skill = Skill {
        level: None,
        slack: 0,
    };

    /// The levels with a name, the weakest first. Each beats the one before it in about three games
    /// of four, which is 150 to 250 Elo (`docs/playing.md` has what was measured).
    pub const NAMED: [(&'static str, Skill); 16] = [
        ("newcomer", Skill::weak(1, 3200)),
        ("beginner", Skill::weak(1, 2100)),
        ("novice", Skill::weak(1, 1500)),
        ("learner", Skill::weak(1, 1100)),
        ("casual", Skill::weak(2, 1050)),
        ("hobby", Skill::weak(2, 750)),
        ("amateur", Skill::weak(2, 450)),
        ("regular", Skill::weak(3, 400)),
        ("club", Skill::weak(4, 345)),
        ("league", Skill::weak(5, 255)),
        ("regional", Skill::weak(6, 125)),
        ("national", Skill::level(8)),
        ("expert", Skill::level(10)),
        ("master", Skill::level(13)),
        ("grandmaster", Skill::level(16)),
        ("full", Skill::FULL),
    ];

    /// The names of all levels that have one, as people read them.
    pub fn names() -> String {
        Skill::NAMED.map(|(name, _)| name).join(", ")
    }

    /// No slack, this search level.
    pub const fn level(level: u32) -> Skill {
        Skill {
            level: Some(level),
            slack: 0,
        }
    }

    const fn weak(level: u32, slack: i32) -> Skill {
        Skill {
            level: Some(level),
            slack,
        }
    }

    /// Of how many moves the value is found out: of several when one that is not the best may be
    /// played.
    pub const fn ranked_moves(slack: i32) -> usize {
        if slack > 0 { 8 } else { 1 }
    }

    /// What to search for with so many empty squares; `limited` when a clock or a node limit ends
    /// the search anyway.
    pub fn limits(self, empties: u32, limited: bool) -> Limits {
        match self.level {
            Some(level) => Limits::level(level, empties),
            None if limited => Limits::solve(),
            None => Limits::level(Skill::UNLIMITED_LEVEL, empties),
        }
    }
}

/// Which of these values, the best first, is played in a position: the first, or by the seed one
/// that is worse by no more than the slack, the likelier the better it is.
pub fn pick(board: Board, values: &[i32], slack: i32, seed: u64) -> usize {
    let Some(&best) = values.first() else {
        return 0;
    };
    let weight = |value: i32| u64::from((slack - (best - value) + 1).max(0) as u32);
    let total: u64 = values.iter().map(|&value| weight(value)).sum();
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&board.mover().0.to_le_bytes());
    bytes[8..].copy_from_slice(&board.opponent().0.to_le_bytes());
    let draw = u128::from(xxh3_64_with_seed(&bytes, seed));
    let mut mark = ((draw * u128::from(total)) >> 64) as u64;
    for (place, &value) in values.iter().enumerate() {
        match mark.checked_sub(weight(value)) {
            Some(left) => mark = left,
            None => return place,
        }
    }
    0
}

/// A text that names no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no level: choose one of {names}, or a number from 1 to 60", names = Skill::names())]
pub struct NotASkill(String);

impl FromStr for Skill {
    type Err = NotASkill;

    fn from_str(text: &str) -> Result<Skill, NotASkill> {
        let named = Skill::NAMED
            .into_iter()
            .find(|(name, _)| text.eq_ignore_ascii_case(name))
            .map(|(_, strength)| strength);
        let numbered = || {
            let level: u32 = text.parse().ok()?;
            (1..=60).contains(&level).then(|| Skill::level(level))
        };
        named
            .or_else(numbered)
            .ok_or_else(|| NotASkill(text.chars().take(20).collect()))
    }
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Skill::NAMED
            .into_iter()
            .find(|(_, strength)| strength == self)
            .map(|(name, _)| name.to_owned());
        let number = self.level.unwrap_or(Skill::UNLIMITED_LEVEL);
        f.pad(&name.unwrap_or_else(|| number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_number_reads_back() {
        for (name, strength) in Skill::NAMED {
            assert_eq!(name.parse(), Ok(strength));
            assert_eq!(strength.to_string(), name);
        }
        assert_eq!("12".parse(), Ok(Skill::level(12)));
        assert_eq!(Skill::level(12).to_string(), "12");
        for wrong in ["", "61", "-1", "strong"] {
            assert!(wrong.parse::<Skill>().is_err(), "{wrong}");
        }
    }
}
