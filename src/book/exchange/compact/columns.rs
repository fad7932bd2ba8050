//! Bytes of the same kind side by side: they compress far better than records do.
//!
//! A chunk is the columns of some records in a row: `u32` length, `u64` XXH3 of its content (seeded
//! with the chunk's number, so that chunks cannot change places), content. The content has for each
//! column a variable-length number of bytes, the number of bytes as stored, and these: Zstandard,
//! or plain where that is no longer. A chunk of length 0 ends the file. Numbers are big-endian.

use super::super::{ExchangeError, Format};
use std::io::{Read, Write};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What is kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// Positions that no move leads to, by layer.
    Roots,
    /// How many positions are reached first from here.
    Children,
    /// By which moves.
    Moves,
    /// What is known, a bit each.
    Kinds,
    EvaluationDepth,
    EvaluationSurety,
    EvaluationHigh,
    EvaluationLow,
    AlternativeMove,
    AlternativeDepth,
    AlternativeSurety,
    AlternativeHigh,
    AlternativeLow,
    /// Values that are whole discs.
    Discs,
    Games,
    Results,
    DiscSums,
    Years,
    /// The names of the engines, at the very beginning.
    EngineNames,
    EvaluationEngine,
    AlternativeEngine,
    /// The legal moves that a solved alternative did not look at, a bit each by their numbers.
    LeftOut,
    /// What somebody wrote about the book, after the names of the engines.
    Note,
}

pub const COLUMNS: usize = Column::Note as usize + 1;
/// Of files that have no note.
pub const COLUMNS_WITHOUT_NOTE: usize = Column::LeftOut as usize + 1;
/// Of files that do not know their engines.
pub const COLUMNS_WITHOUT_ENGINES: usize = Column::Years as usize + 1;
/// A chunk ends when one of its columns has as many bytes.
const FULL: usize = 1 << 18;
/// No column has more: the last record may go a little beyond.
const LARGEST: usize = FULL + (1 << 12);
/// Beyond it files hardly get smaller, only slower.
const COMPRESSION: i32 = 12;

/// Collects columns and writes them chunk by chunk.
pub struct ColumnWriter<W> {
    out: W,
    columns: [Vec<u8>; COLUMNS],
    chunks: u64,
}

impl<W: Write> ColumnWriter<W> {
    pub fn new(out: W) -> ColumnWriter<W> {
        ColumnWriter {
            out,
            columns: Default::default(),
            chunks: 0,
        }
    }

    pub fn put(&mut self, column: Column, byte: u8) {
        self.columns[column as usize].push(byte);
    }

    pub fn put_all(&mut self, column: Column, bytes: &[u8]) {
        self.columns[column as usize].extend_from_slice(bytes);
    }

    pub fn put_number(&mut self, column: Column, number: u64) {
        put_number(&mut self.columns[column as usize], number);
    }

    /// A chunk may end here.
    pub fn end_record(&mut self) -> Result<(), ExchangeError> {
        if self.columns.iter().any(|column| column.len() >= FULL) {
            self.write_chunk()?;
        }
        Ok(())
    }

    fn write_chunk(&mut self) -> Result<(), ExchangeError> {
        let mut content = Vec::new();
        for column in &mut self.columns {
            let packed = zstd::bulk::compress(column, COMPRESSION).map_err(ExchangeError::Io)?;
            let stored = if packed.len() < column.len() {
                &packed
            } else {
                &*column
            };
            put_number(&mut content, column.len() as u64);
            put_number(&mut content, stored.len() as u64);
            content.extend_from_slice(stored);
            column.clear();
        }
        let digest = xxh3_64_with_seed(&content, self.chunks);
        self.chunks += 1;
        // Some columns of bounded size: far below 4 GB.
        let length = content.len() as u32;
        for part in [&length.to_be_bytes()[..], &digest.to_be_bytes(), &content] {
            self.out.write_all(part).map_err(ExchangeError::Io)?;
        }
        Ok(())
    }

    /// Writes what is left and the end.
    pub fn finish(mut self) -> Result<W, ExchangeError> {
        if self.columns.iter().any(|column| !column.is_empty()) {
            self.write_chunk()?;
        }
        let end = 0u32.to_be_bytes();
        self.out.write_all(&end).map_err(ExchangeError::Io)?;
        Ok(self.out)
    }
}

/// Reads columns chunk by chunk, in the order in which they were written.
pub struct ColumnReader<R> {
    input: R,
    columns: [Vec<u8>; COLUMNS],
    places: [usize; COLUMNS],
    /// How many of the columns the file has.
    stored: usize,
    chunks: u64,
    bytes_read: u64,
}

impl<R: Read> ColumnReader<R> {
    /// `stored` is the number of columns that the file has.
    pub fn new(input: R, stored: usize) -> ColumnReader<R> {
        ColumnReader {
            input,
            columns: Default::default(),
            places: [0; COLUMNS],
            stored,
            chunks: 0,
            bytes_read: 0,
        }
    }

    pub const fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub fn take(&mut self, column: Column) -> Result<u8, ExchangeError> {
        let place = &mut self.places[column as usize];
        let byte = self.columns[column as usize].get(*place).copied();
        *place += 1;
        byte.ok_or_else(|| damaged(format!("the column {column:?} is too short")))
    }

