//! How well contents are read on fresh inputs.

use super::{Evidence, MemoriesParams};
use crate::numeric::Matrix;
use crate::score::agree;
use crate::task::{Component, Episodes, in_window};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Share of contents that are read rightly, over fresh inputs and settled output steps.
///
/// Contents of a signed selection are +-1: they are what the function gives when run from the inputs, and their sign
/// counts. Those of a dense f are real numbers that drift out of phase however well they are kept: they are what the
/// network put out in its last s steps, and a reading counts that misses by less than `real_tolerance` of their root mean square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Over all components of the core.
    pub mean: f64,
    /// Of the worst component.
    pub worst: f64,
    /// Which one that is; unnamed where the core of a dense f has no components of its own.
    pub worst_component: Option<Component>,
    /// Of each component of the core.
    pub components: Vec<f64>,
    /// Of the worst component over the first s output steps, while the state settles.
    pub first_steps: f64,
    /// Output steps scored.
    pub steps: usize,
    /// Episodes scored.
    pub episodes: usize,
}

/// Scores a decoder that gives the contents (core x episodes) at each output step.
pub(super) fn score(evidence: &Evidence<'_>, params: &MemoriesParams, decode: impl Fn(usize) -> Matrix) -> Score {
    let (core, task, observed) = (evidence.core, evidence.task, evidence.observed);
    let truth = Truth::of(evidence, params.real_tolerance);
    let components = truth.shares(&decode, observed.settled_steps());
    let first = truth.shares(&decode, 0..task.s().min(observed.settled_steps().end));
    let (at, worst) = least(&components);
    Score {
        mean: components.iter().sum::<f64>() / components.len().max(1) as f64,
        worst,
        worst_component: core
            .components
            .as_ref()
            .and_then(|all| all.get(at))
            .map(|&slot| Component::at(slot, task.d())),
        components,
        first_steps: least(&first).1,
        steps: observed.settled_steps().len(),
        episodes: observed.score.episodes,
    }
}

fn least(shares: &[f64]) -> (usize, f64) {
    shares.iter().copied().enumerate().fold((0, 1.0), |least, (i, x)| if x < least.1 { (i, x) } else { least })
}

/// What the contents are.
struct Truth<'a> {
    evidence: &'a Evidence<'a>,
    /// The function run from the inputs.
    meant: Episodes,
    /// Mean output of the probes at each step, which is what biases add.
    means: Vec<Vec<f64>>,
    /// How far contents that are not +-1 may be missed, as a share of their size.
    real_tolerance: f64,
}

impl<'a> Truth<'a> {
    fn of(evidence: &'a Evidence<'a>, real_tolerance: f64) -> Self {
        let (observed, task) = (evidence.observed, evidence.task);
        let means = observed.probe.mean_outputs();
        Self { evidence, meant: observed.score.targets(task), means, real_tolerance }
    }

    /// Contents of the core at an output step, core x episodes.
    fn contents(&self, t: usize) -> Matrix {
        let (core, task, batch) = (self.evidence.core, self.evidence.task, &self.evidence.observed.score);
        let (s, d) = (task.s(), task.d());
        let Some(at) = &core.components else {
            // Time step t + 1 is the first of the window; inputs come before outputs.
            let produced = |index: usize, episode: usize| {
                let (time, j) = (t + 1 + index / d, index % d);
                let mean = time.checked_sub(s).map_or(0.0, |step| self.means[step][j]);
                batch.value((s, d), time, j, episode) - mean
            };
            return &core.project * Matrix::from_fn(task.width(), batch.episodes, produced);
        };
        let window = self.meant.contents(s + t);
        Matrix::from_fn(at.len(), batch.episodes, |i, episode| in_window(window, (batch.episodes, d), at[i], episode))
    }

    /// Share of rightly read contents for each component of the core.
    fn shares(&self, decode: &impl Fn(usize) -> Matrix, steps: Range<usize>) -> Vec<f64> {
        let (core, episodes) = (self.evidence.core, self.meant.batch());
        let binary = core.components.is_some();
        let mut right = vec![0usize; core.dimension()];
        for t in steps.clone() {
            let (decoded, contents) = (decode(t), self.contents(t));
            let tolerance: Vec<f64> = match binary {
                true => vec![],
                false => (0..core.dimension())
                    .map(|i| self.real_tolerance * contents.row(i).norm_l2() / (episodes as f64).sqrt())
                    .collect(),
            };
            for episode in 0..episodes {
                let pairs = decoded.col_as_slice(episode).iter().zip(contents.col_as_slice(episode));
                for (i, (produced, held)) in pairs.enumerate() {
                    let is_right =
                        if binary { agree(*produced, *held) } else { (produced - held).abs() < tolerance[i] };
                    right[i] += usize::from(is_right);
                }
            }
        }
        let all = (steps.len() * episodes).max(1) as f64;
        right.iter().map(|&count| count as f64 / all).collect()
    }
}
