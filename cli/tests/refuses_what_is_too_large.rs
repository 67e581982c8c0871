//! Whatever an option or a file asks for is refused before memory is taken for it: exit code 2, the limit in the message,
//! and never more than 256 MiB.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// KiB of memory that a refusal may take.
const MEMORY: usize = 256 << 10;

/// The command under a limit on its memory: beyond it every allocation fails, and the program aborts.
fn limited(folder: &Path, kib: usize, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", &format!("ulimit -d {kib} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_ketbra")])
        .args(arguments)
        .current_dir(folder)
        // The stacks of a thread for each core would count as memory too.
        .envs([("NO_COLOR", "1"), ("RAYON_NUM_THREADS", "2")])
        .output()
        .expect("the binary starts")
}

fn refused_in(folder: &Path, arguments: &[&str]) -> String {
    refuses(&limited(folder, MEMORY, arguments))
}

fn assert_refused(arguments: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let said = refused_in(folder.path(), arguments);
    assert_says(&said, parts);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?} left something behind");
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "expected '{part}' in: {said}");
    }
}

fn net() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/t3-h64-l2_0-seed01.safetensors");
    path.to_string_lossy().into_owned()
}

/// A file in a folder of its own, refused as a network.
fn assert_file_refused(name: &str, write: impl FnOnce(&Path), parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join(name));
    for command in ["interpret", "linearize"] {
        let said = refused_in(folder.path(), &[command, name, "--blind", "--s", "8"]);
        assert_says(&said, &[&[name], parts].concat());
    }
}

/// A file that begins like this and goes on with zeros, which take no room on the disk.
fn sparse(path: &Path, start: &[u8], length: u64) {
    fs::write(path, start).unwrap();
    File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

#[test]
fn the_limit_of_these_tests_is_felt() {
    let large = ["task", "repeat-copy", "--s", "262144", "--d", "1"];
    succeeds(&limited(Path::new("."), MEMORY, &large));
    assert!(!limited(Path::new("."), 16 << 10, &large).status.success());
}

// Tasks.

#[test]
fn windows_beyond_the_limit() {
    for (s, d) in
        [("1024", "1024"), ("1", "1048576"), ("1048576", "1"), ("1", "1000000000000"), ("8", "18446744073709551615")]
    {
        for task in ["repeat-copy", "compose-copy"] {
            let parts = [&format!("s*d = {s}*{d} is over the limit of 262144"), "choose smaller --s or --d"];
            assert_refused(&["task", task, "--s", s, "--d", d], &parts.map(|part| part as &str));
        }
    }
}

#[test]
fn ids_of_more_digits_than_any_window_needs() {
    let id = format!("{},0,0", "9".repeat(100_000));
    assert_refused(&["task", &id], &["has 100000 digits, more than the limit of 16384"]);
}

#[test]
fn a_dense_function_beyond_the_limit_and_one_that_mixes_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let write = |s: usize, d: usize| {
        let lines: Vec<String> = (1..=d).map(|output| format!("\"u{output} = u1[t-1] + u{d}[t-{s}]\"")).collect();
        let text = format!("s = {s}\nd = {d}\nrecurrence = [{}]", lines.join(", "));
        fs::write(folder.path().join("f.toml"), text).unwrap();
    };
    write(1024, 256);
    let said = refused_in(folder.path(), &["task", "f.toml"]);
    assert_says(&said, &["d*s*d = 256*1024*256 coefficients, more than the limit of 262144"]);
    let said = refused_in(folder.path(), &["interpret", &net(), "--task", "f.toml"]);
    assert_says(&said, &["more than the limit of 262144"]);
    write(2000, 2);
    assert_says(&refused_in(folder.path(), &["task", "f.toml"]), &["f mixes", "more than 1024"]);
}

#[test]
fn task_files_beyond_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    sparse(&at("huge.toml"), b"s = 8", 1 << 36);
    let said = refused_in(folder.path(), &["task", "huge.toml"]);
    assert_says(&said, &["has 68719476736 bytes, more than the limit of 16777216"]);
    fs::write(at("matrix.toml"), format!("s = 1\nd = 1\nmatrix = [{}]", "0,".repeat(7_000_000))).unwrap();
    assert_says(&refused_in(folder.path(), &["task", "matrix.toml"]), &["more than 524288 values, the limit"]);
    fs::write(at("keys.toml"), (0..500_000).map(|key| format!("k{key}=1\n")).collect::<String>()).unwrap();
    assert_says(&refused_in(folder.path(), &["task", "keys.toml"]), &["unknown field `k0`"]);
}

// Training.

