//! Interpretation of a network of which only trajectories are known.

use super::pipeline::interpret_recordings;
use super::{InterpretError, InterpretParams, Interpretation, Question, Warning, limits};
use crate::linearize::{Linearization, Visited};
use crate::memories::Method;
use crate::numeric::Matrix;
use crate::observe::{Observations, Trajectories};

/// Interprets a cell of any kind by what it did: the orbit and what it says are all that is looked at.
///
/// The readout is taken as linear and fitted. Methods that need weights (`dual`, `power`) are refused.
pub fn interpret_trajectories(
    trajectories: &Trajectories,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let by_weights =
        |method: &&Method| !matches!(method, Method::Code | Method::Orbit | Method::DualOrbit | Method::Rollout);
    if let Some(&method) = params.methods.iter().chain([&params.method]).find(by_weights) {
        return Err(InterpretError::NeedsWeights { method: method.name() });
    }
    let s = match question {
        Question::Task(task) if task.d() != trajectories.components() => {
            return Err(InterpretError::Outputs { found: trajectories.components(), needed: task.d() });
        }
        Question::Task(task) => task.s(),
        Question::Blind { s } => *s,
    };
    let hidden = trajectories.states.first().map_or(0, Matrix::nrows);
    limits::check(s, trajectories.components(), hidden, params)?;
    let observed = trajectories.observations(s, params.visited.settle, &params.observe)?;
    let mut found = interpret_recordings(&observed, question, params)?;
    if trajectories.inputs.is_none() {
        found.warnings.push(Warning::InputsUnknown { s }.into());
    }
    Ok(found)
}

/// The best linear readout of the visited states.
pub(super) fn linear_readout(visited: &Visited, orbit: &Linearization, observed: &Observations) -> Matrix {
    let (first, pairs) = visited.settled_pairs();
    let coordinates = orbit.basis.transpose() * visited.deviations.subcols(first, pairs);
    let means = observed.probe.mean_outputs();
    let produced = Matrix::from_fn(observed.d, pairs, |j, column| {
        let (t, episode) = ((first + column) / visited.episodes, column % visited.episodes);
        observed.probe.outputs[t][(j, episode)] - means[t][j]
    });
    // The principal directions make the normal equations diagonal.
    let mut readout = produced * coordinates.transpose();
    for k in 0..orbit.rank() {
        let weight = visited.singular_values[k].powi(2);
        readout.col_as_slice_mut(k).iter_mut().for_each(|x| *x /= weight);
    }
    readout * orbit.basis.transpose()
}
