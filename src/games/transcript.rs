//! Plain transcripts: one game per line, the moves first, then what is known about it.
//!
//! ```text
//! f5d6c3d3c4      black=Rose   white=Tamenori   date=1990   result=+12
//! -------------------O-------OO------XO--------------------------- X;d2c3
//! # a comment
//! ```
//!
//! Fields are separated by tabs or, in a line without tabs, by semicolons. A field is `key=value`
//! (black, white, event, round, date, result, forfeit, theory), or it tells by itself what it is:
//! a date, a result (`+12`, `34-30`); other fields are Black, White and the event, in this order.
//! A game from another start has the board and a semicolon before its moves, as Edax writes it.
//! In a `key=value` field `\t`, `\n`, `\\` stand for a tab, a line end and a backslash.

use super::bracket::decode;
use super::date::Date;
use super::flaw::Flaw;
use super::game::{Details, Forfeit, Game, Theory};
use super::line::parse_start;
use super::loss::{Loss, Losses};
use super::moves::Moves;
use super::name::Name;
use crate::othello::{MoveList, MoveListError, Position, Score, moves_to_string};
use std::io::{self, BufRead, ErrorKind, Write};

/// No real line comes near it; it bounds the memory a broken file can take.
pub(super) const LINE_LIMIT: usize = 1 << 16;

