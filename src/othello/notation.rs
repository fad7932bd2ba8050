//! Moves and positions as text: `f5d6c3…`, 64-square board strings, and either of them.

use super::bitboard::Bitboard;
use super::board::{Board, IllegalMove};
use super::position::{Color, Position};
use super::square::Square;
use std::fmt;
use std::str::FromStr;

/// A move list that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveListError {
    #[error("move {number}: '{text}' is not a move; write squares like f5, passes as -- or pa")]
    NotAMove { number: usize, text: String },
    #[error("move {number} ({square}) is illegal: {reason}")]
    Illegal {
        number: usize,
        square: Square,
        reason: IllegalMove,
    },
    #[error("move {number}: {color} may not pass while there are legal moves")]
    NeedlessPass { number: usize, color: Color },
    #[error("move {number} ({text}) comes after the end of the game")]
    AfterTheEnd { number: usize, text: String },
}

/// Moves that were played one after another from a start position, and where they lead. Passes
/// are implied, as in WTHOR: two boards tell whether one lies between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveList {
    pub moves: Vec<Square>,
    pub end: Position,
}

impl MoveList {
    /// Reads `f5d6c3`, `F5 d6 C3`, with passes as `--`, `pa`, `ps`, `pass` or left out.
    pub fn parse(start: Position, text: &str) -> Result<MoveList, MoveListError> {
        let mut end = start.after_forced_pass();
        let mut moves = Vec::new();
        let mut rest = text.trim_start();
        let mut number = 1;
        // A written pass is checked against the pass that the rules made just before it.
        let mut pass_allowed = end.turn != start.turn;
        while !rest.is_empty() {
            let (token, after) = split_move(rest);
            match token {
                Token::Pass => {
                    if !pass_allowed {
                        let color = end.turn;
                        return Err(if end.board.is_over() {
                            MoveListError::AfterTheEnd {
                                number,
                                text: "pass".into(),
                            }
                        } else {
                            MoveListError::NeedlessPass { number, color }
                        });
                    }
                    pass_allowed = false;
                }
                Token::Move(square) => {
                    let before = end;
                    end = before.play(square).map_err(|reason| {
                        if before.board.is_over() {
                            MoveListError::AfterTheEnd {
                                number,
                                text: square.to_string(),
                            }
                        } else {
                            MoveListError::Illegal {
                                number,
                                square,
                                reason,
                            }
                        }
                    })?;
                    moves.push(square);
                    pass_allowed = end.turn == before.turn;
                }
                Token::Unknown(text) => {
                    return Err(MoveListError::NotAMove {
                        number,
                        text: text.to_owned(),
                    });
                }
            }
            number += 1;
            rest = after.trim_start();
        }
        Ok(MoveList { moves, end })
    }
}

enum Token<'a> {
    Move(Square),
    Pass,
    Unknown(&'a str),
}

/// The first token of a text that does not start with a space, and what follows it.
fn split_move(text: &str) -> (Token<'_>, &str) {
    let starts_with = |word: &str| {
        text.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    for pass in ["pass", "--", "pa", "ps"] {
        if starts_with(pass) {
            return (Token::Pass, &text[pass.len()..]);
        }
    }
    if let Some(square) = text.get(..2).and_then(|head| head.parse().ok()) {
        return (Token::Move(square), &text[2..]);
    }
    // Quote what a reader would call a word, or the next two characters of a run.
    let end = text
        .char_indices()
        .find(|&(i, c)| c.is_whitespace() || i >= 8)
        .map_or(text.len(), |(i, _)| i);
    (Token::Unknown(&text[..end]), &text[end..])
}

/// The moves as one word: `f5d6c3`.
pub fn moves_to_string(moves: &[Square]) -> String {
    moves.iter().map(Square::to_string).collect()
}

/// A board string that is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardStringError {
    #[error(
        "'{found}' at place {place} is not a square: use X, x, *, b for Black, O, o, w for White \
         and - or . for empty"
    )]
    BadSquare { place: usize, found: char },
    #[error("a board has 64 squares, this one {0}; after them comes the side to move, X or O")]
    WrongLength(usize),
    #[error("the side to move is missing: add X (Black) or O (White) after the 64 squares")]
    NoSide,
    #[error("'{0}' is no side to move: write X or O after the 64 squares")]
    BadSide(String),
}

