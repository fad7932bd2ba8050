//! The syntax that GGF and SGF share: games in brackets, made of properties with values in square
//! brackets. A stream is first cut into games, then each game is read on its own, so a broken
//! game does no harm to the next one.

use super::flaw::Flaw;
use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind};

/// No real game comes near it; it bounds the memory a broken file can take.
pub(super) const GAME_LIMIT: usize = 1 << 20;

/// Cuts a stream into games, from `(;` to the closing bracket.
pub(super) struct Games<R> {
    input: R,
    cutter: Cutter,
}

impl<R: BufRead> Games<R> {
    pub fn new(input: R) -> Games<R> {
        Games {
            input,
            cutter: Cutter::default(),
        }
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<Result<Vec<u8>, Flaw>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let chunk = match self.input.fill_buf() {
                Ok([]) => return (self.cutter.depth > 0).then(|| Ok(self.cutter.end(false))),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Some(Err(error)),
            };
            let mut used = 0;
            let game = chunk.iter().find_map(|&byte| {
                used += 1;
                self.cutter.step(byte)
            });
            self.input.consume(used);
            if let Some(game) = game {
                return Some(Ok(game));
            }
        }
    }
}

/// The state between two bytes.
#[derive(Default)]
struct Cutter {
    text: Vec<u8>,
    /// How long the game is, also beyond the limit.
    length: usize,
    depth: u32,
    in_value: bool,
    escaped: bool,
    /// `(` was seen outside a game.
    opening: bool,
    /// The last eight bytes, to notice a game that begins inside another.
    last: u64,
}

/// Every program writes one of these first, and none writes it anywhere else.
const FIRST_PROPERTIES: [[u8; 5]; 2] = [*b"(;GM[", *b"(;FF["];

impl Cutter {
    fn begin(&mut self, text: &[u8], in_value: bool) {
        self.text = text.to_vec();
        self.length = text.len();
        self.depth = 1;
        self.in_value = in_value;
        self.escaped = false;
        self.opening = false;
    }

    fn end(&mut self, closed: bool) -> Result<Vec<u8>, Flaw> {
        self.depth = 0;
        let text = std::mem::take(&mut self.text);
        if self.length > GAME_LIMIT {
            Err(Flaw::TooLong { limit: GAME_LIMIT })
        } else if closed {
            Ok(text)
        } else {
            Err(Flaw::Unclosed)
        }
    }

    /// Takes a byte; gives a game when it ends one.
    fn step(&mut self, byte: u8) -> Option<Result<Vec<u8>, Flaw>> {
        self.last = self.last << 8 | u64::from(byte);
        if self.depth == 0 {
            match byte {
                b'(' => self.opening = true,
                b';' if self.opening => self.begin(b"(;", false),
                _ if byte.is_ascii_whitespace() => {}
                _ => self.opening = false,
            }
            return None;
        }
        self.length = self.length.saturating_add(1);
        if self.text.len() < GAME_LIMIT {
            self.text.push(byte);
        }
        let was_in_value = self.in_value;
        if was_in_value {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b']' => self.in_value = false,
                _ => {}
            }
        } else {
            match byte {
                b'[' => self.in_value = true,
                b'(' => self.depth = self.depth.saturating_add(1),
                b')' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.end(true));
                    }
                }
                _ => {}
            }
        }
        let first = self.starts_anew(byte, was_in_value)?;
        let unclosed = self.end(false);
        self.begin(&first, true);
        Some(unclosed)
    }

    /// The game before was cut off when a first property comes in its middle; inside a value it
    /// must also be at the start of a line, because a name may hold anything.
    fn starts_anew(&self, byte: u8, was_in_value: bool) -> Option<[u8; 5]> {
        if byte != b'[' || self.length <= 5 {
            return None;
        }
        let [.., before, a, b, c, d, e] = self.last.to_be_bytes();
        let at_line_start = matches!(before, b'\n' | b'\r');
        FIRST_PROPERTIES
            .into_iter()
            .find(|first| *first == [a, b, c, d, e] && (!was_in_value || at_line_start))
    }
}

/// A property's name, its one or two capital letters; a name of one letter ends in 0, and a longer
/// one, which no Othello program uses, is `??`.
pub(super) type Ident = [u8; 2];

/// The properties on a game's main line: at every fork the first branch, as far as it goes.
pub(super) struct Properties<'a> {
    rest: &'a [u8],
    letters: [u8; 2],
    count: usize,
    after_letters: bool,
}

