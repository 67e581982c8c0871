//! A mutational fuzz: files that are changed a little and then wrapped up again, so that checksums and lengths hold and the
//! change reaches the parser behind them. Whatever comes out is an error or within the limits, without a panic and without
//! memory out of proportion. The number of inputs is fixed, and so are the inputs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]

use crate::hostile::{Entry, crc32, stored, with_peak_memory, zip};
use crate::mutation::Choices;
use ketbra::circuit::Description;
use ketbra::network::{Activation, Architecture, Initialization, MAX_HIDDEN, Metadata, NetworkFile};
use ketbra::panics::catch_panic;
use ketbra::run_folder::{Manifest, Resumed, RunFolder};
use ketbra::sweep::{self, Local, MAX_NETWORKS, Plan, SweepFolder, Trainer, Unwatched};
use ketbra::table::{TableParams, table};
use ketbra::task::{Function, MAX_COEFFICIENTS, MAX_WINDOW, Task, Window};
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Curriculum, Engine, TrainError, TrainParams, TrainState, Unobserved};
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that any text of a few hundred bytes may take once it is read: a million seeds take a quarter of it.
const MEMORY: usize = 128 << 20;

/// Feeds `inputs` mutations to `read`, which gives the size of its file and whether that was accepted, and says which one
/// panics or takes too much. Mutations that are all refused, or never, would test nothing.
fn survive(what: &str, inputs: u64, limit: impl Fn(usize) -> usize, read: impl Fn(&mut Choices) -> (usize, bool)) {
    let mut accepted = 0;
    for input in 0..inputs {
        let (read, peak) = with_peak_memory(|| catch_panic(|| read(&mut Choices::new(input))));
        let (size, fine) = read.unwrap_or_else(|panicked| panic!("{what}, input {input}: {panicked}"));
        assert!(peak < limit(size), "{what}, input {input}: {peak} bytes for a file of {size}");
        accepted += u64::from(fine);
    }
    let some = inputs / 100..inputs - inputs / 100;
    assert!(some.contains(&accepted), "{what}: {accepted} of {inputs} mutations are accepted");
}

// Sweep files.

const SWEEPS: [&str; 4] = [
    "task = [\"T1\", \"repeat-copy\"]\ns = 8\nd = 8\nhidden = [16, 32]\nl2 = [0, 1e-3]\nseed = \"1-20\"\nhorizon = 10\n",
    "hidden = 64\nseed = [\"1-3\", 7, 9]\ncurriculum = \"adaptive\"\nthreshold = 0.03\n[[grid]]\ntask = \"T2\"\nbatch = 8\n\
     [[grid]]\ntask = \"255,0,0\"\nsteps = [100, 200]\nclip = 1.5\n",
    "task = \"compose-copy\"\ns = [2, 3]\nd = [2, 3]\nlr = 0.01\ninit = \"gaussian\"\nbias = true\nactivation = \"relu\"\n\
     metrics_every = 10\ncheckpoint_every = 20\n",
    "task = '(9241421688590303745, 262676, 189)'\nhidden = 0x40\nseed = 1_000\nl2 = +0.5\nbias = [true, false]\n",
];

#[test]
fn mutated_sweep_files() {
    survive(
        "sweep files",
        12000,
        |size| MEMORY + 1000 * size,
        |choices| {
            let valid = *choices.one(&SWEEPS);
            let text = choices.mutated_text(valid);
            let plan = Plan::parse(&text, "grid.toml", Path::new("nowhere"));
            if let Ok(plan) = &plan {
                let runs = if plan.count() <= 200 || plan.count() > MAX_NETWORKS { Some(plan.runs()) } else { None };
                match runs {
                    Some(Ok(runs)) => {
                        assert!(runs.len() as u64 <= plan.count().min(MAX_NETWORKS));
                        runs.iter().for_each(|run| run.job.check().unwrap());
                    }
                    Some(Err(error)) => assert!(!error.to_string().is_empty()),
                    None => {}
                }
            }
            (text.len(), plan.is_ok())
        },
    );
}

// Task files and ids.

const TASKS: [&str; 5] = [
    "name = \"mine\"\ns = 3\nd = 2\nrecurrence = [\"u1 = -u2[t-3]\", \"u2 = u1[t-1]\"]\n",
    "s = 2\nd = 2\nrecurrence = [\n  \"u1 = 0.25*u1[t-1] - 1.5e-3*u2[t-2]\",\n  \"u2 = u1[t-2] + u2[t-1]\",\n]\n",
    "s = 2\nd = 2\nmatrix = [[1, 0, 0, -1], [0.5, 0, 0, 2]]\n",
    // Escapes and wide spaces: places in the text read are not places in the file.
    "s = 1\nd = 2\nrecurrence = [\"u1 =\\u0020\u{3000}\u{3000}\u{3000}u1[t-1]\", \"\\tu2\u{3000} = -\u{3000}u1[t-1]\"]\n",
    "name = \"\\u00fc \u{1f600}\"\ns = 1\nd = 1\nrecurrence = ['u1 = u1[t-1]']\n",
];

