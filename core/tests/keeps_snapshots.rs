//! Weights on the way: kept after the steps that were asked for, to the same bytes through an interruption, and shown on the page.

#![allow(clippy::unwrap_used)]

use ketbra::network::NetworkFile;
use ketbra::report::Provenance;
use ketbra::run_folder::{Resumed, RunFolder};
use ketbra::task::Task;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Choices, Job, Metrics, Snapshots, TrainObserver, Unobserved};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const SNAPSHOTS: Snapshots = Snapshots { count: 6, log_spaced: true };

fn job() -> Job {
    let task = Task::named("repeat-copy", Some(2), Some(2)).unwrap();
    let choices = Choices {
        hidden: Some(10),
        steps: Some(60),
        checkpoint_every: Some(10),
        snapshots: Some(SNAPSHOTS),
        ..Choices::default()
    };
    let (params, start) = choices.params(&task).unwrap();
    Job { task, params, start }
}

fn begin(path: &Path) -> RunFolder {
    RunFolder::begin(path, &job(), "cpu".into(), false).unwrap()
}

/// Asks for a stop after some steps.
struct StopAfter(u64, AtomicU64);

impl TrainObserver for StopAfter {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.1.store(metrics.step, Ordering::Relaxed);
    }

    fn stop(&self, _job: usize) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

#[test]
fn a_run_keeps_its_weights_on_the_way_whether_it_is_stopped_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    let ended = begin(&whole).train(&job(), &CpuEngine::default(), false, &Unobserved).unwrap();
    let kept = RunFolder::open(&whole).unwrap().read_snapshots().unwrap();
    let steps: Vec<u64> = kept.iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, SNAPSHOTS.steps(60));
    assert_eq!(kept.first().unwrap().1, job().params.random_network(2), "the first are those before any step");
    assert_eq!(kept.last().unwrap().1, ended.state.network, "the last are those at the end");

    let left = begin(&stopped).train(&job(), &CpuEngine::default(), false, &StopAfter(25, AtomicU64::new(0))).unwrap();
    assert!(left.result.is_none());
    let Resumed { folder: run, job, .. } = RunFolder::resume(&stopped).unwrap();
    run.train(&job, &CpuEngine::default(), false, &Unobserved).unwrap();
    let bytes = |of: &Path| std::fs::read(of.join("snapshots.safetensors")).unwrap();
    assert!(bytes(&whole) == bytes(&stopped), "other snapshots after an interruption");
}

#[test]
fn the_page_says_of_each_what_it_comes_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    begin(&path).train(&job(), &CpuEngine::default(), false, &Unobserved).unwrap();
    let file = NetworkFile::open(&path.join("network.safetensors")).unwrap();
    let shown = Provenance::of(&path, &file, &|_, _| ()).training.unwrap().snapshots;
    assert_eq!(shown.iter().map(|moment| moment.step).collect::<Vec<_>>(), SNAPSHOTS.steps(60));
    assert!(shown.iter().all(|moment| moment.eigenvalues.len() == 10), "ten units have ten eigenvalues at the origin");
    assert!(shown[0].note.contains("claims hold") && !shown[0].note.starts_with("circuit"), "{}", shown[0].note);
    std::fs::write(path.join("snapshots.safetensors"), b"torn").unwrap();
    let said = Provenance::of(&path, &file, &|_, _| ()).made;
    assert!(said.iter().any(|(name, text)| name == "snapshots" && text.contains("can be read")), "{said:?}");
}