impl<'a> Properties<'a> {
    pub fn of(game: &'a [u8]) -> Properties<'a> {
        Properties {
            rest: game,
            letters: [0; 2],
            count: 0,
            after_letters: false,
        }
    }

    /// Old SGF has small letters in names (`GaMe` is `GM`), and some programs write GGF in small
    /// letters only: capitals count, or else all letters.
    fn letter(&mut self, byte: u8) {
        if !self.after_letters {
            (self.letters, self.count, self.after_letters) = ([0; 2], 0, true);
        }
        let only_small = !self.letters.iter().any(u8::is_ascii_uppercase);
        if byte.is_ascii_uppercase() && only_small {
            (self.letters, self.count) = ([0; 2], 0);
        }
        if byte.is_ascii_uppercase() || only_small {
            if let Some(place) = self.letters.get_mut(self.count) {
                *place = byte;
            }
            self.count += 1;
        }
    }

    fn ident(&self) -> Ident {
        if self.count > 2 {
            *b"??"
        } else {
            self.letters.map(|letter| letter.to_ascii_uppercase())
        }
    }
}

impl<'a> Iterator for Properties<'a> {
    type Item = (Ident, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'[' => {
                    self.after_letters = false;
                    let end = value_end(rest);
                    let (value, after) = rest.split_at(end);
                    self.rest = after.get(1..).unwrap_or_default();
                    return Some((self.ident(), value));
                }
                b')' => {
                    self.rest = &[];
                    return None;
                }
                b'(' | b';' => self.after_letters = false,
                _ if byte.is_ascii_alphabetic() => self.letter(byte),
                _ => {}
            }
        }
    }
}

/// Where a value ends: at the first `]` that no backslash protects.
fn value_end(text: &[u8]) -> usize {
    let mut escaped = false;
    for (i, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b']' => return i,
            _ => {}
        }
    }
    text.len()
}

/// A value's text with its escapes undone: a backslash protects the next character, and a
/// protected line end is none.
pub(super) fn unescape(value: &[u8]) -> String {
    let text = decode(value);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('\n' | '\r') | None => {}
                Some(protected) => plain.push(protected),
            },
            _ => plain.push(c),
        }
    }
    plain
}

/// A text as a value may hold it.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// UTF-8, or else Latin-1, which every byte string is: old programs wrote nothing else.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<Result<String, Flaw>> {
        Games::new(text.as_bytes())
            .map(|game| game.unwrap().map(|text| String::from_utf8(text).unwrap()))
            .collect()
    }

    fn properties(text: &str) -> Vec<(String, String)> {
        Properties::of(text.as_bytes())
            .map(|(ident, value)| {
                let ident = ident.iter().filter(|&&b| b != 0);
                (ident.map(|&b| b as char).collect(), unescape(value))
            })
            .collect()
    }

    #[test]
    fn several_games_on_a_line_and_text_between_them() {
        let games = cut("2 (;GM[Othello];)(;GM[Othello]PB[(;)];) words (\n;GM[2](;B[f5])(;B[e6]))");
        let expected = [
            "(;GM[Othello];)",
            "(;GM[Othello]PB[(;)];)",
            "(;GM[2](;B[f5])(;B[e6]))",
        ];
        assert_eq!(games, expected.map(|game| Ok(game.to_owned())));
    }

    #[test]
    fn a_game_that_is_cut_off_does_not_swallow_the_next() {
        let whole = "(;GM[Othello]PB[x];)";
        for broken in [
            "(;GM[Othello]PB[x",
            "(;GM[Othello]PB[x]",
            "(;GM[Othello]PB[x\\",
        ] {
            let games = cut(&format!("{broken}\n{whole}"));
            assert_eq!(
                games,
                [Err(Flaw::Unclosed), Ok(whole.to_owned())],
                "{broken}"
            );
            assert_eq!(cut(broken), [Err(Flaw::Unclosed)]);
        }
        assert_eq!(
            cut(&format!("(;GM[Othello]PB[x]{whole}")),
            [Err(Flaw::Unclosed), Ok(whole.to_owned())],
            "also on the same line"
        );
    }

    #[test]
    fn an_endless_game_is_not_kept_in_memory() {
        let text = format!(
            "(;GM[Othello]C[{}];)(;GM[Othello];)",
            "x".repeat(GAME_LIMIT)
        );
        let mut games = Games::new(text.as_bytes());
        let flaw = Flaw::TooLong { limit: GAME_LIMIT };
        assert_eq!(games.next().unwrap().unwrap(), Err(flaw));
        assert!(games.cutter.text.capacity() <= 2 * GAME_LIMIT);
        assert_eq!(
            games.next().unwrap().unwrap(),
            Ok(b"(;GM[Othello];)".to_vec())
        );
    }

    #[test]
    fn the_main_line_is_the_first_branch() {
        let names: Vec<String> = properties("(;GM[2];B[f5](;W[d6])(;W[f6];B[e6]))")
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        assert_eq!(names, ["2", "f5", "d6"]);
    }

    #[test]
    fn names_of_properties_in_old_and_new_spelling() {
        let found = properties("(;GaMe[2]White[d6]b[f5]AB[e4] [d5]comment[x]pb[y])");
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(ident, value)| (ident.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("GM", "2"),
                ("W", "d6"),
                ("B", "f5"),
                ("AB", "e4"),
                ("AB", "d5"),
                ("??", "x"),
                ("PB", "y")
            ]
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_latin1() {
        assert_eq!(unescape(b"Pr\xe9qualif"), "Préqualif");
        assert_eq!(unescape("Préqualif".as_bytes()), "Préqualif");
        assert_eq!(unescape(b"a\\]b\\\\c\\\nd"), "a]b\\cd");
    }

    proptest! {
        #[test]
        fn any_text_survives_in_a_value(text in "\\PC{0,40}") {
            let game = format!("(;GM[Othello]PB[{}];)", escape(&text));
            prop_assert_eq!(cut(&game), vec![Ok(game.clone())]);
            prop_assert_eq!(&properties(&game)[1].1, &text);
        }
    }
}
