//! Paths in JSON. A path is bytes and JSON is text: what is not UTF-8 is replaced instead of failing.

use serde::Serializer;
use std::borrow::Cow;
use std::path::Path;

/// A path as text, for JSON and for messages; bytes that are not valid UTF-8 become U+FFFD.
pub fn path_text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// For fields: `#[serde(serialize_with = "path_text::serialize")]`. Serde itself refuses a path that is not valid
/// UTF-8.
pub fn serialize<S: Serializer>(path: &impl AsRef<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path.as_ref()))
}

/// As [`serialize`], for a path that may be absent.
pub fn serialize_option<S: Serializer>(path: &Option<impl AsRef<Path>>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => serializer.serialize_some(&path_text(path.as_ref())),
        None => serializer.serialize_none(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[derive(serde::Serialize)]
    struct Line<'a> {
        #[serde(serialize_with = "serialize")]
        path: &'a Path,
        #[serde(serialize_with = "serialize_option")]
        saved: Option<&'a Path>,
    }

    #[test]
    fn a_path_that_is_not_utf8_is_written_and_not_refused() {
        let path = Path::new(OsStr::from_bytes(b"runs/\xff"));
        let line = serde_json::to_string(&Line { path, saved: Some(path) }).unwrap();
        assert_eq!(line, "{\"path\":\"runs/\u{fffd}\",\"saved\":\"runs/\u{fffd}\"}");
        assert!(serde_json::to_value(path).is_err(), "if serde learns to do this, the helper can go");
    }
}
