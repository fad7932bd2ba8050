//! The compact form of a book: a few bytes per position, everything that searches found and, if
//! wanted, the human statistics. What follows from these is derived again on import.
//!
//! First come the names of the engines and the book's note. The positions are a tree in layers. A
//! position is not written: the moves that reach it are, from the first position of the layer above
//! (in the order of keys) that leads to it. What no move leads to, as the start, is written out. Of
//! each position come, in the order of keys, its kind, values, levels, engines and counts, each in a
//! column of its own (`columns`), and the moves to the next layer. The same book gives the same
//! bytes.
//!
//! Version 2 had no note; version 1 had neither the engines nor the moves that a solved alternative
//! looked at. Such files are read, never written.

mod columns;
mod pack;
mod record;
mod unpack;

pub use pack::pack;
pub use unpack::read;

use super::{ExchangeError, Format};
use crate::book::node::Value;
use columns::{COLUMNS, COLUMNS_WITHOUT_ENGINES, COLUMNS_WITHOUT_NOTE, damaged};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"EMILIABK";
const VERSION: u8 = 3;
/// The version before books had notes.
const VERSION_WITHOUT_NOTE: u8 = 2;
/// The version before files knew their engines.
const VERSION_WITHOUT_ENGINES: u8 = 1;

pub fn recognises(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Of a position above which nothing is known.
const NOTHING_EXPECTED: Value = Value::ZERO;

/// Magic, version, number of positions, XXH3 of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    version: u8,
    positions: u64,
}

impl Header {
    const BYTES: usize = 25;
    const BEFORE_DIGEST: usize = 17;

    const fn has_engines(self) -> bool {
        self.version > VERSION_WITHOUT_ENGINES
    }

    const fn has_note(self) -> bool {
        self.version > VERSION_WITHOUT_NOTE
    }

    const fn columns(self) -> usize {
        if self.has_note() {
            COLUMNS
        } else if self.has_engines() {
            COLUMNS_WITHOUT_NOTE
        } else {
            COLUMNS_WITHOUT_ENGINES
        }
    }

    fn to_bytes(self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8] = self.version;
        bytes[9..17].copy_from_slice(&self.positions.to_be_bytes());
        let digest = xxh3_64(&bytes[..Header::BEFORE_DIGEST]);
        bytes[17..].copy_from_slice(&digest.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; Header::BYTES]) -> Result<Header, ExchangeError> {
        let [_, _, _, _, _, _, _, _, version, rest @ ..] = *bytes;
        let [a, b, c, d, e, f, g, h, digest @ ..] = rest;
        if !bytes.starts_with(MAGIC) {
            return Err(ExchangeError::Unknown);
        }
        if version > VERSION {
            return Err(ExchangeError::Newer {
                format: Format::Compact,
                found: version,
                known: VERSION,
            });
        }
        let expected = xxh3_64(&bytes[..Header::BEFORE_DIGEST]);
        if expected.to_be_bytes() != digest || version == 0 {
            return Err(damaged("the checksum of its first bytes is wrong"));
        }
        Ok(Header {
            version,
            positions: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        })
    }
}

#[cfg(test)]
mod tests;
