//! A board drawn for people, with colours when the output is a terminal.

use super::bitboard::Bitboard;
use super::position::{Color, Position};
use super::square::Square;
use std::fmt;

/// How a position is drawn. `Display` writes nine lines, the first with the column names.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    pub position: Position,
    /// Marked, if any.
    pub last_move: Option<Square>,
    pub show_moves: bool,
    pub colors: bool,
}

impl Drawing {
    /// Legal moves shown, no colours.
    pub fn plain(position: Position) -> Drawing {
        Drawing {
            position,
            last_move: None,
            show_moves: true,
            colors: false,
        }
    }

    fn cell(&self, square: Square, moves: Bitboard) -> &'static str {
        let black = self.position.discs(Color::Black).contains(square);
        let white = self.position.discs(Color::White).contains(square);
        let is_move = self.show_moves && moves.contains(square);
        match (self.colors, black, white, is_move) {
            (false, true, _, _) => "X",
            (false, _, true, _) => "O",
            (false, _, _, true) => "*",
            (false, ..) => ".",
            (true, true, _, _) => "\x1b[30m●",
            (true, _, true, _) => "\x1b[97m●",
            (true, _, _, true) => "\x1b[32m·",
            (true, ..) => " ",
        }
    }
}

const GREEN: &str = "\x1b[48;5;29m";
const GREEN_MARKED: &str = "\x1b[48;5;36m";
const RESET: &str = "\x1b[0m";

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = self.position.board.legal_moves();
        writeln!(f, "  a b c d e f g h")?;
        for row in 0..8 {
            write!(f, "{} ", row + 1)?;
            for column in 0..8 {
                let square = Square::at(column, row);
                let cell = self.cell(square, moves);
                let marked = self.last_move == Some(square);
                if self.colors {
                    let ground = if marked { GREEN_MARKED } else { GREEN };
                    write!(f, "{ground}{cell} {RESET}")?;
                } else {
                    let gap = if marked { "'" } else { " " };
                    write!(
                        f,
                        "{cell}{}",
                        if column == 7 { gap.trim_end() } else { gap }
                    )?;
                }
            }
            match row {
                2 => write!(f, "   {} to move", self.position.turn)?,
                3 => write!(f, "   Black {}", self.position.discs(Color::Black).count())?,
                4 => write!(f, "   White {}", self.position.discs(Color::White).count())?,
                5 => write!(f, "   Empty {}", self.position.board.empty_count())?,
                _ => {}
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_as_people_draw_it() {
        let drawing = Drawing::plain(Position::START).to_string();
        let expected = "  a b c d e f g h
1 . . . . . . . .
2 . . . . . . . .
3 . . . * . . . .   Black to move
4 . . * O X . . .   Black 2
5 . . . X O * . .   White 2
6 . . . . * . . .   Empty 60
7 . . . . . . . .
8 . . . . . . . .
";
        assert_eq!(drawing, expected);
    }

    #[test]
    fn colours_appear_only_when_asked_for() {
        let mut drawing = Drawing::plain(Position::START);
        assert!(!drawing.to_string().contains('\x1b'));
        drawing.colors = true;
        assert!(drawing.to_string().contains('\x1b'));
    }
}