/// Cuts a stream into the lines that hold games.
pub(super) struct Lines<R> {
    input: R,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input }
    }

    /// The next line, its excess beyond the limit dropped; the length tells how long it was.
    fn line(&mut self) -> io::Result<Option<(Vec<u8>, usize)>> {
        let mut line = Vec::new();
        let mut length = 0usize;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok((length > 0).then_some((line, length)));
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            let room = LINE_LIMIT.saturating_sub(line.len()).min(part.len());
            line.extend_from_slice(part.get(..room).unwrap_or_default());
            length = length.saturating_add(part.len() + usize::from(end.is_some()));
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some((line, length)));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Result<Vec<u8>, Flaw>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.line() {
                Ok(None) => return None,
                Ok(Some((_, length))) if length > LINE_LIMIT + 1 => {
                    return Some(Ok(Err(Flaw::TooLong { limit: LINE_LIMIT })));
                }
                Ok(Some((line, _))) if holds_a_game(&line) => return Some(Ok(Ok(line))),
                Ok(Some(_)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Neither blank nor a comment.
pub(super) fn holds_a_game(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|&byte| byte != b'#')
}

/// Whether a line is built like a game, legal or not: this is how the format is recognised.
pub(super) fn looks_like_a_game(line: &[u8]) -> bool {
    let text = decode(line);
    let (start, moves, _) = fields(&text);
    // Squares decide, whether they can be played or not.
    let list = moves.map(|moves| MoveList::parse(Position::START, moves));
    start.is_some() || !matches!(list, None | Some(Err(MoveListError::NotAMove { .. })))
}

/// The start if the line gives one, the moves if there is anything, and the fields after them.
fn fields(line: &str) -> (Option<Result<Position, Flaw>>, Option<&str>, Vec<&str>) {
    let line = line.trim_start_matches('\u{feff}').trim();
    let separator = if line.contains('\t') { '\t' } else { ';' };
    let mut rest = line.split(separator);
    let mut moves = rest.next().unwrap_or_default().trim();
    let mut start = None;
    let mut board = moves;
    if let Some((before, after)) = moves.split_once(';') {
        board = before;
        moves = after.trim();
    }
    if is_board(board) {
        start = Some(parse_start(board));
        if separator == ';' {
            moves = rest.next().unwrap_or_default().trim();
        }
    }
    // A comment after the moves.
    if let Some((before, _)) = moves.split_once('#') {
        moves = before.trim();
    }
    let moves = match moves {
        "" if start.is_none() => None,
        word if word.eq_ignore_ascii_case("start") => Some(""),
        moves => Some(moves),
    };
    (start, moves, rest.collect())
}

/// Sixty-odd characters without the digits that moves are made of.
fn is_board(text: &str) -> bool {
    text.len() >= 60 && !text.contains(|c: char| ('1'..='8').contains(&c))
}

/// Reads one line.
pub(super) fn parse(line: &[u8]) -> Result<Game, Flaw> {
    let text = decode(line);
    let (start, moves, fields) = fields(&text);
    let start = start.transpose()?.unwrap_or(Position::START);
    let moves = moves.ok_or(MoveListError::NotAMove {
        number: 1,
        text: String::new(),
    })?;
    let list = MoveList::parse(start, moves)?;
    let moves = Moves::try_from(&list.moves[..]).map_err(|_| MoveListError::AfterTheEnd {
        number: Moves::MAX + 1,
        text: "more moves".into(),
    })?;
    Ok(Game::new(start, moves, parse_details(&fields))?)
}

fn parse_details(fields: &[&str]) -> Details {
    let mut details = Details::default();
    let mut nameless = 0;
    for field in fields.iter().map(|field| field.trim()) {
        if let Some((key, value)) = field.split_once('=') {
            set(&mut details, key.trim(), &unescape(value.trim()));
        } else if let Some(date) = Date::parse(field) {
            details.date = Some(date);
        } else if let Some(score) = parse_result(field) {
            details.result = Some(score);
        } else {
            let name = Name::tidy(field);
            match nameless {
                0 => details.black = name,
                1 => details.white = name,
                2 => details.event = name,
                _ => {}
            }
            nameless += 1;
        }
    }
    details
}

fn set(details: &mut Details, key: &str, value: &str) {
    match key.to_ascii_lowercase().as_str() {
        "black" => details.black = Name::tidy(value),
        "white" => details.white = Name::tidy(value),
        "event" | "tournament" => details.event = Name::tidy(value),
        "round" => details.round = Name::tidy(value),
        "date" | "year" => details.date = Date::parse(value),
        "result" | "score" => details.result = parse_result(value),
        "forfeit" => details.forfeit = parse_forfeit(value),
        "theory" => details.theory = parse_theory(value),
        _ => {}
    }
}

/// `+12`, `-4`, or the discs of both players, `34-30`.
fn parse_result(text: &str) -> Option<Score> {
    if text.starts_with(['+', '-']) {
        return Score::new(text.parse().ok()?);
    }
    let (black, white) = text.split_once('-')?;
    let [black, white] = [black, white].map(|discs| discs.trim().parse::<u8>().ok());
    let (black, white) = (black?, white?);
    (u32::from(black) + u32::from(white) <= 64)
        .then(|| Score::of_finished(u32::from(black), u32::from(white)))
}

const FORFEITS: [(&str, Forfeit); 3] = [
    ("resigned", Forfeit::Resigned),
    ("time", Forfeit::OutOfTime),
    ("agreed", Forfeit::Agreed),
];

fn parse_forfeit(text: &str) -> Option<Forfeit> {
    FORFEITS
        .into_iter()
        .find_map(|(word, forfeit)| (word == text).then_some(forfeit))
}

/// `+4@24`: the score, and the empty squares it was computed at.
fn parse_theory(text: &str) -> Option<Theory> {
    let (score, empties) = text.split_once('@')?;
    let empties = empties.parse().ok().filter(|&empties: &u8| empties <= 64)?;
    let score = Score::new(score.parse().ok()?)?;
    Some(Theory { score, empties })
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, characters.as_str().chars().next()) {
            ('\\', Some(next @ ('\\' | 't' | 'n'))) => {
                characters.next();
                plain.push(match next {
                    't' => '\t',
                    'n' => '\n',
                    other => other,
                });
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// Writes one line.
pub(super) fn write(game: &Game, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    losses.note(Loss::Notes, !game.details().notes.is_empty());
    out.write_all(to_string(game).as_bytes())
}

fn to_string(game: &Game) -> String {
    let details = game.details();
    let mut text = String::new();
    if game.start() != Position::START {
        text += &format!("{};", game.start());
    }
    text += &match game.moves() {
        [] => "start".to_owned(),
        moves => moves_to_string(moves),
    };
    let name = |name: &Option<Name>| name.as_ref().map(|name| name.replace('\\', "\\\\"));
    let forfeit = details.forfeit.and_then(|forfeit| {
        let word = FORFEITS.into_iter().find(|&(_, kind)| kind == forfeit);
        word.map(|(word, _)| word.to_owned())
    });
    let theory = details
        .theory
        .map(|theory| format!("{}@{}", theory.score, theory.empties));
    let fields = [
        ("black", name(&details.black)),
        ("white", name(&details.white)),
        ("event", name(&details.event)),
        ("round", name(&details.round)),
        ("date", details.date.map(|date| date.to_string())),
        ("result", details.result.map(|score| score.to_string())),
        ("forfeit", forfeit),
        ("theory", theory),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            text += &format!("\t{key}={value}");
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use proptest::prelude::*;

    fn read(line: &str) -> Game {
        parse(line.as_bytes()).unwrap()
    }

    #[test]
    fn metadata_by_name_or_by_place() {
        let by_name = read("f5d6\tblack=Rose\tWhite=Tamenori\tdate=1990-10\tresult=+12\tx=y");
        let by_place = read(" F5 d6 ; Rose; Tamenori; 38-26; 1990-10");
        assert_eq!(by_name, by_place);
        let details = by_name.details();
        assert_eq!(details.black.as_deref(), Some("Rose"));
        assert_eq!(details.date, Date::year_and_month(1990, 10));
        assert_eq!(details.result, Score::new(12));
    }

    #[test]
    fn a_board_before_the_moves_is_the_start() {
        let board = "-------------------O-------OO------XO--------------------------- X";
        for line in [
            format!("{board};d2c3"),
            format!("{board};d2c3;Rose"),
            format!("{board};d2c3\tblack=Rose"),
            format!("{board}\t"),
        ] {
            let found = parse(line.as_bytes());
            let game = found.unwrap_or_else(|flaw| panic!("{line}: {flaw}"));
            assert_eq!(game.start(), board.parse().unwrap(), "{line}");
        }
        assert!(matches!(
            parse(format!("{}; f5", "-".repeat(63)).as_bytes()),
            Err(Flaw::Start(_))
        ));
    }

    #[test]
    fn blank_lines_and_comments_are_no_games() {
        let text = "\u{feff}# games\n\nf5d6 # the diagonal\r\n   # more\nf5f6";
        let games: Vec<_> = Lines::new(text.as_bytes())
            .map(|line| parse(&line.unwrap().unwrap()).unwrap().moves().len())
            .collect();
        assert_eq!(games, [2, 2]);
    }

    #[test]
    fn an_endless_line_is_one_bad_game() {
        let text = format!("f5\n{}\nf5d6\n", "f5 ".repeat(LINE_LIMIT));
        let games: Vec<_> = Lines::new(text.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(games.len(), 3);
        assert_eq!(games[1], Err(Flaw::TooLong { limit: LINE_LIMIT }));
        assert_eq!(games[2].as_deref(), Ok(&b"f5d6"[..]));
    }

    #[test]
    fn prose_does_not_look_like_a_game() {
        for line in ["f5d6c3", "f5 f5", "a1 -- b2; x", "start\tblack=x"] {
            assert!(looks_like_a_game(line.as_bytes()), "{line}");
        }
        for line in [
            "f5 is a good move",
            "hello; world",
            "a",
            "{\"f5\": 1}",
            ";x",
        ] {
            assert!(!looks_like_a_game(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_line_as_it_is_written() {
        let game = read("f5d6;Rose;;1990;-4");
        assert_eq!(to_string(&game), "f5d6\tblack=Rose\tdate=1990\tresult=-4\n");
    }

    proptest! {
        #[test]
        fn a_written_game_reads_back(game in any_game()) {
            let expected = game.with_details(|details| details.notes = Box::default());
            prop_assert_eq!(parse(to_string(&game).as_bytes()), Ok(expected));
        }

        #[test]
        fn no_line_panics(line in "(f5|d6|[a-h][1-8]|;|\t|black=|date=|[-XO]{16}|\\PC){0,40}") {
            let _ = parse(line.as_bytes());
            let _ = looks_like_a_game(line.as_bytes());
        }
    }
}
