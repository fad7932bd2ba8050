//! The 64 squares, named `a1` (top left, index 0) to `h8` (bottom right, index 63).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A square of the board. The index runs along the rows: a1, b1, …, h1, a2, …, h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Square(u8);

impl From<Square> for u8 {
    fn from(square: Square) -> u8 {
        square.0
    }
}

impl TryFrom<u8> for Square {
    type Error = NotASquare;

    fn try_from(index: u8) -> Result<Square, NotASquare> {
        Square::new(index).ok_or_else(|| NotASquare(index.to_string()))
    }
}

/// A text that names no square.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square: expected a letter a–h and a digit 1–8, as in f5")]
pub struct NotASquare(pub String);

impl Square {
    /// The square with this index, if it is below 64.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// The square in this column and row, both counted from 0; only the low three bits of each count.
    pub const fn at(column: u8, row: u8) -> Square {
        Square((row & 7) << 3 | (column & 7))
    }

    /// The square of the lowest bit; the low six bits of the count make the index, so this never fails.
    pub(crate) const fn lowest_of(bits: u64) -> Square {
        Square(bits.trailing_zeros() as u8 & 63)
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// All squares, a1 first.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64u8).map(Square)
    }

    /// Reads `f5` or `F5` from exactly two bytes.
    pub const fn from_ascii(name: [u8; 2]) -> Option<Square> {
        let column = name[0].to_ascii_lowercase().wrapping_sub(b'a');
        let row = name[1].wrapping_sub(b'1');
        if column < 8 && row < 8 {
            Some(Square::at(column, row))
        } else {
            None
        }
    }

    /// The name as two ASCII bytes, for writers that build bytes.
    pub const fn to_ascii(self) -> [u8; 2] {
        [b'a' + self.column(), b'1' + self.row()]
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [column, row] = self.to_ascii();
        write!(f, "{}{}", column as char, row as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Square, NotASquare> {
        <[u8; 2]>::try_from(text.as_bytes())
            .ok()
            .and_then(Square::from_ascii)
            .ok_or_else(|| NotASquare(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_in_both_cases() {
        for square in Square::all() {
            let name = square.to_string();
            assert_eq!(name.parse(), Ok(square));
            assert_eq!(name.to_uppercase().parse(), Ok(square));
        }
    }

    #[test]
    fn what_is_not_a_square_is_named_in_the_error() {
        for text in ["", "f", "f9", "i1", "f55", "é"] {
            let error = text.parse::<Square>().unwrap_err();
            assert!(error.to_string().contains(&format!("'{text}'")));
        }
    }
}
