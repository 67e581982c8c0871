//! Initial weights.

use super::{Activation, Biases, Network};
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
enum Place {
    Input = 0,
    Recurrent = 1,
    Readout = 2,
    InputBias = 3,
    RecurrentBias = 4,
    ReadoutBias = 5,
}

impl std::str::FromStr for Initialization {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        choose("initialization", word, &[("uniform", Self::Uniform), ("gaussian", Self::Gaussian)])
    }
}

impl Initialization {
    /// A network with random weights, each rounded to f32 so that training starts from exactly these.
    pub fn network(
        self,
        hidden: usize,
        inputs: usize,
        outputs: usize,
        activation: Activation,
        bias: bool,
        seed: u64,
    ) -> Network {
        let stream = Stream::new(seed, Purpose::Weights);
        let matrix = |place, rows, columns| {
            let values = self.draw(&stream, place, rows * columns, hidden);
            Mat::from_fn(rows, columns, |i, j| values[i * columns + j])
        };
        let vector = |place, length| match self {
            Self::Uniform => self.draw(&stream, place, length, hidden),
            Self::Gaussian => vec![0.0; length],
        };
        Network {
            activation,
            input_weights: matrix(Place::Input, hidden, inputs),
            recurrent_weights: matrix(Place::Recurrent, hidden, hidden),
            readout_weights: matrix(Place::Readout, outputs, hidden),
            biases: bias.then(|| Biases {
                input: vector(Place::InputBias, hidden),
                recurrent: vector(Place::RecurrentBias, hidden),
            }),
            readout_bias: bias.then(|| vector(Place::ReadoutBias, outputs)),
        }
    }

    fn draw(self, stream: &Stream, place: Place, count: usize, hidden: usize) -> Vec<f64> {
        let mut values = vec![0.0; count];
        let scale = 1.0 / (hidden as f64).sqrt();
        match self {
            Self::Uniform => stream.fill_uniform(place as u32, 0, &mut values),
            Self::Gaussian => stream.fill_normal(place as u32, 0, &mut values),
        }
        for x in &mut values {
            let wide = if self == Self::Uniform { scale * (2.0 * *x - 1.0) } else { scale * *x };
            *x = f64::from(wide as f32);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_weights_fill_the_interval_and_gaussian_ones_have_the_variance() {
        let h = 100;
        let bound = 1.0 / (h as f64).sqrt();
        let uniform = Initialization::Uniform.network(h, 8, 8, Activation::Tanh, true, 1);
        let largest = uniform.recurrent_weights.norm_max();
        assert!(largest <= bound as f32 as f64 && largest > 0.999 * bound);
        assert!(uniform.readout_bias.unwrap().iter().all(|b| b.abs() <= bound && *b != 0.0));
        let gaussian = Initialization::Gaussian.network(h, 8, 8, Activation::Tanh, true, 1);
        let variance = gaussian.recurrent_weights.squared_norm_l2() / (h * h) as f64;
        assert!((variance * h as f64 - 1.0).abs() < 0.05, "{variance}");
        assert!(gaussian.biases.unwrap().input.iter().all(|b| *b == 0.0));
    }

    #[test]
    fn seeds_differ_and_repeat() {
        let make = |seed| Initialization::Uniform.network(4, 2, 2, Activation::Tanh, false, seed);
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }
}
