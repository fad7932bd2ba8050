//! What a book may take of the machine, as options of every command that opens one.

use crate::book::{ByteCount, StoreOptions};

const HEADING: &str = "Memory and disk";

#[derive(clap::Args, Clone, Copy)]
pub struct StoreArgs {
    /// For the book's caches and buffers together [default: 1G]
    ///
    /// A quarter is a cache of what was read, a quarter holds what is not on the disk yet, and half
    /// is for the command itself. Besides, an open book takes up to three bytes a position.
    #[arg(long, value_name = "SIZE", value_parser = read_memory, help_heading = HEADING, hide_short_help = true)]
    memory: Option<ByteCount>,

    /// Write at most this much a second in the background [default: as fast as the disk]
    ///
    /// Of what the database writes by itself: new tables, and old ones put in order. Others who
    /// use the disk notice less; a long build takes longer.
    #[arg(long, value_name = "SIZE", value_parser = read_rate, help_heading = HEADING, hide_short_help = true)]
    write_rate: Option<ByteCount>,

    /// Threads that write and put tables in order meanwhile [default: one per core, 2 to 8]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    background_threads: Option<u8>,
}

impl StoreArgs {
    pub fn options(self) -> StoreOptions {
        let usual = StoreOptions::default();
        StoreOptions {
            memory: self.memory.unwrap_or(usual.memory),
            write_rate: self.write_rate,
            background_threads: self.background_threads.unwrap_or(usual.background_threads),
        }
    }
}

fn read_memory(text: &str) -> Result<ByteCount, String> {
    match at_least(text, StoreOptions::LEAST_MEMORY)? {
        size if size > MOST_MEMORY => Err(format!(
            "at most {MOST_MEMORY}; a number without a unit is in megabytes: write 1G for 1073741824"
        )),
        size => Ok(size),
    }
}

/// No machine has more, and the database ends the process where the system refuses it.
const MOST_MEMORY: ByteCount = ByteCount::gibibytes(1 << 10);

fn read_rate(text: &str) -> Result<ByteCount, String> {
    // Below this a flush takes so long that writes wait for it.
    at_least(text, ByteCount::mebibytes(1))
}

fn at_least(text: &str, least: ByteCount) -> Result<ByteCount, String> {
    match text.parse()? {
        size if size >= least => Ok(size),
        _ => Err(format!("at least {least} are needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The database ends the process where the system has not so much memory.
    #[test]
    fn bytes_are_not_taken_for_megabytes() {
        for text in ["1000000000", "536870912", "100T"] {
            let told = read_memory(text).unwrap_err();
            assert!(told.contains("in megabytes"), "{told}");
        }
        assert_eq!(read_memory("500"), Ok(ByteCount::mebibytes(500)));
        assert!(read_memory("1").is_err());
    }
}
