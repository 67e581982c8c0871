//! A worker that panics costs its sweep one network, and the sweep says so.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where something is wrong, and here it panics on purpose"
)]

use ketbra::sweep::{
    Local, Plan, Row, Runner, SweepFolder, SweepObserver, SweepOutcome, Tally, Trainer, Unwatched, to_csv,
};
use ketbra::table::{TableParams, table};
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{self, Job, TrainError, TrainObserver};
use std::path::Path;

const GRID: &str = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 60\nhorizon = 10\nseed = \"1-4\"\n";

/// Trains as always, but panics over the network with seed 2.
struct Unlucky;

impl train::Engine for Unlucky {
    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<train::Outcome, TrainError>> {
        if jobs.iter().any(|job| job.params.seed == 2) {
            panic!("seed {} is unlucky", 2);
        }
        CpuEngine { threads: 1, ..CpuEngine::default() }.train(jobs, observer)
    }
}

fn sweep(list: usize, watcher: &dyn SweepObserver, folder: &Path) -> Result<(Tally, Vec<Row>), String> {
    let runs = Plan::parse(GRID, "grid.toml", Path::new("")).unwrap().runs().unwrap();
    let trainer = Trainer { name: "unlucky".into(), engine: Box::new(Unlucky), workers: 2, list, interpreters: 2 };
    let folder = SweepFolder::create(folder, &runs).unwrap();
    let outcome = Local::new(trainer).run(&folder, &runs, watcher).map_err(|error| error.to_string())?;
    let SweepOutcome::Worked(summary) = outcome else { panic!("it works here") };
    Ok((summary.tally, folder.rows().unwrap()))
}

#[test]
fn a_panic_over_one_network_is_its_row_and_the_others_are_done() {
    // One by one, and as one list that panics as a whole.
    for list in [1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let (tally, rows) = sweep(list, &Unwatched, folder.path()).unwrap();
        assert_eq!((tally.total, tally.done, tally.failed, tally.running), (4, 3, 1, 0), "{list}");
        for row in &rows {
            match (row.seed, &row.error) {
                (2, Some(error)) => {
                    assert!(error.contains("it panicked") && error.contains("seed 2 is unlucky"), "{error}")
                }
                (2, None) => panic!("a network that panicked has no error"),
                (_, error) => assert!(error.is_none() && row.accuracy.is_some() && row.verdict.is_some(), "{row:?}"),
            }
        }
        let csv = to_csv(&rows).unwrap();
        assert!(csv.lines().count() == 5 && csv.contains("seed 2 is unlucky"), "{csv}");
        let cells = table(&rows, &TableParams::default()).groups;
        assert_eq!((cells[0].networks, cells[0].failed, cells[0].seeds), (4, 1, 3));
    }
}

#[test]
fn what_is_trained_after_a_panic_over_its_list_goes_into_its_own_folder() {
    let (alone, listed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let networks = [(1, &alone), (4, &listed)].map(|(list, folder)| {
        let (_, rows) = sweep(list, &Unwatched, folder.path()).unwrap();
        let good = rows.into_iter().filter(|row| row.error.is_none());
        good.map(|row| std::fs::read(folder.path().join(&row.name).join("network.safetensors")).unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(networks[0].len(), 3);
    assert_eq!(networks[0], networks[1]);
}

/// Panics where it is told of a network that is done.
struct Clumsy;

impl SweepObserver for Clumsy {
    fn finished(&self, row: &Row) {
        panic!("dropped {}", row.name);
    }
}

#[test]
fn a_panic_beside_the_networks_is_an_error_of_the_sweep_and_no_quiet_end() {
    let folder = tempfile::tempdir().unwrap();
    let said = sweep(1, &Clumsy, folder.path()).unwrap_err();
    assert!(said.contains("the sweep stopped: it panicked") && said.contains("dropped repeat-copy"), "{said}");
}

#[test]
fn the_engine_on_the_processor_keeps_a_panic_to_its_job() {
    /// Panics in the middle of the second job.
    struct Startled;
    impl TrainObserver for Startled {
        fn progress(&self, job: usize, _: &train::Metrics) {
            assert!(job != 1, "job {job} is startling");
        }
    }
    let runs = Plan::parse(GRID, "grid.toml", Path::new("")).unwrap().runs().unwrap();
    let jobs: Vec<Job> = runs.into_iter().map(|run| run.job).collect();
    let engine = CpuEngine { threads: 2, ..CpuEngine::default() };
    let results = train::Engine::train(&engine, &jobs, &Startled);
    let failed: Vec<bool> = results.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, true, false, false]);
    let said = results.into_iter().nth(1).unwrap().unwrap_err().to_string();
    assert!(said.contains("job 1 is startling"), "{said}");
}
