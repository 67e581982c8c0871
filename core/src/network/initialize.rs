//! Initial weights.

use super::{Activation, Cell, CellKind, Network, Readout};
use crate::choose::{UnknownWord, choose};
use crate::random::{Purpose, Stream};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// The distribution of initial weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Initialization {
    /// U(-1/sqrt(H), 1/sqrt(H)) for every parameter, as PyTorch does for RNN and for a Linear of H inputs.
    #[default]
    Uniform,
    /// N(0, 1/H) for every weight, zero for every bias.
    Gaussian,
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
}

impl std::str::FromStr for Initialization {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        choose("initialization", word, &[("uniform", Self::Uniform), ("gaussian", Self::Gaussian)])
    }
}

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
}

impl Architecture {
    /// One plain layer.
    pub fn elman(hidden: usize, activation: Activation, bias: bool) -> Self {
        Self { cell: CellKind::Elman, layers: 1, hidden, activation, bias }
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
            Initialization::Uniform => self.weights(place, length),
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
            Initialization::Uniform => {
                self.uniform(place, count).into_iter().map(|x| scale * (2.0 * x - 1.0)).collect()
            }
            Initialization::Gaussian => self.normal(place, count).into_iter().map(|x| scale * x).collect::<Vec<_>>(),
        };
        wide.into_iter().map(|x| f64::from(x as f32)).collect()
    }
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
    fn seeds_differ_and_repeat() {
        let make = |seed| Initialization::Uniform.network(&Architecture::elman(4, Activation::Tanh, false), 2, 2, seed);
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }
}
