//! Labelled positions on disk: fixed-size records in shard files.
//!
//! A shard is written under another name and renamed when it is complete, so a shard that is
//! there is whole, and an interrupted run goes on with the first one that is missing.

use crate::games::OpenError;
use crate::othello::{Bitboard, Board};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: &[u8; 8] = b"EMILIATD";
const VERSION: u32 = 1;

/// Bytes of a record.
const SIZE: usize = 24;

/// The ending of shard files.
const EXTENSION: &str = "emtd";

/// Where a label comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// Solved to the end.
    Exact,
    /// A search to the record's depth.
    Search,
    /// A score the game reached later.
    Outcome,
}

/// A position and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    pub board: Board,
    /// Centi-discs, seen by the player to move.
    pub label: i16,
    pub source: Source,
    /// Plies searched; for an exact label, the empty squares.
    pub depth: u8,
    /// How much the record counts, in 1/256.
    pub weight: u16,
}

/// What is wrong with training data.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("cannot {doing} {path}")]
    Io {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{path} is no training data of this version: delete it and make it again")]
    Header { path: PathBuf },
    #[error("{path}: record {number} is damaged: delete the file and make it again")]
    Record { path: PathBuf, number: u64 },
    #[error(transparent)]
    Games(#[from] OpenError),
    #[error(
        "no WTH_<year>.wtb of the years wanted is in {0}: give the directory of the WTHOR files"
    )]
    NoCollection(PathBuf),
    #[error("there is no training data in {0}: run `emilia train import` or `selfplay` first")]
    Empty(PathBuf),
}

impl DataError {
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DataError {
        let path = path.to_owned();
        move |source| DataError::Io {
            doing,
            path,
            source,
        }
    }
}

impl Record {
    /// Whether the label saw the end of the game: solved, or searched that far with selective
    /// cuts, which is off by a disc where a shallow search is off by five.
    pub fn reaches_the_end(&self) -> bool {
        match self.source {
            Source::Exact => true,
            Source::Search => u32::from(self.depth) >= self.board.empty_count(),
            Source::Outcome => false,
        }
    }

    fn encode(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&self.board.mover().0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent().0.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.label.to_le_bytes());
        bytes[18] = match self.source {
            Source::Exact => 1,
            Source::Search => 2,
            Source::Outcome => 3,
        };
        bytes[19] = self.depth;
        bytes[20..22].copy_from_slice(&self.weight.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; SIZE]) -> Option<Record> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            Bitboard(u64::from_le_bytes(word))
        };
        Some(Record {
            board: Board::new(word(0), word(8))?,
            label: i16::from_le_bytes([bytes[16], bytes[17]]),
            source: match bytes[18] {
                1 => Source::Exact,
                2 => Source::Search,
                3 => Source::Outcome,
                _ => return None,
            },
            depth: bytes[19],
            weight: u16::from_le_bytes([bytes[20], bytes[21]]),
        })
    }
}

/// Writes a shard; nothing is there under its name until [`finish`](ShardWriter::finish).
pub struct ShardWriter {
    file: BufWriter<File>,
    unfinished: PathBuf,
    path: PathBuf,
}

impl ShardWriter {
    pub fn create(path: &Path) -> Result<ShardWriter, DataError> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(DataError::io("create", directory))?;
        }
        let unfinished = path.with_extension("unfinished");
        let file = File::create(&unfinished).map_err(DataError::io("create", &unfinished))?;
        let mut writer = ShardWriter {
            file: BufWriter::with_capacity(1 << 16, file),
            unfinished,
            path: path.to_owned(),
        };
        writer.bytes(MAGIC)?;
        writer.bytes(&VERSION.to_le_bytes())?;
        writer.bytes(&(SIZE as u32).to_le_bytes())?;
        Ok(writer)
    }

    pub fn write(&mut self, record: &Record) -> Result<(), DataError> {
        self.bytes(&record.encode())
    }

    /// Completes the shard and gives it its name.
    pub fn finish(mut self) -> Result<(), DataError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_data())
            .map_err(DataError::io("write", &self.unfinished))?;
        std::fs::rename(&self.unfinished, &self.path).map_err(DataError::io("write", &self.path))
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.file
            .write_all(bytes)
            .map_err(DataError::io("write", &self.unfinished))
    }
}

