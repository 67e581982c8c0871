//! How a network came to be: what is found in the weights that were kept during training.

use super::data::Shown;
use super::each_watched;
use crate::interpret::{InterpretParams, Interpretation, Question, interpret};
use crate::network::{Network, NetworkFile};
use crate::run_folder::RunFolder;
use serde::Serialize;
use std::path::Path;

/// Most snapshots on a page.
const MOST: usize = 60;

/// One moment of training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// Optimizer steps taken.
    pub step: u64,
    /// Eigenvalues: at the origin, or on the orbit where the network does not rest there.
    pub eigenvalues: Vec<[f64; 2]>,
    /// Share of states from which each content is read with the right sign, in the order of the page's memories; none where no code was found.
    pub read: Vec<f64>,
    /// Verdict, accuracy, contents and claims, in a line.
    pub note: String,
}

impl Snapshot {
    /// The moments that were kept in a run folder, evenly thinned, and what a page should say of those that are missing.
    pub(super) fn all(
        folder: &Path,
        file: &NetworkFile,
        watch: &(dyn Fn(usize, usize) + Sync),
    ) -> (Vec<Self>, Option<String>) {
        let Ok(run) = RunFolder::open(folder) else { return (vec![], None) };
        let kept = match run.read_snapshots() {
            Ok(kept) => kept,
            Err(error) => return (vec![], Some(error.to_string())),
        };
        let Ok(Some(task)) = file.window() else { return (vec![], None) };
        let all = kept.len();
        let (question, params) = (Question::Task(task), InterpretParams::default());
        let every = kept.len().div_ceil(MOST).max(1);
        let last = kept.len().saturating_sub(1);
        let shown: Vec<_> = kept.into_iter().enumerate().filter(|(k, _)| k % every == 0 || *k == last).collect();
        let one = |(_, (step, network)): (usize, (u64, Network))| {
            let found = interpret(&network, &question, &params, &|_| true).ok()?;
            Some(Self { step, eigenvalues: eigenvalues(&found), read: read(&found), note: note(&found) })
        };
        let shown: Vec<Self> = each_watched(shown, watch, one).into_iter().flatten().collect();
        let fewer = (shown.len() < all).then(|| format!("{} of {all} are shown", shown.len()));
        (shown, fewer)
    }
}

fn eigenvalues(found: &Interpretation) -> Vec<[f64; 2]> {
    let short = |x: f64| (x * 1e3).round() / 1e3;
    let origin = &found.details.origin_eigenvalues;
    match origin.is_empty() {
        true => found.spectrum.orbit.eigenvalues.iter().map(|value| value.map(short)).collect(),
        false => origin.iter().map(|value| [short(value.re), short(value.im)]).collect(),
    }
}

fn read(found: &Interpretation) -> Vec<f64> {
    // Cut, not rounded: what is read a little less than is asked for must not seem to be read.
    let short = |share: &f64| (share * 1e3).floor() / 1e3;
    match Shown::of(found) {
        Ok(Some(shown)) if shown.named => shown.memories.score.components.iter().map(short).collect(),
        _ => vec![],
    }
}

fn note(found: &Interpretation) -> String {
    let mut parts = vec![found.verdict.name().to_string()];
    parts.extend(found.accuracy.map(|of| format!("accuracy {:.4} over {} steps", of.value, of.horizon)));
    parts.extend(found.code.as_ref().map(|code| format!("{} of {} contents read", code.read, code.count)));
    let held = found.claims.iter().filter(|claim| claim.holds).count();
    parts.push(format!("{held} of {} claims hold", found.claims.len()));
    parts.join(", ")
}
