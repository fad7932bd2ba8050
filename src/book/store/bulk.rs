//! Many records at once into tables that are empty: written as the database's own files and handed
//! over, which is several times as fast as writing them through the log.

use super::{Store, StoreError, Table, error, options};
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::statistics::Statistics;
use rocksdb::{Cache, DBCompressionType, IngestExternalFileOptions, SstFileWriter};

/// Takes a position, with counts of games that are not in the book if there are any.
pub type PutPosition<'a> =
    dyn FnMut(NodeKey, &Node, Option<&Statistics>) -> Result<(), StoreError> + 'a;

/// Takes a record.
type PutRecord<'a> = dyn FnMut(NodeKey, &[u8]) -> Result<(), StoreError> + 'a;

/// A file is not much longer.
const FILE_BYTES: u64 = 256 << 20;

impl Store {
    /// Nothing is in the book yet.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        for table in [Table::Nodes, Table::Statistics, Table::Counts, Table::Games] {
            if self.reader().rows(table, None)?.next_row()?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts in what `give` gives, in rising order of the keys: all of it, or nothing if it fails or
    /// says false, which is then said here, too.
    pub fn bulk_positions(
        &self,
        give: impl FnOnce(&mut PutPosition<'_>) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        // The positions are handed over last: they come with all that belongs to them.
        self.bulk(Table::Nodes, |put_node| {
            self.bulk(Table::Counts, |put_counts| {
                give(&mut |key, node, counted| {
                    if let Some(counted) = counted {
                        put_counts(key, &codec::statistics_to_bytes(counted))?;
                    }
                    put_node(key, codec::node_to_bytes(key, node).as_ref())
                })
            })
        })
    }

    fn bulk(
        &self,
        table: Table,
        give: impl FnOnce(&mut PutRecord<'_>) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let failed = |problem: rocksdb::Error| self.error(&problem);
        // Beside the database, on the same disk, so that the files need not be copied.
        let folder = tempfile::Builder::new()
            .prefix("bulk-")
            .tempdir_in(&self.path)
            .map_err(|source| error::io(&self.path, source))?;
        let mut options = options::of_table(table, &Cache::new_lru_cache(0), self.options());
        options.set_compression_type(DBCompressionType::Zstd);
        let mut files = Vec::new();
        let mut writer: Option<SstFileWriter<'_>> = None;
        let is_whole = give(&mut |key, record| {
            if let Some(mut full) = writer.take_if(|writer| writer.file_size() > FILE_BYTES) {
                full.finish().map_err(failed)?;
            }
            let writer = match &mut writer {
                Some(writer) => writer,
                None => {
                    let file = folder.path().join(format!("records-{}.sst", files.len()));
                    let new = writer.insert(SstFileWriter::create(&options));
                    new.open(&file).map_err(failed)?;
                    files.push(file);
                    new
                }
            };
            writer.put(key.to_bytes(), record).map_err(failed)
        })?;
        if let Some(mut last) = writer {
            last.finish().map_err(failed)?;
        }
        if is_whole && !files.is_empty() {
            let mut options = IngestExternalFileOptions::default();
            options.set_move_files(true);
            self.db()?
                .ingest_external_file_cf_opts(self.family(table)?, &options, files)
                .map_err(failed)?;
        }
        Ok(is_whole)
    }
}
