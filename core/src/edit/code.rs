//! The code of a network: which state stands for which contents.

use super::{EditError, EditParams};
use crate::circuit::Core;
use crate::network::{Activation, Network};
use crate::numeric::{Matrix, ridge_regression};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task};

/// States that differ by a root mean square below this hold nothing.
const SILENT: f64 = 1e-6;

/// How a network writes the contents that it holds.
#[derive(Clone, Debug)]
pub struct OwnCode {
    /// H x core: pre-activation that each content adds.
    pub columns: Matrix,
    /// Window component of each column.
    pub slots: Vec<usize>,
    /// Share of right signs when each content is read linearly.
    pub read: Vec<f64>,
    /// core x H: reads the contents from a pre-activation.
    pub before: Matrix,
}

/// Regresses the pre-activations of the network's own orbit on the contents that its task gives them.
pub fn own_code(network: &Network, task: &Task, params: &EditParams) -> Result<OwnCode, EditError> {
    let core = Core::of(task)?;
    // A dense f has no components of its own; then the whole window is looked for.
    let slots = core.components.unwrap_or_else(|| (0..task.window()).collect());
    let half = params.episodes.div_ceil(2);
    let mut drawn = Episodes::new(task, half);
    drawn.draw(task, &Stream::new(params.seed, Purpose::ProbeInputs), 0, 0);
    let row = half * task.d();
    let with_opposites: Vec<f32> = drawn
        .inputs()
        .chunks(row)
        .flat_map(|step| step.iter().copied().chain(step.iter().map(|u| -u)).collect::<Vec<_>>())
        .collect();
    let episodes = 2 * half;
    let mut truth = Episodes::new(task, episodes);
    truth.present(task, &with_opposites, params.steps);
    let trajectory = network.run(&with_opposites, episodes, params.steps);
    let kept = params.steps.saturating_sub(params.settle);
    let mut states = Matrix::zeros(network.hidden(), kept * episodes);
    let mut contents = Matrix::zeros(slots.len(), kept * episodes);
    for step in 0..kept {
        let t = task.s() + params.settle + step;
        states.subcols_mut(step * episodes, episodes).copy_from(&trajectory.states[t]);
        let window = truth.contents(t);
        for episode in 0..episodes {
            let column = contents.col_as_slice_mut(step * episodes + episode);
            for (value, slot) in column.iter_mut().zip(&slots) {
                let (variable, component) = (slot / task.d(), slot % task.d());
                *value = f64::from(window[variable * episodes * task.d() + episode * task.d() + component]);
            }
        }
    }
    // Around a fixed point away from zero everything is read relative to it; inputs come with their opposites.
    let before = centred(inverse(&states, network.activation, params.largest_state)?);
    let states = centred(states);
    if states.norm_l2() < SILENT * ((states.nrows() * states.ncols()) as f64).sqrt() {
        return Err(EditError::Silent);
    }
    // A tiny ridge: contents that f makes equal cannot be told apart.
    let columns = ridge_regression(&(&contents * contents.transpose()), &(&contents * before.transpose()), 1e-9)?;
    let moments = &states * states.transpose();
    let readers = ridge_regression(&moments, &(&states * contents.transpose()), params.reading_ridge)?;
    let said = readers.transpose() * &states;
    let right = |i: usize| (0..said.ncols()).filter(|&k| said[(i, k)] * contents[(i, k)] > 0.0).count();
    let read = (0..slots.len()).map(|i| right(i) as f64 / said.ncols().max(1) as f64).collect();
    let from_before =
        ridge_regression(&(&before * before.transpose()), &(&before * contents.transpose()), params.before_ridge)?;
    Ok(OwnCode { columns: columns.transpose().to_owned(), slots, read, before: from_before.transpose().to_owned() })
}

/// Less the mean over all columns.
fn centred(mut states: Matrix) -> Matrix {
    let mut mean = vec![0.0; states.nrows()];
    for j in 0..states.ncols() {
        mean.iter_mut().zip(states.col_as_slice(j)).for_each(|(sum, x)| *sum += x);
    }
    mean.iter_mut().for_each(|sum| *sum /= states.ncols().max(1) as f64);
    for j in 0..states.ncols() {
        states.col_as_slice_mut(j).iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
    }
    states
}

fn inverse(states: &Matrix, activation: Activation, largest: f64) -> Result<Matrix, EditError> {
    let invert = |x: f64| match activation {
        Activation::Tanh => x.clamp(-largest, largest).atanh(),
        _ => x,
    };
    match activation {
        Activation::Relu => Err(EditError::NotInvertible),
        _ => Ok(Matrix::from_fn(states.nrows(), states.ncols(), |i, j| invert(states[(i, j)]))),
    }
}