/// Reads the records of a shard one by one.
pub struct ShardReader {
    file: BufReader<File>,
    path: PathBuf,
    number: u64,
}

impl ShardReader {
    pub fn open(path: &Path) -> Result<ShardReader, DataError> {
        let file = File::open(path).map_err(DataError::io("open", path))?;
        let mut reader = ShardReader {
            file: BufReader::with_capacity(1 << 18, file),
            path: path.to_owned(),
            number: 0,
        };
        let mut header = [0; 16];
        let read = reader.file.read_exact(&mut header);
        let good = read.is_ok()
            && header[..8] == *MAGIC
            && header[8..12] == VERSION.to_le_bytes()
            && header[12..] == (SIZE as u32).to_le_bytes();
        if good {
            Ok(reader)
        } else {
            Err(DataError::Header {
                path: path.to_owned(),
            })
        }
    }
}

impl Iterator for ShardReader {
    type Item = Result<Record, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; SIZE];
        let mut filled = 0;
        while filled < SIZE {
            match self.file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Some(Err(DataError::io("read", &self.path)(error))),
            }
        }
        if filled == 0 {
            return None;
        }
        self.number += 1;
        let record = Record::decode(&bytes).filter(|_| filled == SIZE);
        Some(record.ok_or_else(|| DataError::Record {
            path: self.path.clone(),
            number: self.number,
        }))
    }
}

/// The shard of a kind and number in a directory.
pub fn shard_path(directory: &Path, kind: &str, number: u32) -> PathBuf {
    directory.join(format!("{kind}-{number:05}.{EXTENSION}"))
}

/// All finished shards below the directories, in order of their names: the order in which the
/// fit adds up, which must not depend on the file system.
pub fn shards(directories: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut found = Vec::new();
    for directory in directories {
        let entries = std::fs::read_dir(directory).map_err(DataError::io("read", directory))?;
        let before = found.len();
        for entry in entries {
            let path = entry.map_err(DataError::io("read", directory))?.path();
            if path.extension().is_some_and(|e| e == EXTENSION) {
                found.push(path);
            }
        }
        if found.len() == before {
            return Err(DataError::Empty(directory.clone()));
        }
        found[before..].sort();
    }
    Ok(found)
}

/// A number that identifies the contents of shards, in their order.
pub fn fingerprint(shards: &[PathBuf]) -> Result<u64, DataError> {
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    for path in shards {
        let mut file = File::open(path).map_err(DataError::io("open", path))?;
        loop {
            match file
                .read(&mut buffer)
                .map_err(DataError::io("read", path))?
            {
                0 => break,
                read => hasher.update(&buffer[..read]),
            }
        }
    }
    Ok(hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(label: i16) -> Record {
        Record {
            board: Board::START,
            label,
            source: Source::Search,
            depth: 6,
            weight: 256,
        }
    }

    #[test]
    fn a_shard_is_there_only_when_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = shard_path(directory.path(), "selfplay", 3);
        let mut writer = ShardWriter::create(&path).unwrap();
        writer.write(&record(150)).unwrap();
        assert!(!path.exists());
        writer.write(&record(-6400)).unwrap();
        writer.finish().unwrap();
        let read: Result<Vec<Record>, _> = ShardReader::open(&path).unwrap().collect();
        assert_eq!(read.unwrap(), [record(150), record(-6400)]);
        let listed = shards(&[directory.path().to_owned()]).unwrap();
        assert_eq!(listed, [path]);
    }

    #[test]
    fn a_damaged_shard_is_named_with_the_record() {
        let directory = tempfile::tempdir().unwrap();
        let path = shard_path(directory.path(), "x", 0);
        let mut writer = ShardWriter::create(&path).unwrap();
        writer.write(&record(1)).unwrap();
        writer.write(&record(2)).unwrap();
        writer.finish().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(bytes.len() - 1);
        std::fs::write(&path, &bytes).unwrap();
        let last = ShardReader::open(&path).unwrap().last().unwrap();
        assert!(last.unwrap_err().to_string().contains("record 2"));
        std::fs::write(&path, b"something else").unwrap();
        assert!(matches!(
            ShardReader::open(&path),
            Err(DataError::Header { .. })
        ));
    }
}
