//! What the book knows about a position. `evaluation` and `alternative` are put in by searches;
//! everything in [`Derived`] follows from them and from the positions below (see `rule`).

use crate::othello::{Bitboard, Score, Square};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Neg;

/// A value in hundredths of a disc within ±64 discs, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i16", into = "i16")]
pub struct Value(i16);

impl From<Value> for i16 {
    fn from(value: Value) -> i16 {
        value.0
    }
}

impl TryFrom<i16> for Value {
    type Error = &'static str;

    fn try_from(centidiscs: i16) -> Result<Value, &'static str> {
        Value::new(centidiscs.into()).ok_or("a value lies within 64 discs")
    }
}

impl Value {
    pub const MAX: Value = Value(6400);
    pub const MIN: Value = Value(-6400);
    pub const ZERO: Value = Value(0);

    pub const fn new(centidiscs: i32) -> Option<Value> {
        if -6400 <= centidiscs && centidiscs <= 6400 {
            Some(Value(centidiscs as i16))
        } else {
            None
        }
    }

    pub const fn of_score(score: Score) -> Value {
        Value(100 * score.discs() as i16)
    }

    pub const fn centidiscs(self) -> i32 {
        self.0 as i32
    }

    pub fn discs(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// The largest whole number of discs that is not above the value.
    pub fn floor(self) -> Score {
        Score::clamped(self.centidiscs().div_euclid(100))
    }

    /// The smallest whole number of discs that is not below the value.
    pub fn ceil(self) -> Score {
        -(-self).floor()
    }
}

impl Neg for Value {
    type Output = Value;

    fn neg(self) -> Value {
        Value(-self.0)
    }
}

/// `+3.25`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+.2}", self.discs()))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How hard a search looked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Level {
    /// Plies.
    pub depth: u8,
    /// How sure a shallow search had to be to cut, in per cent: 100 never cut. At most 127.
    pub selectivity: u8,
    /// Searched to the end of the game without a doubt: the value is exact.
    pub solved: bool,
}

impl Level {
    /// A search of this level tells at least what one of the other would: it is not repeated.
    pub const fn covers(self, other: Level) -> bool {
        self.solved
            || !other.solved && self.depth >= other.depth && self.selectivity >= other.selectivity
    }
}

/// `12@82%`, `20@100% solved`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solved = if self.solved { " solved" } else { "" };
        f.pad(&format!("{}@{}%{solved}", self.depth, self.selectivity))
    }
}

/// Which engine found something: a number of this book's list of engines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct EngineNumber(pub u8);

impl EngineNumber {
    /// Nobody wrote it down.
    pub const UNKNOWN: EngineNumber = EngineNumber(0);
}

/// What a search of the position itself found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Evaluation {
    pub value: Value,
    pub level: Level,
    pub engine: EngineNumber,
}

/// What a search found among the moves that had no value in the book: Delteil's third number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alternative {
    pub found: Found,
    pub level: Level,
    pub engine: EngineNumber,
    /// The moves that the search looked at, in the canonical board's orientation: it says nothing
    /// of others. Kept for solved searches alone, because only they prove something; for the
    /// others it is all legal moves.
    pub among: Bitboard,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Found {
    /// The best of these moves, in the canonical board's orientation, and its value.
    Move(Square, Value),
    /// This move is worth that much or more; what the others are worth is unknown.
    AtLeast(Square, Value),
    /// None of them is better than this.
    NoneAbove(Value),
}

impl Found {
    pub const fn value(self) -> Value {
        match self {
            Found::Move(_, value) | Found::AtLeast(_, value) | Found::NoneAbove(value) => value,
        }
    }

    /// The move that it names.
    pub const fn square(self) -> Option<Square> {
        match self {
            Found::Move(square, _) | Found::AtLeast(square, _) => Some(square),
            Found::NoneAbove(_) => None,
        }
    }

    /// None of the moves is better than this, as far as that is known.
    pub const fn limit(self) -> Option<Value> {
        match self {
            Found::Move(_, value) | Found::NoneAbove(value) => Some(value),
            Found::AtLeast(..) => None,
        }
    }
}

/// Why a position is in the book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    Game,
    Expansion,
    Import,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Origin::Game => "game",
            Origin::Expansion => "expansion",
            Origin::Import => "import",
        })
    }
}

/// What is proven about the result with best play, in discs, whatever searches guess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    pub lower: Score,
    pub upper: Score,
}

impl Bounds {
    pub const UNKNOWN: Bounds = Bounds {
        lower: Score::MIN,
        upper: Score::MAX,
    };

    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// The nearest value that the bounds allow.
    pub fn clamp(self, value: Value) -> Value {
        value
            .min(Value::of_score(self.upper))
            .max(Value::of_score(self.lower))
    }
}

/// What follows from the position's own searches and from the positions below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Derived {
    /// Unknown until something below the position, or the position itself, has a value.
    pub value: Option<Value>,
    /// The move the value rests on, in the canonical board's orientation; none where it rests on
    /// the position's own evaluation.
    pub best: Option<Square>,
    pub bounds: Bounds,
    /// A move of the book leads on to a position with a value: this is no leaf.
    pub leads_on: bool,
}

impl Derived {
    /// Of a position about which nothing is known.
    pub const LEAF: Derived = Derived {
        value: None,
        best: None,
        bounds: Bounds::UNKNOWN,
        leads_on: false,
    };

    /// What the positions above it are told.
    pub const fn told(&self) -> Told {
        Told {
            value: self.value,
            bounds: self.bounds,
        }
    }
}

/// What a position needs to know of one below it. Where this stays the same, nothing above can
/// change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    pub value: Option<Value>,
    pub bounds: Bounds,
}

/// A position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub origin: Origin,
    pub evaluation: Option<Evaluation>,
    pub alternative: Option<Alternative>,
    pub derived: Derived,
}

impl Node {
    /// A position that has just come in; its derived part is filled by the next propagation.
    pub const fn new(origin: Origin) -> Node {
        Node {
            origin,
            evaluation: None,
            alternative: None,
            derived: Derived::LEAF,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_covers_what_is_no_deeper_no_surer_and_no_solution() {
        let level = |depth, selectivity, solved| Level {
            depth,
            selectivity,
            solved,
        };
        let middle = level(12, 82, false);
        assert!(middle.covers(middle) && middle.covers(level(10, 68, false)));
        assert!(!middle.covers(level(10, 96, false)));
        assert!(!middle.covers(level(14, 82, false)));
        let solved = level(10, 100, true);
        assert!(solved.covers(middle) && !level(40, 100, false).covers(solved));
    }

    #[test]
    fn whole_discs_enclose_a_value_from_both_sides() {
        let enclosed = |centidiscs| {
            let value = Value::new(centidiscs).unwrap();
            (value.floor().discs(), value.ceil().discs())
        };
        assert_eq!(enclosed(250), (2, 3));
        assert_eq!(enclosed(-250), (-3, -2));
        assert_eq!(enclosed(-300), (-3, -3));
        assert_eq!(Value::new(6401), None);
    }
}
