//! Hand-made files, well-formed unless told otherwise, and a count of the memory that reading them takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are held while one is copied to the other.
        count(size as isize);
        count(-(layout.size() as isize));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(change: isize) {
    LIVE.set(LIVE.get() + change);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

/// What a function returns, and the most bytes that it held at once.
pub fn with_peak_memory<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

/// One file in an archive, with what the directory says about it.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    pub packed: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    pub size: u32,
    pub checksum: u32,
}

/// An entry without compression.
pub fn stored(name: &str, contents: &[u8]) -> Entry {
    let (size, checksum) = (contents.len() as u32, crc32(contents));
    Entry { name: name.into(), packed: contents.into(), method: 0, flags: 0, size, checksum }
}

/// A zip archive.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let sizes = [entry.checksum, entry.packed.len() as u32, entry.size].map(u32::to_le_bytes).concat();
        let about = [entry.flags, entry.method, 0, 0].map(u16::to_le_bytes).concat();
        let offset = (file.len() as u32).to_le_bytes();
        let name = (entry.name.len() as u16).to_le_bytes();
        file.extend([b"PK\x03\x04\x14\x00", &about[..], &sizes, &name, &[0; 2], entry.name.as_bytes()].concat());
        file.extend(&entry.packed);
        let header = [b"PK\x01\x02\x14\x00\x14\x00", &about[..], &sizes, &name, &[0; 12], &offset];
        directory.extend([&header.concat()[..], entry.name.as_bytes()].concat());
    }
    let (count, offset) = ((entries.len() as u16).to_le_bytes(), (file.len() as u32).to_le_bytes());
    let size = (directory.len() as u32).to_le_bytes();
    [file, directory, [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &offset, &[0; 2]].concat()].concat()
}

/// The checksum of zip.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// A tensor in a state dict: name, shape, strides, offset and the length of its storage of floats.
pub struct Weight {
    pub name: &'static str,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub offset: i64,
    pub length: i64,
}

/// A matrix of floats in a storage of its own.
pub fn matrix(name: &'static str, rows: i64, columns: i64) -> Weight {
    Weight { name, shape: vec![rows, columns], strides: vec![columns, 1], offset: 0, length: rows * columns }
}

/// The weights of a network of three units, two inputs and one output.
pub fn weights() -> Vec<Weight> {
    vec![matrix("rnn.weight_ih_l0", 3, 2), matrix("rnn.weight_hh_l0", 3, 3), matrix("readout.weight", 1, 3)]
}

/// The program that builds a state dict, without its end.
pub fn state_dict(weights: &[Weight]) -> Vec<u8> {
    let mut program = b"\x80\x02}(".to_vec();
    for (key, weight) in weights.iter().enumerate() {
        program.extend(text(weight.name));
        program.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        program
            .extend([&text("storage")[..], b"ctorch\nFloatStorage\n", &text(&key.to_string()), &text("cpu")].concat());
        program.extend([&integer(weight.length)[..], b"tQ", &integer(weight.offset)].concat());
        for sizes in [&weight.shape, &weight.strides] {
            program
                .extend([b"(", &sizes.iter().flat_map(|size| integer(*size)).collect::<Vec<_>>()[..], b"t"].concat());
        }
        program.extend(b"\x89NtR");
    }
    program.push(b'u');
    program
}

/// The instruction that pushes a text.
pub fn text(text: &str) -> Vec<u8> {
    [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn integer(value: i64) -> Vec<u8> {
    [&b"\x8a\x08"[..], &value.to_le_bytes()].concat()
}

/// A PyTorch file with this program and storages that hold 0, 1/8, 2/8, ...
pub fn pytorch(program: &[u8], weights: &[Weight]) -> Vec<u8> {
    let mut entries = vec![stored("net/data.pkl", program)];
    for (key, weight) in weights.iter().enumerate() {
        let length = weight.length.clamp(0, 100);
        let numbers: Vec<u8> = (0..length).flat_map(|value| (value as f32 / 8.0).to_le_bytes()).collect();
        entries.push(stored(&format!("net/data/{key}"), &numbers));
    }
    zip(&entries)
}

/// A NumPy array.
pub fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// The header and data of a matrix of doubles.
pub fn array(rows: usize, columns: usize) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    npy(&header, &(0..rows * columns).flat_map(|value| (value as f64 / 8.0).to_le_bytes()).collect::<Vec<_>>())
}

/// A set of arrays that is a network of three units, with one entry exchanged.
pub fn npz(name: &str, file: Vec<u8>) -> Vec<u8> {
    let arrays = [("weight_ih_l0", array(3, 2)), ("weight_hh_l0", array(3, 3)), ("readout.weight", array(1, 3))];
    let mut entries: Vec<Entry> = arrays.iter().map(|(name, file)| stored(&format!("{name}.npy"), file)).collect();
    entries.retain(|entry| entry.name != name);
    entries.push(stored(name, &file));
    zip(&entries)
}
