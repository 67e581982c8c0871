//! Initial weights.

use super::{Activation, Cell, CellKind, CellSettings, Network, Readout};
use crate::choose::words;
use crate::numeric::draw;
use crate::random::{Purpose, Stream};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// The distribution of initial weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Initialization {
    /// U(-1/sqrt(H), 1/sqrt(H)) for every parameter, as PyTorch does for RNN and for a Linear of H inputs.
    #[default]
    Uniform,
    /// N(0, 1/H) for every weight, zero for every bias.
    Gaussian,
    /// As uniform, but the matrix that takes a state to the next one is a rotation, and gates begin open, so that states pass
    /// through it. What has to be carried for long survives the first steps of training.
    Orthogonal,
}

/// Which tensor of a network a stream of random numbers fills.
#[repr(u32)]
#[derive(Clone, Copy)]
pub(super) enum Place {
    Input = 0,
    Recurrent = 1,
    Readout = 2,
    InputBias = 3,
    RecurrentBias = 4,
    ReadoutBias = 5,
    Output = 6,
    /// The rotation of the first layer; those of others follow.
    Rotation = 7,
}

/// What is added to the biases of gates that begin open: they let 0.88 through.
const OPEN: f64 = 2.0;

words!(Initialization, "initialization": Uniform = "uniform", Gaussian = "gaussian", Orthogonal = "orthogonal");

impl Initialization {
    /// A network with random weights, each rounded to f32 so that training starts from exactly these.
    pub fn network(self, of: &Architecture, inputs: usize, outputs: usize, seed: u64) -> Network {
        let stream = Stream::new(seed, Purpose::Weights);
        let draw =
            |layer: usize| Draw { initialization: self, stream: &stream, hidden: of.hidden, layer: layer as u32 };
        let below = |layer: usize| if layer == 0 { inputs } else { of.hidden };
        let readout = Readout {
            weights: draw(0).matrix(Place::Readout, outputs, of.hidden),
            bias: of.bias.then(|| draw(0).vector(Place::ReadoutBias, outputs)),
        };
        let layers = (0..of.layers.max(1)).map(|layer| Cell::random(of, below(layer), &draw(layer))).collect();
        Network { layers, readout }
    }
}

/// What a network is made of, its inputs and outputs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The kind of every layer.
    pub cell: CellKind,
    /// How many layers.
    pub layers: usize,
    /// Units in each.
    pub hidden: usize,
    /// The nonlinearity of those cells that leave a choice.
    pub activation: Activation,
    /// Whether layers and readout have biases.
    pub bias: bool,
    /// What else the cell leaves to choose.
    pub settings: CellSettings,
}

impl Architecture {
    /// One plain layer.
    pub fn elman(hidden: usize, activation: Activation, bias: bool) -> Self {
        Self { cell: CellKind::Elman, layers: 1, hidden, activation, bias, settings: CellSettings::default() }
    }
}

/// Draws the weights of one layer.
pub(super) struct Draw<'a> {
    initialization: Initialization,
    stream: &'a Stream,
    hidden: usize,
    layer: u32,
}

