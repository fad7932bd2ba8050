//! A file on its way in: kept on the disk, not in memory, and no larger than allowed. What is no
//! collection is seen by its beginning, and the rest of it is not taken.

use super::bodies::Arriving;
use super::failures::Failures;
use super::places::Caller;
use super::problem::{Problem, What};
use super::shares::{Share, Shares};
use crate::games::{GameReader, Leash, OpenError, scratch_error, scratch_folder};
use axum::body::Body;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::NamedTempFile;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::openapi::schema::{KnownFormat, Object, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A file of games as it is sent: its bytes and nothing around them.
pub struct FileBytes;

impl PartialSchema for FileBytes {
    fn schema() -> RefOr<Schema> {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        Object::builder()
            .schema_type(Type::String)
            .format(Some(binary))
            .into()
    }
}

impl ToSchema for FileBytes {}

/// A client with more waits for his own others to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough to recognise any format, packed or not.
const BEGINNING: u64 = 256 << 10;
/// What a file may unpack to, as a multiple of what may be uploaded.
const UNPACKED: u64 = 32;

/// Those who upload: so many files of each client, and so many bytes of all on the disk.
pub struct Uploads {
    clients: Arc<Shares>,
    /// Megabytes.
    disk: Arc<Semaphore>,
    limit: usize,
}

/// A file that was uploaded; it is gone, and its sender may send another, when this is dropped.
pub struct Upload {
    file: NamedTempFile,
    /// As the sender calls it.
    pub name: String,
    unpacked: u64,
    _held: (Share, Vec<OwnedSemaphorePermit>),
}

impl Uploads {
    /// Files of up to `limit` bytes, and so many of the largest at a time.
    pub fn new(limit: usize, per_client: usize, in_all: usize) -> Uploads {
        Uploads {
            clients: Shares::new(per_client),
            disk: Arc::new(Semaphore::new(in_all * megabytes(limit))),
            limit,
        }
    }

    /// Takes a body in.
    pub async fn receive(
        &self,
        body: Body,
        name: &str,
        caller: &Caller,
        failures: &Failures,
    ) -> Result<Upload, Problem> {
        let share = {
            let _waiting = caller.waiting();
            failures.check(caller.client).await?;
            let (what, limit) = (What::Uploads, self.clients.each());
            let share = self.clients.wait(caller.client, PATIENCE).await;
            share.ok_or(Problem::TooMany { what, limit })?
        };
        let received = self.take_in(body, name, caller, share).await;
        received.inspect_err(|problem| failures.note(caller.client, problem))
    }

    async fn take_in(
        &self,
        body: Body,
        name: &str,
        caller: &Caller,
        share: Share,
    ) -> Result<Upload, Problem> {
        let mut arriving = Arriving::new(body, self.limit, caller)?;
        let name = Path::new(name).file_name().map_or_else(
            || "upload".into(),
            |name| name.to_string_lossy().into_owned(),
        );
        // A body that never begins takes no file.
        let first = arriving.next().await?;
        let file = NamedTempFile::new_in(scratch_folder());
        let mut file = file.map_err(not_kept)?;
        let (mut size, mut disk) = (0, Vec::new());
        let mut next = first;
        while let Some(data) = next {
            let before = size;
            size += data.len();
            for _ in megabytes(before)..megabytes(size) {
                let more = self.disk.clone().try_acquire_owned();
                disk.push(more.map_err(|_| Problem::Busy)?);
            }
            // Some kilobytes into the page cache: no reason to leave the thread.
            file.write_all(&data).map_err(not_kept)?;
            if (before as u64) < BEGINNING && size as u64 >= BEGINNING {
                recognise(&file, &name)?;
            }
            next = arriving.next().await?;
        }
        Ok(Upload {
            file,
            name,
            unpacked: UNPACKED * self.limit as u64,
            _held: (share, disk),
        })
    }
}

fn megabytes(bytes: usize) -> usize {
    bytes.div_ceil(1 << 20)
}

/// An error if this is the beginning of nothing we know. Half of a packed file is no error.
fn recognise(file: &NamedTempFile, name: &str) -> Result<(), Problem> {
    let mut beginning = file.reopen().map_err(not_kept)?;
    beginning.rewind().map_err(not_kept)?;
    match GameReader::from_stream(name, beginning) {
        Err(error @ OpenError::NotACollection { .. }) => Err(error.into()),
        _ => Ok(()),
    }
}

fn not_kept(error: io::Error) -> Problem {
    let error = scratch_error(error);
    tracing::error!(%error, "an upload cannot be kept");
    Problem::NoScratch
}

impl Upload {
    /// Reads it, under the name its sender gave it and without looking at anything beside it, until
    /// it is over.
    pub fn games_until(
        &self,
        is_over: impl Fn() -> bool + Send + 'static,
    ) -> Result<GameReader, OpenError> {
        let file = self.file.reopen().map_err(|source| OpenError::Io {
            path: self.name.clone().into(),
            source,
        })?;
        let leash = Leash {
            unpacked: self.unpacked,
            is_over: Box::new(is_over),
        };
        GameReader::of_stranger(&self.name, file, self.bytes(), leash)
    }

    /// The same, for those who stop by themselves.
    pub fn games(&self) -> Result<GameReader, OpenError> {
        self.games_until(|| false)
    }

    pub fn bytes(&self) -> u64 {
        self.file.as_file().metadata().map_or(0, |data| data.len())
    }
}
