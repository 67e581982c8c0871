//! Run folders after everything that can happen to them.

#![allow(clippy::unwrap_used)]

use ketbra::network::{Activation, Architecture, Initialization, Network};
use ketbra::run_folder::{Manifest, Recorder, RunFolder, RunFolderError, RunStatus};
use ketbra::task::Task;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Curriculum, Engine, Job, Start, TrainParams, TrainState};
use std::fs;
use std::path::Path;

fn params() -> TrainParams {
    let curriculum = Curriculum::None { horizon: 3 };
    TrainParams { hidden: 6, steps: 20, checkpoint_every: 5, ..TrainParams::with_curriculum(curriculum) }
}

fn task() -> Task {
    Task::named("repeat-copy", Some(2), Some(2)).unwrap()
}

fn manifest() -> Manifest {
    Manifest::new(&task(), params(), "test".into())
}

fn state(step: u64) -> TrainState {
    let network = |seed| -> Network {
        Initialization::Uniform.network(&Architecture::elman(6, Activation::Tanh, false), 2, 2, seed)
    };
    TrainState {
        step,
        curriculum: params().curriculum.begin(),
        evaluations: Default::default(),
        network: network(step),
        first_moment: network(step + 1),
        second_moment: network(step + 2),
        metrics: None,
    }
}

fn with_two_checkpoints(path: &Path) -> RunFolder {
    let folder = RunFolder::create(path, manifest(), false).unwrap();
    folder.write_checkpoint(&state(5)).unwrap();
    folder.write_checkpoint(&state(10)).unwrap();
    folder
}

#[test]
fn the_manifest_brings_task_and_parameters_back() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("new/run");
    RunFolder::create(&path, manifest(), false).unwrap();
    let folder = RunFolder::open(&path).unwrap();
    assert_eq!(folder.manifest(), &manifest());
    assert_eq!(folder.manifest().task().unwrap(), task());
}

#[test]
fn the_last_good_checkpoint_is_used_and_the_damage_named() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = with_two_checkpoints(temporary.path());
    let newest = temporary.path().join("checkpoint");
    let good = fs::read(&newest).unwrap();
    assert_eq!(folder.read_checkpoint().unwrap().0, state(10));
    let newer = [b"ketbra checkpoint 7".as_slice(), &good[19..]].concat();
    let damages: [(&[u8], &str); 4] = [
        (b"", "checkpoint is empty"),
        (&good[..good.len() / 2], "checkpoint is cut short"),
        (b"something else\n", "checkpoint is no checkpoint"),
        (&newer, "is a checkpoint of version 7, but this ketbra reads version 1"),
    ];
    for (bytes, expected) in damages {
        fs::write(&newest, bytes).unwrap();
        let (used, damage) = folder.read_checkpoint().unwrap();
        assert_eq!(used, state(5));
        assert!(damage.unwrap().to_string().contains(expected), "{expected}");
    }
    fs::remove_file(&newest).unwrap();
    assert_eq!(folder.read_checkpoint().unwrap().0, state(5), "killed between the two renames");
}

#[test]
fn without_a_good_checkpoint_the_error_names_both_files_and_what_to_do() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = with_two_checkpoints(temporary.path());
    fs::write(temporary.path().join("checkpoint"), b"").unwrap();
    fs::write(temporary.path().join("checkpoint.previous"), b"ketbra").unwrap();
    let message = folder.read_checkpoint().unwrap_err().to_string();
    for part in ["/checkpoint is empty", "/checkpoint.previous is no checkpoint, or is cut short", "force=true"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_not_used() {
    let temporary = tempfile::tempdir().unwrap();
    let mut folder = with_two_checkpoints(temporary.path());
    folder.write_manifest(|manifest| manifest.params.steps = 30).unwrap();
    assert_eq!(folder.read_checkpoint().unwrap().0.step, 10, "a longer run is the same run");
    folder.write_manifest(|manifest| manifest.params.seed = 2).unwrap();
    let message = folder.read_checkpoint().unwrap_err().to_string();
    assert!(message.contains("belongs to a run with other parameters"), "{message}");
}

#[test]
fn a_folder_that_holds_something_else_is_never_touched() {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("thesis.tex"), b"years of work").unwrap();
    for force in [false, true] {
        let error = RunFolder::create(temporary.path(), manifest(), force).unwrap_err();
        assert!(matches!(error, RunFolderError::NotARun { .. }), "{error}");
    }
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
}

#[test]
fn a_run_is_replaced_only_by_force_and_strangers_in_it_stay() {
    let temporary = tempfile::tempdir().unwrap();
    let mut folder = with_two_checkpoints(temporary.path());
    fs::write(temporary.path().join("notes.txt"), b"mine").unwrap();
    let refusal = |path| RunFolder::create(path, manifest(), false).unwrap_err();
    assert!(matches!(refusal(temporary.path()), RunFolderError::Unfinished { .. }));
    folder.write_manifest(|manifest| manifest.status = RunStatus::Complete).unwrap();
    assert!(matches!(refusal(temporary.path()), RunFolderError::Complete { .. }));
    RunFolder::create(temporary.path(), manifest(), true).unwrap();
    assert!(!temporary.path().join("checkpoint").exists());
    assert_eq!(fs::read(temporary.path().join("notes.txt")).unwrap(), b"mine");
}

#[test]
fn a_damaged_manifest_is_an_error_that_names_it() {
    let temporary = tempfile::tempdir().unwrap();
    for text in ["", "{\"format\": 1}", "{\"format\": 99}", "[]", "{}", "not json"] {
        fs::write(temporary.path().join("manifest.json"), text).unwrap();
        let message = RunFolder::open(temporary.path()).unwrap_err().to_string();
        assert!(message.contains("manifest.json is not a manifest of this version"), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(temporary.path(), manifest(), false).unwrap();
    folder.write_checkpoint(&state(0)).unwrap();
    // Every name under which `write_whole` may begin the file leads to a device that is always full.
    let begun = |count| temporary.path().join(format!("checkpoint.new.{}-{count}.tmp", std::process::id()));
    let planted = 4000;
    (0..planted).for_each(|count| std::os::unix::fs::symlink("/dev/full", begun(count)).unwrap());
    let mut recorder = Recorder::new();
    recorder.add(folder.clone(), 0, false).unwrap();
    let job = Job { task: task(), params: params(), start: Start::Random };
    let error = CpuEngine::default().train(&[job], &recorder).pop().unwrap().unwrap_err();
    let message = error.to_string();
    assert!(message.contains("checkpoint.new: No space left on device"), "{message}");
    assert_eq!(folder.read_checkpoint().unwrap().0, state(0), "the checkpoint before is still there");
    let left = fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap());
    let left: Vec<_> = left.filter(|entry| entry.file_name().to_string_lossy().contains("tmp")).collect();
    assert!(left.iter().all(|entry| entry.file_type().unwrap().is_symlink()), "only what the test put there is left");
    assert!(left.len() < planted, "and what was begun is gone");
}
