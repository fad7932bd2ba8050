//! Following a game told colour by colour, as GGF and SGF tell it.

use super::flaw::Flaw;
use super::moves::Moves;
use crate::othello::notation::BoardStringError;
use crate::othello::{Color, MoveListError, Position, Square};

/// One word of a told game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ply {
    Move(Square),
    Pass,
}

impl Ply {
    /// `f5`, `F5`, or one of the words for a pass.
    pub fn parse(text: &str) -> Option<Ply> {
        const PASSES: [&str; 5] = ["pa", "pass", "ps", "--", "@@"];
        if PASSES.iter().any(|pass| text.eq_ignore_ascii_case(pass)) {
            return Some(Ply::Pass);
        }
        text.parse().ok().map(Ply::Move)
    }
}

/// Reads a start position. Far too long a text is not quoted back in the complaint.
pub(super) fn parse_start(text: &str) -> Result<Position, Flaw> {
    const LONGEST: usize = 200;
    if text.len() > LONGEST {
        let squares = text.chars().filter(|c| !c.is_whitespace()).count();
        return Err(BoardStringError::WrongLength(squares).into());
    }
    Ok(text.parse()?)
}

/// A game as far as it has been told. Passes may be told or left out.
pub(super) struct Line {
    position: Position,
    moves: Moves,
    told: usize,
    /// The rules made a pass that the teller may mention.
    unmentioned_pass: bool,
}

impl Line {
    pub fn new(start: Position) -> Line {
        let must_pass = start.board.must_pass();
        Line {
            position: if must_pass { start.pass() } else { start },
            moves: Moves::new(),
            told: 0,
            unmentioned_pass: must_pass,
        }
    }

    pub fn tell(&mut self, color: Color, ply: Ply) -> Result<(), Flaw> {
        self.told += 1;
        let number = self.told;
        match ply {
            Ply::Pass => self.pass(color, number),
            Ply::Move(square) => self.play(color, square, number),
        }
    }

    fn play(&mut self, color: Color, square: Square, number: usize) -> Result<(), Flaw> {
        let before = self.position;
        if before.board.is_over() {
            let text = square.to_string();
            return Err(MoveListError::AfterTheEnd { number, text }.into());
        }
        if color != before.turn {
            return Err(Flaw::OutOfTurn { number, color });
        }
        let illegal = |reason| MoveListError::Illegal {
            number,
            square,
            reason,
        };
        self.position = before.play(square).map_err(illegal)?;
        self.unmentioned_pass = self.position.turn == before.turn;
        self.moves
            .push(square)
            .map_err(|_| MoveListError::AfterTheEnd {
                number,
                text: square.to_string(),
            })?;
        Ok(())
    }

    fn pass(&mut self, color: Color, number: usize) -> Result<(), Flaw> {
        // Some programs pass to the very end, when nobody can move.
        if self.position.board.is_over() {
            return Ok(());
        }
        if self.unmentioned_pass && color != self.position.turn {
            self.unmentioned_pass = false;
            return Ok(());
        }
        Err(MoveListError::NeedlessPass { number, color }.into())
    }

    /// How many moves were played so far, without the passes.
    pub fn played(&self) -> usize {
        self.moves.len()
    }

    pub fn moves(self) -> Moves {
        self.moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(start: &str, text: &str) -> Result<usize, String> {
        let mut line = Line::new(start.parse().unwrap());
        for word in text.split(' ') {
            let (color, ply) = word.split_at(1);
            let color = if color == "B" {
                Color::Black
            } else {
                Color::White
            };
            line.tell(color, Ply::parse(ply).unwrap())
                .map_err(|flaw| flaw.to_string())?;
        }
        Ok(line.moves().len())
    }

    /// After a1 White has to pass, then Black plays c8.
    const PASSING: &str = "-OX-----------------------------------------------------XO------ X";

    #[test]
    fn a_pass_is_told_or_left_out() {
        assert_eq!(told(PASSING, "Ba1 Bc8"), Ok(2));
        assert_eq!(told(PASSING, "Ba1 Wpa Bc8"), Ok(2));
        assert_eq!(
            told(PASSING, "Ba1 WPASS Bc8 W-- Bpa"),
            Ok(2),
            "passes after the end"
        );
    }

    #[test]
    fn a_complaint_about_a_start_is_short_however_long_the_text() {
        let flaw = parse_start(&format!("{} {}", "-".repeat(64), "?".repeat(5000))).unwrap_err();
        assert!(flaw.to_string().len() < 200, "{flaw}");
        assert_eq!(parse_start(PASSING), Ok(PASSING.parse().unwrap()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |text| told(PASSING, text).unwrap_err();
        assert!(error("Wa1").contains("move 1 is by White"));
        assert!(error("Ba1 Wpa Wpa").contains("move 3: White may not pass"));
        assert!(error("Bpa").contains("move 1: Black may not pass"));
        assert!(error("Ba1 Bc8 Ba8").contains("after the end"));
        assert!(error("Ba1 Bc7").contains("move 2 (c7) is illegal"));
    }
}
