//! Bytes of unknown origin, taken from the front; nothing here can read past the end.

/// What is left of a file or of a part of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `count` bytes, if there are so many.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    /// The next N bytes, as an array.
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    /// A little-endian number of two bytes.
    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// A little-endian number of four bytes.
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A little-endian length of four bytes.
    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    /// The text up to the next line feed, which is taken too.
    pub(super) fn line(&mut self) -> Option<&'a str> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let line = self.take(end)?;
        self.byte()?;
        std::str::from_utf8(line).ok()
    }
}
