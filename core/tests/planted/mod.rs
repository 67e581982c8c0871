//! Networks whose truth is known because it was planted.

#![allow(clippy::unwrap_used)]

pub mod concentrated;

use ketbra::circuit::operator;
use ketbra::network::{Activation, Elman, Network};
use ketbra::numeric::{Matrix, RELATIVE_CUT, draw, pseudo_inverse};
use ketbra::random::{Purpose, Stream};
use ketbra::task::Window;

/// A task from the lines of its recurrence.
pub fn task(s: usize, d: usize, lines: &[&str]) -> Window {
    let lines: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
    Window::from_toml(&format!("s = {s}\nd = {d}\nrecurrence = [{}]", lines.join(", ")), "planted", "planted").unwrap()
}

/// A circuit that keeps values as they are: `W = Psi Phi Psi*` in an oblique basis of `hidden` units.
///
/// Exact from the zero state where what f reads from anything but the oldest variable is not kept for long.
pub fn analog(task: &Window, hidden: usize, activation: Activation) -> Network {
    analog_step(task, &operator(task).unwrap(), hidden, activation)
}

/// The same with another step on the window than the task's.
pub fn analog_step(task: &Window, step: &Matrix, hidden: usize, activation: Activation) -> Network {
    let (stream, window, d) = (Stream::new(78, Purpose::Matrices), task.width(), task.d());
    let memories = draw::with_condition(hidden, window, 3.0, &stream, 0);
    let readers = pseudo_inverse(&memories, RELATIVE_CUT).unwrap();
    // Small enough that tanh hardly bends it.
    let amplitude = if activation == Activation::Tanh { 0.005 } else { 1.0 };
    Network::elman(
        activation,
        Matrix::from_fn(hidden, d, |i, j| amplitude * memories[(i, window - d + j)]),
        &memories * step * &readers,
        readers.subrows(window - d, d).to_owned() * faer::Scale(1.0 / amplitude),
    )
}

/// Gain of the units of a saturating circuit, and weight of its inputs: inputs win over feedback.
const GAIN: f64 = 3.0;
const INPUT: f64 = 12.0;

/// A circuit that restores its values to +-1: a tanh unit for each window component, and three copies of each with random
/// signs. `f` is a d x window matrix whose sign is taken: a selection, or any threshold function.
pub fn saturating(s: usize, d: usize, f: &Matrix) -> Network {
    let (window, copies) = (s * d, 3);
    let hidden = window * copies;
    let signs = draw::normal(hidden, 1, &Stream::new(79, Purpose::Matrices), 0);
    let sign = |unit: usize| 1f64.copysign(signs[(unit, 0)]);
    let reads = |to: usize, from: usize| match to + d < window {
        true => f64::from(u8::from(from == to + d)),
        false => f[(to + d - window, from)],
    };
    let recurrent = |i: usize, j: usize| GAIN / copies as f64 * sign(i) * sign(j) * reads(i % window, j % window);
    let newest = |unit: usize, j: usize| unit % window == window - d + j;
    Network::elman(
        Activation::Tanh,
        Matrix::from_fn(hidden, d, |i, j| if newest(i, j) { INPUT * sign(i) } else { 0.0 }),
        Matrix::from_fn(hidden, hidden, recurrent),
        Matrix::from_fn(d, hidden, |j, i| if newest(i, j) { sign(i) / copies as f64 } else { 0.0 }),
    )
}

/// A relu circuit: each window component is a pair of units, one for its positive and one for its negative part.
pub fn rectified(task: &Window) -> Network {
    let (step, window, d) = (operator(task).unwrap(), task.width(), task.d());
    let sign = |unit: usize| if unit < window { 1.0 } else { -1.0 };
    let recurrent = |i: usize, j: usize| sign(i) * sign(j) * step[(i % window, j % window)];
    let newest = |unit: usize, j: usize| if unit % window == window - d + j { sign(unit) } else { 0.0 };
    Network::elman(
        Activation::Relu,
        Matrix::from_fn(2 * window, d, newest),
        Matrix::from_fn(2 * window, 2 * window, recurrent),
        Matrix::from_fn(d, 2 * window, |j, i| newest(i, j)),
    )
}

/// The same network with further units: `h = act(gain h + input u)`, which nothing reads.
pub fn with_idle_units(network: &Network, gain: f64, input: f64, count: usize) -> Network {
    let (hidden, d) = (network.hidden(), network.inputs());
    let old = |matrix: &Matrix, i: usize, j: usize| {
        if i < matrix.nrows() && j < matrix.ncols() { matrix[(i, j)] } else { 0.0 }
    };
    let more = hidden + count;
    let recurrent = |i: usize, j: usize| {
        if i == j && i >= hidden { gain } else { old(&network.as_elman().unwrap().recurrent_weights, i, j) }
    };
    let given = |i: usize, j: usize| {
        if i >= hidden && i % d == j { input } else { old(&network.as_elman().unwrap().input_weights, i, j) }
    };
    let (mut wider, cell) = (network.clone(), network.as_elman().unwrap());
    wider.readout.weights = Matrix::from_fn(network.outputs(), more, |i, j| old(&network.readout.weights, i, j));
    let recurrent_weights = Matrix::from_fn(more, more, recurrent);
    let input_weights = Matrix::from_fn(more, d, given);
    *wider.as_elman_mut().unwrap() = Elman { recurrent_weights, input_weights, ..cell.clone() };
    wider
}
