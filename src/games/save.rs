//! Games into a file in the format of its name: complete or not there at all, and never over
//! another file unless that is said.

use super::format::Format;
use super::game::Game;
use super::writer::GameWriter;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Why games are not in a file.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("name a file that ends in .ggf, .sgf, .txt (a transcript) or .wtb, not {0:?}")]
    NoFormat(PathBuf),
    #[error("{0} exists already; choose another name, or replace it: save --force {0}")]
    Exists(PathBuf),
    #[error("cannot write {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// Saves a game as somebody types it after the word `save`: `FILE`, or `--force FILE` to replace
/// what is there.
pub fn save_as_typed(text: &str, game: Game) -> Result<(), SaveError> {
    let text = text.trim();
    match text.strip_prefix("--force ") {
        Some(path) => save(Path::new(path.trim()), &[game], true),
        None => save(Path::new(text), &[game], false),
    }
}

/// A file that gets its name when it is whole.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".emilia-");
    #[cfg(unix)]
    {
        // As any other new file, not for the owner alone.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn save(path: &Path, games: &[Game], force: bool) -> Result<(), SaveError> {
    let format = Format::of_name(path).ok_or_else(|| SaveError::NoFormat(path.to_owned()))?;
    let exists = || SaveError::Exists(path.to_owned());
    if !force && path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let failed = |source| SaveError::Io {
        path: path.to_owned(),
        source,
    };
    let bytes = GameWriter::to_bytes(format, games).map_err(failed)?;
    // Beside its later place: only within a file system does a file get its name in one step.
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = temporary_in(folder).map_err(failed)?;
    file.write_all(&bytes).map_err(failed)?;
    let named = match force {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    };
    match named {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        Err(error) => Err(failed(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;

    #[test]
    fn a_file_is_replaced_only_when_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        let name = path.display().to_string();
        let [one, other] = [1, 2].map(|seed| SampleGames::new(seed).next().unwrap());
        save_as_typed(&format!(" {name} "), one.clone()).unwrap();
        let before = std::fs::read(&path).unwrap();
        let refused = save_as_typed(&name, other.clone()).unwrap_err();
        assert!(refused.to_string().contains("save --force"), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        save_as_typed(&format!("--force {name}"), other).unwrap();
        assert_ne!(std::fs::read(&path).unwrap(), before);
        assert!(matches!(
            save_as_typed("game.png", one.clone()),
            Err(SaveError::NoFormat(_))
        ));
        assert!(save_as_typed("", one).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