fn check_task(task: &Window) {
    assert!(task.width() <= MAX_WINDOW);
    if let Function::Dense(matrix) = task.function() {
        assert!(matrix.nrows() * matrix.ncols() <= MAX_COEFFICIENTS);
    }
    if task.width() <= 256 {
        assert!(Window::from_toml(&task.to_toml(), "again", "again").unwrap().same_function(task));
        // A function that grows without bound has no description; that is an error, and no panic.
        let _ = Description::of(task);
    }
}

#[test]
fn mutated_task_files() {
    survive(
        "task files",
        20000,
        |size| MEMORY + 1000 * size,
        |choices| {
            let valid = *choices.one(&TASKS);
            let text = choices.mutated_text(valid);
            let task = Window::from_toml(&text, "task.toml", "task");
            (text.len(), task.map(|task| check_task(&task)).is_ok())
        },
    );
}

#[test]
fn mutated_ids_and_names() {
    let valid = ["255,0,0", "(9241421688590303745, 262676, 189)", "repeat-copy", "compose_copy", "T3", "1,0,1"];
    survive(
        "ids",
        8000,
        |_| MEMORY,
        |choices| {
            let valid = *choices.one(&valid);
            let text = choices.mutated_text(valid);
            let sizes = [None, None, None, Some(8), Some(8), Some(0), Some(3), Some(1 << 17), Some(usize::MAX)];
            let size = |choices: &mut Choices| *choices.one(&sizes);
            let (s, d) = (size(choices), size(choices));
            let task = Window::named_or_numbered(&text, s, d);
            (text.len(), task.map(|task| check_task(&task)).is_ok())
        },
    );
}

// Networks.

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)).unwrap()
}

/// The files in an archive, unpacked.
fn unpacked(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
    let u32_at = |at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap()) as usize;
    let end = archive.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
    let mut at = u32_at(end + 16);
    (0..u16_at(end + 10))
        .map(|_| {
            let (method, packed, name, header) = (u16_at(at + 10), u32_at(at + 20), u16_at(at + 28), u32_at(at + 42));
            let data = header + 30 + u16_at(header + 26) + u16_at(header + 28);
            let packed = &archive[data..data + packed];
            let contents =
                if method == 8 { miniz_oxide::inflate::decompress_to_vec(packed).unwrap() } else { packed.to_vec() };
            let name_at = at + 46;
            at = name_at + name + u16_at(at + 30) + u16_at(at + 32);
            (String::from_utf8(archive[name_at..name_at + name].to_vec()).unwrap(), contents)
        })
        .collect()
}

/// An entry that says the truth about its contents, packed or not.
fn wrapped(name: &str, contents: &[u8], deflated: bool) -> Entry {
    if !deflated {
        return stored(name, contents);
    }
    let mut packed = flate2::write::DeflateEncoder::new(vec![], flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, contents).unwrap();
    let (packed, size) = (packed.finish().unwrap(), contents.len() as u32);
    Entry { name: name.into(), packed, method: 8, flags: 0, size, checksum: crc32(contents) }
}

fn read_network(file: &[u8]) -> (usize, bool) {
    let read = NetworkFile::from_bytes(file, Path::new("net.file"), None);
    if let Ok(read) = &read {
        assert!(read.network.hidden() <= MAX_HIDDEN);
        read.network.check().unwrap();
        if let Ok(Some(Task::Window(task))) = read.task(None, None) {
            check_task(&task);
        }
    }
    (file.len(), read.is_ok())
}

/// Mutates what is inside the archives: one entry in three is small and looked at closely, the program of a pickle most of all.
fn survive_archives(what: &str, inputs: u64, names: &[&str]) {
    let archives: Vec<Vec<(String, Vec<u8>)>> = names.iter().map(|name| unpacked(&fixture(name))).collect();
    survive(
        what,
        inputs,
        |size| (1 << 20) + 1200 * size,
        |choices| {
            let mut entries = choices.one(&archives).clone();
            let program = entries.iter().position(|(name, _)| name.ends_with("data.pkl"));
            let chosen = match program.filter(|_| choices.below(4) > 0) {
                Some(program) => program,
                None => choices.below(entries.len()),
            };
            entries[chosen].1 = choices.mutated(&entries[chosen].1);
            let deflated = choices.below(2) == 0;
            let entries: Vec<Entry> = entries.iter().map(|(name, file)| wrapped(name, file, deflated)).collect();
            read_network(&zip(&entries))
        },
    );
}

