//! Where positions come from: a file or bytes of any format that can be read.

use super::formats::Format;
use super::{ExchangeError, Incoming};
use crate::book::StoreError;
use crate::book::engine::Engines;
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

    /// What is strange about the file, for people.
    fn remarks(&self) -> &[String] {
        &[]
    }

    /// Reads everything and keeps nothing: an error here, or none later.
    fn check(&mut self) -> Result<(), ExchangeError> {
        self.for_each_layer(&mut |_| Ok(true)).map(drop)
    }

    /// Shows the positions by layer, with rising disc count and in order, until `see` says false,
    /// which it then says, too.
    fn for_each_layer(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError>;
}

/// Whoever looks at layers: false is enough.
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

    pub(super) fn check(&mut self) -> Result<(), ExchangeError> {
        self.content.check()
    }

    pub(super) fn all_layers(&mut self) -> Result<Vec<Vec<Incoming>>, ExchangeError> {
        let mut layers = Vec::new();
        self.for_each_layer(&mut |rows| {
            layers.push(rows);
            Ok(true)
        })?;
        Ok(layers)
    }

    pub(super) fn for_each_layer(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError> {
        self.content.for_each_layer(see)
    }
}