#[test]
fn training_with_one_absurd_number() {
    for (option, value, part) in [
        ("--hidden", "1000000", "hidden is 1000000, but must be at most 4096"),
        ("--hidden", "18446744073709551615", "at most 4096"),
        ("--batch", "10000000", "batch is 10000000, but must be at most 65536"),
        ("--horizon", "1000000000", "horizon is 1000000000, but must be at most 65536"),
        ("--steps", "4294967296", "steps is 4294967296, but must be below 2^32"),
        ("--threads", "1000000", "--threads is 1000000, but must be at most 1024"),
    ] {
        assert_refused(&["train", "T1", option, value, "--out", "run"], &[part]);
    }
    let every_step = ["train", "T1", "--steps", "4294967295", "--metrics-every", "1", "--out", "run"];
    assert_refused(&every_step, &["steps / metrics_every, is 4294967295, but must be at most 1048576"]);
}

#[test]
fn training_with_numbers_that_are_too_much_together() {
    let window = ["train", "repeat-copy", "--s", "262144", "--d", "1", "--out", "run"];
    assert_refused(&window, &["would take about 24.0 GiB, more than the limit of 8 GiB", "--s 262144"]);
    let components = ["train", "repeat-copy", "--s", "1", "--d", "262144", "--out", "run"];
    assert_refused(&components, &["more than the limit of 8 GiB", "--d 262144"]);
    let batch = ["train", "T1", "--hidden", "4096", "--batch", "65536", "--horizon", "65536", "--out", "run"];
    assert_refused(&batch, &["more than the limit of 8 GiB", "--hidden 4096", "--batch 65536", "--horizon 65536"]);
}

// Interpretation.

#[test]
fn interpretations_of_windows_beyond_the_limit() {
    let net = net();
    for command in ["interpret", "linearize", "report", "figures"] {
        for s in ["1000", "1000000", "18446744073709551615"] {
            let part = format!("s*d = {s}*8 is over the limit of 2048 window components for an interpretation");
            assert_refused(&[command, &net, "--blind", "--s", s], &[&part]);
        }
        let named = [command, &net, "--task", "repeat-copy", "--s", "20000"];
        assert_refused(&named, &["s*d = 20000*8 is over the limit of 2048"]);
    }
}

#[test]
fn edits_of_windows_beyond_the_limit() {
    let net = net();
    let named = ["edit", &net, "--task", "repeat-copy", "--s", "20000", "--negate", "1"];
    assert_refused(&named, &["s*d = 20000*8 is over the limit of 2048"]);
}

#[test]
fn a_search_from_more_starts_than_can_be_kept() {
    let starts = ["linearize", &net(), "--starts", "1000000000"];
    assert_refused(&starts, &["--starts is 1000000000, but must be at most 100000"]);
}

// The other commands.

#[test]
fn benches_beyond_the_limits() {
    for (arguments, part) in [
        (&["bench", "train", "--sizes", "64,1000000"][..], "hidden is 1000000, but must be at most 4096"),
        (&["bench", "train", "--threads", "1000000"], "--threads is 1000000, but must be at most 1024"),
        (&["bench", "train", "--s", "262144", "--d", "1"], "more than the limit of 8 GiB"),
        (&["bench", "train", "--networks", "100000000"], "--networks is 100000000, but must be at most 65536"),
        (&["bench", "interpret", "--hidden", "1000000"], "--hidden is 1000000, but must be from 1 to 4096"),
        (&["bench", "interpret", "--many", "1000000000000"], "must be at most 1000000"),
        (&["bench", "interpret", "--repeats", "1000000000000"], "must be at most 1000000"),
    ] {
        assert_refused(arguments, &[part]);
    }
}

#[test]
fn recalls_and_figures_beyond_the_limits() {
    for (arguments, part) in [
        (&["recall", "--features", "1000000"][..], "--features up to 2048"),
        (&["recall", "--memories", "1000000", "--features", "1000000"], "--features up to 2048"),
        (&["recall", "--time", "1e300"], "--time 1e300 is beyond 100000"),
        (&["recall", "--time", "NaN"], "must be positive"),
        (&["figures", "net.pt", "--dpi", "100000"], "30..=1200"),
    ] {
        assert_refused(arguments, &[part]);
    }
}

// Sweeps.

