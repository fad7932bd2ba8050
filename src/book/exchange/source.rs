//! Where positions come from: a file or bytes of any format that can be read.

use super::formats::Format;
use super::{ExchangeError, Incoming};
use crate::book::engine::Engines;
use crate::book::note::Note;
use crate::book::{ByteCount, StoreError};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

/// A file that has been recognised, and read as far as is needed to find it right.
pub struct Source {
    format: Format,
    content: Box<dyn Content>,
}

/// What a file holds, whatever its format is.
pub trait Content: Send {
    /// How many positions it has, or says that it has.
    fn positions(&self) -> u64;

    /// The names behind the numbers of its positions' engines.
    fn engines(&self) -> &Engines;

    /// What somebody wrote about the book.
    fn note(&self) -> Option<&Note> {
        None
    }

    /// What is strange about the file, for people.
    fn remarks(&self) -> &[String] {
        &[]
    }

    /// Reads everything and keeps nothing: an error here, or none later.
    fn check(&mut self) -> Result<(), ExchangeError> {
        self.for_each_chunk(&mut |_| Ok(true)).map(drop)
    }

    /// Shows the positions in order, some of one layer at a time, until `see` says false, which it
    /// then says, too.
    fn for_each_chunk(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError>;
}

/// Whoever looks at positions: false is enough.
pub type See<'a> = dyn FnMut(Vec<Incoming>) -> Result<bool, StoreError> + 'a;

/// Bytes that can be read again.
pub trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

/// Enough to recognise every format by: the longest name of a field, in quotes.
const FIRST_BYTES: u64 = 32;

impl Source {
    pub fn open(path: &Path) -> Result<Source, ExchangeError> {
        let file = File::open(path).map_err(ExchangeError::Io)?;
        Source::new(Box::new(BufReader::with_capacity(1 << 20, file)))
    }

    pub fn of_bytes(bytes: Vec<u8>) -> Result<Source, ExchangeError> {
        Source::new(Box::new(Cursor::new(bytes)))
    }

    fn new(mut input: Box<dyn Input>) -> Result<Source, ExchangeError> {
        let mut start = Vec::new();
        (&mut input)
            .take(FIRST_BYTES)
            .read_to_end(&mut start)
            .map_err(ExchangeError::Io)?;
        input.rewind().map_err(ExchangeError::Io)?;
        let (format, read) = Format::recognised(&start).ok_or(ExchangeError::Unknown)?;
        Ok(Source {
            format,
            content: read(input)?,
        })
    }

    /// All positions fit into so much memory at once.
    pub(super) fn fits_into(&self, memory: ByteCount) -> bool {
        // Twice, because what is made of them is there at the same time.
        let bytes = self
            .positions()
            .saturating_mul(2 * size_of::<Incoming>() as u64);
        bytes <= memory.0
    }

    pub const fn format(&self) -> Format {
        self.format
    }

    /// How many positions the file has, or says that it has.
    pub fn positions(&self) -> u64 {
        self.content.positions()
    }

    /// What is strange about the file, for people.
    pub fn remarks(&self) -> &[String] {
        self.content.remarks()
    }

    pub fn engines(&self) -> &Engines {
        self.content.engines()
    }

    pub(super) fn note(&self) -> Option<&Note> {
        self.content.note()
    }

    pub(super) fn check(&mut self) -> Result<(), ExchangeError> {
        self.content.check()
    }

    /// All positions by layer, in order.
    pub(super) fn all_layers(&mut self) -> Result<Vec<Vec<Incoming>>, ExchangeError> {
        let layer_of = |rows: &[Incoming]| rows.first().map(|row| row.key.layer());
        let mut layers: Vec<Vec<Incoming>> = Vec::new();
        self.for_each_chunk(&mut |mut rows| {
            match layers.last_mut() {
                Some(last) if layer_of(last) == layer_of(&rows) => last.append(&mut rows),
                _ => layers.push(rows),
            }
            Ok(true)
        })?;
        Ok(layers)
    }

    pub(super) fn for_each_chunk(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError> {
        self.content.for_each_chunk(see)
    }
}
