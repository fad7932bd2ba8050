//! How RocksDB is set up, and why.

use super::Table;
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::list;
use crate::book::statistics::Statistics;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, LogLevel, MergeOperands,
    Options, SliceTransform,
};

/// Unpacked blocks of all tables. Filters and indices are held besides, under three bytes per
/// position: through the cache, each of the many looks of a query costs twice as much.
const CACHE_BYTES: usize = 256 << 20;
/// Collected in memory before it is written as a file.
const WRITE_BUFFER_BYTES: usize = 64 << 20;
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

/// The options of the database and of each table.
pub(super) fn all(create: bool) -> (Options, Vec<ColumnFamilyDescriptor>) {
    (of_database(create), of_tables(&cache(), |_| true))
}

/// The same for an instance that is only read, for the tables that are there.
pub(super) fn to_read(
    cache: &Cache,
    there: impl Fn(Table) -> bool,
) -> (Options, Vec<ColumnFamilyDescriptor>) {
    let mut options = of_database(false);
    // A file that is open can be read also when a compaction has removed it.
    options.set_max_open_files(-1);
    // Without them nobody knows how many records there are; the files are open anyway.
    options.set_skip_stats_update_on_db_open(false);
    (options, of_tables(cache, there))
}

pub(super) fn cache() -> Cache {
    Cache::new_hyper_clock_cache(CACHE_BYTES, 0)
}

fn of_tables(cache: &Cache, there: impl Fn(Table) -> bool) -> Vec<ColumnFamilyDescriptor> {
    let tables = Table::ALL.into_iter().filter(|table| there(*table));
    tables
        .map(|table| ColumnFamilyDescriptor::new(table.name(), of_table(table, cache)))
        .collect()
}

fn of_database(create: bool) -> Options {
    let mut options = Options::default();
    options.create_if_missing(create);
    // A beginning that was cut short may lack some.
    options.create_missing_column_families(true);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    options.increase_parallelism(cores.clamp(2, 8) as i32);
    // Opening must not read every file of a large book.
    options.set_max_open_files(1024);
    options.set_skip_stats_update_on_db_open(true);
    // Spreads the writing to the disk instead of stalling on it at the end of a file.
    options.set_bytes_per_sync(1 << 20);
    options.set_max_total_wal_size(LOG_BYTES);
    options.set_log_level(LogLevel::Warn);
    options.set_keep_log_file_num(2);
    options.set_max_log_file_size(1 << 20);
    options
}

pub(super) fn of_table(table: Table, cache: &Cache) -> Options {
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
    options.set_write_buffer_size(WRITE_BUFFER_BYTES);
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
