//! Zip archives, the container of `.npz` and of PyTorch's files, read from their central directory.

use super::MAX_UNPACKED_BYTES;
use super::bytes::Bytes;
use super::source::Source;
use crate::foreign_text::escaped_name;
use std::borrow::Cow;
use std::collections::BTreeMap;

const LOCAL_HEADER: u32 = 0x0403_4B50;
const CENTRAL_HEADER: u32 = 0x0201_4B50;
const END: u32 = 0x0605_4B50;
/// Bytes of a local header without its names.
const LOCAL_BYTES: usize = 30;
/// Bytes of the end record without its comment, and the longest comment.
const END_BYTES: usize = 22;
const MAX_COMMENT_BYTES: usize = 65_535;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED_FLAG: u16 = 1;
/// No stream of deflate can grow by more (one bit a match of 258 bytes); a larger claim is a lie or a bomb.
const MAX_DEFLATE_RATIO: usize = 1032;
/// An archive may unpack to so many bytes whatever its own size, ...
const UNPACKED_FREELY: u64 = 32 << 20;
/// ... and beyond to so many times its size: weights are noise and hardly shrink, even halves that were widened.
const MAX_RATIO: u64 = 16;
/// The longest directory that is read: 65,535 entries with names of two hundred bytes.
const MAX_DIRECTORY_BYTES: usize = 16 << 20;
/// Packed bytes that are read beyond those asked for, where only the start of an entry is wanted.
const TABLES: usize = 4096;

/// Why an archive could not be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum ArchiveError {
    /// No end record.
    #[error("the archive's directory is missing: the file is cut short; copy or download it again")]
    NoDirectory,
    /// A directory that does not parse.
    #[error("the archive's directory is damaged; copy or download the file again")]
    BadDirectory,
    /// One name twice.
    #[error("the archive holds '{}' twice; save the network again", escaped_name(.0))]
    Twice(String),
    /// Too much to unpack.
    #[error("the archive says that it unpacks to {size} bytes, more than the limit of {MAX_UNPACKED_BYTES}")]
    TooLarge { size: u64 },
    /// Far more to unpack than there is.
    #[error(
        "the archive has {packed} bytes and says that it unpacks to {size}, over {MAX_RATIO} times as many: damaged or a \
         bomb; save the network without compression"
    )]
    Ratio { packed: u64, size: u64 },
    /// More than deflate can give.
    #[error(
        "'{}' says that {packed} bytes unpack to {size}, more than compression can reach: damaged or a bomb",
        escaped_name(name)
    )]
    Bomb { name: String, packed: usize, size: usize },
    /// An entry that lies outside of the file or does not unpack to its stated size.
    #[error("'{}' is damaged: it is cut short or not as long as the directory says", escaped_name(.0))]
    BadEntry(String),
    /// Other bytes than were written.
    #[error(
        "'{}' does not match its checksum: damaged, or saved by torch with set_crc32_options(False); save it again",
        escaped_name(.0)
    )]
    Checksum(String),
    /// Encryption or an unusual compression.
    #[error(
        "'{}' is packed in a way that cannot be read (method {method}); save it stored or deflated",
        escaped_name(name)
    )]
    Method { name: String, method: u16 },
    /// An entry that is not there.
    #[error("the archive has no entry '{}'", escaped_name(.0))]
    Missing(String),
}

/// A zip archive.
pub(super) struct Archive<'a> {
    file: Source<'a>,
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    method: u16,
    flags: u16,
    checksum: u32,
    packed: usize,
    size: usize,
    header_at: usize,
}

impl<'a> Archive<'a> {
    /// Whether bytes start as an archive does.
    pub(super) fn looks_like(file: &[u8]) -> bool {
        Bytes(file).u32().is_some_and(|start| start == LOCAL_HEADER || start == END)
    }

    /// Reads the directory; nothing is unpacked yet.
    pub(super) fn open(file: Source<'a>) -> Result<Self, ArchiveError> {
        let (count, directory) = find_directory(file).ok_or(ArchiveError::NoDirectory)?;
        let (mut entries, mut total) = (BTreeMap::new(), 0u64);
        let mut directory = Bytes(&directory);
        for _ in 0..count {
            let (name, entry) = read_entry(&mut directory).ok_or(ArchiveError::BadDirectory)?;
            total += entry.size as u64;
            if entries.insert(name.clone(), entry).is_some() {
                return Err(ArchiveError::Twice(name));
            }
        }
        if total > MAX_UNPACKED_BYTES {
            return Err(ArchiveError::TooLarge { size: total });
        }
        let packed = file.length() as u64;
        if total > UNPACKED_FREELY && total > MAX_RATIO * packed {
            return Err(ArchiveError::Ratio { packed, size: total });
        }
        Ok(Self { file, entries })
    }

