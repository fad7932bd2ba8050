//! Records as bytes: big-endian, the format version in front. Of the book only this file knows
//! bincode; the messages of a cluster use it in their own way (`src/cluster/wire.rs`).

mod nodes;
mod profile;
mod statistics;

pub use nodes::{moves_of_numbers, node_from_bytes, node_to_bytes, numbers_of_moves};
pub use profile::{Profile, profile_from_bytes, profile_to_bytes};
pub use statistics::{
    played_from_bytes, played_to_bytes, statistics_from_bytes, statistics_to_bytes,
};

use serde::{Serialize, de::DeserializeOwned};

/// The format of books that this program writes. A larger one is refused, not guessed at. Books
/// before format 3 have no index of their games, those before 2 other records of positions.
pub const BOOK_FORMAT: u32 = 3;
/// The format of records that this program writes.
pub const FORMAT: u8 = 2;
/// Games, statistics and the profile are still written as in format 1.
pub const UNCHANGED_FORMAT: u8 = 1;

/// No record is longer.
const LIMIT: usize = 64;

/// Bytes that are no record of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    #[error("the record is empty")]
    Empty,
    #[error("the record has format {0}; this program knows formats up to {FORMAT}")]
    Newer(u8),
    #[error("the record has {found} bytes instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("the record's {field} cannot be {found}")]
    Field { field: &'static str, found: i64 },
    #[error("the record cannot be coded: {0}")]
    Other(String),
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_big_endian()
        .with_fixed_int_encoding()
        .with_limit::<LIMIT>()
}

fn to_bytes<const N: usize>(record: &impl Serialize) -> [u8; N] {
    let mut bytes = [0; N];
    // Only a record of another size could fail here; the golden bytes in the tests pin the sizes.
    let written = bincode::serde::encode_into_slice(record, &mut bytes, config());
    debug_assert_eq!(written.ok(), Some(N));
    bytes
}

/// The version in front of a record is one that this program knows.
pub fn check_format(bytes: &[u8]) -> Result<(), CodecError> {
    match bytes.first() {
        None => Err(CodecError::Empty),
        Some(&version) if version > FORMAT => Err(CodecError::Newer(version)),
        Some(0) => Err(CodecError::Field {
            field: "format",
            found: 0,
        }),
        Some(_) => Ok(()),
    }
}

fn from_bytes<R: DeserializeOwned>(bytes: &[u8], expected: usize) -> Result<R, CodecError> {
    check_format(bytes)?;
    let found = bytes.len();
    if found != expected {
        return Err(CodecError::Length { found, expected });
    }
    bincode::serde::decode_from_slice(bytes, config())
        .map(|(record, _)| record)
        .map_err(|error| CodecError::Other(error.to_string()))
}

fn field<T>(
    field: &'static str,
    found: impl Into<i64> + Copy,
    value: Option<T>,
) -> Result<T, CodecError> {
    value.ok_or(CodecError::Field {
        field,
        found: found.into(),
    })
}
