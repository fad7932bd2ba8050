//! The formats that there are. To add one: a file that reads and writes it, and a row here.

use super::source::{Content, Input};
use super::{ExchangeError, compact, edax, egaroucid, lines, rows, text};
use crate::book::Watcher;
use crate::book::store::Reader;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

/// A row of the table.
struct Entry {
    name: &'static str,
    /// How names of such files end.
    extension: &'static str,
    /// What a file of it consists of, for messages.
    unit: &'static str,
    about: &'static str,
    /// None if it is for people alone.
    reader: Option<FileReader>,
    write: WriteFile,
}

struct FileReader {
    /// By its first bytes.
    recognises: fn(&[u8]) -> bool,
    read: ReadFile,
}

type ReadFile = fn(Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError>;

/// Writes a book, with how people did if that is wanted and possible, and gives the number of what
/// it wrote.
type WriteFile = fn(&Reader<'_>, bool, &mut dyn Write, &dyn Watcher) -> Result<u64, ExchangeError>;

/// Makes [`Format`] of the table, so that each format is told of in one place.
macro_rules! formats {
    ($($format:ident: $about:literal, { $($field:ident: $value:expr,)* })*) => {
        /// What a book may be written in, or read from.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Format {
            $(#[doc = $about] $format,)*
        }

        impl Format {
            pub const ALL: [Format; [$(Format::$format),*].len()] = [$(Format::$format),*];

            fn entry(self) -> &'static Entry {
                match self {
                    $(Format::$format => {
                        const ENTRY: Entry = Entry { about: $about, $($field: $value,)* };
                        &ENTRY
                    })*
                }
            }
        }
    };
}

formats! {
    Compact: "all that searches found, in a few bytes per position", {
        name: "compact",
        extension: "emb",
        unit: "positions",
        reader: Some(FileReader { recognises: compact::recognises, read: compact::read }),
        write: compact::pack,
    }
    JsonLines: "one JSON object per position and line", {
        name: "jsonl",
        extension: "jsonl",
        unit: "positions",
        reader: Some(FileReader { recognises: text::begins_as_json, read: text::read_json_lines }),
        write: text::write_json_lines,
    }
    Csv: "one line per position, the names of the fields first", {
        name: "csv",
        extension: "csv",
        unit: "positions",
        reader: Some(FileReader { recognises: text::begins_as_csv, read: text::read_csv }),
        write: text::write_csv,
    }
    Edax: "Edax's book: values in whole discs, links, leaves, results", {
        name: "edax",
        extension: "dat",
        unit: "positions",
        reader: Some(FileReader { recognises: edax::recognises, read: edax::read }),
        write: edax::write,
    }
    Egaroucid: "Egaroucid's book: values in whole discs, leaves", {
        name: "egaroucid",
        extension: "egbk3",
        unit: "positions",
        reader: Some(FileReader { recognises: egaroucid::recognises, read: egaroucid::read }),
        write: |reader, _, out, watcher| egaroucid::write(reader, out, watcher),
    }
    Lines: "the main variations for people; written, never read", {
        name: "lines",
        extension: "txt",
        unit: "lines",
        reader: None,
        write: |reader, _, out, _| lines::write(reader, out),
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        self.entry().extension
    }

    /// What the number that [`export`](super::export) gives is one of: positions or lines.
    pub fn unit(self) -> &'static str {
        self.entry().unit
    }

    pub fn is_readable(self) -> bool {
        self.entry().reader.is_some()
    }

    /// The format that a file's name promises.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let mut all = Format::ALL.into_iter();
        all.find(|format| format.extension() == extension)
    }

    /// `compact, jsonl, …`, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// The names of those that can be read.
    pub fn readable_names() -> String {
        let readable = Format::ALL
            .into_iter()
            .filter(|format| format.is_readable());
        let names: Vec<&str> = readable.map(Format::name).collect();
        names.join(", ")
    }

    /// `.emb, .jsonl, …`, for messages.
    pub fn extensions() -> String {
        let dotted = Format::ALL.map(|format| format!(".{}", format.extension()));
        dotted.join(", ")
    }

    /// A line on each format, for help.
    pub fn describe_all() -> String {
        let longest = Format::ALL.map(|format| format.name().len());
        let width = longest.into_iter().max().unwrap_or_default();
        let line = |format: Format| {
            let Entry {
                name,
                extension,
                about,
                ..
            } = format.entry();
            format!("  {name:width$}  {about} (.{extension})")
        };
        Format::ALL.map(line).join("\n")
    }

    /// The fields of JSON Lines and CSV, for help.
    pub fn describe_fields() -> &'static str {
        rows::FIELDS_HELP
    }

    /// The format of a file that begins like this, and what reads it.
    pub(super) fn recognised(start: &[u8]) -> Option<(Format, ReadFile)> {
        Format::ALL.into_iter().find_map(|format| {
            let reader = format.entry().reader.as_ref()?;
            (reader.recognises)(start).then_some((format, reader.read))
        })
    }

    pub(super) fn write(
        self,
        reader: &Reader<'_>,
        statistics: bool,
        out: &mut dyn Write,
        watcher: &dyn Watcher,
    ) -> Result<u64, ExchangeError> {
        (self.entry().write)(reader, statistics, out, watcher)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no format: choose {names}", names = Format::names())]
pub struct NotAFormat(String);

impl FromStr for Format {
    type Err = NotAFormat;

    fn from_str(name: &str) -> Result<Format, NotAFormat> {
        let mut all = Format::ALL.into_iter();
        all.find(|format| format.name() == name.to_ascii_lowercase())
            .ok_or_else(|| NotAFormat(name.to_owned()))
    }
}
