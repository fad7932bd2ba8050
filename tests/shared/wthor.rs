//! Data that is not part of the repository and may be missing.

use emilia::games::Format;
use std::path::{Path, PathBuf};

/// The WTHOR base: in `data/wthor` under `EMILIA_SHARED`, or else under `../shared`.
pub fn folder() -> Option<PathBuf> {
    let shared = std::env::var_os("EMILIA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = shared.join("data/wthor");
    if !folder.is_dir() {
        eprintln!("skipped: no {}; set EMILIA_SHARED", folder.display());
        return None;
    }
    Some(folder)
}

/// The game files of a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| Format::of_name(path) == Some(Format::Wthor))
        .collect();
    paths.sort();
    paths
}
