//! What the database says about itself: sizes, the cache, what it reads and writes, and what
//! waits.

use super::{Store, StoreError, Table, View};
use rocksdb::properties;
use rocksdb::statistics::Ticker;
use std::time::Duration;

/// A book's database at one moment.
#[derive(Clone, Debug)]
pub struct StoreFigures {
    pub tables: Vec<TableFigures>,
    pub cache: CacheFigures,
    pub traffic: Traffic,
    pub backlog: Backlog,
}

/// One table.
#[derive(Clone, Copy, Debug)]
pub struct TableFigures {
    pub table: Table,
    /// About: what was replaced or removed and is not compacted yet counts, too.
    pub records: u64,
    pub files: u64,
    /// In files; what is still in the log is in `unwritten`.
    pub bytes: u64,
    /// In memory and in the log, not in a file yet.
    pub unwritten: u64,
    /// Filters and indices of the open files, in memory.
    pub index: u64,
    /// To be rewritten until the table is in order.
    pub to_compact: u64,
}

/// Unpacked blocks in memory.
#[derive(Clone, Copy, Debug)]
pub struct CacheFigures {
    pub capacity: u64,
    pub used: u64,
    pub hits: u64,
    pub misses: u64,
}

impl CacheFigures {
    /// The part of all looks that found their block in the cache; none if nobody looked.
    pub fn hit_rate(&self) -> Option<f64> {
        let looks = self.hits + self.misses;
        (looks > 0).then(|| self.hits as f64 / looks as f64)
    }
}

/// In bytes, since the book was opened.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Read from files, by whomever.
    pub read: u64,
    /// Given by those who write to the book.
    pub given: u64,
    /// Written to the log, as tables out of memory, and by compactions.
    pub logged: u64,
    pub flushed: u64,
    pub compacted: u64,
    /// Looks for a key that a filter spared.
    pub filtered: u64,
}

/// Work that the database has before it.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// Tables that are to be compacted.
    pub compactions: u64,
    pub running_compactions: u64,
    pub running_flushes: u64,
    /// So long those who write had to wait, all in all, since the book was opened.
    pub stalled: Duration,
    /// Those who write wait at this moment.
    pub stopped: bool,
}

impl Store {
    pub fn figures(&self) -> Result<StoreFigures, StoreError> {
        let now = self.db.now();
        let setup = &self.setup;
        let ticked = |ticker| setup.counting.get_ticker_count(ticker);
        let mut backlog = Backlog {
            compactions: 0,
            running_compactions: 0,
            running_flushes: 0,
            stalled: Duration::from_micros(ticked(Ticker::StallMicros)),
            stopped: false,
        };
        let mut tables = Vec::new();
        for table in Table::ALL {
            let about = |property| self.property(&now, table, property);
            // An older book has no index.
            let Some(family) = now.cf_handle(table.name()) else {
                continue;
            };
            let files = now.get_column_family_metadata_cf(family);
            tables.push(TableFigures {
                table,
                records: about(properties::ESTIMATE_NUM_KEYS)?,
                files: files.file_count as u64,
                bytes: files.size,
                unwritten: about(properties::CUR_SIZE_ALL_MEM_TABLES)?,
                index: about(properties::ESTIMATE_TABLE_READERS_MEM)?,
                to_compact: about(properties::ESTIMATE_PENDING_COMPACTION_BYTES)?,
            });
            backlog.compactions += about(properties::COMPACTION_PENDING)?;
            // These are the same for every table.
            backlog.running_compactions = about(properties::NUM_RUNNING_COMPACTIONS)?;
            backlog.running_flushes = about(properties::NUM_RUNNING_FLUSHES)?;
            backlog.stopped |= about(properties::IS_WRITE_STOPPED)? > 0;
        }
        Ok(StoreFigures {
            tables,
            cache: CacheFigures {
                capacity: setup.options.shares().cache.0,
                used: setup.cache.get_usage() as u64,
                hits: ticked(Ticker::BlockCacheHit),
                misses: ticked(Ticker::BlockCacheMiss),
            },
            traffic: Traffic {
                read: ticked(Ticker::LastLevelReadBytes) + ticked(Ticker::NonLastLevelReadBytes),
                given: ticked(Ticker::BytesWritten),
                logged: ticked(Ticker::WalFileBytes),
                flushed: ticked(Ticker::FlushWriteBytes),
                compacted: ticked(Ticker::CompactWriteBytes),
                filtered: ticked(Ticker::BloomFilterUseful)
                    + ticked(Ticker::BloomFilterPrefixUseful),
            },
            backlog,
        })
    }

    /// What a table takes on the disk, without what is still in the log.
    pub fn bytes_on_disk(&self, table: Table) -> Result<u64, StoreError> {
        let now = self.db.now();
        // An older book has no index.
        let family = now.cf_handle(table.name());
        Ok(family.map_or(0, |family| now.get_column_family_metadata_cf(family).size))
    }

    /// The files of a table.
    #[cfg(test)]
    pub fn files(&self, table: Table) -> Vec<std::path::PathBuf> {
        let files = self.db.now().live_files().unwrap();
        let files = files
            .into_iter()
            .filter(|file| file.column_family_name == table.name());
        let folder = self.path.join("db");
        files
            .map(|file| folder.join(file.name.trim_start_matches('/')))
            .collect()
    }

    /// About how many records a table has, without counting them.
    pub fn estimated_records(&self, table: Table) -> Result<u64, StoreError> {
        self.property(&self.db.now(), table, properties::ESTIMATE_NUM_KEYS)
    }

    fn property(
        &self,
        now: &View<'_>,
        table: Table,
        property: &properties::PropName,
    ) -> Result<u64, StoreError> {
        now.property_int_value_cf(self.family_in(now, table)?, property)
            .map(Option::unwrap_or_default)
            .map_err(|problem| self.error(&problem))
    }
}
