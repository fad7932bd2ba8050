//! Where files go that are needed only now.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// A folder on a disk that is one. Where nobody says otherwise with `TMPDIR`, that is not `/tmp`,
/// which often is memory, too.
pub fn scratch_folder() -> PathBuf {
    let of_disk = PathBuf::from("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if of_disk.is_dir() => of_disk,
        _ => std::env::temp_dir(),
    }
}

/// The same trouble with the name of the scratch folder, and what to do.
pub fn scratch_error(problem: io::Error) -> io::Error {
    in_folder(&scratch_folder(), problem)
}

fn in_folder(folder: &Path, problem: io::Error) -> io::Error {
    let text = format!(
        "no temporary file in {}: {problem}; make room there, or name another folder with the \
         variable TMPDIR",
        folder.display()
    );
    io::Error::new(problem.kind(), text)
}

/// A file that is needed only now: in memory while it is small, then in the scratch folder.
pub struct ScratchFile {
    file: SpooledTempFile,
    folder: PathBuf,
}

impl ScratchFile {
    pub fn new(bytes_in_memory: usize) -> ScratchFile {
        ScratchFile::within(scratch_folder(), bytes_in_memory)
    }

    fn within(folder: PathBuf, bytes_in_memory: usize) -> ScratchFile {
        let file = tempfile::spooled_tempfile_in(bytes_in_memory, &folder);
        ScratchFile { file, folder }
    }
}

impl Read for ScratchFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file
            .read(bytes)
            .map_err(|problem| in_folder(&self.folder, problem))
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file
            .write(bytes)
            .map_err(|problem| in_folder(&self.folder, problem))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file
            .flush()
            .map_err(|problem| in_folder(&self.folder, problem))
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file
            .seek(to)
            .map_err(|problem| in_folder(&self.folder, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_takes_nothing_is_named_with_the_variable() {
        let folder = tempfile::tempdir().unwrap().path().join("none");
        let mut file = ScratchFile::within(folder.clone(), 2);
        file.write_all(b"ab").unwrap();
        let told = file.write_all(b"cd").unwrap_err().to_string();
        for words in [&folder.display().to_string(), "TMPDIR"] {
            assert!(told.contains(words), "{told}");
        }
    }
}
