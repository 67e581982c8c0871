//! What lies in a run folder, without the folder.

use super::{Manifest, checkpoint as checkpoints, snapshots as snapshot};
use std::path::Path;

/// A manifest, and all that is drawn from it.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(manifest) = Manifest::parse(text, Path::new("manifest.json")) else { return };
    let _ = (manifest.metadata(), manifest.fingerprint(), manifest.to_text());
}

/// A checkpoint; one that is read can be written.
pub fn checkpoint(bytes: &[u8]) {
    if let Ok(state) = checkpoints::decode(bytes, 0, Path::new("checkpoint")) {
        let again = checkpoints::encode(&state, 0).ok().map(|bytes| checkpoints::decode(&bytes, 0, Path::new("again")));
        if let Some(Ok(again)) = again {
            assert_eq!(state.network, again.network);
        }
    }
}

/// A file of snapshots.
pub fn snapshots(bytes: &[u8]) {
    let _ = snapshot::parse(bytes, Path::new("snapshots.safetensors"), Default::default());
}
