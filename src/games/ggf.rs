//! GGF, the Generic Game Format of the GGS server: `(;GM[Othello]PB[…]PW[…]BO[8 …]B[f5]W[d6];)`.
//!
//! The format has no escapes; `]` and `\` in a name are written as SGF does, with a backslash.
//! Komi bids (`KB`, `KW`, `KM`) are skipped: they are no moves.

use super::bracket::{Properties, decode, escape, unescape};
use super::date::Date;
use super::flaw::Flaw;
use super::game::{Details, Forfeit, Game, MoveNote};
use super::line::{Line, Ply, parse_start};
use super::loss::{Loss, Losses};
use super::name::Name;
use super::replay::{Told, told};
use crate::othello::{Color, MoveListError, Position, Score};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Reads one game, from `(;` to its closing bracket.
pub(super) fn parse(text: &[u8]) -> Result<Game, Flaw> {
    let mut start = Position::START;
    let mut details = Details::default();
    let mut plies = Vec::new();
    for (ident, value) in Properties::of(text) {
        match &ident {
            b"GM" => check_game(&decode(value))?,
            b"TY" => check_type(&decode(value))?,
            b"BO" => start = parse_board(&decode(value))?,
            b"PC" => details.event = Name::tidy(&unescape(value)),
            b"DT" => details.date = Date::parse(&decode(value)),
            b"PB" => details.black = Name::tidy(&unescape(value)),
            b"PW" => details.white = Name::tidy(&unescape(value)),
            b"RE" => (details.result, details.forfeit) = parse_result(&decode(value)),
            b"B\0" => plies.push((Color::Black, value)),
            b"W\0" => plies.push((Color::White, value)),
            _ => {}
        }
    }
    let mut line = Line::new(start);
    let mut notes = Vec::new();
    for (i, (color, value)) in plies.into_iter().enumerate() {
        let value = decode(value);
        let mut parts = value.split('/');
        let word = parts.next().unwrap_or_default().trim();
        let ply = Ply::parse(word).ok_or_else(|| MoveListError::NotAMove {
            number: i + 1,
            text: word.chars().take(8).collect(),
        })?;
        let played = line.played();
        line.tell(color, ply)?;
        if line.played() > played {
            notes.push(MoveNote {
                discs: parts.next().and_then(parse_discs),
                seconds: parts.next().and_then(parse_seconds),
            });
        }
    }
    details.notes = notes.into();
    Ok(Game::new(start, line.moves(), details)?)
}

fn check_game(game: &str) -> Result<(), Flaw> {
    let game = game.trim();
    if ["othello", "reversi"]
        .iter()
        .any(|name| game.eq_ignore_ascii_case(name))
    {
        Ok(())
    } else {
        Err(Flaw::OtherGame(game.chars().take(20).collect()))
    }
}

/// `8`, `s8r19`, `8k`: the letter `a` after the size stands for anti-Othello, where fewer discs win.
fn check_type(kind: &str) -> Result<(), Flaw> {
    if kind.contains(['a', 'A']) {
        Err(Flaw::OtherGame("anti-Othello".into()))
    } else {
        Ok(())
    }
}

/// `8`, then 64 squares and the side to move.
fn parse_board(text: &str) -> Result<Position, Flaw> {
    let text = text.trim_start();
    let (size, squares) = text
        .split_once(|c: char| c.is_whitespace())
        .unwrap_or((text, ""));
    if size != "8" {
        let size: String = size.chars().take(8).collect();
        return Err(Flaw::OtherGame(format!(
            "Othello on a board of size {size}"
        )));
    }
    parse_start(squares)
}

/// `+12.000`, `-64.00:r`, `?`. Edax writes −127 for "unknown"; fractions come from a komi.
fn parse_result(text: &str) -> (Option<Score>, Option<Forfeit>) {
    let (number, flag) = text.split_once(':').unwrap_or((text, ""));
    let score = number
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|discs| discs.abs() <= 64.0)
        .and_then(|discs| Score::new(discs.round() as i32));
    let forfeit = match flag.trim() {
        "r" => Some(Forfeit::Resigned),
        "t" => Some(Forfeit::OutOfTime),
        "s" => Some(Forfeit::Agreed),
        _ => None,
    };
    (score, forfeit)
}

fn parse_discs(text: &str) -> Option<f32> {
    text.trim()
        .parse()
        .ok()
        .filter(|discs: &f32| discs.is_finite())
}

/// Seconds, or minutes and seconds with colons between them.
fn parse_seconds(text: &str) -> Option<f32> {
    let mut total = 0.0;
    for part in text.trim().split(':') {
        total = total * 60.0 + part.parse::<f32>().ok()?;
    }
    Some(total).filter(|seconds: &f32| seconds.is_finite())
}

/// Writes one game and a line end.
pub(super) fn write(game: &Game, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    let details = game.details();
    losses.note(Loss::Round, details.round.is_some());
    losses.note(Loss::Theory, details.theory.is_some());
    out.write_all(to_string(game).as_bytes())
}

