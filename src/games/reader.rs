//! Reading a collection of any format, game by game or batch by batch.

use super::bracket;
use super::flaw::{BadGame, Flaw};
use super::format::{Format, NotACollection, detect};
use super::game::Game;
use super::input::{Counted, Input, Leash};
use super::names::Names;
use super::transcript;
use super::wthor::{self, Header};
use super::{ggf, sgf};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec;

/// A file that cannot be read as a collection at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot read {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot read {path}: {reason}")]
    NotACollection {
        path: PathBuf,
        reason: NotACollection,
    },
}

/// Opens a collection, whatever its format, packed or not.
pub fn open(path: &Path) -> Result<GameReader, OpenError> {
    let io_error = |source| OpenError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(io_error)?;
    let metadata = file.metadata().map_err(io_error)?;
    if metadata.is_dir() {
        return Err(OpenError::NotACollection {
            path: path.to_owned(),
            reason: NotACollection::Directory,
        });
    }
    let length = metadata.is_file().then_some(metadata.len());
    let names = || Names::beside(path);
    let reader = GameReader::start(file, path, length, names, None)?;
    tracing::info!(path = %path.display(), format = %reader.format, "reading games");
    Ok(reader)
}

/// For what lies in no folder.
fn no_names() -> io::Result<Names> {
    Ok(Names::default())
}

/// The games of one collection, in order, each validated. The good ones come as they are; a bad
/// one comes as what is wrong with it, and the reading goes on.
pub struct GameReader {
    file: Arc<str>,
    format: Format,
    source: Source,
    /// Games given so far, bad ones included.
    given: u64,
    batch: vec::IntoIter<Result<Game, BadGame>>,
    bytes_read: Arc<AtomicU64>,
    ended: bool,
}

enum Source {
    Wthor(wthor::Records<Box<dyn Read + Send>>),
    Text(Text),
}

/// A text format: cut into games in order, then read on all cores.
struct Text {
    games: Box<dyn Iterator<Item = io::Result<Result<Vec<u8>, Flaw>>> + Send>,
    parse: fn(&[u8]) -> Result<Game, Flaw>,
    /// An error that came after games which are given first.
    error: Option<io::Error>,
}

/// Enough to keep many cores busy.
const BATCH_GAMES: usize = 1024;
/// Games may be large, or rather broken: a batch ends here too.
const BATCH_BYTES: usize = 4 << 20;

impl GameReader {
    /// Reads a collection from a stream that is no file, such as standard input. WTHOR's tables
    /// of names cannot be found then.
    pub fn from_stream(
        name: &str,
        stream: impl Read + Send + 'static,
    ) -> Result<GameReader, OpenError> {
        GameReader::start(stream, Path::new(name), None, no_names, None)
    }

    /// Reads what somebody sent under this name: nothing beside it is looked at, and it is not
    /// followed further than the leash allows.
    pub fn of_stranger(
        name: &str,
        stream: impl Read + Send + 'static,
        length: u64,
        leash: Leash,
    ) -> Result<GameReader, OpenError> {
        GameReader::start(stream, Path::new(name), Some(length), no_names, Some(leash))
    }

    fn start(
        raw: impl Read + Send + 'static,
        path: &Path,
        length: Option<u64>,
        names: impl FnOnce() -> io::Result<Names>,
        leash: Option<Leash>,
    ) -> Result<GameReader, OpenError> {
        let io_error = |source| OpenError::Io {
            path: path.to_owned(),
            source,
        };
        let bytes_read = Arc::new(AtomicU64::new(0));
        let input = Input::new(Counted {
            inner: raw,
            count: bytes_read.clone(),
        })
        .map_err(io_error)?;
        let length = length.filter(|_| !input.packed);
        let format = detect(input.head(), length, Some(path)).map_err(|reason| {
            OpenError::NotACollection {
                path: path.to_owned(),
                reason,
            }
        })?;
        let input = match leash {
            Some(leash) => input.on(leash),
            None => input,
        };
        let source = match (format, Header::parse(input.head())) {
            (Format::Wthor, Some(header)) => {
                let names = names().map_err(io_error)?;
                let mut records: Box<dyn Read + Send> = Box::new(input.into_read());
                records
                    .read_exact(&mut [0; wthor::HEADER])
                    .map_err(io_error)?;
                Source::Wthor(wthor::Records::new(records, header, names))
            }
            (Format::Transcript, _) => {
                let lines = transcript::Lines::new(BufReader::new(input.into_read()));
                Source::Text(Text {
                    games: Box::new(lines),
                    parse: transcript::parse,
                    error: None,
                })
            }
            (Format::Ggf | Format::Sgf | Format::Wthor, _) => {
                let games = bracket::Games::new(BufReader::new(input.into_read()));
                Source::Text(Text {
                    games: Box::new(games),
                    parse: if format == Format::Sgf {
                        sgf::parse
                    } else {
                        ggf::parse
                    },
                    error: None,
                })
            }
        };
        Ok(GameReader {
            file: path.display().to_string().into(),
            format,
            source,
            given: 0,
            batch: Vec::new().into_iter(),
            bytes_read,
            ended: false,
        })
    }

