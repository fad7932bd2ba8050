//! What the levels of [`Limits::level`] are worth to a book, and the name of the engine behind
//! them.

use crate::book::{HIGHEST_LEVEL, Level};
use crate::eval::Evaluator;
use crate::search::{self, Goal, Limits};
use std::sync::LazyLock;
use xxhash_rust::xxh3::Xxh3;

/// What a search of this level is worth, with so many empty squares.
pub fn worth_of_level(level: u8, empties: u32) -> Level {
    let depth = |plies: u32| u8::try_from(plies).unwrap_or(u8::MAX);
    match Limits::level(level.into(), empties).goal {
        Goal::Depth { plies, selectivity } => Level {
            depth: depth(plies),
            selectivity: selectivity.percent() as u8,
            solved: false,
        },
        _ => Level {
            depth: depth(empties),
            selectivity: 100,
            solved: true,
        },
    }
}

/// About as large as what a search of this level finds; it is forgotten before each one.
pub const fn table_bytes(level: u8) -> usize {
    let doublings = if level / 2 < 12 { level / 2 } else { 12 };
    1 << (16 + doublings)
}

/// The name of the engine in this program: it changes with the weights, with the search and with
/// the table of levels, because each of them changes values.
pub fn engine_name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let mut hash = Xxh3::new();
        hash.update(&Evaluator::builtin().fingerprint().to_be_bytes());
        hash.update(&search::VERSION.to_be_bytes());
        for level in 1..=HIGHEST_LEVEL {
            for empties in 1..=60 {
                let worth = worth_of_level(level, empties);
                hash.update(&[worth.depth, worth.selectivity, u8::from(worth.solved)]);
            }
            hash.update(&table_bytes(level).to_be_bytes());
        }
        format!("emilia-{:012x}", hash.digest() >> 16)
    });
    &NAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_level_covers_a_lower_one_everywhere() {
        for empties in 1..=60 {
            for level in 1..HIGHEST_LEVEL {
                let [low, high] = [level, level + 1].map(|level| worth_of_level(level, empties));
                assert!(high.covers(low), "{empties} empties: {high} after {low}");
            }
        }
    }

    #[test]
    fn the_engine_has_a_name_that_can_be_told_apart() {
        assert_eq!(engine_name(), engine_name());
        assert_eq!(engine_name().len(), "emilia-".len() + 12);
        assert_ne!(Evaluator::builtin().fingerprint(), 0);
    }
}
