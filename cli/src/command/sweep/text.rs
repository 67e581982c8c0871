//! What the sweep command says.

use super::bar::duration;
use crate::terminal::{FAINT, GOOD, WARN};
use ketbra::sweep::{ArrayTasks, Estimate, SweepFolder, SweepOutcome, SweepStatus, Tally};
use std::fmt::Write;
use std::path::Path;

/// Failed or running networks that are listed by name; `--json` has them all.
const MOST_ROWS: usize = 12;

pub fn too_large(estimate: &Estimate, cores: usize, limit: u64) -> String {
    format!(
        "this sweep asks for {} networks, more than {limit}: about {} on {cores} cores and {} on disk; add --yes if you \
         mean it",
        estimate.networks,
        duration(estimate.hours * 3600.0),
        bytes(estimate.bytes)
    )
}

fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b if b < 1e12 => format!("{:.0} GB", b / 1e9),
        b => format!("{:.1} TB", b / 1e12),
    }
}

pub fn outcome(outcome: &SweepOutcome, folder: &SweepFolder) -> String {
    match outcome {
        SweepOutcome::Worked(summary) => {
            let tally = &summary.tally;
            let mut text = format!("{GOOD}{} of {} networks done{GOOD:#}", tally.done, tally.total);
            if tally.failed > 0 {
                let _ = write!(text, ", {WARN}{} failed{WARN:#}", tally.failed);
            }
            if tally.here > 0 {
                let pace = tally.here as f64 / summary.seconds * 3600.0;
                let time = duration(summary.seconds);
                let outside = 100.0 * summary.outside;
                let _ = write!(
                    text,
                    "; {} of them now in {time} ({pace:.0} networks/h), {outside:.1} % of the time outside training and \
                     interpreting",
                    tally.here
                );
            }
            let _ = writeln!(text, "\nresults in {}", folder.table().display());
            text
        }
        SweepOutcome::Submitted(submission) => format!(
            "submitted {} networks as job {} with {} array tasks; look with 'ketbra sweep --status {}'\n",
            submission.networks.len(),
            submission.job,
            submission.tasks,
            folder.path().display()
        ),
        SweepOutcome::NothingToSubmit => "nothing to submit: every network has its result or is under way\n".into(),
    }
}

/// What a sweep ends with when networks failed.
pub fn failed(tally: &Tally, out: &Path) -> String {
    let out = out.display();
    format!(
        "{} of {} networks failed; see why with 'ketbra sweep --status {out}', try them again with --retry",
        tally.failed, tally.total
    )
}

pub fn status(status: &SweepStatus) -> String {
    let mut text = format!(
        "{GOOD}{} of {} networks done{GOOD:#}, {} running, {} failed, {} waiting\n",
        status.done,
        status.total,
        status.running.len(),
        status.failed.len(),
        status.waiting
    );
    match &status.slurm {
        Some(ArrayTasks::States(states)) if states.is_empty() => text.push_str("SLURM: no array task left\n"),
        Some(ArrayTasks::States(states)) => {
            let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
            let _ = writeln!(text, "SLURM: array tasks {}", states.join(", "));
        }
        Some(ArrayTasks::Unknown(why)) => _ = writeln!(text, "SLURM: {why}"),
        None => {}
    }
    for (name, holder) in status.running.iter().take(MOST_ROWS) {
        let _ = writeln!(text, "  running {name} {FAINT}({holder}){FAINT:#}");
    }
    for (name, error) in status.failed.iter().take(MOST_ROWS) {
        let _ = writeln!(text, "  {WARN}failed{WARN:#}  {name}: {error}");
    }
    text
}