    pub const fn format(&self) -> Format {
        self.format
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How many bytes of the file have been read, packed as they are.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The next games, a few thousand at most, validated on all cores; none after the last.
    pub fn next_batch(&mut self) -> Option<Vec<Result<Game, BadGame>>> {
        if !self.batch.as_slice().is_empty() {
            return Some(std::mem::take(&mut self.batch).collect());
        }
        while !self.ended {
            let games = match self.source.next_batch() {
                Ok(Some(games)) => games,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(error) => {
                    self.ended = true;
                    vec![Err(Flaw::Unreadable(error.to_string()))]
                }
            };
            if games.is_empty() {
                continue;
            }
            let number_games = games.into_iter().map(|game| {
                self.given += 1;
                game.map_err(|flaw| BadGame {
                    file: self.file.clone(),
                    number: self.given,
                    flaw,
                })
            });
            return Some(number_games.collect());
        }
        None
    }
}

impl Iterator for GameReader {
    type Item = Result<Game, BadGame>;

    fn next(&mut self) -> Option<Result<Game, BadGame>> {
        if let Some(game) = self.batch.next() {
            return Some(game);
        }
        self.batch = self.next_batch()?.into_iter();
        self.batch.next()
    }
}

impl Source {
    fn next_batch(&mut self) -> io::Result<Option<Vec<Result<Game, Flaw>>>> {
        match self {
            Source::Wthor(records) => records.next_batch(),
            Source::Text(text) => text.next_batch(),
        }
    }
}

impl Text {
    fn next_batch(&mut self) -> io::Result<Option<Vec<Result<Game, Flaw>>>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut texts = Vec::new();
        let mut bytes = 0;
        while texts.len() < BATCH_GAMES && bytes < BATCH_BYTES {
            match self.games.next() {
                Some(Ok(text)) => {
                    bytes += text.as_ref().map_or(0, Vec::len);
                    texts.push(text);
                }
                Some(Err(error)) if texts.is_empty() => return Err(error),
                Some(Err(error)) => {
                    self.error = Some(error);
                    break;
                }
                None if texts.is_empty() => return Ok(None),
                None => break,
            }
        }
        let parse = self.parse;
        let games = texts
            .into_par_iter()
            .with_min_len(16)
            .map(|text| text.and_then(|text| parse(&text)))
            .collect();
        Ok(Some(games))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn reader(text: &'static str) -> GameReader {
        GameReader::from_stream("x", Cursor::new(text)).unwrap()
    }

    #[test]
    fn bad_games_are_numbered_among_the_good_ones() {
        let games: Vec<_> = reader("f5d6\nf5f5\nf5f6\n").collect();
        assert_eq!(games.iter().filter(|game| game.is_ok()).count(), 2);
        let bad = games[1].as_ref().unwrap_err();
        assert_eq!(bad.number, 2);
        assert_eq!(bad.flaw.move_number(), Some(2));
    }

    #[test]
    fn a_batch_after_single_games_begins_where_they_ended() {
        let mut reader = reader("f5\nf5d6\nf5d6c3\n");
        assert_eq!(reader.next().unwrap().unwrap().moves().len(), 1);
        let batch = reader.next_batch().unwrap();
        assert_eq!(batch.len(), 2);
        assert!(reader.next_batch().is_none());
        assert!(reader.next().is_none());
    }

    #[test]
    fn an_archive_that_breaks_off_gives_its_games_and_then_the_error() {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            writeln!(encoder, "f5d6 # {state}").unwrap();
        }
        let mut bytes = encoder.finish().unwrap();
        bytes.truncate(bytes.len() / 2);
        let games: Vec<_> = GameReader::from_stream("x.gz", Cursor::new(bytes))
            .unwrap()
            .collect();
        let (last, before) = games.split_last().unwrap();
        assert!(before.len() > 1000 && before.iter().all(Result::is_ok));
        assert!(last.as_ref().unwrap_err().flaw.ends_the_file());
    }

    #[test]
    fn what_is_no_collection_is_an_error_that_names_the_file_and_the_formats() {
        let error = |text: &'static str| {
            let found = GameReader::from_stream("some.file", Cursor::new(text));
            found.err().unwrap().to_string()
        };
        assert_eq!(error(""), "cannot read some.file: it is empty");
        let text = error("hello world");
        for format in ["WTHOR", "GGF", "SGF", "transcripts"] {
            assert!(text.contains(format), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let text = open(folder.path()).err().unwrap().to_string();
        assert!(text.contains("directory"), "{text}");
    }
}
