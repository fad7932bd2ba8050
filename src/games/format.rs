//! The formats of collections, and how they are told apart: by content before name.

use super::bracket::{Properties, decode};
use super::transcript::{holds_a_game, looks_like_a_game};
use super::wthor::{self, Header};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of game collections.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    Wthor,
    Ggf,
    Sgf,
    Transcript,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Wthor, Format::Ggf, Format::Sgf, Format::Transcript];

    /// The usual ending of a file name, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Wthor => "wtb",
            Format::Ggf => "ggf",
            Format::Sgf => "sgf",
            Format::Transcript => "txt",
        }
    }

    /// The format that a file name asks for, `.gz` and `.zst` aside.
    pub fn of_name(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name
            .strip_suffix(".gz")
            .or(name.strip_suffix(".zst"))
            .unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        Format::ALL
            .into_iter()
            .find(|format| format.extension() == extension)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Wthor => "WTHOR",
            Format::Ggf => "GGF",
            Format::Sgf => "SGF",
            Format::Transcript => "transcript",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let name = name.to_ascii_lowercase();
        Format::ALL
            .into_iter()
            .find(|format| {
                name == format.extension() || name == format.to_string().to_ascii_lowercase()
            })
            .ok_or_else(|| {
                format!("'{name}' is no format: choose wthor (wtb), ggf, sgf or transcript (txt)")
            })
    }
}

/// Why bytes are not a collection of Othello games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotACollection {
    #[error("it is empty")]
    Empty,
    #[error("it is a directory; name the files in it")]
    Directory,
    #[error("it is a table of names; it is read along with the .wtb files beside it")]
    NameTable,
    #[error("its games are on a board of size {0}; only 8x8 is read")]
    BoardSize(u8),
    #[error("its games are of {0}, not of Othello")]
    OtherGame(String),
    #[error("it is a {0} archive; unpack it first (only .gz and .zst are read as they are)")]
    Archive(&'static str),
    #[error(
        "it is no game collection; known are WTHOR (.wtb), GGF (.ggf), SGF for Othello (.sgf) \
         and transcripts (.txt, one game per line, such as f5d6c3), also as .gz or .zst"
    )]
    Unknown,
}

/// Recognises a format by a stream's first bytes; `length` is that of the whole stream where it
/// is known.
pub(super) fn detect(
    head: &[u8],
    length: Option<u64>,
    name: Option<&Path>,
) -> Result<Format, NotACollection> {
    if head.is_empty() {
        return Err(NotACollection::Empty);
    }
    const ARCHIVES: [(&[u8], &str); 5] = [
        (b"PK\x03\x04", "ZIP"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"Rar!", "RAR"),
    ];
    for (magic, name) in ARCHIVES {
        if head.starts_with(magic) {
            return Err(NotACollection::Archive(name));
        }
    }
    if wthor::is_name_table(head) {
        return Err(NotACollection::NameTable);
    }
    if is_wthor(head, length, name) {
        return match Header::parse(head) {
            Some(Header {
                board_size: size @ 1..=7 | size @ 9..,
                ..
            }) => Err(NotACollection::BoardSize(size)),
            _ => Ok(Format::Wthor),
        };
    }
    let is_binary = head
        .iter()
        .any(|&byte| byte < b' ' && !byte.is_ascii_whitespace() && byte != 0x1a);
    if is_binary {
        return Err(NotACollection::Unknown);
    }
    if let Some(found) = detect_brackets(head) {
        return found;
    }
    if is_transcript(head) {
        return Ok(Format::Transcript);
    }
    Err(NotACollection::Unknown)
}

/// The header must be one, or else the name and the length must both say so: then only the date
/// in the header is damaged.
fn is_wthor(head: &[u8], length: Option<u64>, name: Option<&Path>) -> bool {
    let Some(header) = Header::parse(head) else {
        return false;
    };
    let plausible = header.names == 0 && header.depth <= 60 && header.board_size <= 20;
    if header.dated && plausible {
        return true;
    }
    let whole = (wthor::HEADER + wthor::RECORD * header.games as usize) as u64;
    name.and_then(Format::of_name) == Some(Format::Wthor) && length == Some(whole)
}

/// The first game in brackets says which format it is.
fn detect_brackets(head: &[u8]) -> Option<Result<Format, NotACollection>> {
    let game = head
        .iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == b'(')
        .filter_map(|(at, _)| head.get(at..))
        .find(|game| begins_a_game(game))?;
    for (ident, value) in Properties::of(game).take(64) {
        let value = decode(value);
        let value = value.trim();
        match &ident {
            b"BO" => return Some(Ok(Format::Ggf)),
            b"GM" => {
                let is = |name: &str| value.eq_ignore_ascii_case(name);
                return Some(match value {
                    "2" => Ok(Format::Sgf),
                    _ if is("othello") || is("reversi") => Ok(Format::Ggf),
                    "1" => Err(NotACollection::OtherGame("Go".into())),
                    other => Err(NotACollection::OtherGame(other.chars().take(20).collect())),
                });
            }
            _ => {}
        }
    }
    Some(Ok(Format::Sgf))
}

