//! Going through a course: every stage in a folder of its own, whatever was done before left alone.

use super::{Arm, Course, CourseRow};
use crate::crc32c::crc32c;
use crate::panics::catch_panic;
use crate::reproduce::ReproduceError;
use crate::run_folder::{Resumed, RunFolder, RunFolderError, RunResult, RunStatus};
use crate::train::cpu::CpuEngine;
use crate::train::{Job, TrainObserver};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Stops training where somebody asks for it.
struct Stops<'a>(&'a (dyn Fn() -> bool + Sync));

impl TrainObserver for Stops<'_> {
    fn stop(&self, _job: usize) -> bool {
        self.0()
    }
}

/// A stage of one seed, with the folder of the one before it.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    seed: u64,
    arm: usize,
    stage: usize,
    folder: PathBuf,
    before: Option<PathBuf>,
}

/// Trains what is not trained yet, each network on one of `threads` threads; gives a row for each arm and seed, or
/// nothing where somebody asked for a stop. `seeds` limits it to the first so many seeds; `done` is told how many stages are done,
/// of how many.
pub fn run(
    course: &Course,
    seeds: Option<u64>,
    out: &Path,
    threads: usize,
    done: &dyn Fn(usize, usize),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<CourseRow>>, ReproduceError> {
    let seeds = course.seeds.min(seeds.unwrap_or(u64::MAX));
    let steps = steps(course, seeds, out);
    let failed = |problem: String| ReproduceError::Measure { what: "course".into(), problem };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| failed(error.to_string()))?;
    let mut count = 0;
    // Stages of one depth do not depend on each other.
    let deepest = steps.iter().map(|step| step.stage).max().unwrap_or(0);
    let mut results: BTreeMap<PathBuf, RunResult> = BTreeMap::new();
    for depth in 0..=deepest {
        let here: Vec<&Step> = steps.iter().filter(|step| step.stage == depth).collect();
        let train = |step: &&Step| {
            let trained =
                catch_panic(|| learn(course, step, stop)).unwrap_or_else(|panicked| Err(panicked.to_string()));
            trained.map(|result| (step.folder.clone(), result))
        };
        let trained: Vec<_> = pool.install(|| here.par_iter().with_max_len(1).map(train).collect());
        for result in trained {
            match result.map_err(failed)? {
                (folder, Some(result)) => results.insert(folder, result),
                (_, None) => return Ok(None),
            };
            count += 1;
            done(count, steps.len());
        }
    }
    let row = |(arm, seed): (usize, u64)| {
        let of = &course.arms[arm];
        let folder = folder(course, of, of.stages.len() - 1, seed, out);
        let result = results.get(&folder)?;
        Some(CourseRow {
            arm: of.name.clone(),
            seed,
            run: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            steps: result.steps,
            steps_to_99: result.steps_to_99,
            accuracy: result.accuracy.value,
            learned: result.learned,
            contexts: result.contexts.iter().map(|of| (of.context.clone(), of.accuracy.value)).collect(),
        })
    };
    let all = (0..course.arms.len()).flat_map(|arm| (1..=seeds).map(move |seed| (arm, seed)));
    Ok(Some(all.filter_map(row).collect()))
}

/// Every stage once: those that begin alike share a folder.
fn steps(course: &Course, seeds: u64, out: &Path) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    for (place, arm) in course.arms.iter().enumerate() {
        for stage in 0..arm.stages.len() {
            for seed in 1..=seeds {
                let own = folder(course, arm, stage, seed, out);
                let before = stage.checked_sub(1).map(|before| folder(course, arm, before, seed, out));
                if steps.iter().all(|step| step.folder != own) {
                    steps.push(Step { seed, arm: place, stage, folder: own, before });
                }
            }
        }
    }
    steps
}

/// A name that says all that a stage depends on.
fn folder(course: &Course, arm: &Arm, stage: usize, seed: u64, out: &Path) -> PathBuf {
    let so_far = &arm.stages[..=stage];
    let tasks: Vec<String> = so_far.iter().filter_map(|of| course.task(of).ok()).map(|task| task.to_toml()).collect();
    let Course { cell, hidden, steps, look_every, .. } = course;
    let all = serde_json::to_string(&(so_far, tasks, cell, hidden, steps, look_every)).unwrap_or_default();
    let last = &arm.stages[stage];
    let learns = last.context.as_ref().or(last.task.as_ref()).or(course.task.as_ref()).map_or("", String::as_str);
    let tame = learns.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    out.join(format!("{}-{tame}-h{hidden}-{:08x}-seed{seed:02}", stage + 1, crc32c(all.as_bytes())))
}

/// Trains a stage, goes on with it, or reads what came of it; nothing where somebody asked for a stop.
fn learn(course: &Course, step: &Step, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<RunResult>, String> {
    let engine = CpuEngine { threads: 1, ..CpuEngine::default() };
    let said = |error: RunFolderError| format!("{}: {error}", step.folder.display());
    let (folder, job) = match RunFolder::open(&step.folder) {
        Ok(run) if run.manifest().status == RunStatus::Complete => return Ok(run.manifest().result.clone()),
        Ok(_) => match RunFolder::resume(&step.folder) {
            Ok(Resumed { folder, job, .. }) => (folder, job),
            Err(_) => begin(course, step, true)?,
        },
        Err(_) => begin(course, step, true)?,
    };
    let trained = folder.train(&job, &engine, false, &Stops(stop)).map_err(said)?;
    if trained.result.is_some()
        && let Ok(run) = RunFolder::open(&step.folder)
    {
        run.remove_checkpoints().map_err(said)?;
    }
    Ok(trained.result)
}

fn begin(course: &Course, step: &Step, force: bool) -> Result<(RunFolder, Job), String> {
    let stage = &course.arms[step.arm].stages[step.stage];
    let task = course.task(stage)?;
    let choices = course.choices(stage, step.seed, step.before.clone());
    let (params, start) = choices.params(&task).map_err(|error| error.to_string())?;
    let job = Job { task, params, start };
    let engine = format!("cpu {}", CpuEngine::default().isa);
    let folder = RunFolder::begin(&step.folder, &job, engine, force).map_err(|error| error.to_string())?;
    Ok((folder, job))
}