/// What a character of a board string stands for.
fn square_of(c: char) -> Option<Option<Color>> {
    match c {
        '-' | '.' | '_' => Some(None),
        'X' | 'x' | '*' | 'B' | 'b' | '●' => Some(Some(Color::Black)),
        'O' | 'o' | '0' | 'W' | 'w' | '○' => Some(Some(Color::White)),
        _ => None,
    }
}

impl FromStr for Position {
    type Err = BoardStringError;

    /// Reads 64 squares, a1 first, and the side to move, spaces anywhere.
    fn from_str(text: &str) -> Result<Position, BoardStringError> {
        let mut discs = [Bitboard::EMPTY; 2];
        let mut characters = text.chars().filter(|c| !c.is_whitespace());
        for (place, square) in Square::all().enumerate() {
            let found = characters
                .next()
                .ok_or(BoardStringError::WrongLength(place))?;
            match square_of(found) {
                Some(None) => {}
                Some(Some(color)) => discs[color as usize] |= square.into(),
                None => {
                    let place = place + 1;
                    return Err(BoardStringError::BadSquare { place, found });
                }
            }
        }
        let side: String = characters.collect();
        let turn = match side.to_ascii_lowercase().as_str() {
            "" => return Err(BoardStringError::NoSide),
            "black" => Color::Black,
            "white" => Color::White,
            letter => {
                let mut letters = letter.chars();
                match (letters.next().and_then(square_of), letters.next()) {
                    (Some(Some(color)), None) => color,
                    _ if side.chars().all(|c| square_of(c).is_some()) => {
                        return Err(BoardStringError::WrongLength(64 + side.chars().count()));
                    }
                    _ => return Err(BoardStringError::BadSide(side)),
                }
            }
        };
        let [mover, opponent] = match turn {
            Color::Black => discs,
            Color::White => [discs[1], discs[0]],
        };
        // Every square got one character, so the two sets are apart.
        Board::new(mover, opponent)
            .map(|board| Position { board, turn })
            .ok_or(BoardStringError::NoSide)
    }
}

/// 64 squares, a space and the side to move, as OBF files and Edax write them.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let black = self.discs(Color::Black);
        let white = self.discs(Color::White);
        let squares: String = Square::all()
            .map(
                |square| match (black.contains(square), white.contains(square)) {
                    (true, _) => 'X',
                    (_, true) => 'O',
                    _ => '-',
                },
            )
            .collect();
        write!(f, "{squares} {}", self.turn.letter())
    }
}

/// A text that is neither a board nor a move list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionTextError {
    #[error(transparent)]
    Moves(#[from] MoveListError),
    #[error(transparent)]
    Board(#[from] BoardStringError),
}

/// A position as a user types it: a board string, or moves from the start (none, or `start`,
/// means the start itself).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionText {
    pub position: Position,
    /// The moves that led there, when moves were given.
    pub moves: Option<Vec<Square>>,
}

impl FromStr for PositionText {
    type Err = PositionTextError;

