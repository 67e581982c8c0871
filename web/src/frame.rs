//! How JSON and files travel between the page and the engine: the length of the JSON in four bytes, lowest first, the JSON,
//! then the files in the order in which it lists them.

/// A file by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Splits a frame into its JSON and the bytes that follow; nothing where it is too short.
pub fn split(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = frame.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// A frame of JSON and files.
pub fn join(json: &[u8], files: &[File]) -> Vec<u8> {
    let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend_from_slice(json);
    files.iter().for_each(|file| frame.extend_from_slice(&file.bytes));
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_apart_as_it_was_joined_and_a_short_one_not_at_all() {
        let file = File { name: "a".into(), bytes: b"xyz".to_vec() };
        let frame = join(b"{}", &[file]);
        assert_eq!(split(&frame), Some((&b"{}"[..], &b"xyz"[..])));
        assert_eq!(split(&frame[..5]), None);
        assert_eq!(split(b"abc"), None);
    }
}
