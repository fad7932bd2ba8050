//! A board with a colour to move: what people write down and look at.

use super::bitboard::Bitboard;
use super::board::{Board, IllegalMove};
use super::score::Score;
use super::square::Square;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    Black,
    White,
}

impl Color {
    pub const fn other(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// `X` for Black and `O` for White, as in board strings.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::Black => "Black",
            Color::White => "White",
        })
    }
}

/// A board and who is to move on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub board: Board,
    pub turn: Color,
}

impl Position {
    pub const START: Position = Position {
        board: Board::START,
        turn: Color::Black,
    };

    /// The position after a legal move. When the other player has no answer but the game goes on,
    /// the turn comes back at once: a forced pass is not a move.
    pub fn play(self, square: Square) -> Result<Position, IllegalMove> {
        let next = Position {
            board: self.board.play(square)?,
            turn: self.turn.other(),
        };
        Ok(next.after_forced_pass())
    }

    /// The same position, or the one after the pass that the rules demand here.
    pub fn after_forced_pass(self) -> Position {
        if self.board.must_pass() {
            self.pass()
        } else {
            self
        }
    }

    pub const fn pass(self) -> Position {
        Position {
            board: self.board.pass(),
            turn: self.turn.other(),
        }
    }

    pub const fn discs(self, color: Color) -> Bitboard {
        // Both arms of `turn == color` by hand: derived equality is not const.
        match (self.turn, color) {
            (Color::Black, Color::Black) | (Color::White, Color::White) => self.board.mover(),
            _ => self.board.opponent(),
        }
    }

    /// The result if the game ends here, seen by this colour.
    pub fn final_score(self, color: Color) -> Score {
        let score = self.board.final_score();
        if color == self.turn { score } else { -score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_pass_gives_the_turn_back() {
        let position: Position =
            "-OX-----OX------------------------------------------------------ X"
                .parse()
                .unwrap();
        let next = position.play("a1".parse().unwrap()).unwrap();
        assert_eq!(next.turn, Color::White);
        assert!(!next.board.must_pass());

        let position: Position =
            "-OX-----------------------------------------------------XO------ X"
                .parse()
                .unwrap();
        let next = position.play("a1".parse().unwrap()).unwrap();
        assert_eq!(
            next.turn,
            Color::Black,
            "White has no move, Black still has c8"
        );
        assert!(next.board.legal_moves().contains("c8".parse().unwrap()));
    }
}
