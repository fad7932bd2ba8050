//! Many records at once into tables that are empty: written as the database's own files and handed
//! over, which is several times as fast as writing them through the log.

use super::{Store, StoreError, Table, error, options};
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::statistics::Statistics;
use rocksdb::{Cache, DBCompressionType, IngestExternalFileOptions, SstFileWriter};

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

    /// Puts nodes in, given in rising order of their keys; all of them or none.
    pub fn bulk_nodes<'a>(
        &self,
        nodes: impl Iterator<Item = (NodeKey, &'a Node)>,
    ) -> Result<(), StoreError> {
        let records = nodes.map(|(key, node)| (key, codec::node_to_bytes(key, node)));
        self.bulk(Table::Nodes, records)
    }

    /// Puts counts of games that are not in the book in, given in rising order of their keys.
    pub fn bulk_counts(
        &self,
        counts: impl Iterator<Item = (NodeKey, Statistics)>,
    ) -> Result<(), StoreError> {
        let records = counts.map(|(key, counted)| (key, codec::statistics_to_bytes(&counted)));
        self.bulk(Table::Counts, records)
    }

    fn bulk<R: AsRef<[u8]>>(
        &self,
        table: Table,
        records: impl Iterator<Item = (NodeKey, R)>,
    ) -> Result<(), StoreError> {
        let mut records = records.peekable();
        if records.peek().is_none() {
            return Ok(());
        }
        let failed = |problem: rocksdb::Error| self.error(&problem);
        // Beside the database, on the same disk, so that the file need not be copied.
        let folder = tempfile::Builder::new()
            .prefix("bulk-")
            .tempdir_in(&self.path)
            .map_err(|source| error::io(&self.path, source))?;
        let file = folder.path().join("records.sst");
        let mut options = options::of_table(table, &Cache::new_lru_cache(0), self.options());
        options.set_compression_type(DBCompressionType::Zstd);
        let mut writer = SstFileWriter::create(&options);
        writer.open(&file).map_err(failed)?;
        for (key, record) in records {
            writer.put(key.to_bytes(), record).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        self.db()?
            .ingest_external_file_cf_opts(self.family(table)?, &options, vec![file])
            .map_err(failed)
    }
}
