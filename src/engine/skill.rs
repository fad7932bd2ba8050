//! Playing levels, from a beginner's to all that the engine has.

use super::defaults;
use crate::search::Limits;
use std::fmt;
use std::str::FromStr;

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
    pub const FULL: Skill = Skill {
        level: None,
        slack: 0,
    };

    /// The levels with a name, the weakest first.
    pub const NAMED: [(&'static str, Skill); 7] = [
        ("beginner", Skill::weak(1, 1600)),
        ("novice", Skill::weak(1, 800)),
        ("amateur", Skill::weak(2, 400)),
        ("club", Skill::weak(4, 200)),
        ("expert", Skill::level(8)),
        ("master", Skill::level(14)),
        ("full", Skill::FULL),
    ];

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

    /// What to search for with so many empty squares; `limited` when a clock or a node limit ends
    /// the search anyway.
    pub fn limits(self, empties: u32, limited: bool) -> Limits {
        match self.level {
            Some(level) => Limits::level(level, empties),
            None if limited => Limits::solve(),
            None => Limits::level(defaults::LEVEL, empties),
        }
    }
}

/// A text that names no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no level: choose beginner, novice, amateur, club, expert, master, full, or 0–60")]
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
            (level <= 60).then(|| Skill::level(level))
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
        let number = self.level.unwrap_or(defaults::LEVEL);
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