#[test]
fn the_archives_are_networks_before_they_are_mutated() {
    for name in ["stored.npz", "deflated.npz", "state_dict.pt", "lightning.ckpt", "whole_module.pt"] {
        for deflated in [false, true] {
            let entries = unpacked(&fixture(name));
            let entries: Vec<Entry> = entries.iter().map(|(name, file)| wrapped(name, file, deflated)).collect();
            assert!(NetworkFile::from_bytes(&zip(&entries), Path::new("net.file"), None).is_ok(), "{name}");
        }
    }
}

#[test]
fn mutated_pickles_in_archives_whose_checksums_hold() {
    let names =
        ["state_dict.pt", "lightning.ckpt", "whole_module.pt", "views.pt", "halves.pt", "protocol5.pt", "gru.pt"];
    survive_archives("PyTorch files", 12000, &names);
}

#[test]
fn mutated_arrays_in_archives_whose_checksums_hold() {
    survive_archives("NumPy files", 6000, &["stored.npz", "deflated.npz"]);
}

/// A safetensors file with another header, and as much data as that asks for if it is not too much.
fn with_header(header: &[u8], data: &[u8]) -> Vec<u8> {
    let offsets = |value: &serde_json::Value| value["data_offsets"][1].as_u64();
    let parsed = serde_json::from_slice::<serde_json::Value>(header).ok();
    let asked = parsed.and_then(|header| header.as_object()?.values().filter_map(offsets).max());
    let mut data = data.to_vec();
    data.resize(asked.filter(|asked| *asked < 1 << 20).map_or(data.len(), |asked| asked as usize), 0);
    [&(header.len() as u64).to_le_bytes()[..], header, &data].concat()
}

fn split_header(file: &[u8]) -> (&[u8], &[u8]) {
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    (&file[8..8 + length], &file[8 + length..])
}

#[test]
fn mutated_headers_of_safetensors_whose_lengths_hold() {
    let files = ["state_dict", "lightning", "views"].map(|name| fixture(&format!("{name}.expected.safetensors")));
    let network = Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, true), 2, 2, 1);
    let said = [("task", "s = 2\nd = 2\nrecurrence = [\"u1 = u1[t-2]\", \"u2 = u2[t-1]\"]"), ("seed", "1")];
    let said = said.map(|(key, value)| (key.to_string(), value.to_string())).into();
    let ours = NetworkFile::new(network, said).to_safetensors().unwrap();
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).chain([ours.as_slice()]).collect();
    survive(
        "safetensors",
        15000,
        |size| (8 << 20) + 300 * size,
        |choices| {
            let (header, data) = split_header(files[choices.below(files.len())]);
            let header = choices.mutated(header);
            read_network(&with_header(&header, data))
        },
    );
}

// Run folders.

fn params() -> TrainParams {
    let curriculum = Curriculum::Table1 { horizons: vec![2, 3], threshold: 0.9 };
    TrainParams { hidden: 5, batch: 4, steps: 20, ..TrainParams::with_curriculum(curriculum) }
}

/// A folder with a run of which ten steps are taken.
fn begun(path: &Path) -> (RunFolder, TrainState) {
    let task = Window::named("repeat-copy", Some(2), Some(2)).unwrap();
    let folder = RunFolder::create(path, Manifest::new(&task.into(), params(), "test".into()), false).unwrap();
    let network = |seed| Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, false), 2, 2, seed);
    let curriculum = params().curriculum.begin();
    let (network, first_moment, second_moment) = (network(1), network(2), network(3));
    let state = TrainState {
        step: 10,
        curriculum,
        network,
        first_moment,
        second_moment,
        metrics: None,
        evaluations: Default::default(),
    };
    folder.write_checkpoint(&state).unwrap();
    (folder, state)
}

/// CRC-32C (Castagnoli), as checkpoints carry it.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg()))
    })
}

/// A checkpoint of a header and three parts, with the lengths and checksums that they have.
fn checkpoint(header: &serde_json::Value, parts: &[Vec<u8>; 3]) -> Vec<u8> {
    let (mut header, body) = (header.clone(), parts.concat());
    header["lengths"] = serde_json::json!(parts.each_ref().map(Vec::len));
    header["crc32c"] = crc32c(&body).into();
    let header = header.to_string();
    [format!("ketbra checkpoint 1 {:08x}\n{header}\n", crc32c(header.as_bytes())).into_bytes(), body].concat()
}

