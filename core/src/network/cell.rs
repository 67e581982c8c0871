//! The cell: one step of a recurrent network, and its derivatives.

use super::Network;
use faer::Mat;

/// One step of a recurrent network. State in, state out; nothing is kept inside.
pub trait Cell {
    /// How many numbers make the state.
    fn state_size(&self) -> usize;

    /// How many numbers make the input.
    fn input_size(&self) -> usize;

    /// The next state.
    fn step(&self, state: &[f64], input: &[f64], next: &mut [f64]);

    /// The next state, and on the tape (state-size long) what the derivatives at this step need.
    fn step_with_tape(&self, state: &[f64], input: &[f64], next: &mut [f64], tape: &mut [f64]);

    /// d next / d state at a taped step.
    fn state_jacobian(&self, tape: &[f64]) -> Mat<f64>;

    /// d next / d input at a taped step.
    fn input_jacobian(&self, tape: &[f64]) -> Mat<f64>;
}

impl Cell for Network {
    fn state_size(&self) -> usize {
        self.hidden()
    }

    fn input_size(&self) -> usize {
        self.inputs()
    }

    fn step(&self, state: &[f64], input: &[f64], next: &mut [f64]) {
        next.fill(0.0);
        if let Some(biases) = &self.biases {
            for (unit, sum) in next.iter_mut().enumerate() {
                *sum = biases.input[unit] + biases.recurrent[unit];
            }
        }
        for (weights, values) in [(&self.recurrent_weights, state), (&self.input_weights, input)] {
            for (column, &value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                for (sum, &weight) in next.iter_mut().zip(weights.col(column).iter()) {
                    *sum += weight * value;
                }
            }
        }
        self.activation.apply_in_place(next);
    }

    /// The tape holds the slope of the activation at each unit.
    fn step_with_tape(&self, state: &[f64], input: &[f64], next: &mut [f64], tape: &mut [f64]) {
        self.step(state, input, next);
        for (slope, &value) in tape.iter_mut().zip(next.iter()) {
            *slope = self.activation.slope_at_value(value);
        }
    }

    fn state_jacobian(&self, tape: &[f64]) -> Mat<f64> {
        scaled_rows(&self.recurrent_weights, tape)
    }

    fn input_jacobian(&self, tape: &[f64]) -> Mat<f64> {
        scaled_rows(&self.input_weights, tape)
    }
}

fn scaled_rows(matrix: &Mat<f64>, scale: &[f64]) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| scale[i] * matrix[(i, j)])
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, Initialization};
    use super::*;

    #[test]
    fn jacobians_agree_with_finite_differences() {
        for activation in [Activation::Tanh, Activation::Relu, Activation::Identity] {
            let network = Initialization::Gaussian.network(7, 3, 2, activation, true, 5);
            let (state, input) = ([0.3, -0.2, 0.9, 0.1, -0.7, 0.5, 0.05], [1.0, -1.0, 0.5]);
            let (mut next, mut tape) = ([0.0; 7], [0.0; 7]);
            network.step_with_tape(&state, &input, &mut next, &mut tape);
            let step = 1e-6;
            let difference = |shift: &dyn Fn(f64) -> ([f64; 7], [f64; 3])| {
                let (mut up, mut down) = ([0.0; 7], [0.0; 7]);
                let (plus, minus) = (shift(step), shift(-step));
                network.step(&plus.0, &plus.1, &mut up);
                network.step(&minus.0, &minus.1, &mut down);
                std::array::from_fn::<f64, 7, _>(|i| (up[i] - down[i]) / (2.0 * step))
            };
            for column in 0..7 {
                let numeric = difference(&|by| {
                    let mut moved = state;
                    moved[column] += by;
                    (moved, input)
                });
                let exact = network.state_jacobian(&tape);
                assert!((0..7).all(|i| (exact[(i, column)] - numeric[i]).abs() < 1e-8), "{activation:?} {column}");
            }
            for column in 0..3 {
                let numeric = difference(&|by| {
                    let mut moved = input;
                    moved[column] += by;
                    (state, moved)
                });
                let exact = network.input_jacobian(&tape);
                assert!((0..7).all(|i| (exact[(i, column)] - numeric[i]).abs() < 1e-8), "{activation:?} {column}");
            }
        }
    }
}
