//! SGF for Othello (`GM[2]`): `(;FF[4]GM[2]PB[…]PW[…];B[f5];W[d6])`.
//!
//! Squares are written `f5`, as Edax does; `fe` (column and row as letters, as for Go) is read
//! too. Only the main line is read, variations and comments are skipped. A forfeit without a
//! number (`B+R`) counts 64 discs, as it does on GGS.

use super::bracket::{Properties, decode, escape, unescape};
use super::date::Date;
use super::flaw::Flaw;
use super::game::{Details, Forfeit, Game};
use super::line::{Line, Ply};
use super::loss::{Loss, Losses};
use super::name::Name;
use super::replay::{Told, told};
use crate::othello::{Bitboard, Board, Color, MoveListError, Position, Score, Square};
use std::io::{self, Write};

/// Reads one game tree.
pub(super) fn parse(text: &[u8]) -> Result<Game, Flaw> {
    let mut details = Details::default();
    let mut place = None;
    let mut setup = Setup::default();
    let mut plies = Vec::new();
    for (ident, value) in Properties::of(text) {
        match &ident {
            b"GM" => check_game(&decode(value))?,
            b"SZ" => check_size(&decode(value))?,
            b"AB" => setup.put(Some(Color::Black), &decode(value))?,
            b"AW" => setup.put(Some(Color::White), &decode(value))?,
            b"AE" => setup.put(None, &decode(value))?,
            // Some programs give the side to move in every node; only the first says who starts.
            b"PL" if plies.is_empty() => setup.turn = parse_side(&decode(value)),
            b"PB" => details.black = Name::tidy(&unescape(value)),
            b"PW" => details.white = Name::tidy(&unescape(value)),
            b"EV" => details.event = Name::tidy(&unescape(value)),
            b"PC" => place = Name::tidy(&unescape(value)),
            b"RO" => details.round = Name::tidy(&unescape(value)),
            b"DT" => details.date = Date::parse(&decode(value)),
            b"RE" => (details.result, details.forfeit) = parse_result(&decode(value)),
            b"B\0" => plies.push((Color::Black, value)),
            b"W\0" => plies.push((Color::White, value)),
            _ => {}
        }
    }
    details.event = details.event.or(place);
    let start = setup.start(plies.first().map(|&(color, _)| color))?;
    let mut line = Line::new(start);
    for (i, (color, value)) in plies.into_iter().enumerate() {
        let value = decode(value);
        let word = value.trim();
        let ply = parse_ply(word).ok_or_else(|| MoveListError::NotAMove {
            number: i + 1,
            text: word.chars().take(8).collect(),
        })?;
        line.tell(color, ply)?;
    }
    Ok(Game::new(start, line.moves(), details)?)
}

/// The discs that a game begins with; without a word about any it is the usual start.
#[derive(Default)]
struct Setup {
    given: bool,
    black: Bitboard,
    white: Bitboard,
    turn: Option<Color>,
}

impl Setup {
    fn put(&mut self, color: Option<Color>, text: &str) -> Result<(), Flaw> {
        let text = text.trim();
        let square =
            parse_square(text).ok_or_else(|| Flaw::StartSquare(text.chars().take(8).collect()))?;
        self.given = true;
        let square = Bitboard::from(square);
        self.black &= !square;
        self.white &= !square;
        match color {
            Some(Color::Black) => self.black |= square,
            Some(Color::White) => self.white |= square,
            None => {}
        }
        Ok(())
    }