/// Whether training is over in a moment; sizes that are allowed may take hours.
fn is_quick(params: &TrainParams) -> bool {
    let tested = params.test.batches as usize * params.test.batch * params.test.horizon;
    let steps = params.steps as usize * params.batch * params.curriculum.longest();
    params.hidden <= 64 && steps <= 100_000 && tested <= 200_000
}

/// A sound network of any small size, in the place of one that fits.
fn any_network(choices: &mut Choices) -> Vec<u8> {
    let [hidden, inputs, outputs] = [7, 4, 4].map(|most| 1 + choices.below(most));
    let network = Initialization::Uniform.network(
        &Architecture::elman(hidden, Activation::Relu, choices.below(2) == 0),
        inputs,
        outputs,
        4,
    );
    NetworkFile::new(network, Metadata::new()).to_safetensors().unwrap()
}

/// Goes on with a run as far as it lets itself; a panic in training is an error of its own kind.
fn go_on(path: &Path) -> bool {
    let resumed = RunFolder::resume(path);
    let accepted = resumed.is_ok();
    if let Ok(Resumed { job, .. }) = resumed
        && is_quick(&job.params)
    {
        let results = CpuEngine { threads: 1, ..CpuEngine::default() }.train(&[job], &Unobserved);
        assert!(!matches!(results[0], Err(TrainError::Panicked(_))), "{results:?}");
    }
    accepted
}

#[test]
fn mutated_checkpoints_whose_checksums_hold() {
    let temporary = tempfile::tempdir().unwrap();
    begun(temporary.path());
    let path = temporary.path().join("checkpoint");
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').take(2).collect();
    let header: serde_json::Value = serde_json::from_slice(&whole[ends[0] + 1..ends[1]]).unwrap();
    let mut rest = &whole[ends[1] + 1..];
    let parts: [Vec<u8>; 3] = [0, 1, 2].map(|part| {
        let (front, back) = rest.split_at(header["lengths"][part].as_u64().unwrap() as usize);
        rest = back;
        front.to_vec()
    });
    assert_eq!(checkpoint(&header, &parts), whole, "it is put together as it was");
    assert!(go_on(temporary.path()));
    survive(
        "checkpoints",
        2500,
        |size| (4 << 20) + 300 * size,
        |choices| {
            let (mut header, mut parts) = (header.clone(), parts.clone());
            let part = choices.below(3);
            if choices.below(4) == 0 {
                parts[part] = any_network(choices);
            } else if choices.below(2) == 0 {
                let text = choices.mutated_text(&header.to_string());
                header = serde_json::from_str(&text).ok().filter(serde_json::Value::is_object).unwrap_or(header);
            } else {
                let (inner, data) = split_header(&parts[part]);
                parts[part] = with_header(&choices.mutated(inner), data);
            }
            let file = checkpoint(&header, &parts);
            fs::write(&path, &file).unwrap();
            (file.len(), go_on(temporary.path()))
        },
    );
}

#[test]
fn mutated_manifests() {
    let temporary = tempfile::tempdir().unwrap();
    let (_, state) = begun(temporary.path());
    let path = temporary.path().join("manifest.json");
    let whole = fs::read_to_string(&path).unwrap();
    survive(
        "manifests",
        2500,
        |size| (4 << 20) + 300 * size,
        |choices| {
            let text = choices.mutated_text(&whole);
            fs::write(&path, &text).unwrap();
            if let Ok(folder) = RunFolder::open(temporary.path()) {
                if let Ok(Task::Window(task)) = folder.manifest().task() {
                    check_task(&task);
                }
                // A checkpoint carries the fingerprint of its manifest: with that it is let in.
                folder.write_checkpoint(&state).unwrap();
            }
            (text.len(), go_on(temporary.path()))
        },
    );
}

// Folders of sweeps.

#[test]
fn mutated_results() {
    let temporary = tempfile::tempdir().unwrap();
    let grid = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 60\nhorizon = 10\n";
    let runs = Plan::parse(grid, "grid.toml", Path::new("")).unwrap().runs().unwrap();
    let folder = SweepFolder::create(temporary.path(), &runs).unwrap();
    sweep::Runner::run(&Local::new(Trainer::cpu(1)), &folder, &runs, &Unwatched).unwrap();
    let path: PathBuf = temporary.path().join(&runs[0].name).join("result.json");
    let whole = fs::read_to_string(&path).unwrap();
    survive(
        "results",
        3000,
        |size| (4 << 20) + 300 * size,
        |choices| {
            let text = choices.mutated_text(&whole);
            fs::write(&path, &text).unwrap();
            let rows = folder.rows().unwrap();
            assert_eq!(table(&rows, &TableParams::default()).groups.len(), rows.len());
            (text.len(), !rows.is_empty())
        },
    );
}
