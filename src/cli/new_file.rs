//! Files that are complete or not there at all: written under another name, which they lose last.

use crate::games::temporary_in;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The folder in which a file is to be written.
pub fn folder_for(path: &Path) -> Result<&Path> {
    let folder = folder_of(path);
    if !folder.exists() {
        bail!(
            "there is no folder {}; make it, or choose another place",
            folder.display()
        );
    }
    Ok(folder)
}

pub fn no_room(folder: &Path) -> String {
    format!("cannot write in the folder {}", folder.display())
}

pub fn check_free(path: &Path, force: bool) -> Result<()> {
    // A name would take the place of a device, a pipe or a link.
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        bail!(
            "{} is there and is no plain file; choose another name",
            path.display()
        );
    }
    if !force && path.exists() {
        bail!(
            "{} exists already; choose another name, or add --force to replace it",
            path.display()
        );
    }
    Ok(())
}

/// Says at once, and not after hours of work, that a file could not be written.
pub fn check_target(path: &Path, force: bool) -> Result<()> {
    check_free(path, force)?;
    temporary(path).map(drop)
}

/// A temporary file beside its later place: only within a file system does a file get its name
/// in one step.
pub fn temporary(path: &Path) -> Result<NamedTempFile> {
    let folder = folder_for(path)?;
    temporary_in(folder).with_context(|| no_room(folder))
}

/// Bytes that are all there are in a file.
pub fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    let mut file = temporary(path)?;
    file.write_all(bytes)
        .with_context(|| format!("cannot write {}", path.display()))?;
    put(file, path, force)
}

pub fn put(file: NamedTempFile, path: &Path, force: bool) -> Result<()> {
    file.as_file().sync_all()?;
    let done = if force {
        file.persist(path).map(|_| ())
    } else {
        file.persist_noclobber(path).map(|_| ())
    };
    done.map_err(|error| error.error)
        .with_context(|| format!("cannot write {}", path.display()))
}