/// `(;`, a property's name and a value: this is no smile.
fn begins_a_game(text: &[u8]) -> bool {
    let Some(name) = text
        .strip_prefix(b"(")
        .and_then(|rest| rest.trim_ascii_start().strip_prefix(b";"))
    else {
        return false;
    };
    let name = name.trim_ascii_start();
    let letters = name.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let value = name.get(letters..).unwrap_or_default().trim_ascii_start();
    letters > 0 && value.first() == Some(&b'[')
}

/// Most of the first lines are built like games.
fn is_transcript(head: &[u8]) -> bool {
    let mut lines: Vec<&[u8]> = head.split(|&byte| byte == b'\n').collect();
    // The last line may be cut off by the end of the head.
    if lines.len() > 1 {
        lines.pop();
    }
    let lines: Vec<&[u8]> = lines
        .into_iter()
        .filter(|line| holds_a_game(line))
        .take(50)
        .collect();
    let games = lines.iter().filter(|line| looks_like_a_game(line)).count();
    games > 0 && 2 * games >= lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(bytes: &[u8]) -> Result<Format, NotACollection> {
        detect(bytes, Some(bytes.len() as u64), None)
    }

    #[test]
    fn the_content_tells_the_format() {
        let ggf = b"\xef\xbb\xbf 1 (;GM[Othello]PC[x]BO[8 ...] B[f5];)";
        assert_eq!(found(ggf), Ok(Format::Ggf));
        assert_eq!(found(b"(\n;FF[4]\nGM[2]SZ[8];B[f5])"), Ok(Format::Sgf));
        assert_eq!(found(b"(;FF[4]\nGM[2]SZ[8];B[f5])"), Ok(Format::Sgf));
        assert_eq!(found(b"From: me (;-)\n\n(;SZ[8];B[f5])"), Ok(Format::Sgf));
        assert_eq!(
            found(b"# games\nf5d6c3\nhello\nf5\n"),
            Ok(Format::Transcript)
        );
        let wthor = [20, 7, 5, 22, 0, 0, 0, 0, 0, 0, 0xb9, 7, 8, 0, 24, 0];
        assert_eq!(found(&wthor), Ok(Format::Wthor));
    }

    #[test]
    fn what_is_no_collection_says_what_it_is() {
        assert_eq!(found(b""), Err(NotACollection::Empty));
        assert_eq!(
            found(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            Err(NotACollection::Unknown)
        );
        assert_eq!(
            found(b"Dear Sir,\nhello (;-)\n"),
            Err(NotACollection::Unknown)
        );
        assert_eq!(
            found(b"PK\x03\x04...."),
            Err(NotACollection::Archive("ZIP"))
        );
        let other = |name: &str| Err(NotACollection::OtherGame(name.into()));
        assert_eq!(found(b"(;GM[1]SZ[19];B[pd])"), other("Go"));
        assert_eq!(found(b"(;GM[Amazons]BO[10])"), other("Amazons"));
        let ten = [20, 7, 5, 22, 0, 0, 0, 0, 0, 0, 0xb9, 7, 10, 0, 24, 0];
        assert_eq!(found(&ten), Err(NotACollection::BoardSize(10)));
    }

    #[test]
    fn a_damaged_date_does_not_hide_a_wthor_file() {
        let mut bytes = vec![0xff, 0xff, 5, 22, 1, 0, 0, 0, 0, 0, 0xb9, 7, 8, 0, 24, 0];
        bytes.resize(16 + 68, 0);
        let name = Path::new("x.WTB");
        assert_eq!(detect(&bytes, Some(84), Some(name)), Ok(Format::Wthor));
        assert!(detect(&bytes, Some(84), None).is_err());
        assert!(detect(&bytes, Some(90), Some(name)).is_err());
    }

    #[test]
    fn names_ask_for_formats() {
        let of = |name: &str| Format::of_name(Path::new(name));
        assert_eq!(of("a/b.WTB"), Some(Format::Wthor));
        assert_eq!(of("b.ggf.gz"), Some(Format::Ggf));
        assert_eq!(of("b.txt.zst"), Some(Format::Transcript));
        assert_eq!(of("b.png"), None);
        assert_eq!(of("txt"), None);
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.extension().parse(), Ok(format));
        }
        assert!("png".parse::<Format>().unwrap_err().contains("choose"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = found(&bytes);
        }
    }
}
