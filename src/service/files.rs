//! How many files and connections this process may have open.

/// Raises the limit as far as it goes without being asked for a password, and tells what it is; none
/// where there is no limit, or none that can be asked for.
pub fn raise_file_limit() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: maximum,
            maximum,
        };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => maximum,
            Err(_) => current,
        }
    }
    #[cfg(not(target_os = "linux"))]
    None
}
