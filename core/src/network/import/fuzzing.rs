//! The readers inside of archives, each by itself.

#![allow(clippy::expect_used, reason = "a target says by panicking that something is wrong")]

use super::archive::Archive;
use super::pickle::Pickle;
use super::source::Source;
use super::{npy, pytorch};

/// A whole archive: its directory, and every entry unpacked.
pub fn zip(bytes: &[u8]) {
    let Ok(archive) = Archive::open(Source::Memory(bytes)) else { return };
    let names: Vec<String> = archive.names().map(String::from).collect();
    for name in names {
        let start = archive.start(&name, 64).map(|start| start.into_owned());
        let whole = archive.read(&name);
        if let (Ok(start), Ok(whole)) = (start, whole) {
            assert!(whole.starts_with(&start), "the start of {name} is not its start");
        }
    }
}

/// A pickle, by itself and as the program of a PyTorch file with two storages.
pub fn pickle(bytes: &[u8]) {
    if Pickle::parse(bytes).is_ok() {
        let storage = [1u8; 256];
        let file = archive(&[("data.pkl", bytes), ("data/0", &storage), ("data/1", &storage)]);
        let archive = Archive::open(Source::Memory(&file)).expect("a well-formed archive");
        let _ = pytorch::read(&archive);
    }
}

/// An archive without compression; checksums are not compared.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (vec![], vec![]);
    for (name, contents) in entries {
        let (at, size, length) = (file.len() as u32, contents.len() as u32, name.len() as u16);
        let sizes = [&[0; 10][..], &size.to_le_bytes(), &size.to_le_bytes(), &length.to_le_bytes(), &[0; 2]].concat();
        file.extend([&b"PK\x03\x04\x14\0\0\0"[..], &sizes, name.as_bytes(), contents].concat());
        let place = [&[0; 10][..], &at.to_le_bytes(), name.as_bytes()].concat();
        directory.extend([&b"PK\x01\x02\x14\0\x14\0\0\0"[..], &sizes, &place].concat());
    }
    let (at, size, count) = (file.len() as u32, directory.len() as u32, entries.len() as u16);
    file.extend(directory);
    file.extend([&b"PK\x05\x06\0\0\0\0"[..], &count.to_le_bytes(), &count.to_le_bytes()].concat());
    file.extend([&size.to_le_bytes()[..], &at.to_le_bytes(), &[0; 2]].concat());
    file
}

/// An array, and what it states before it is read.
pub fn npy(bytes: &[u8]) {
    let stated = npy::stated_shape(bytes, bytes.len());
    if let (Ok(npy::Array::Numbers(tensor)), Ok(Some(shape))) = (npy::parse(bytes), stated) {
        assert_eq!(tensor.shape, shape);
        assert_eq!(tensor.values.len(), shape.iter().product::<usize>());
    }
}
