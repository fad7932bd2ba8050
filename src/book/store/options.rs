//! How RocksDB is set up, and why.

use super::{ByteCount, StoreOptions, Table};
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::list;
use crate::book::statistics::Statistics;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, LogLevel, MergeOperands,
    Options, SliceTransform, statistics::StatsLevel,
};
use std::sync::OnceLock;

/// A table's part of the write buffers: several tables are written at once, each with one buffer
/// that is filled and one that is being written to the disk.
const BUFFERS_IN_USE: u64 = 4;
const DIRTY_BUFFER_BYTES: usize = 1 << 20;
/// So many files of the first level may lie on each other. Filters pass most of them by; to put them in
/// order sooner costs a build more than it saves, and what it leaves to be done is begun anew, and
/// seldom ended, by every short command after it.
const FILES_TO_COMPACT: i32 = 8;
/// Whoever opens the book reads the log first, and a reader beside a writer does so again and
/// again: 100 MB take it a second. A shorter one makes a build of many games write its tables in
/// small files that are soon rewritten.
const LOG_BYTES: u64 = 128 << 20;
/// Larger blocks compress better; point reads from the cache do not notice.
const BLOCK_BYTES: usize = 16 << 10;
/// About one look in a hundred at a key that is not there reads a block.
const FILTER_BITS_PER_KEY: f64 = 10.0;

/// RocksDB's own recommendations: writes are let through ten times a second, and what was held
/// back for something more urgent gets its turn one time in ten.
const RATE_PERIOD_MICROSECONDS: i64 = 100_000;
const RATE_FAIRNESS: i32 = 10;

/// What all instances of one open book have in common.
pub(super) struct Setup {
    pub options: StoreOptions,
    /// Unpacked blocks of all tables. Filters and indices are held besides, under three bytes per
    /// position: through the cache, each of the many looks of a query costs twice as much.
    pub cache: Cache,
    /// Copies of it count together.
    pub counting: Options,
    /// For files that are handed over, by table: those that are rewritten soon, those that stay.
    of_files: OnceLock<[Vec<Options>; 2]>,
}

impl Setup {
    pub fn new(options: StoreOptions) -> Setup {
        let mut counting = Options::default();
        counting.enable_statistics();
        // Times and distributions would cost more than what they measure.
        counting.set_statistics_level(StatsLevel::ExceptHistogramOrTimers);
        Setup {
            options,
            cache: Cache::new_hyper_clock_cache(options.shares().cache.as_usize(), 0),
            counting,
            of_files: OnceLock::new(),
        }
    }

    /// For whoever writes files of a table.
    pub fn of_files(&self, table: Table, stays: bool) -> &Options {
        let packings = [DBCompressionType::Lz4, DBCompressionType::Zstd];
        let all = self.of_files.get_or_init(|| {
            packings.map(|packing| {
                let options = |table| {
                    let mut options = of_table(table, &self.cache, &self.options);
                    // Whoever writes a file takes it for one of the bottom.
                    options.set_bottommost_compression_type(packing);
                    options
                };
                Table::ALL.map(options).into()
            })
        });
        &all[usize::from(stays)][table as usize]
    }

    /// The options of the database and of each table.
    pub fn to_write(&self, create: bool) -> (Options, Vec<ColumnFamilyDescriptor>) {
        (self.of_database(create), self.of_tables(|_| true))
    }

    /// The same for an instance that is only read, for the tables that are there.
    pub fn to_read(&self, there: impl Fn(Table) -> bool) -> (Options, Vec<ColumnFamilyDescriptor>) {
        let mut options = self.of_database(false);
        // A file that is open can be read also when a compaction has removed it.
        options.set_max_open_files(-1);
        (options, self.of_tables(there))
    }

    fn of_tables(&self, there: impl Fn(Table) -> bool) -> Vec<ColumnFamilyDescriptor> {
        let tables = Table::ALL.into_iter().filter(|table| there(*table));
        tables
            .map(|table| {
                let options = of_table(table, &self.cache, &self.options);
                ColumnFamilyDescriptor::new(table.name(), options)
            })
            .collect()
    }

    fn of_database(&self, create: bool) -> Options {
        let mut options = self.counting.clone();
        options.create_if_missing(create);
        // A beginning that was cut short may lack some.
        options.create_missing_column_families(true);
        options.increase_parallelism(self.options.background_threads.into());
        // What lies on each other after a large build is one piece of work otherwise.
        options.set_max_subcompactions(self.options.background_threads.into());
        // Of all tables together: the oldest is written to the disk when they are more.
        options.set_db_write_buffer_size(self.options.shares().write_buffers.as_usize());
        if let Some(rate) = self.options.write_rate {
            let rate = i64::try_from(rate.0).unwrap_or(i64::MAX);
            options.set_ratelimiter(rate, RATE_PERIOD_MICROSECONDS, RATE_FAIRNESS);
        }
        options.set_max_open_files(1024);
        // Without them nobody knows how many records there are.
        options.set_skip_stats_update_on_db_open(false);
        // Spreads the writing to the disk instead of stalling on it at the end of a file.
        options.set_bytes_per_sync(1 << 20);
        options.set_max_total_wal_size(LOG_BYTES);
        options.set_log_level(LogLevel::Warn);
        options.set_keep_log_file_num(2);
        options.set_max_log_file_size(1 << 20);
        options
    }
}

/// What a table may hold in memory until it is written. After a full disk the database goes on when
/// so much is free.
pub(super) fn write_buffer(opened: &StoreOptions) -> ByteCount {
    ByteCount(opened.shares().write_buffers.0 / BUFFERS_IN_USE)
}

pub(super) fn of_table(table: Table, cache: &Cache, opened: &StoreOptions) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_size(BLOCK_BYTES);
    blocks.set_block_cache(cache);
    blocks.set_bloom_filter(FILTER_BITS_PER_KEY, false);
    blocks.set_format_version(5);

    let mut options = Options::default();
    options.set_block_based_table_factory(&blocks);
    // What is rewritten soon is packed fast, what stays is packed well.
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_write_buffer_size(write_buffer(opened).as_usize());
    options.set_max_write_buffer_number(3);
    options.set_level_zero_file_num_compaction_trigger(FILES_TO_COMPACT);
    match table {
        Table::Nodes => {
            // Finding parents looks for a shape: a filter answers most of these looks.
            let shape = SliceTransform::create_fixed_prefix(NodeKey::SHAPE_BYTES);
            options.set_prefix_extractor(shape);
            options.set_memtable_prefix_bloom_ratio(0.05);
            options.set_memtable_whole_key_filtering(true);
        }
        Table::Statistics => options.set_merge_operator_associative("statistics", merge),
        Table::Index => options.set_merge_operator_associative("lists", merge_lists),
        // Written small and often, so that marks that were taken off soon leave no trace.
        Table::Dirty | Table::Wanted => {
            options.set_write_buffer_size(DIRTY_BUFFER_BYTES);
            options.set_level_zero_file_num_compaction_trigger(FILES_TO_COMPACT / 2);
        }
        Table::Counts | Table::Games | Table::Meta => {}
    }
    options
}

/// Adds statistics up. A record that cannot be read makes the merge fail, which RocksDB reports
/// to whoever reads it.
fn merge(_key: &[u8], existing: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    let mut sum = Statistics::default();
    for bytes in existing.into_iter().chain(operands) {
        sum.add(&codec::statistics_from_bytes(bytes).ok()?);
    }
    Some(codec::statistics_to_bytes(&sum).to_vec())
}

/// Adds games to a list.
fn merge_lists(_key: &[u8], existing: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    list::union(existing.into_iter().chain(operands))
}