#[test]
fn sweep_files_beyond_the_limits() {
    let task = "task = \"T1\"\n";
    let product =
        "seed = \"1-1000000\"\nhidden = \"1-900\"\nsteps = \"1-900\"\nbatch = \"1-900\"\nhorizon = \"1-900\"\n";
    for (text, part) in [
        (format!("{task}{product}"), "asks for 656100000000000000 networks, more than the limit of 1000000"),
        (format!("{task}{product}clip = [1, 2, 3]\nlr = [1, 2]\nl2 = \"1\""), "grid.toml:9: l2 takes numbers"),
        (format!("{task}seed = \"1-1000000000\""), "grid.toml:2: seed has more than 1000000 values"),
        (format!("{task}seed = [\"1-1000000\", \"1-1000000\"]"), "grid.toml:2: seed has more than 1000000 values"),
        (format!("{task}l2 = [{}]", "0,".repeat(500_000)), "grid.toml:2: l2 has more than 1000 values"),
        (format!("seed = \"1-1000000\"\n{}", "[[grid]]\ntask=\"T1\"\n".repeat(50_000)), "more than 2000000 values"),
        (format!("{task}hidden = 1000000"), "hidden is 1000000, but must be at most 4096"),
        (format!("{task}hidden = 18446744073709551616"), "grid.toml:2: hidden takes whole numbers from 0"),
        (format!("{task}hidden = [8, 4096]\nbatch = [8, 65536]"), "more than the limit of 8 GiB"),
        ("task = \"repeat-copy\"\ns = 262144\nd = 1".into(), "more than the limit of 8 GiB"),
        ("task = \"repeat-copy\"\nd = 1000000000000".into(), "is over the limit of 262144"),
        (format!("task = \"{},0,0\"", "9".repeat(900_000)), "has 900000 digits, more than the limit of 16384"),
        (format!("{task}# {}", "x".repeat(1 << 20)), "more than the limit of 1048576"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("grid.toml"), text).unwrap();
        let said = refused_in(folder.path(), &["sweep", "grid.toml", "--out", "out", "--yes"]);
        assert_says(&said, &[part]);
        assert!(!folder.path().join("out").exists(), "{part}");
    }
    assert_refused(&["sweep", "grid.toml", "--out", "out", "--threads", "1000000"], &["must be at most 1024"]);
}

#[test]
fn files_in_the_folders_of_runs_and_sweeps_beyond_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let train = ["train", "repeat-copy", "--s", "2", "--d", "2", "--hidden", "8", "--steps", "9", "--out", "run"];
    succeeds(&ketbra_in(folder.path(), &train));
    let unfinished = fs::read_to_string(at("run/manifest.json")).unwrap().replace("complete", "unfinished");
    fs::write(at("run/manifest.json"), &unfinished).unwrap();
    let resumed = || refused_in(folder.path(), &["train", "--resume", "run"]);
    for name in ["checkpoint", "checkpoint.previous"] {
        sparse(&at("run").join(name), b"ketbra checkpoint 1 ", 1 << 36);
    }
    assert_says(&resumed(), &["checkpoint: it has 68719476736 bytes, more than the limit of"]);
    fs::write(at("run/manifest.json"), unfinished.replace("\"d\": 2", "\"d\": 1000000000000")).unwrap();
    assert_says(&resumed(), &["cannot go on"]);
    sparse(&at("run/manifest.json"), b"{", 1 << 36);
    assert_says(&resumed(), &["manifest.json: it has 68719476736 bytes, more than the limit of 33554432"]);
    sparse(&at("run/network.safetensors"), b"", 1 << 36);
    assert_says(&refused_in(folder.path(), &["interpret", "run"]), &["more than the limit of 1073741824"]);
    fs::create_dir(at("sweep")).unwrap();
    sparse(&at("sweep/networks.txt"), b"", 1 << 36);
    for arguments in [&["table", "sweep"][..], &["sweep", "--status", "sweep"]] {
        assert_says(&refused_in(folder.path(), arguments), &["more than the limit of 128000000"]);
    }
}

// Networks.

/// A safetensors file of zeros with one tensor.
fn safetensors(path: &Path, name: &str, rows: u64, columns: u64) {
    let header = format!(
        r#"{{"{name}":{{"dtype":"F32","shape":[{rows},{columns}],"data_offsets":[0,{}]}}}}"#,
        4 * rows * columns
    );
    let start = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    sparse(path, &start, start.len() as u64 + 4 * rows * columns);
}

#[test]
fn safetensors_of_too_many_units_or_values() {
    let units = |path: &Path| safetensors(path, "rnn.weight_hh_l0", 16_000, 16_000);
    assert_file_refused("net.safetensors", units, &["has 16000 units, more than the limit of 4096"]);
    let values = |path: &Path| safetensors(path, "other.weight", 16_000, 16_000);
    assert_file_refused("net.safetensors", values, &["hold more than 25165824 values"]);
}

