//! A file on its way in: kept on the disk, not in memory, and no larger than allowed.

use super::problem::Problem;
use crate::games::{self, GameReader, OpenError};
use axum::body::Body;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;
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

/// A file that was uploaded; it is gone when this is dropped.
pub struct Upload {
    file: NamedTempFile,
    /// As the sender calls it.
    pub name: String,
}

/// Takes a body in.
pub async fn receive(mut body: Body, name: &str, limit: usize) -> Result<Upload, Problem> {
    // What it announces is refused before it is sent.
    if body.size_hint().lower() > limit as u64 {
        return Err(Problem::TooLarge { limit });
    }
    let name = Path::new(name).file_name().map_or_else(
        || "upload".into(),
        |name| name.to_string_lossy().into_owned(),
    );
    let mut file = tempfile::Builder::new()
        .suffix(&ending(&name))
        .tempfile()
        .map_err(|error| broken(&error))?;
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::BrokenUpload)?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        size += data.len();
        if size > limit {
            return Err(Problem::TooLarge { limit });
        }
        // Some kilobytes into the page cache: no reason to leave the thread.
        file.write_all(data).map_err(|error| broken(&error))?;
    }
    Ok(Upload { file, name })
}

/// The ending of a name, which tells formats apart where the content does not.
fn ending(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let tail: String = name.chars().rev().take(12).collect();
    let tail: String = tail.chars().rev().filter(|&c| plain(c)).collect();
    tail.find('.')
        .map_or_else(String::new, |dot| tail[dot..].to_owned())
}

fn broken(error: &std::io::Error) -> Problem {
    tracing::error!(%error, "an upload cannot be kept");
    Problem::Internal
}

impl Upload {
    /// Reads it. An error names the file as its sender does.
    pub fn games(&self) -> Result<GameReader, OpenError> {
        let path = || self.name.clone().into();
        games::open(self.file.path()).map_err(|error| match error {
            OpenError::Io { source, .. } => OpenError::Io {
                path: path(),
                source,
            },
            OpenError::NotACollection { reason, .. } => OpenError::NotACollection {
                path: path(),
                reason,
            },
        })
    }

    pub fn bytes(&self) -> u64 {
        self.file.as_file().metadata().map_or(0, |data| data.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_harmless_end_of_a_name_is_kept() {
        assert_eq!(ending("WTH_2001.wtb"), ".wtb");
        assert_eq!(ending("games.ggf.gz"), ".ggf.gz");
        assert_eq!(ending("no ending"), "");
        assert_eq!(ending("../../x.t/x t"), "");
        assert_eq!(ending("../..\\x.t /\u{1F4A9}y.t x"), ".tx");
        assert_eq!(ending(""), "");
    }
}
