//! Sweeps on a SLURM cluster: one job array, a shard of the networks for each of its tasks.

use super::{Run, Runner, Submission, SweepError, SweepFolder, SweepObserver, SweepOutcome};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is asked of the cluster; nothing means its own default.
#[derive(Clone, Debug)]
pub struct SlurmParams {
    /// Partition.
    pub partition: Option<String>,
    /// Time limit of an array task, as sbatch takes it.
    pub time: Option<String>,
    /// Cores of an array task: as many networks are trained side by side. Default 1.
    pub cpus: usize,
    /// GPUs of an array task.
    pub gpus: Option<usize>,
    /// Array tasks that may run at the same time.
    pub array_limit: Option<usize>,
    /// Array tasks. Default: the limit, or one for each network up to `most_tasks`.
    pub tasks: Option<usize>,
    /// Most array tasks that are asked for by default; SLURM's own default allows 1001. Default 1000.
    pub most_tasks: usize,
    /// Further arguments of `ketbra sweep` in each task.
    pub arguments: Vec<String>,
}

impl Default for SlurmParams {
    fn default() -> Self {
        Self {
            partition: None,
            time: None,
            cpus: 1,
            gpus: None,
            array_limit: None,
            tasks: None,
            most_tasks: 1000,
            arguments: vec![],
        }
    }
}

/// Hands a sweep to SLURM.
pub struct Slurm {
    /// The `ketbra` that the nodes run.
    pub program: PathBuf,
    /// What is asked of the cluster.
    pub params: SlurmParams,
}

impl Runner for Slurm {
    fn run(
        &self,
        folder: &SweepFolder,
        runs: &[Run],
        _watcher: &dyn SweepObserver,
    ) -> Result<SweepOutcome, SweepError> {
        Command::new("sbatch").arg("--version").output().map_err(|error| not_started("sbatch", &error))?;
        let queue = queued_tasks()?;
        let submissions = Submission::all(folder);
        let is_queued = |job: &str, task: usize| queue.get(job).is_some_and(|tasks| tasks.contains_key(&task));
        let under_way: BTreeSet<&str> = submissions.iter().flat_map(|earlier| earlier.under_way(is_queued)).collect();
        let is_open = |run: &&Run| {
            let name = run.name.as_str();
            !under_way.contains(name) && folder.row(name).is_none() && folder.holder(name).is_none()
        };
        let open: Vec<&Run> = runs.iter().filter(is_open).collect();
        if open.is_empty() {
            return Ok(SweepOutcome::NothingToSubmit);
        }
        let default = self.params.array_limit.unwrap_or(self.params.most_tasks);
        let tasks = self.params.tasks.unwrap_or(default).clamp(1, open.len());
        let list = Submission::write_list(folder, &open)?;
        let networks = open.iter().map(|run| run.name.clone()).collect();
        let job = submit(&self.script(folder, &list, tasks)).inspect_err(|_| {
            // Nobody will work on this list; a failure to remove it changes nothing.
            let _ = std::fs::remove_file(&list);
        })?;
        let submission = Submission { job, tasks, networks, list };
        submission.remember()?;
        Ok(SweepOutcome::Submitted(submission))
    }
}

impl Slurm {
    /// The script, as bytes: a path may hold any.
    fn script(&self, folder: &SweepFolder, list: &Path, tasks: usize) -> OsString {
        let SlurmParams { partition, time, cpus, gpus, array_limit, arguments, .. } = &self.params;
        let logs = list.parent().unwrap_or(Path::new("."));
        let home = logs.parent().map_or(folder.path(), |home| home);
        let limit = array_limit.map_or(String::new(), |limit| format!("%{limit}"));
        let mut options = vec![
            "--job-name=ketbra".to_string(),
            format!("--array=0-{}{limit}", tasks - 1),
            format!("--cpus-per-task={cpus}"),
        ];
        options.extend(partition.as_ref().map(|partition| format!("--partition={partition}")));
        options.extend(time.as_ref().map(|time| format!("--time={time}")));
        options.extend(gpus.map(|gpus| format!("--gpus={gpus}")));
        let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
        let mut script = OsString::from(format!("#!/bin/sh\n{options}#SBATCH --output="));
        script.push(logs);
        // The program takes the place of the shell, so that signals reach it.
        script.push("/%A_%a.log\nexec ");
        push_quoted(&mut script, self.program.as_os_str());
        script.push(" sweep --list ");
        push_quoted(&mut script, list.as_os_str());
        script.push(format!(" --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --out "));
        push_quoted(&mut script, home.as_os_str());
        script.push(format!(" --threads {cpus}"));
        for argument in arguments {
            script.push(" ");
            push_quoted(&mut script, OsStr::new(argument));
        }
        script.push("\n");
        script
    }
}

/// Adds a word as a shell takes it, byte for byte where it is valid text and where it is not.
fn push_quoted(script: &mut OsString, word: &OsStr) {
    script.push("'");
    for (place, part) in split_at_quotes(word).into_iter().enumerate() {
        script.push(if place > 0 { "'\\''" } else { "" });
        script.push(part);
    }
    script.push("'");
}

/// The parts of a word between its single quotation marks.
#[cfg(unix)]
fn split_at_quotes(word: &OsStr) -> Vec<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    word.as_bytes().split(|byte| *byte == b'\'').map(OsStr::from_bytes).collect()
}

/// The parts of a word between its single quotation marks.
#[cfg(not(unix))]
fn split_at_quotes(word: &OsStr) -> Vec<&OsStr> {
    word.to_str().map_or_else(|| vec![word], |word| word.split('\'').map(OsStr::new).collect())
}

fn submit(script: &OsStr) -> Result<String, SweepError> {
    let mut child = Command::new("sbatch")
        .arg("--parsable")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started("sbatch", &error))?;
    if let Some(mut input) = child.stdin.take() {
        // If sbatch does not listen, what it says is the better message.
        let _ = input.write_all(script.as_encoded_bytes());
    }
    let output = child.wait_with_output().map_err(|error| not_started("sbatch", &error))?;
    let printed = answer("sbatch", &output)?;
    // The answer is the job, on federated clusters followed by the cluster.
    Ok(printed.trim().split(';').next().unwrap_or_default().into())
}

/// The state of every array task that the cluster has, by job and task.
pub(super) fn queued_tasks() -> Result<BTreeMap<String, BTreeMap<usize, String>>, SweepError> {
    let output = Command::new("squeue")
        .args(["--noheader", "--array", "--format=%F %K %T"])
        .output()
        .map_err(|error| not_started("squeue", &error))?;
    let mut jobs: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for line in answer("squeue", &output)?.lines() {
        let mut words = line.split_whitespace();
        if let (Some(job), Some(Ok(task)), Some(state)) = (words.next(), words.next().map(str::parse), words.next()) {
            jobs.entry(job.into()).or_default().insert(task, state.into());
        }
    }
    Ok(jobs)
}

fn not_started(program: &'static str, error: &std::io::Error) -> SweepError {
    match error.kind() {
        std::io::ErrorKind::NotFound => SweepError::NoProgram { program },
        _ => SweepError::Refused { program, problem: error.to_string() },
    }
}

fn answer(program: &'static str, output: &std::process::Output) -> Result<String, SweepError> {
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(SweepError::Refused { program, problem });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into())
}
