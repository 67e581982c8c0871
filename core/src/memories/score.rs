//! How well contents are read on fresh inputs.

use super::Evidence;
use crate::numeric::Matrix;
use serde::{Deserialize, Serialize};

/// One component of one variable, both counted from 1; variable 1 is the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// The variable, from 1 to s.
    pub variable: usize,
    /// Its component, from 1 to d.
    pub component: usize,
}

/// Share of right signs over fresh inputs and output steps.
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
    /// Output steps scored.
    pub steps: usize,
    /// Episodes scored.
    pub episodes: usize,
}

/// Scores a decoder that gives the contents (core x episodes) at each output step.
pub(super) fn score(evidence: &Evidence<'_>, decode: impl Fn(usize) -> Matrix) -> Score {
    let (core, task, batch) = (evidence.core, evidence.task, &evidence.observed.score);
    let (d, row) = (task.d(), batch.episodes * task.d());
    let truth = batch.targets(task);
    let steps = batch.states.len();
    let mut right = vec![0usize; core.dimension()];
    for t in 0..steps {
        let (decoded, window) = (decode(t), truth.contents(task.s() + t));
        let value = |index: usize, episode: usize| f64::from(window[index / d * row + episode * d + index % d]);
        let contents = match &core.components {
            Some(at) => Matrix::from_fn(at.len(), batch.episodes, |i, episode| value(at[i], episode)),
            None => &core.project * Matrix::from_fn(task.window(), batch.episodes, value),
        };
        for episode in 0..batch.episodes {
            let pairs = decoded.col_as_slice(episode).iter().zip(contents.col_as_slice(episode));
            right.iter_mut().zip(pairs).for_each(|(count, (said, held))| *count += usize::from(said * held > 0.0));
        }
    }
    let all = (steps * batch.episodes).max(1) as f64;
    let components: Vec<f64> = right.iter().map(|&count| count as f64 / all).collect();
    let (at, worst) =
        components.iter().copied().enumerate().fold((0, 1.0), |least, (i, x)| if x < least.1 { (i, x) } else { least });
    let named = |index: usize| Component { variable: index / d + 1, component: index % d + 1 };
    Score {
        mean: components.iter().sum::<f64>() / components.len().max(1) as f64,
        worst,
        worst_component: core.components.as_ref().and_then(|all| all.get(at)).map(|&index| named(index)),
        components,
        steps,
        episodes: batch.episodes,
    }
}
