//! How many files and connections this process may have open.

/// A system may allow less than a large book has files, or a server connections, and more if it is
/// asked: raises the limit to what is wanted, as far as that goes without a password, and tells what
/// it is then; none where there is no limit, or none that can be asked for.
pub fn raise_file_limit(wanted: u64) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(wanted, |maximum| maximum.min(wanted));
        if current.is_none_or(|current| current >= wanted) {
            return current;
        }
        let raised = Rlimit {
            current: Some(wanted),
            maximum,
        };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => Some(wanted),
            Err(_) => current,
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = wanted;
        None
    }
}