    pub fn take_number(&mut self, column: Column) -> Result<u64, ExchangeError> {
        let index = column as usize;
        take_number(&self.columns[index], &mut self.places[index])
            .ok_or_else(|| damaged(format!("the column {column:?} has no number")))
    }

    /// A chunk may have ended here; if so, the next one is read.
    pub fn begin_record(&mut self) -> Result<(), ExchangeError> {
        if !self.is_used_up() {
            return Ok(());
        }
        if !self.read_chunk()? {
            let format = Format::Compact;
            return Err(ExchangeError::Truncated { format });
        }
        Ok(())
    }

    fn is_used_up(&self) -> bool {
        let mut columns = self.columns.iter().zip(&self.places);
        columns.all(|(column, place)| *place >= column.len())
    }

    /// False at the end of the file.
    fn read_chunk(&mut self) -> Result<bool, ExchangeError> {
        let mut length = [0; 4];
        self.fill(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length == 0 {
            return Ok(false);
        }
        if length > COLUMNS * (LARGEST + 20) {
            return Err(damaged("a chunk is too long"));
        }
        let mut digest = [0; 8];
        self.fill(&mut digest)?;
        let mut content = vec![0; length];
        self.fill(&mut content)?;
        if xxh3_64_with_seed(&content, self.chunks).to_be_bytes() != digest {
            return Err(damaged(format!(
                "the checksum of chunk {} is wrong",
                self.chunks + 1
            )));
        }
        self.chunks += 1;
        let mut place = 0;
        let columns = self.columns.iter_mut().zip(&mut self.places);
        for (column, used) in columns.take(self.stored) {
            *column = take_column(&content, &mut place)
                .ok_or_else(|| damaged("a chunk cannot be unpacked"))?;
            *used = 0;
        }
        if place != content.len() {
            return Err(damaged("a chunk is too long"));
        }
        Ok(true)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ExchangeError> {
        self.bytes_read += bytes.len() as u64;
        self.input
            .read_exact(bytes)
            .map_err(|problem| ExchangeError::of_reading(Format::Compact, problem))
    }

    /// Everything was used, and nothing comes after the end.
    pub fn finish(&mut self) -> Result<(), ExchangeError> {
        if !self.is_used_up() || self.read_chunk()? {
            return Err(damaged("there is more in it than its positions need"));
        }
        let mut rest = [0];
        match self.input.read(&mut rest).map_err(ExchangeError::Io)? {
            0 => Ok(()),
            _ => Err(damaged("there is something after its end")),
        }
    }
}

pub fn damaged(what: impl Into<String>) -> ExchangeError {
    ExchangeError::Damaged {
        format: Format::Compact,
        what: what.into(),
    }
}

fn take_column(content: &[u8], place: &mut usize) -> Option<Vec<u8>> {
    let length = usize::try_from(take_number(content, place)?).ok()?;
    let stored = usize::try_from(take_number(content, place)?).ok()?;
    if length > LARGEST {
        return None;
    }
    let bytes = content.get(*place..place.checked_add(stored)?)?;
    *place += stored;
    if stored == length {
        return Some(bytes.to_vec());
    }
    let column = zstd::bulk::decompress(bytes, length).ok()?;
    (column.len() == length).then_some(column)
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &[u8], place: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*place)?;
        *place += 1;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chunks_cannot_change_places() {
        let mut writer = ColumnWriter::new(Vec::new());
        for byte in [1, 2] {
            writer.put(Column::Kinds, byte);
            writer.write_chunk().unwrap();
        }
        let bytes = writer.finish().unwrap();
        let (first, rest) = bytes.split_at((bytes.len() - 4) / 2);
        let swapped = [&rest[..first.len()], first, &rest[first.len()..]].concat();
        assert!(
            ColumnReader::new(&bytes[..], COLUMNS)
                .begin_record()
                .is_ok()
        );
        let error = ColumnReader::new(&swapped[..], COLUMNS)
            .begin_record()
            .unwrap_err();
        assert!(error.to_string().contains("checksum of chunk 1"), "{error}");
    }

    proptest! {
        #[test]
        fn numbers_read_back(number: u64) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut place = 0;
            prop_assert_eq!(take_number(&bytes, &mut place), Some(number));
            prop_assert_eq!(place, bytes.len());
        }

        #[test]
        fn columns_read_back_across_chunks(bytes: Vec<u8>, again in 1usize..3000) {
            let mut writer = ColumnWriter::new(Vec::new());
            for _ in 0..again {
                writer.put_all(Column::Roots, &bytes);
                writer.put(Column::Years, 7);
                writer.end_record().unwrap();
            }
            let file = writer.finish().unwrap();
            let mut reader = ColumnReader::new(&file[..], COLUMNS);
            for _ in 0..again {
                reader.begin_record().unwrap();
                for byte in &bytes {
                    prop_assert_eq!(reader.take(Column::Roots).unwrap(), *byte);
                }
                prop_assert_eq!(reader.take(Column::Years).unwrap(), 7);
            }
            prop_assert!(reader.finish().is_ok());
        }
    }
}
