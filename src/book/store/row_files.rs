//! Rows written as the database's own files and handed over whole, which is several times as fast as
//! writing them through the log, and waits in no memory.

use super::{Store, StoreError, Table, error};
use rocksdb::{IngestExternalFileOptions, Options, SstFileWriter};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file is not much longer.
const FILE_BYTES: u64 = 256 << 20;
/// How the name of the folder begins in which they are written.
const FOLDER: &str = "bulk-";

/// Files of one table. Dropped, they are gone.
pub(super) struct RowFiles<'a> {
    store: &'a Store,
    table: Table,
    options: &'a Options,
    folder: TempDir,
    files: Vec<PathBuf>,
    writer: Option<SstFileWriter<'a>>,
}

impl<'a> RowFiles<'a> {
    pub fn new(store: &'a Store, table: Table) -> Result<RowFiles<'a>, StoreError> {
        // Beside the database, on the same disk, so that the files need not be copied.
        let folder = tempfile::Builder::new()
            .prefix(FOLDER)
            .tempdir_in(&store.path)
            .map_err(|source| error::io(&store.path, source))?;
        // Into an empty table they come where they stay; otherwise they are rewritten soon.
        let stays = store.reader().rows(table, None)?.next_row()?.is_none();
        Ok(RowFiles {
            store,
            table,
            options: store.setup.of_files(table, stays),
            folder,
            files: Vec::new(),
            writer: None,
        })
    }

    /// Keys come in rising order.
    pub fn put(&mut self, key: &[u8], record: &[u8]) -> Result<(), StoreError> {
        let store = self.store;
        let written = self.writer()?.put(key, record);
        written.map_err(|problem| store.error(&problem))
    }

    /// The same for what is joined with what is there.
    pub fn merge(&mut self, key: &[u8], record: &[u8]) -> Result<(), StoreError> {
        let store = self.store;
        let written = self.writer()?.merge(key, record);
        written.map_err(|problem| store.error(&problem))
    }

    fn writer(&mut self) -> Result<&mut SstFileWriter<'a>, StoreError> {
        if self
            .writer
            .as_mut()
            .is_some_and(|one| one.file_size() > FILE_BYTES)
        {
            self.finish()?;
        }
        match &mut self.writer {
            Some(writer) => Ok(writer),
            none => {
                let name = format!("records-{}.sst", self.files.len());
                let file = self.folder.path().join(name);
                let writer = none.insert(SstFileWriter::create(self.options));
                writer
                    .open(&file)
                    .map_err(|problem| self.store.error(&problem))?;
                self.files.push(file);
                Ok(writer)
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Nothing more comes.
    pub fn finish(&mut self) -> Result<(), StoreError> {
        if let Some(mut writer) = self.writer.take() {
            writer
                .finish()
                .map_err(|problem| self.store.error(&problem))?;
        }
        Ok(())
    }

    /// Puts them into the table, all at once.
    pub fn hand_over(mut self) -> Result<(), StoreError> {
        self.finish()?;
        if self.files.is_empty() {
            return Ok(());
        }
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let family = self.store.family(self.table)?;
        let files = std::mem::take(&mut self.files);
        self.store
            .db()?
            .ingest_external_file_cf_opts(family, &options, files)
            .map_err(|problem| self.store.error(&problem))
    }
}

/// Removes what a process left that was killed while it wrote such files. Only who has the lock of
/// the book may do it.
pub(super) fn remove_left_over(book: &Path) {
    for entry in fs::read_dir(book).into_iter().flatten().flatten() {
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(FOLDER.as_bytes())
        {
            // Otherwise the next one does it.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
