//! Files that are written whole or not at all, and read up to a limit.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The disk refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {path}: {source}")]
pub struct FileError {
    /// What was being done.
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// An error of the system, with what was being done to which file.
pub fn cannot<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> FileError + 'a {
    move |source| FileError { action, path: path.into(), source }
}

/// Writes a file under a temporary name beside it, makes it durable, and renames it into place.
///
/// A reader, or a crash at any moment, sees the old file or the new one, never a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, File::sync_all)
}

/// As [`write_whole`], for what need not survive a power cut: the beginning of something that can be begun again.
pub fn write_whole_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, |_| Ok(()))
}

/// As [`write_whole`], and makes the folder that the file goes into where it is missing, with those above it.
///
/// What a person names with an option is written by this: the same rule for every command.
pub fn write_with_folders(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    write_whole(path, bytes)
}

fn write(path: &Path, bytes: &[u8], settle: impl Fn(&File) -> io::Result<()>) -> io::Result<()> {
    let mut name: OsString = path.file_name().unwrap_or_default().into();
    // The process id keeps two processes that write the same file out of each other's way, the count two threads.
    static WRITES: AtomicU64 = AtomicU64::new(0);
    name.push(format!(".{}-{}.tmp", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| settle(&file)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The half-written file may not even exist; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The bytes of a regular file of at most `limit` bytes; a larger one is refused before memory is taken for it.
pub fn read_bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    // A pipe or a device could go on forever.
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let too_large = |bytes: u64| {
        let problem = format!("it has {bytes} bytes, more than the limit of {limit}: it cannot be what it is called");
        io::Error::new(io::ErrorKind::FileTooLarge, problem)
    };
    if about.len() > limit {
        return Err(too_large(about.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    // It may have grown meanwhile.
    if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// The text of a regular file of at most `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(read_bytes(path, limit)?).map_err(not_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_the_limit_and_what_is_no_file_are_refused_before_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.json");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let message = read_text(&path, 100).unwrap_err().to_string();
        assert!(message.starts_with("it has 1099511627776 bytes, more than the limit of 100"), "{message}");
        assert!(read_text(folder.path(), 100).unwrap_err().to_string().contains("not a regular file"));
        fs::write(&path, b"exactly").unwrap();
        assert_eq!(read_text(&path, 7).unwrap(), "exactly");
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 7).unwrap_err().to_string().contains("not text in UTF-8"));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let blocked = folder.path().join("folder");
        fs::create_dir_all(blocked.join("inside")).unwrap();
        assert!(write_whole(&blocked, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn missing_folders_are_made_and_a_file_in_the_way_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not/yet/there.json");
        write_with_folders(&path, b"new").unwrap();
        write_with_folders(Path::new(&path), b"newer").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert!(write_with_folders(&path.join("below.json"), b"x").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"newer");
    }

    #[test]
    fn threads_that_write_the_same_file_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let write_often = |byte: u8| (0..200).try_for_each(|_| write_whole_unsynced(&path, &[byte; 1000]));
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4).map(|byte| scope.spawn(move || write_often(byte))).collect();
            writers.into_iter().for_each(|writer| writer.join().unwrap().unwrap());
        });
        let left = fs::read(&path).unwrap();
        assert!(left.len() == 1000 && left.iter().all(|byte| *byte == left[0]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
