//! Where positions come from: a file or bytes of any format that can be read.

use super::compact::{self, Unpacker};
use super::foreign::Foreign;
use super::rows::FIELDS;
use super::{ExchangeError, Format, Incoming, edax, egaroucid, text};
use crate::book::StoreError;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

/// A file that has been recognised, and read as far as is needed to find it right.
pub struct Source {
    format: Format,
    content: Content,
    positions: u64,
}

enum Content {
    /// Read layer by layer, and again when the layers are wanted again.
    Packed(Box<dyn Input>),
    /// In memory, because its positions are in no order.
    Foreign(Foreign),
}

trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

/// Enough to recognise every format by.
const FIRST_BYTES: u64 = 16;

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
        let format = recognised(&start).ok_or(ExchangeError::Unknown)?;
        let foreign = match format {
            Format::Compact | Format::Lines => {
                let positions = Unpacker::new(&mut input)?.positions();
                return Ok(Source {
                    format,
                    content: Content::Packed(input),
                    positions,
                });
            }
            Format::Edax => edax::read(input)?,
            Format::Egaroucid => egaroucid::read(input)?,
            Format::JsonLines => text::read_json_lines(input)?,
            Format::Csv => text::read_csv(input)?,
        };
        let positions = foreign.layers.iter().map(|layer| layer.len() as u64).sum();
        Ok(Source {
            format,
            content: Content::Foreign(foreign),
            positions,
        })
    }

    pub const fn format(&self) -> Format {
        self.format
    }

    /// How many positions the file has, or says that it has.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// What is strange about the file, for people.
    pub fn remarks(&self) -> &[String] {
        match &self.content {
            Content::Packed(_) => &[],
            Content::Foreign(foreign) => &foreign.remarks,
        }
    }

    /// Reads everything and keeps nothing: an error here, or none later.
    pub(super) fn check(&mut self) -> Result<(), ExchangeError> {
        match self.content {
            Content::Packed(_) => self.for_each_layer(&mut |_| Ok(true)).map(drop),
            Content::Foreign(_) => Ok(()),
        }
    }

    pub(super) fn all_layers(&mut self) -> Result<Vec<Vec<Incoming>>, ExchangeError> {
        let mut layers = Vec::new();
        self.for_each_layer(&mut |rows| {
            layers.push(rows);
            Ok(true)
        })?;
        Ok(layers)
    }

    /// Shows the positions by layer, with rising disc count and in order, until `see` says false.
    pub(super) fn for_each_layer(
        &mut self,
        see: &mut dyn FnMut(Vec<Incoming>) -> Result<bool, StoreError>,
    ) -> Result<bool, ExchangeError> {
        let input = match &mut self.content {
            Content::Packed(input) => input,
            Content::Foreign(foreign) => {
                for layer in &foreign.layers {
                    if !see(layer.clone())? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
        };
        input.rewind().map_err(ExchangeError::Io)?;
        let mut unpacker = Unpacker::new(input)?;
        while let Some(rows) = unpacker.next_layer()? {
            if !see(rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// By their first bytes; a text by its first sign or its first field.
fn recognised(start: &[u8]) -> Option<Format> {
    let begins = |magic: &[u8]| start.starts_with(magic);
    if begins(compact::MAGIC) {
        Some(Format::Compact)
    } else if begins(edax::MAGIC) {
        Some(Format::Edax)
    } else if begins(egaroucid::MAGIC) {
        Some(Format::Egaroucid)
    } else if begins(b"{") {
        Some(Format::JsonLines)
    } else if FIELDS
        .iter()
        .any(|field| begins(field.as_bytes()) || begins(format!("\"{field}").as_bytes()))
    {
        Some(Format::Csv)
    } else {
        None
    }
}
