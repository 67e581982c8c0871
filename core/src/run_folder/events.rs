//! TensorBoard event files: records with checksums around protocol-buffer messages, written by hand.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::RunFolderError;
use crate::crc32c::crc32c;
use crate::files::cannot;
use crate::train::Metrics;

/// An open event file.
pub struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// Begins a file. After a resume it tells TensorBoard to forget what an earlier file says of later steps.
    pub(super) fn create(folder: &Path, prefix: &str, step: u64) -> Result<Self, RunFolderError> {
        let since_epoch = seconds_since_epoch();
        // TensorBoard reads files in the order of their names, which begin with the time.
        let path = folder.join(format!("{prefix}{:010}.{}.ketbra", since_epoch as u64, std::process::id()));
        let file = File::create(&path).map_err(cannot("write", &path))?;
        let mut events = Self { path, file };
        events.write(0, |event| field_bytes(event, 3, b"brain.Event:2"))?;
        if step > 0 {
            // Event.session_log = 7, SessionLog.status = 1, START = 1.
            events.write(step + 1, |event| field_bytes(event, 7, &[1 << 3, 1]))?;
        }
        Ok(events)
    }

    pub(super) fn append(&mut self, metrics: &Metrics) -> Result<(), RunFolderError> {
        let scalars = [
            ("loss", metrics.loss),
            ("accuracy", metrics.accuracy),
            ("horizon", metrics.horizon as f64),
            ("gradient_norm", metrics.gradient_norm),
            ("learning_rate", metrics.learning_rate),
        ];
        let mut summary = Vec::new();
        for (tag, value) in scalars {
            // Summary.value = 1 with tag = 1 and simple_value = 2.
            let mut entry = Vec::new();
            field_bytes(&mut entry, 1, tag.as_bytes());
            entry.push(2 << 3 | 5);
            entry.extend((value as f32).to_le_bytes());
            field_bytes(&mut summary, 1, &entry);
        }
        self.write(metrics.step, |event| field_bytes(event, 5, &summary))
    }

    fn write(&mut self, step: u64, content: impl FnOnce(&mut Vec<u8>)) -> Result<(), RunFolderError> {
        // Event.wall_time = 1, Event.step = 2.
        let mut event = vec![1 << 3 | 1];
        event.extend(seconds_since_epoch().to_le_bytes());
        event.push(2 << 3);
        varint(&mut event, step);
        content(&mut event);
        let record = record(&event);
        Ok(self.file.write_all(&record).map_err(cannot("write", &self.path))?)
    }
}

fn seconds_since_epoch() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn field_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// TFRecord: length, its masked checksum, data, its masked checksum.
fn record(data: &[u8]) -> Vec<u8> {
    let masked = |bytes: &[u8]| (crc32c(bytes).rotate_right(15).wrapping_add(0xA282_EAD8)).to_le_bytes();
    let length = (data.len() as u64).to_le_bytes();
    [&length, masked(&length).as_slice(), data, &masked(data)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_framed_as_tensorboard_reads_it() {
        // tensorboard 2.x: EventFileWriter's record of the 5 bytes b"hello".
        let hex: String = record(b"hello").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "0500000000000000 eab2043e 68656c6c6f bb1f1c19".replace(' ', ""));
    }

    #[test]
    fn numbers_are_split_into_seven_bits() {
        let bytes = |value| {
            let mut out = Vec::new();
            varint(&mut out, value);
            out
        };
        assert_eq!(bytes(1), [1]);
        assert_eq!(bytes(300), [0xAC, 2]);
    }
}
