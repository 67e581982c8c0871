//! A network as the page runs it: layers from the inputs up, each with its kind and its tensors, and the readout.
//!
//! An edited network is another list of layers. The weights of gates are many and are never edited here: they are rounded as far as
//! the states of a run do not show it.

use super::shown_steps;
use super::stored::Stored;
use crate::network::{Activation, Cell, CellKind, Gate, Gru, Lstm, Network, Parameter};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct NetworkData {
    layers: Vec<LayerData>,
    readout: Stored,
    readout_bias: Option<Stored>,
    /// Weights of gates are multiples of 2^-n; nothing where they are kept as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<u32>,
}

/// How finely weights of gates may be rounded, coarsest first.
const PLACES: [u32; 5] = [22, 23, 24, 25, 26];
/// How coarsely those of a single gate may be, and numbers of a state beyond which no gate is looked at alone: it takes too long.
const COARSEST: u32 = 18;
const MOST_REFINED: usize = 1024;
/// Most that a state or an output on the page may differ for it: the page is held to 1e-5, and its arithmetic needs next to
/// nothing of that.
const UNSEEN: f64 = 7e-6;
/// Random episodes that this is tried on, which no other stage draws.
const EPISODES: usize = 16;
const BATCH: u32 = 12;

/// A layer: its kind, and its tensors under the names that files give them.
#[derive(Serialize)]
struct LayerData {
    kind: CellKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<Activation>,
    gates: &'static [Gate],
    tensors: BTreeMap<&'static str, Stored>,
}

/// The gates of a layer in the order of their rows; none where there are none.
pub(super) fn gates(cell: &Cell) -> &'static [Gate] {
    cell.kind().about().gates
}

pub(super) fn network_data(network: &Network, s: usize) -> NetworkData {
    let rounding = rounding(network, s);
    let places = rounding.as_ref().and_then(|all| all.iter().flatten().max().copied());
    let rounded = rounding.map(|places| rounded(network, &places));
    let shown = rounded.as_ref().unwrap_or(network);
    NetworkData {
        layers: shown.layers.iter().map(|cell| layer_data(cell, places)).collect(),
        readout: Stored::exact(&network.readout.weights),
        readout_bias: network.readout.bias.as_deref().map(Stored::row),
        places,
    }
}

impl NetworkData {
    /// What a reader should know of the weights on the page.
    pub(super) fn rounding(&self) -> Option<String> {
        self.places.map(|places| {
            format!(
                "rounded to multiples of 2^-{places} or of a larger power; states and outputs of {EPISODES} runs then differ by less than {UNSEEN:.6}"
            )
        })
    }
}

/// Places of each gate's recurrent weights, layer by layer: first the coarsest that runs do not show for all gates alike, then coarser
/// ones wherever runs do not show that either. Nothing without gates, or where every rounding shows.
fn rounding(network: &Network, s: usize) -> Option<Vec<Vec<u32>>> {
    if !network.layers.iter().any(|cell| !gates(cell).is_empty()) {
        return None;
    }
    let random = Stream::new(1, Purpose::ProbeInputs);
    let inputs: Vec<f32> = (0..s * EPISODES * network.inputs()).map(|k| random.sign(BATCH, k as u32, 0)).collect();
    let run = |network: &Network| network.run(&inputs, EPISODES, shown_steps(s)).states;
    let exact = run(network);
    let unseen = |places: &[Vec<u32>]| {
        let states = run(&rounded(network, places));
        let off = |a: &Matrix, b: &Matrix| {
            (a - b).norm_max().max((network.read(a.as_ref()) - network.read(b.as_ref())).norm_max())
        };
        exact.iter().zip(&states).all(|(a, b)| off(a, b) < UNSEEN)
    };
    let alike =
        |places: u32| -> Vec<Vec<u32>> { network.layers.iter().map(|cell| vec![places; gates(cell).len()]).collect() };
    let mut places = PLACES.into_iter().map(alike).find(|places| unseen(places))?;
    if network.state_size() > MOST_REFINED {
        return Some(places);
    }
    let each: Vec<(usize, usize)> =
        places.iter().enumerate().flat_map(|(layer, of)| (0..of.len()).map(move |gate| (layer, gate))).collect();
    for (layer, gate) in each {
        while places[layer][gate] > COARSEST {
            places[layer][gate] -= 1;
            if !unseen(&places) {
                places[layer][gate] += 1;
                break;
            }
        }
    }
    Some(places)
}

/// The network as the page has it. Input weights are few, and as fine as the finest of the recurrent ones.
fn rounded(network: &Network, places: &[Vec<u32>]) -> Network {
    let round = |matrix: &mut Matrix, places: &dyn Fn(usize) -> u32| {
        let at = |i: usize, j: usize| {
            let scale = f64::from(1u32 << places(i));
            (matrix[(i, j)] * scale).round() / scale
        };
        *matrix = Matrix::from_fn(matrix.nrows(), matrix.ncols(), at);
    };
    let mut rounded = network.clone();
    for (cell, places) in rounded.layers.iter_mut().zip(places) {
        if let Cell::Gru(Gru { recurrent_weights, input_weights, .. })
        | Cell::Lstm(Lstm { recurrent_weights, input_weights, .. }) = cell
        {
            let units = recurrent_weights.ncols();
            let finest = places.iter().max().copied().unwrap_or(COARSEST);
            round(recurrent_weights, &|row| places[row / units]);
            round(input_weights, &|_| finest);
        }
    }
    rounded
}

fn layer_data(cell: &Cell, places: Option<u32>) -> LayerData {
    let gates = gates(cell);
    let stored = |of: &Parameter<'_>| match of {
        Parameter::Vector(values) => Stored::row(values),
        Parameter::Matrix(matrix) if gates.is_empty() => Stored::exact(matrix),
        Parameter::Matrix(matrix) => {
            let fixed = places.and_then(|places| Stored::fixed(matrix, places));
            fixed.unwrap_or_else(|| Stored::blocks(matrix, gates.len()))
        }
    };
    let tensors = cell.layer().parameters().iter().map(|(name, of)| (*name, stored(of))).collect();
    LayerData { kind: cell.kind(), activation: cell.activation(), gates, tensors }
}
