//! A sweep ends with the same table however its work is divided and wherever it is interrupted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use ketbra::sweep::{Local, Plan, Run, Runner, SweepFolder, SweepObserver, Trainer, Unwatched};
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{self, Job, TrainError, TrainObserver};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn runs() -> Vec<Run> {
    let file = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 80\nhorizon = 10\ncheckpoint_every = 20\nseed = \"1-5\"";
    Plan::parse(file, "grid.toml", Path::new("")).unwrap().runs().unwrap()
}

fn table(local: &Local, folder: &Path, watcher: &dyn SweepObserver) -> String {
    let folder = SweepFolder::create(folder, &runs()).unwrap();
    local.run(&folder, &runs(), watcher).unwrap();
    std::fs::read_to_string(folder.table()).unwrap()
}

#[test]
fn networks_trained_in_lists_end_as_those_trained_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let one_by_one = table(&Local::new(Trainer::cpu(2)), &folder.path().join("a"), &Unwatched);
    let lists = Trainer { workers: 1, list: 3, interpreters: 2, ..Trainer::cpu(1) };
    assert_eq!(table(&Local::new(lists), &folder.path().join("b"), &Unwatched), one_by_one);
    assert_eq!(one_by_one.lines().count(), 6);
}

/// Asks for a stop after so many looks.
struct Impatient(AtomicUsize);

impl SweepObserver for Impatient {
    fn stop(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_sweep_stopped_in_the_middle_of_networks_goes_on_from_their_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let undisturbed = table(&Local::new(Trainer::cpu(1)), &folder.path().join("a"), &Unwatched);
    let local = Local { checkpoint_seconds: 0.0, ..Local::new(Trainer::cpu(1)) };
    let stopped = folder.path().join("b");
    for looks in [30, 50, 70] {
        table(&local, &stopped, &Impatient(AtomicUsize::new(looks)));
    }
    let unfinished =
        std::fs::read_dir(&stopped).unwrap().flatten().filter(|run| run.path().join("checkpoint").exists());
    assert!(unfinished.count() >= 1, "something was stopped in the middle");
    assert_eq!(table(&local, &stopped, &Unwatched), undisturbed);
}

#[test]
fn a_result_or_a_network_that_is_damaged_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let local = Local::new(Trainer::cpu(1));
    let undisturbed = table(&local, folder.path(), &Unwatched);
    let file = |run: usize, file: &str| folder.path().join(&runs()[run].name).join(file);
    std::fs::write(file(0, "result.json"), "{\"name\": \"").unwrap();
    std::fs::remove_file(file(1, "result.json")).unwrap();
    std::fs::write(file(1, "network.safetensors"), "none").unwrap();
    std::fs::remove_file(file(2, "result.json")).unwrap();
    std::fs::write(file(2, "manifest.json"), "").unwrap();
    std::fs::write(file(3, "manifest.json.77.tmp"), "litter").unwrap();
    std::fs::remove_file(file(3, "manifest.json")).unwrap();
    std::fs::remove_file(file(3, "result.json")).unwrap();
    std::fs::remove_file(file(3, "metrics.csv")).unwrap();
    std::fs::remove_file(file(3, "network.safetensors")).unwrap();
    assert_eq!(table(&local, folder.path(), &Unwatched), undisturbed);
}

/// Trains on the processor, and notes which sizes came together.
struct Watched {
    engine: CpuEngine,
    lists: Arc<Mutex<Vec<Vec<usize>>>>,
}

impl train::Engine for Watched {
    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<train::Outcome, TrainError>> {
        self.lists.lock().unwrap().push(jobs.iter().map(|job| job.params.hidden).collect());
        self.engine.train(jobs, observer)
    }
}

#[test]
fn lists_for_a_device_hold_one_shape_each_and_end_as_one_by_one() {
    let file = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = [4, 8, 6]\nsteps = 40\nhorizon = 10\nseed = \"1-5\"";
    let runs = Plan::parse(file, "grid.toml", Path::new("")).unwrap().runs().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let table = |trainer, name| {
        let folder = SweepFolder::create(&folder.path().join(name), &runs).unwrap();
        Local::new(trainer).run(&folder, &runs, &Unwatched).unwrap();
        std::fs::read_to_string(folder.table()).unwrap()
    };
    let lists = Arc::new(Mutex::new(vec![]));
    let engine = Watched { engine: CpuEngine::default(), lists: lists.clone() };
    let device = Trainer { workers: 1, list: 3, ..Trainer::device("device".into(), Box::new(engine), 2) };
    assert_eq!(table(device, "a"), table(Trainer::cpu(1), "b"));
    // What takes longest comes first.
    let expected: [&[usize]; 6] = [&[8, 8, 8], &[8, 8], &[6, 6, 6], &[6, 6], &[4, 4, 4], &[4, 4]];
    assert_eq!(*lists.lock().unwrap(), expected);
}
