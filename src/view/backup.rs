//! A backup of a book as people and programs are told of it.

use crate::book::Backup;
use serde::Serialize;
use utoipa::ToSchema;

/// One backup; sizes in bytes.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct BackupView {
    #[schema(example = "2026-11-18T09-44-01Z")]
    pub name: String,
    /// A folder, and a book.
    pub path: String,
    /// The name that machines call the book by.
    pub identity: String,
    /// The folder that it was made of.
    pub source: String,
    /// Seconds since 1970.
    pub made: u64,
    /// About.
    pub positions: u64,
    pub bytes: u64,
    /// The rest is shared with the book or with the backup before.
    pub bytes_copied: u64,
    /// All of them were read before the backup was listed.
    pub records_verified: u64,
}

impl From<&Backup> for BackupView {
    fn from(backup: &Backup) -> BackupView {
        let record = &backup.record;
        BackupView {
            name: backup.name.clone(),
            path: backup.path.display().to_string(),
            identity: backup.book().to_owned(),
            source: record.source.display().to_string(),
            made: record.made,
            positions: record.positions,
            bytes: record.bytes,
            bytes_copied: record.copied,
            records_verified: record.verified,
        }
    }
}
