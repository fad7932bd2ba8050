//! Where files go that are needed only now.

use std::path::PathBuf;

/// A folder on a disk that is one. Where nobody says otherwise with `TMPDIR`, that is not `/tmp`,
/// which often is memory, too.
pub fn scratch_folder() -> PathBuf {
    let of_disk = PathBuf::from("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if of_disk.is_dir() => of_disk,
        _ => std::env::temp_dir(),
    }
}
