//! Where the bytes of a file come from: a part is read only once what stands before it has been checked.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// A file in memory or on disk.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Memory(&'a [u8]),
    /// The file and its length.
    Disk(&'a File, usize),
}

impl<'a> Source<'a> {
    /// Bytes in all.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Disk(_, length) => *length,
        }
    }

    /// `count` bytes from a place on; nothing where the file ends before, or can no longer be read.
    pub(super) fn range(&self, at: usize, count: usize) -> Option<Cow<'a, [u8]>> {
        let end = at.checked_add(count).filter(|end| *end <= self.length())?;
        match *self {
            Self::Memory(bytes) => bytes.get(at..end).map(Cow::from),
            Self::Disk(mut file, _) => {
                file.seek(SeekFrom::Start(at as u64)).ok()?;
                let mut bytes = vec![0; count];
                file.read_exact(&mut bytes).ok()?;
                Some(bytes.into())
            }
        }
    }

    /// The first bytes, at most `count`.
    pub(super) fn start(&self, count: usize) -> Option<Cow<'a, [u8]>> {
        self.range(0, count.min(self.length()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_disk_give_the_same_parts_and_nothing_past_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"abcdef").unwrap();
        let file = File::open(&path).unwrap();
        for source in [Source::Memory(b"abcdef"), Source::Disk(&file, 6)] {
            assert_eq!(source.range(2, 3).as_deref(), Some(&b"cde"[..]));
            assert_eq!(source.start(99).as_deref(), Some(&b"abcdef"[..]));
            assert!(source.range(5, 2).is_none() && source.range(usize::MAX, 2).is_none());
        }
        assert!(Source::Disk(&file, 9).range(0, 9).is_none(), "a file that became shorter");
    }
}