    fn start(self, first_to_move: Option<Color>) -> Result<Position, Flaw> {
        let Setup { black, white, .. } = self;
        if !self.given {
            return Ok(match self.turn {
                Some(Color::White) => Position::START.pass(),
                _ => Position::START,
            });
        }
        let turn = self.turn.or(first_to_move).unwrap_or(Color::Black);
        let (mover, opponent) = match turn {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        // `put` keeps the two sets apart.
        let board = Board::new(mover, opponent)
            .ok_or_else(|| Flaw::StartSquare("a disc of both colours".into()))?;
        Ok(Position { board, turn })
    }
}

fn check_game(number: &str) -> Result<(), Flaw> {
    let number = number.trim();
    let name = match number {
        "2" => return Ok(()),
        "1" => "Go".to_owned(),
        _ if number.eq_ignore_ascii_case("othello") || number.eq_ignore_ascii_case("reversi") => {
            return Ok(());
        }
        _ => number.chars().take(20).collect(),
    };
    Err(Flaw::OtherGame(name))
}

fn check_size(size: &str) -> Result<(), Flaw> {
    match size.trim() {
        "8" | "8:8" => Ok(()),
        size => {
            let size: String = size.chars().take(8).collect();
            Err(Flaw::OtherGame(format!(
                "Othello on a board of size {size}"
            )))
        }
    }
}

fn parse_side(text: &str) -> Option<Color> {
    match text.trim() {
        "B" | "b" | "black" | "Black" | "1" => Some(Color::Black),
        "W" | "w" | "white" | "White" | "2" => Some(Color::White),
        _ => None,
    }
}

/// `f5`, or `fe`: the sixth column, the fifth row.
fn parse_square(text: &str) -> Option<Square> {
    text.parse().ok().or_else(|| match text.as_bytes() {
        &[column, row] => {
            let [column, row] =
                [column, row].map(|letter| letter.to_ascii_lowercase().wrapping_sub(b'a'));
            (column < 8 && row < 8).then(|| Square::at(column, row))
        }
        _ => None,
    })
}

/// A square or a pass: nothing at all, `tt` (both from Go) or a word.
fn parse_ply(text: &str) -> Option<Ply> {
    if text.is_empty() || text == "tt" {
        return Some(Ply::Pass);
    }
    Ply::parse(text).or_else(|| parse_square(text).map(Ply::Move))
}

/// `B+12`, `W+R`, `0`, `Draw`, `?`.
fn parse_result(text: &str) -> (Option<Score>, Option<Forfeit>) {
    let text = text.trim();
    if text == "0" || text.eq_ignore_ascii_case("draw") {
        return (Some(Score::DRAW), None);
    }
    let (winner, margin) = match text.split_once('+') {
        Some(("B" | "b" | "Black", margin)) => (Color::Black, margin),
        Some(("W" | "w" | "White", margin)) => (Color::White, margin),
        _ => return (None, None),
    };
    let for_black = |score: Score| match winner {
        Color::Black => score,
        Color::White => -score,
    };
    let (score, forfeit) = match margin.trim() {
        "R" | "Resign" => (Some(Score::MAX), Some(Forfeit::Resigned)),
        "T" | "Time" => (Some(Score::MAX), Some(Forfeit::OutOfTime)),
        "F" | "Forfeit" => (Some(Score::MAX), None),
        number => {
            let discs = number.parse::<f64>().ok().filter(|d| d.abs() <= 64.0);
            (discs.and_then(|d| Score::new(d.round() as i32)), None)
        }
    };
    (score.map(for_black), forfeit)
}

/// Writes one game and a line end.
pub(super) fn write(game: &Game, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    let details = game.details();
    losses.note(Loss::Theory, details.theory.is_some());
    losses.note(Loss::Notes, !details.notes.is_empty());
    losses.note(Loss::Forfeit, loses_forfeit(details));
    out.write_all(to_string(game).as_bytes())
}

/// SGF writes either how much a game was won by or how it was forfeited.
fn loses_forfeit(details: &Details) -> bool {
    details.forfeit.is_some() && result_text(details).is_none_or(|text| !text.ends_with(['R', 'T']))
}

fn result_text(details: &Details) -> Option<String> {
    let score = details.result?;
    let winner = match score.discs() {
        0 => return Some("Draw".into()),
        1.. => 'B',
        _ => 'W',
    };
    let margin = score.discs().abs();
    Some(match details.forfeit {
        Some(Forfeit::Resigned) if margin == 64 => format!("{winner}+R"),
        Some(Forfeit::OutOfTime) if margin == 64 => format!("{winner}+T"),
        _ => format!("{winner}+{margin}"),
    })
}

fn to_string(game: &Game) -> String {
    let details = game.details();
    let mut text = String::from("(;FF[4]GM[2]CA[UTF-8]AP[Emilia]SZ[8]");
    let names = [
        ("PB", &details.black),
        ("PW", &details.white),
        ("EV", &details.event),
        ("RO", &details.round),
    ];
    for (ident, name) in names {
        if let Some(name) = name {
            text += &format!("{ident}[{}]", escape(name));
        }
    }
    if let Some(date) = details.date {
        text += &format!("DT[{date}]");
    }
    if let Some(result) = result_text(details) {
        text += &format!("RE[{result}]");
    }
    let start = game.start();
    if start != Position::START {
        for (ident, color) in [("AB", Color::Black), ("AW", Color::White)] {
            let discs = start.discs(color);
            if !discs.is_empty() {
                text += ident;
            }
            for square in discs {
                text += &format!("[{square}]");
            }
        }
        if start.board.occupied().is_empty() {
            text += "AE[a1]";
        }
        text += match start.turn {
            Color::Black => "PL[B]",
            Color::White => "PL[W]",
        };
    }
    for told in told(start, game.moves()) {
        text += &match told {
            Told::Move(Color::Black, square) => format!(";B[{square}]"),
            Told::Move(Color::White, square) => format!(";W[{square}]"),
            Told::Pass(Color::Black) => ";B[PA]".to_owned(),
            Told::Pass(Color::White) => ";W[PA]".to_owned(),
        };
    }
    text + ")\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use crate::othello::moves_to_string;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Game, String> {
        parse(text.as_bytes()).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn both_ways_to_write_squares_mean_the_same() {
        let digits = read("(;FF[4]GM[2];B[f5];W[D6];B[c3])").unwrap();
        let letters = read("(;FF[4]GM[2];B[fe];W[df];B[cc])").unwrap();
        assert_eq!(digits, letters);
        assert_eq!(moves_to_string(digits.moves()), "f5d6c3");
    }

    #[test]
    fn a_game_in_the_manner_of_edax() {
        let game = read(
            "(;FF[4]GM[2]AP[edax:4.5.5]\nPC[Edax]DT[2026-10-07]\nPB[?]PW[me]\n\
             SZ[8]AB[e4][d5]AW[d4][e5]PL[B]\nRE[Void]\nB[f5];W[d6];\nB[c3];)",
        )
        .unwrap();
        assert_eq!(game.start(), Position::START);
        assert_eq!(game.moves().len(), 3);
        let details = game.details();
        assert_eq!(details.black, None);
        assert_eq!(details.white.as_deref(), Some("me"));
        assert_eq!(details.event.as_deref(), Some("Edax"));
        assert_eq!(details.result, None);
    }

    #[test]
    fn variations_and_comments_are_skipped() {
        let game = read("(;GM[2]EV[x]PC[y];B[f5]C[why ;W[a1\\]?](;W[d6])(;W[f6];B[a1]))").unwrap();
        assert_eq!(moves_to_string(game.moves()), "f5d6");
        assert_eq!(game.details().event.as_deref(), Some("x"));
    }

    #[test]
    fn results_in_words_and_numbers() {
        let score = |text| parse_result(text).0.map(Score::discs);
        assert_eq!(score("B+12"), Some(12));
        assert_eq!(score("W+4.0"), Some(-4));
        assert_eq!(score("Draw"), Some(0));
        assert_eq!(
            parse_result("W+R"),
            (Score::new(-64), Some(Forfeit::Resigned))
        );
        for text in ["?", "Void", "B+", "B+1000", "+3"] {
            assert_eq!(score(text), None, "{text}");
        }
    }

    #[test]
    fn other_games_and_wrong_starts_are_told_apart() {
        assert!(
            read("(;GM[1]SZ[19];B[pd])")
                .unwrap_err()
                .contains("a game of Go")
        );
        assert!(read("(;GM[2]SZ[10])").unwrap_err().contains("size 10"));
        assert!(
            read("(;GM[2]AB[z9])")
                .unwrap_err()
                .contains("'z9' is not a square")
        );
        assert!(read("(;GM[2];B[f5];W[f5])").unwrap_err().contains("move 2"));
    }

    #[test]
    fn a_game_as_it_is_written() {
        let game = read("(;GM[2]PB[a]PW[b]DT[1987]RE[B+2];B[f5];W[d6])").unwrap();
        assert_eq!(
            to_string(&game),
            "(;FF[4]GM[2]CA[UTF-8]AP[Emilia]SZ[8]PB[a]PW[b]DT[1987]RE[B+2];B[f5];W[d6])\n"
        );
    }

    proptest! {
        #[test]
        fn a_written_game_reads_back(game in any_game()) {
            let expected = game.with_details(|details| {
                details.theory = None;
                details.notes = Box::default();
                if loses_forfeit(details) {
                    details.forfeit = None;
                }
            });
            prop_assert_eq!(parse(to_string(&game).as_bytes()), Ok(expected));
        }

        #[test]
        fn no_text_panics(text in "(\\(;|\\)|\\[|\\]|;|GM|AB|AW|PL|B|W|2|f5|ee|\\PC){0,60}") {
            let _ = parse(text.as_bytes());
        }
    }
}