    fn from_str(text: &str) -> Result<PositionText, PositionTextError> {
        let trimmed = text.trim();
        let words = if trimmed.eq_ignore_ascii_case("start") {
            ""
        } else {
            trimmed
        };
        // A move needs a digit and a board string has none but a rare 0; no board is as short as
        // a few moves, and no game as short as a board without digits.
        let is_board = !words.is_empty() && !words.contains(|c: char| ('1'..='8').contains(&c));
        if is_board && words.chars().filter(|c| !c.is_whitespace()).count() > 8 {
            let position = words.parse()?;
            Ok(PositionText {
                position,
                moves: None,
            })
        } else {
            let list = MoveList::parse(Position::START, words)?;
            Ok(PositionText {
                position: list.end,
                moves: Some(list.moves),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moves(text: &str) -> Result<String, String> {
        MoveList::parse(Position::START, text)
            .map(|list| moves_to_string(&list.moves))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn spaces_and_capitals_are_welcome() {
        assert_eq!(moves(" F5d6  C3\nd3 "), Ok("f5d6c3d3".into()));
        assert_eq!(moves(""), Ok(String::new()));
    }

    /// Black wipes White out with the ninth move.
    const SHORT_GAME: &str = "e6f4e3f6g5d6e7f5c5";

    #[test]
    fn a_pass_may_be_written_or_left_out_but_not_invented() {
        assert_eq!(moves(SHORT_GAME), Ok(SHORT_GAME.into()));
        let error = moves("f5--d6").unwrap_err();
        assert!(error.contains("move 2: White may not pass"), "{error}");
        let error = moves(&format!("{SHORT_GAME}a1")).unwrap_err();
        assert!(error.contains("after the end"), "{error}");

        let start: Position = "-OX-----------------------------------------------------XO------ X"
            .parse()
            .unwrap();
        for text in ["a1c8", "a1--c8", "a1 PA c8", "a1passc8"] {
            let list = MoveList::parse(start, text).unwrap();
            assert_eq!(moves_to_string(&list.moves), "a1c8", "{text}");
        }
        assert!(
            MoveList::parse(start, "a1----c8").is_err(),
            "one pass, not two"
        );
    }

    #[test]
    fn errors_name_the_move() {
        assert_eq!(
            moves("f5f5"),
            Err("move 2 (f5) is illegal: f5 is occupied".into())
        );
        assert_eq!(
            moves("f5a1"),
            Err("move 2 (a1) is illegal: a1 turns no disc".into())
        );
        assert!(moves("f5 xyzzy").unwrap_err().contains("move 2: 'xyzzy'"));
        assert!(moves("é").unwrap_err().contains("'é'"));
    }

    #[test]
    fn board_strings_of_every_style_mean_the_same() {
        let expected = Position::START;
        let row = "........";
        for (b, w, e, side) in [
            ('X', 'O', '-', "X"),
            ('*', 'o', '.', "*"),
            ('b', 'w', '_', "black"),
        ] {
            let squares = |s: &str| {
                s.chars()
                    .map(|c| match c {
                        'X' => b,
                        'O' => w,
                        _ => e,
                    })
                    .collect::<String>()
            };
            let rows = [row, row, row, "...OX...", "...XO...", row, row, row].map(squares);
            let text = format!("{}\n{side}", rows.join(" \n"));
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn board_errors_tell_what_to_write() {
        let dashes = |n: usize| "-".repeat(n);
        let error = |text: String| text.parse::<Position>().unwrap_err().to_string();
        assert!(error(dashes(63)).contains("this one 63"));
        assert!(error(dashes(64)).contains("add X (Black) or O (White)"));
        assert!(error(dashes(66)).contains("this one 66"));
        assert!(error(dashes(64) + "?").contains("'?' is no side"));
        assert!(error("--q".into()).contains("'q' at place 3"));
    }

    #[test]
    fn a_position_may_be_typed_either_way() {
        let read = |text: &str| text.parse::<PositionText>();
        assert_eq!(read("start").unwrap().position, Position::START);
        assert_eq!(read("").unwrap().moves, Some(vec![]));
        assert_eq!(read("f5D6").unwrap().moves.unwrap().len(), 2);
        assert_eq!(
            read(&Position::START.to_string()).unwrap().position,
            Position::START
        );
        assert!(matches!(read("f5d7"), Err(PositionTextError::Moves(_))));
        assert!(matches!(read("hello"), Err(PositionTextError::Moves(_))));
        assert!(matches!(
            read("--XXOO-----"),
            Err(PositionTextError::Board(_))
        ));
    }

    proptest! {
        #[test]
        fn every_position_reads_back(discs: u64, colours: u64, black: bool) {
            let board = Board::new(Bitboard(discs & colours), Bitboard(discs & !colours)).unwrap();
            let turn = if black { Color::Black } else { Color::White };
            let position = Position { board, turn };
            prop_assert_eq!(position.to_string().parse(), Ok(position));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,80}") {
            let _ = text.parse::<PositionText>();
            let _ = text.parse::<Position>();
        }
    }
}
