//! What can be wrong with one game of a collection, and where.

use crate::othello::notation::BoardStringError;
use crate::othello::{Color, MoveListError};
use std::fmt;
use std::sync::Arc;

/// Why a game was skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error(transparent)]
    Moves(#[from] MoveListError),
    #[error("move {number} is by {color}, who is not to move")]
    OutOfTurn { number: usize, color: Color },
    #[error("move {number}: the byte {byte} is no square; WTHOR counts 11 (a1) to 88 (h8)")]
    NotASquare { number: usize, byte: u8 },
    #[error("move {number} is missing although moves follow it")]
    MissingMove { number: usize },
    #[error("{discs} black discs at the end: a board has 64 squares")]
    TooManyDiscs { discs: u8 },
    #[error("the start position is wrong: {0}")]
    Start(#[from] BoardStringError),
    #[error("the start position is wrong: '{0}' is not a square")]
    StartSquare(String),
    #[error("it is a game of {0}, not of 8x8 Othello")]
    OtherGame(String),
    #[error("the record is cut off after {found} of {expected} bytes")]
    Truncated { found: usize, expected: usize },
    #[error("the game is cut off before its closing bracket")]
    Unclosed,
    #[error("the game is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the header announces {announced} games, but the file has {found}")]
    WrongCount { announced: u32, found: u64 },
    #[error("the rest of the file cannot be read: {0}")]
    Unreadable(String),
}

impl Flaw {
    /// The move that is at fault, counted from 1 with the written passes.
    pub fn move_number(&self) -> Option<usize> {
        match self {
            Flaw::Moves(
                MoveListError::NotAMove { number, .. }
                | MoveListError::Illegal { number, .. }
                | MoveListError::NeedlessPass { number, .. }
                | MoveListError::AfterTheEnd { number, .. },
            )
            | Flaw::OutOfTurn { number, .. }
            | Flaw::NotASquare { number, .. }
            | Flaw::MissingMove { number } => Some(*number),
            _ => None,
        }
    }

    /// Nothing after this can be read, so the collection is not complete.
    pub fn ends_the_file(&self) -> bool {
        matches!(self, Flaw::Unreadable(_))
    }
}

/// A game that was skipped: which one, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGame {
    pub file: Arc<str>,
    /// Counted from 1 within the file, bad games included.
    pub number: u64,
    pub flaw: Flaw,
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, game {}: {}", self.file, self.number, self.flaw)
    }
}

impl std::error::Error for BadGame {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position};

    #[test]
    fn a_bad_game_names_file_game_move_and_reason() {
        let error = MoveList::parse(Position::START, "f5f5").unwrap_err();
        let bad = BadGame {
            file: "WTH_1980.wtb".into(),
            number: 7,
            flaw: error.into(),
        };
        assert_eq!(
            bad.to_string(),
            "WTH_1980.wtb, game 7: move 2 (f5) is illegal: f5 is occupied"
        );
        assert_eq!(bad.flaw.move_number(), Some(2));
        assert_eq!(Flaw::Unclosed.move_number(), None);
    }
}