fn to_string(game: &Game) -> String {
    let details = game.details();
    let name = |name: &Option<Name>| escape(name.as_deref().unwrap_or("?"));
    let mut text = String::from("(;GM[Othello]");
    if let Some(event) = &details.event {
        text += &format!("PC[{}]", escape(event));
    }
    if let Some(date) = details.date {
        text += &format!("DT[{}]", date.joined_by('.'));
    }
    text += &format!("PB[{}]PW[{}]", name(&details.black), name(&details.white));
    let flag = match details.forfeit {
        Some(Forfeit::Resigned) => ":r",
        Some(Forfeit::OutOfTime) => ":t",
        Some(Forfeit::Agreed) => ":s",
        None => "",
    };
    match details.result {
        Some(score) => text += &format!("RE[{score}.000{flag}]"),
        None => text += "RE[?]",
    }
    let start = game.start();
    if start == Position::START {
        text += "TY[8]";
    } else {
        text += &format!("TY[8r{}]", start.board.disc_count());
    }
    text += &board(start);
    let mut notes = details.notes.iter();
    for told in told(start, game.moves()) {
        match told {
            Told::Move(color, square) => {
                let note = notes.next().copied().unwrap_or_default();
                text += &format!("{}[{square}{}]", letter(color), annotation(note));
            }
            Told::Pass(color) => text += &format!("{}[PA]", letter(color)),
        }
    }
    text + ";)\n"
}

fn letter(color: Color) -> char {
    match color {
        Color::Black => 'B',
        Color::White => 'W',
    }
}

/// `BO[8 -------- … *]`, a space between the rows as GGS writes it.
fn board(position: Position) -> String {
    let squares: Vec<char> = position.to_string().replace('X', "*").chars().collect();
    let mut text = String::from("BO[8");
    for row in squares.chunks(8) {
        let row: String = row.iter().collect();
        text += &format!(" {}", row.trim());
    }
    text + "]"
}

fn annotation(note: MoveNote) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match (note.discs, note.seconds) {
        (None, None) => Ok(()),
        (Some(discs), None) => write!(text, "/{discs}"),
        (None, Some(seconds)) => write!(text, "//{seconds}"),
        (Some(discs), Some(seconds)) => write!(text, "/{discs}/{seconds}"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use crate::othello::moves_to_string;
    use proptest::prelude::*;

    const HEAD: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[a]PW[b]RB[2197.01]\
         TI[05:00//02:00]TY[8]RE[+4.000:t]\
         BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    fn read(moves: &str) -> Result<Game, String> {
        parse(format!("{HEAD}{moves};)").as_bytes()).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn a_game_of_the_server_with_its_annotations() {
        let game = read("B[f5/1.50/3.25]W[d6//0.01]B[C3/-2]W[d3//1:02.5]").unwrap();
        assert_eq!(moves_to_string(game.moves()), "f5d6c3d3");
        let details = game.details();
        assert_eq!(details.black.as_deref(), Some("a"));
        assert_eq!(details.event.as_deref(), Some("GGS/os"));
        assert_eq!(details.date, Date::full(2003, 12, 15));
        assert_eq!(details.result, Score::new(4));
        assert_eq!(details.forfeit, Some(Forfeit::OutOfTime));
        let notes: Vec<_> = details.notes.iter().map(|n| (n.discs, n.seconds)).collect();
        assert_eq!(
            notes,
            [
                (Some(1.5), Some(3.25)),
                (None, Some(0.01)),
                (Some(-2.0), None),
                (None, Some(62.5))
            ]
        );
    }

    #[test]
    fn a_wrong_move_is_named() {
        assert!(read("B[f5]W[f5]").unwrap_err().contains("move 2 (f5)"));
        assert!(
            read("B[f5]B[f6]")
                .unwrap_err()
                .contains("move 2 is by Black")
        );
        assert!(
            read("B[f5]W[pa]")
                .unwrap_err()
                .contains("move 2: White may not pass")
        );
        assert!(read("B[f5]W[zz/1]").unwrap_err().contains("move 2: 'zz'"));
    }

    #[test]
    fn other_games_and_boards_are_told_apart() {
        let flaw = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert!(flaw("(;GM[Amazons];)").contains("a game of Amazons"));
        assert!(flaw("(;GM[Othello]TY[8a];)").contains("anti-Othello"));
        assert!(flaw("(;GM[Othello]TY[10]BO[10 --- *];)").contains("size 10"));
        assert!(flaw("(;GM[Othello]BO[8 --- *];)").contains("start position"));
    }

    #[test]
    fn an_unknown_result_is_none() {
        for text in ["?", "-127.000", "", "nan", "1e9"] {
            assert_eq!(parse_result(text).0, None, "{text}");
        }
        assert_eq!(
            parse_result("-64.00:r"),
            (Score::new(-64), Some(Forfeit::Resigned))
        );
        assert_eq!(parse_result("+8.500").0, Score::new(9));
    }

    #[test]
    fn a_game_as_it_is_written() {
        let game = read("B[f5/1.5]W[d6]").unwrap();
        assert_eq!(
            to_string(&game),
            "(;GM[Othello]PC[GGS/os]DT[2003.12.15]PB[a]PW[b]RE[+4.000:t]TY[8]BO[8 -------- \
             -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5/1.5]W[d6];)\n"
        );
    }

    proptest! {
        #[test]
        fn a_written_game_reads_back(game in any_game()) {
            let expected = game.with_details(|details| {
                details.round = None;
                details.theory = None;
            });
            prop_assert_eq!(parse(to_string(&game).as_bytes()), Ok(expected));
        }

        #[test]
        fn no_text_panics(text in "(\\(;|\\)|\\[|\\]|GM|BO|B|W|Othello|f5|8|/|:|\\PC){0,60}") {
            let _ = parse(text.as_bytes());
        }
    }
}
