//! What a book may take of the machine: memory, disk writes, threads.
//!
//! One number, the memory, is divided here and nowhere else, so that whoever adds a buffer takes
//! it from a share instead of adding to the sum.

use super::marker::{must_be_there, prepare_folder};
use super::{Store, StoreError, open_to_write};
use crate::book::codec;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How a book is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreOptions {
    /// For caches and buffers together, the database's and those of whoever works on the book.
    /// Filters and indices are held besides: under three bytes a position.
    pub memory: ByteCount,
    /// Flushes and compactions write at most this much a second; none: as fast as the disk.
    pub write_rate: Option<ByteCount>,
    /// Threads that write tables and put them in order while others work.
    pub background_threads: u8,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        StoreOptions {
            memory: StoreOptions::USUAL_MEMORY,
            write_rate: None,
            background_threads: cores.clamp(2, 8) as u8,
        }
    }
}

impl StoreOptions {
    pub const USUAL_MEMORY: ByteCount = ByteCount::gibibytes(1);
    /// With less, the tables that are written are too small to be worth a file.
    pub const LEAST_MEMORY: ByteCount = ByteCount::mebibytes(32);

    /// Opens a book for writing, or begins one in a folder that is empty or not there.
    pub fn open_or_create(&self, path: &Path) -> Result<Store, StoreError> {
        prepare_folder(path)?;
        self.open(path)
    }

    /// Opens a book that must be there for writing. One of an older format gets the present one.
    pub fn open(&self, path: &Path) -> Result<Store, StoreError> {
        let format = must_be_there(path)?;
        let store = open_to_write(path, *self)?;
        if format < codec::BOOK_FORMAT {
            store.upgrade(format)?;
        }
        Ok(store)
    }

    /// Opens a book to look things up, also while another process writes to it: each new reader
    /// sees what was written up to now, or a moment ago.
    pub fn open_read_only(&self, path: &Path) -> Result<Store, StoreError> {
        Store::follow(path, *self)
    }

    /// The same for each of several books that are open together.
    pub fn among(self, books: usize) -> StoreOptions {
        let books = books.max(1) as u64;
        let share = |all: ByteCount| ByteCount(all.0 / books);
        StoreOptions {
            memory: share(self.memory).max(StoreOptions::LEAST_MEMORY),
            write_rate: self.write_rate.map(share),
            ..self
        }
    }

    pub fn shares(&self) -> MemoryShares {
        let quarter = ByteCount(self.memory.max(StoreOptions::LEAST_MEMORY).0 / 4);
        MemoryShares {
            cache: quarter,
            write_buffers: quarter,
            work: ByteCount(2 * quarter.0),
        }
    }
}

/// Who gets what of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryShares {
    /// Unpacked blocks of all tables.
    pub cache: ByteCount,
    /// What was written and is not in a file yet.
    pub write_buffers: ByteCount,
    /// For whoever works on the book: sorting, batches, what is not yet decided.
    pub work: ByteCount,
}

/// A number of bytes; read and shown as people write it: 512M, 1.5G.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ByteCount(pub u64);

impl ByteCount {
    pub const fn mebibytes(count: u64) -> ByteCount {
        ByteCount(count << 20)
    }

    pub const fn gibibytes(count: u64) -> ByteCount {
        ByteCount(count << 30)
    }

    /// For what is measured in the machine's own words.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

const UNITS: [(char, u64); 4] = [
    ('T', 1 << 40),
    ('G', 1 << 30),
    ('M', 1 << 20),
    ('K', 1 << 10),
];

impl FromStr for ByteCount {
    type Err = String;

    /// Reads `512M`, `1.5G`, `200 MB` or `2GiB`; a number without a unit is in megabytes.
    fn from_str(text: &str) -> Result<ByteCount, String> {
        let wrong = || "write a size as in 512M or 1.5G".to_string();
        let bare = text.trim().to_ascii_uppercase();
        let bare = bare
            .strip_suffix("IB")
            .or(bare.strip_suffix('B'))
            .unwrap_or(&bare);
        let unit = UNITS.iter().find(|(letter, _)| bare.ends_with(*letter));
        let (number, factor) = match unit {
            Some(&(letter, factor)) => (bare.strip_suffix(letter).unwrap_or(bare), factor),
            None => (bare, 1 << 20),
        };
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let bytes = number * factor as f64;
        // Above this no size is meant.
        if !(1.0..1e18).contains(&bytes) {
            return Err(wrong());
        }
        Ok(ByteCount(bytes as u64))
    }
}

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, factor)| self.0 >= *factor);
        match unit {
            Some(&(letter, factor)) if self.0.is_multiple_of(factor) => {
                write!(f, "{}{letter}", self.0 / factor)
            }
            Some(&(letter, factor)) => write!(f, "{:.1}{letter}", self.0 as f64 / factor as f64),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<ByteCount>().map(|count| count.0);
        let expected = [
            ("512M", 512 << 20),
            ("1.5G", 3 << 29),
            ("200 MB", 200 << 20),
            ("2GiB", 2 << 30),
            ("64k", 64 << 10),
            ("100", 100 << 20),
        ];
        for (text, bytes) in expected {
            assert_eq!(read(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "M", "-1G", "0", "many", "nan", "inf", "1e300G", "1GG", "1GG2", "GG", "1é",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_as_they_are_read() {
        for text in ["512M", "1.5G", "3T", "17K"] {
            assert_eq!(text.parse::<ByteCount>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_shares_are_never_more_than_the_memory() {
        for memory in ["32M", "100M", "1G", "7.3G"] {
            let memory = memory.parse().unwrap();
            let options = StoreOptions {
                memory,
                ..StoreOptions::default()
            };
            let MemoryShares {
                cache,
                write_buffers,
                work,
            } = options.shares();
            let sum = cache.0 + write_buffers.0 + work.0;
            assert!(sum <= memory.0 && sum + 4 > memory.0, "{memory}");
        }
    }

    #[test]
    fn several_books_share_what_one_would_have() {
        let all = StoreOptions {
            write_rate: Some(ByteCount(900)),
            ..StoreOptions::default()
        };
        let each = all.among(3);
        assert_eq!(each.memory.0, all.memory.0 / 3);
        assert_eq!(each.write_rate, Some(ByteCount(300)));
        assert_eq!(all.among(0), all);
    }
}