impl Draw<'_> {
    /// Weights of the chosen distribution.
    pub(super) fn matrix(&self, place: Place, rows: usize, columns: usize) -> Mat<f64> {
        let values = self.weights(place, rows * columns);
        Mat::from_fn(rows, columns, |i, j| values[i * columns + j])
    }

    /// Biases of the chosen distribution.
    pub(super) fn vector(&self, place: Place, length: usize) -> Vec<f64> {
        match self.initialization {
            Initialization::Uniform | Initialization::Orthogonal => self.weights(place, length),
            Initialization::Gaussian => vec![0.0; length],
        }
    }

    /// Numbers in [0, 1), as drawn.
    pub(super) fn uniform(&self, place: Place, count: usize) -> Vec<f64> {
        let mut values = vec![0.0; count];
        self.stream.fill_uniform(place as u32, self.layer, &mut values);
        values
    }

    /// Standard normal numbers, as drawn.
    pub(super) fn normal(&self, place: Place, count: usize) -> Vec<f64> {
        let mut values = vec![0.0; count];
        self.stream.fill_normal(place as u32, self.layer, &mut values);
        values
    }

    fn weights(&self, place: Place, count: usize) -> Vec<f64> {
        let scale = 1.0 / (self.hidden as f64).sqrt();
        let wide = match self.initialization {
            Initialization::Uniform | Initialization::Orthogonal => {
                self.uniform(place, count).into_iter().map(|x| scale * (2.0 * x - 1.0)).collect()
            }
            Initialization::Gaussian => self.normal(place, count).into_iter().map(|x| scale * x).collect::<Vec<_>>(),
        };
        wide.into_iter().map(as_trained).collect()
    }

    /// Lets states pass: the candidate's matrix becomes a rotation, and gates begin open. `opens` has a row for each gate: the sign
    /// of what opens it, zero for the candidate.
    pub(super) fn open(&self, opens: &[f64], recurrent: &mut Mat<f64>, bias: Option<&mut Vec<f64>>) {
        if self.initialization != Initialization::Orthogonal {
            return;
        }
        let units = recurrent.ncols();
        let rotation = draw::orthonormal(units, units, self.stream, Place::Rotation as u32 + self.layer);
        let candidate = opens.iter().position(|sign| *sign == 0.0).unwrap_or(0);
        for (i, j) in (0..units).flat_map(|i| (0..units).map(move |j| (i, j))) {
            recurrent[(candidate * units + i, j)] = as_trained(rotation[(i, j)]);
        }
        for (row, bias) in bias.into_iter().flatten().enumerate() {
            *bias = as_trained(*bias + OPEN * opens[row / units]);
        }
    }
}

/// Rounded to what training computes with.
fn as_trained(value: f64) -> f64 {
    f64::from(value as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_weights_fill_the_interval_and_gaussian_ones_have_the_variance() {
        let h = 100;
        let bound = 1.0 / (h as f64).sqrt();
        let uniform = Initialization::Uniform.network(&Architecture::elman(h, Activation::Tanh, true), 8, 8, 1);
        let largest = uniform.as_elman().unwrap().recurrent_weights.norm_max();
        assert!(largest <= bound as f32 as f64 && largest > 0.999 * bound);
        assert!(uniform.readout.bias.unwrap().iter().all(|b| b.abs() <= bound && *b != 0.0));
        let gaussian = Initialization::Gaussian.network(&Architecture::elman(h, Activation::Tanh, true), 8, 8, 1);
        let variance = gaussian.as_elman().unwrap().recurrent_weights.squared_norm_l2() / (h * h) as f64;
        assert!((variance * h as f64 - 1.0).abs() < 0.05, "{variance}");
        assert!(gaussian.as_elman().unwrap().biases.as_ref().unwrap().input.iter().all(|b| *b == 0.0));
    }

    #[test]
    fn orthogonal_networks_carry_a_state_for_long_and_others_forget_it() {
        use crate::numeric::tolerance::Tolerance;
        for cell in [CellKind::Elman, CellKind::Gru, CellKind::Lstm] {
            let of = Architecture { cell, ..Architecture::elman(32, Activation::Tanh, true) };
            let kept = |initialization: Initialization| {
                let network = initialization.network(&of, 4, 4, 3);
                let begin = Mat::from_fn(network.state_size(), 1, |i, _| if i % 2 == 0 { 0.05 } else { -0.05 });
                let [there, rest] = [begin.clone(), Mat::zeros(network.state_size(), 1)]
                    .map(|states| network.begin_at(states, &[], 12).end());
                (there - rest).norm_l2() / begin.norm_l2()
            };
            let (open, closed) = (kept(Initialization::Orthogonal), kept(Initialization::Uniform));
            assert!(open > 10.0 * closed, "{cell:?}: {open} of a state is left, {closed} in a uniform network");
        }
        let elman = Initialization::Orthogonal.network(&Architecture::elman(16, Activation::Tanh, true), 4, 4, 3);
        let rotation = elman.as_elman().unwrap().recurrent_weights.clone();
        Tolerance::relative(1e-6).assert_close(&(rotation.transpose() * &rotation), &Mat::identity(16, 16));
    }

    #[test]
    fn seeds_differ_and_repeat() {
        let make = |seed| Initialization::Uniform.network(&Architecture::elman(4, Activation::Tanh, false), 2, 2, seed);
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }
}