#[test]
fn safetensors_with_a_header_that_is_a_lie_or_too_long() {
    let long = |path: &Path| sparse(path, &[&(90u64 << 20).to_le_bytes()[..], b"{"].concat(), 1 << 30);
    assert_file_refused("net.safetensors", long, &["header too large"]);
    let lie = |path: &Path| {
        safetensors(path, "rnn.weight_hh_l0", 8, 8);
        File::options().write(true).open(path).unwrap().set_len(1 << 30).unwrap();
    };
    assert_file_refused("net.safetensors", lie, &["file not fully covered"]);
    let with_header = |header: String| {
        move |path: &Path| {
            fs::write(path, [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat()).unwrap();
        }
    };
    let shape = format!(r#"{{"a":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#, "1,".repeat(7 << 20));
    assert_file_refused("net.safetensors", with_header(shape), &["header too large"]);
    let nested = format!(r#"{{"a":{}"#, "[".repeat(1 << 19));
    assert_file_refused("net.safetensors", with_header(nested), &["recursion limit"]);
    let tensor = |k: usize| format!(r#""{k}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}"#);
    let tensors = format!("{{{}}}", (0..100_000).map(tensor).collect::<Vec<_>>().join(","));
    assert_file_refused("net.safetensors", with_header(tensors), &["header too large"]);
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// A zip archive: names, methods, packed bytes, and what they are said to unpack to.
fn zip(path: &Path, entries: &[(&str, u16, &[u8], u32)]) {
    let (mut file, mut directory) = (vec![], vec![]);
    for (name, method, packed, size) in entries {
        let about = [0, *method, 0, 0].map(u16::to_le_bytes).concat();
        let sizes = [crc32(packed), packed.len() as u32, *size].map(u32::to_le_bytes).concat();
        let (offset, length) = ((file.len() as u32).to_le_bytes(), (name.len() as u16).to_le_bytes());
        file.extend([b"PK\x03\x04\x14\x00", &about[..], &sizes, &length, &[0; 2], name.as_bytes(), packed].concat());
        let header = [b"PK\x01\x02\x14\x00\x14\x00", &about[..], &sizes, &length, &[0; 12], &offset, name.as_bytes()];
        directory.extend(header.concat());
    }
    let count = (entries.len() as u16).to_le_bytes();
    let (size, offset) = ((directory.len() as u32).to_le_bytes(), (file.len() as u32).to_le_bytes());
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &offset, &[0; 2]].concat();
    fs::write(path, [file, directory, end].concat()).unwrap();
}

#[test]
fn archives_that_unpack_large() {
    // Whatever it would unpack to: its directory says enough.
    let bomb = |path: &Path| zip(path, &[("weight_hh_l0.npy", 8, &[0; 800_000], 800_000_000)]);
    assert_file_refused("net.npz", bomb, &["unpacks to 800000000, over 16 times as many"]);
    let two = |path: &Path| zip(path, &[("a.npy", 8, &[0; 2_000_000], 1 << 30), ("b.npy", 8, &[0; 9], 1 << 30)]);
    assert_file_refused("net.npz", two, &["unpacks to 2147483648 bytes, more than the limit of 1073741824"]);
    let checkpoint = |path: &Path| zip(path, &[("net/data.pkl", 8, &[0; 700_000], 700_000_000)]);
    assert_file_refused("net.pt", checkpoint, &["unpacks to 700000000, over 16 times as many"]);
}

#[test]
fn arrays_of_too_many_units_are_not_unpacked() {
    let array = |shape: &str, bytes: usize| {
        let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
        let mut file = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
        file.resize(file.len() + bytes, 0);
        file
    };
    let (units, values) = (array("(1, 30000000)", 30_000_000), array("(30000000,)", 30_000_000));
    let stored =
        |name: &'static str, file: Vec<u8>| move |path: &Path| zip(path, &[(name, 0, &file, file.len() as u32)]);
    assert_file_refused("net.npz", stored("weight_hh_l0.npy", units), &["has 30000000 units, more than the limit"]);
    assert_file_refused("net.npz", stored("other.npy", values), &["hold more than 25165824 values"]);
}

#[test]
fn pickles_that_make_more_values_than_weights_need() {
    for opcode in [b'N', 0x94, b'('] {
        let program = [b"\x80\x02N", &vec![opcode; 7 << 20][..], b"."].concat();
        let bare = |path: &Path| fs::write(path, &program).unwrap();
        assert_file_refused("net.pt", bare, &["is a bare pickle"]);
        let archived = |path: &Path| zip(path, &[("net/data.pkl", 0, &program, program.len() as u32)]);
        assert_file_refused("net.pt", archived, &["its pickle makes more than 524288 values"]);
    }
    assert_file_refused("net.pt", |path| sparse(path, b"\x80\x02", 1 << 30), &["is a bare pickle"]);
}

#[test]
fn a_network_of_a_file_with_an_absurd_task_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("net.safetensors");
    let network = ketbra::network::NetworkFile::open(Path::new(&net())).unwrap().network;
    for (s, part) in [("1000000000000", "is over the limit of 262144"), ("20000", "is over the limit of 2048")] {
        let said = [("task", "repeat-copy"), ("s", s)].map(|(key, value)| (key.to_string(), value.to_string()));
        ketbra::network::NetworkFile::new(network.clone(), said.into()).save(&path).unwrap();
        for command in ["interpret", "report"] {
            assert_says(&refused_in(folder.path(), &[command, "net.safetensors"]), &[part]);
        }
    }
}