    /// The names of the entries, in alphabetical order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Whether there is such an entry.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Bytes of an entry once it is unpacked.
    pub(super) fn size(&self, name: &str) -> usize {
        self.entries.get(name).map_or(0, |entry| entry.size)
    }

    /// The contents of an entry, unpacked and checked.
    pub(super) fn read(&self, name: &str) -> Result<Cow<'a, [u8]>, ArchiveError> {
        let entry = self.readable(name)?;
        let bad = || ArchiveError::BadEntry(name.into());
        let packed = self.packed_bytes(entry, entry.packed).ok_or_else(bad)?;
        let contents: Cow<'a, [u8]> = match entry.method {
            STORED => packed,
            _ => miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, entry.size).map_err(|_| bad())?.into(),
        };
        if contents.len() != entry.size {
            return Err(bad());
        }
        if crc32fast::hash(&contents) != entry.checksum && !cfg!(fuzzing) {
            return Err(ArchiveError::Checksum(name.into()));
        }
        Ok(contents)
    }

    /// The first bytes of an entry, at most `count`: what it says of itself before it is unpacked. Only a whole one is checked.
    pub(super) fn start(&self, name: &str, count: usize) -> Result<Cow<'a, [u8]>, ArchiveError> {
        let entry = self.readable(name)?;
        if entry.size <= count {
            return self.read(name);
        }
        let wanted = if entry.method == STORED { count } else { count + TABLES };
        let packed = self.packed_bytes(entry, wanted.min(entry.packed));
        let packed = packed.ok_or_else(|| ArchiveError::BadEntry(name.into()))?;
        Ok(match entry.method {
            STORED => packed,
            // That more would follow is an error that carries what came before.
            _ => miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, count).unwrap_or_else(|e| e.output).into(),
        })
    }

    /// An entry that is packed in a known way, to a size that it can have.
    fn readable(&self, name: &str) -> Result<&Entry, ArchiveError> {
        let entry = self.entries.get(name).ok_or_else(|| ArchiveError::Missing(name.into()))?;
        match entry.method {
            method if entry.flags & ENCRYPTED_FLAG != 0 => Err(ArchiveError::Method { name: name.into(), method }),
            DEFLATED if entry.size / MAX_DEFLATE_RATIO > entry.packed => {
                Err(ArchiveError::Bomb { name: name.into(), packed: entry.packed, size: entry.size })
            }
            // Stored is as it is: checked before a size that is a lie is believed.
            STORED if entry.size != entry.packed => Err(ArchiveError::BadEntry(name.into())),
            STORED | DEFLATED => Ok(entry),
            method => Err(ArchiveError::Method { name: name.into(), method }),
        }
    }

    /// The first `count` packed bytes of an entry.
    fn packed_bytes(&self, entry: &Entry, count: usize) -> Option<Cow<'a, [u8]>> {
        let header = self.file.range(entry.header_at, LOCAL_BYTES)?;
        let mut at = Bytes(&header);
        let signature = at.u32()?;
        at.take(22)?;
        let names = usize::from(at.u16()?) + usize::from(at.u16()?);
        let start = entry.header_at.checked_add(LOCAL_BYTES + names)?;
        if signature == LOCAL_HEADER { self.file.range(start, count) } else { None }
    }
}

/// The number of entries and the bytes of the directory.
fn find_directory(file: Source<'_>) -> Option<(u16, Cow<'_, [u8]>)> {
    let tail_at = file.length().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
    let tail = file.range(tail_at, file.length() - tail_at)?;
    let last = tail.len().checked_sub(END_BYTES)?;
    let end = (0..=last).rev().find(|at| tail.get(*at..).and_then(|end| Bytes(end).u32()) == Some(END))?;
    let mut record = Bytes(tail.get(end + 4..)?);
    record.take(6)?;
    let (count, size, offset) = (record.u16()?, record.length()?, record.length()?);
    let directory = if size <= MAX_DIRECTORY_BYTES { file.range(offset, size) } else { None };
    Some((count, directory?))
}

fn read_entry(directory: &mut Bytes<'_>) -> Option<(String, Entry)> {
    if directory.u32()? != CENTRAL_HEADER {
        return None;
    }
    directory.take(4)?;
    let (flags, method) = (directory.u16()?, directory.u16()?);
    directory.take(4)?;
    let (checksum, packed, size) = (directory.u32()?, directory.length()?, directory.length()?);
    let lengths = [directory.u16()?, directory.u16()?, directory.u16()?].map(usize::from);
    directory.take(8)?;
    let header_at = directory.length()?;
    let name = std::str::from_utf8(directory.take(lengths[0])?).ok()?;
    directory.take(lengths[1] + lengths[2])?;
    Some((name.into(), Entry { method, flags, checksum, packed, size, header_at }))
}
