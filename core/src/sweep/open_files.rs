//! How many files may be open at once.

/// Files left for everything else.
#[cfg(unix)]
const OTHERS: u64 = 128;
/// Where the system does not say.
const UNKNOWN: usize = 256;

/// Files that networks may hold open (each its lock), once this process asks for as many as the system lets it have.
#[cfg(unix)]
pub(super) fn room() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let allowed = getrlimit(Resource::Nofile);
    // A refusal leaves the limit as it is, which is then what counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed });
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX).saturating_sub(OTHERS);
    usize::try_from(files).unwrap_or(UNKNOWN)
}

/// Files that networks may hold open.
#[cfg(not(unix))]
pub(super) fn room() -> usize {
    UNKNOWN
}
