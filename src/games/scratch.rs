//! Where files go that are needed only now.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
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

/// The same trouble with the folder's name, and what to do.
pub fn scratch_error(problem: io::Error) -> io::Error {
    let folder = scratch_folder();
    let text = format!(
        "no temporary file in {}: {problem}; make room there, or name another folder with the \
         variable TMPDIR",
        folder.display()
    );
    io::Error::new(problem.kind(), text)
}

/// A file that is needed only now: in memory while it is small, then in the scratch folder.
pub struct ScratchFile(SpooledTempFile);

impl ScratchFile {
    pub fn new(bytes_in_memory: usize) -> ScratchFile {
        let file = tempfile::spooled_tempfile_in(bytes_in_memory, scratch_folder());
        ScratchFile(file)
    }
}

impl Read for ScratchFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes).map_err(scratch_error)
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(scratch_error)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(scratch_error)
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to).map_err(scratch_error)
    }
}
