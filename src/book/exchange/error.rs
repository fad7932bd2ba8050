//! What can go wrong when a book comes from, or goes into, a file.

use super::Format;
use crate::book::store::StoreError;
use std::io;

/// Nothing of a file that gave such an error was imported.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    #[error(
        "this is no book in a format that emilia reads: {}",
        Format::readable_names()
    )]
    Unknown,
    #[error("format version {found} of {format} is newer than this emilia knows ({known})")]
    Newer {
        format: Format,
        found: u8,
        known: u8,
    },
    #[error("the {format} file ends too early, or in the middle of something")]
    Truncated { format: Format },
    #[error("the {format} file is damaged: {what}")]
    Damaged { format: Format, what: String },
    #[error("the {format} file is damaged: record {record} {what}")]
    Record {
        format: Format,
        /// From 1; in text, the line.
        record: u64,
        what: String,
    },
    #[error("{positions} positions are more than a file of {format} can hold")]
    TooMany { format: Format, positions: u64 },
    #[error("interrupted; nothing was written")]
    Interrupted,
    #[error("cannot read or write the file")]
    Io(#[source] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ExchangeError {
    /// Tells a file that ends too early from a disk that does not answer.
    pub(super) fn of_reading(format: Format, problem: io::Error) -> ExchangeError {
        match problem.kind() {
            io::ErrorKind::UnexpectedEof => ExchangeError::Truncated { format },
            _ => ExchangeError::Io(problem),
        }
    }
}
