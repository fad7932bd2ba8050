//! What a book's database says about itself.

use crate::book::{StoreFigures, TableFigures};
use serde::Serialize;
use utoipa::ToSchema;

/// A book's database at one moment; sizes in bytes.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct StoreView {
    pub tables: Vec<TableView>,
    /// On the disk, of all tables.
    pub bytes: u64,
    pub cache_capacity: u64,
    pub cache_used: u64,
    pub cache_hits: u64,
    pub cache_misses: u64,
    /// The part of all looks that found their block in the cache.
    #[schema(example = 0.97)]
    pub cache_hit_rate: Option<f64>,
    /// Looks for a key that a filter spared.
    pub filter_hits: u64,
    /// Read from files since the book was opened.
    pub bytes_read: u64,
    /// Given by those who wrote to the book.
    pub bytes_given: u64,
    pub bytes_logged: u64,
    pub bytes_flushed: u64,
    pub bytes_compacted: u64,
    /// Tables that are to be put in order.
    pub compactions_pending: u64,
    pub compactions_running: u64,
    pub flushes_running: u64,
    /// So long those who write had to wait.
    pub stalled_seconds: f64,
    pub writes_stopped: bool,
}

/// One table of the database.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct TableView {
    #[schema(example = "nodes")]
    pub name: String,
    /// About.
    pub records: u64,
    pub files: u64,
    /// On the disk.
    pub bytes: u64,
    /// In memory and in the log, not in a file yet.
    pub bytes_unwritten: u64,
    /// Filters and indices in memory.
    pub bytes_of_index: u64,
    /// To be rewritten until the table is in order.
    pub bytes_to_compact: u64,
}

impl From<&TableFigures> for TableView {
    fn from(figures: &TableFigures) -> TableView {
        TableView {
            name: figures.table.name().to_owned(),
            records: figures.records,
            files: figures.files,
            bytes: figures.bytes,
            bytes_unwritten: figures.unwritten,
            bytes_of_index: figures.index,
            bytes_to_compact: figures.to_compact,
        }
    }
}

impl From<&StoreFigures> for StoreView {
    fn from(figures: &StoreFigures) -> StoreView {
        let StoreFigures {
            tables,
            cache,
            traffic,
            backlog,
        } = figures;
        StoreView {
            tables: tables.iter().map(TableView::from).collect(),
            bytes: tables.iter().map(|table| table.bytes).sum(),
            cache_capacity: cache.capacity,
            cache_used: cache.used,
            cache_hits: cache.hits,
            cache_misses: cache.misses,
            cache_hit_rate: cache.hit_rate(),
            filter_hits: traffic.filtered,
            bytes_read: traffic.read,
            bytes_given: traffic.given,
            bytes_logged: traffic.logged,
            bytes_flushed: traffic.flushed,
            bytes_compacted: traffic.compacted,
            compactions_pending: backlog.compactions,
            compactions_running: backlog.running_compactions,
            flushes_running: backlog.running_flushes,
            stalled_seconds: backlog.stalled.as_secs_f64(),
            writes_stopped: backlog.stopped,
        }
    }
}
