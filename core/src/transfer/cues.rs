//! Strong cues: each context gets units of its own, and saturates all others (context-dependent gating, Masse, Grant and
//! Freedman 2018). States of two contexts then share nothing but a constant.

use crate::network::{Network, Parameter, ParameterMut};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::TrainParams;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a strong cue adds to a unit that it shuts. In f32 tanh is 1 from 9 on, and the rest is more than circuits send to a unit.
/// Where the slope is zero, Adam, which scales small gradients up, does not open the unit again.
const SHUT: f64 = 12.0;
/// A cue from which on a unit counts as shut: tanh is within 1e-5 of 1.
const HELD: f64 = 6.0;

/// The units that a context has for itself: its share of all, in the order of the cues. No unit is better than another before
/// training, so that there is nothing to draw.
pub fn own_units(units: usize, contexts: usize, context: usize) -> Range<usize> {
    let from = |k: usize| k * units / contexts.max(1);
    from(context)..from(context + 1)
}

/// The network that training begins with where cues are strong: each context's own units are drawn as a network of their number,
/// nothing leads from the units of one to those of another, and each cue shuts the units of all others.
pub fn with_strong_cues(params: &TrainParams, task: &Task) -> Network {
    let mut network = params.network_for(task);
    let units = network.layers.first().map_or(0, |layer| layer.units());
    let (contexts, stream) = (task.contexts().len(), Stream::new(params.seed, Purpose::Cues));
    for context in 0..contexts {
        let own = own_units(units, contexts, context);
        let [a, b, ..] = stream.block(0, context as u32, 1);
        let seed = u64::from(a) << 32 | u64::from(b);
        let part = TrainParams { hidden: own.len(), seed, ..params.clone() }.network_for(task);
        place(&mut network, &part, &own);
    }
    for (name, parameter) in network.parameters_mut() {
        if let ("rnn.weight_ih_l0", ParameterMut::Matrix(weights)) = (name.as_str(), parameter) {
            for context in 0..contexts {
                let own = own_units(units, contexts, context);
                // Gates lie under one another, each with a row for every unit: all of a shut unit are held.
                for row in (0..weights.nrows()).filter(|row| !own.contains(&(row % units))) {
                    let sign = f64::from(stream.sign(row as u32, context as u32, 0));
                    weights[(row, task.outputs() + context)] = sign * SHUT;
                }
            }
        }
    }
    network
}

/// Puts a small network into the first layer of a large one, and into its readout where that is the only layer.
fn place(network: &mut Network, part: &Network, own: &Range<usize>) {
    let (one_layer, units) = (network.layers.len() == 1, network.layers.first().map_or(0, |layer| layer.units()));
    let parts: BTreeMap<String, Parameter<'_>> = part.parameters().into_iter().collect();
    let row = |row: usize| row / own.len() * units + own.start + row % own.len();
    for (name, parameter) in network.parameters_mut() {
        match (parameter, parts.get(&name)) {
            (ParameterMut::Matrix(whole), Some(Parameter::Matrix(part))) if name == "rnn.weight_hh_l0" => {
                for i in 0..part.nrows() {
                    (0..units).for_each(|j| whole[(row(i), j)] = 0.0);
                    own.clone().for_each(|j| whole[(row(i), j)] = part[(i, j - own.start)]);
                }
            }
            (ParameterMut::Matrix(whole), Some(Parameter::Matrix(part))) if name == "rnn.weight_ih_l0" => {
                for i in 0..part.nrows() {
                    (0..part.ncols()).for_each(|j| whole[(row(i), j)] = part[(i, j)]);
                }
            }
            (ParameterMut::Matrix(whole), Some(Parameter::Matrix(part))) if name == "readout.weight" && one_layer => {
                for i in 0..part.nrows() {
                    own.clone().for_each(|j| whole[(i, j)] = part[(i, j - own.start)]);
                }
            }
            _ => {}
        }
    }
}

/// What the cue of a context adds to each row of the first layer.
fn cue(network: &Network, task: &Task, context: usize) -> Vec<f64> {
    let all = network.parameters();
    let found = all.into_iter().find(|(name, _)| name == "rnn.weight_ih_l0");
    match found {
        Some((_, Parameter::Matrix(weights))) if weights.ncols() == task.inputs() => {
            weights.col(task.outputs() + context).iter().copied().collect()
        }
        _ => vec![],
    }
}

/// How many units of the first layer a context can use: those that its cue does not shut.
pub fn open_units(network: &Network, task: &Task, context: usize) -> usize {
    let units = network.layers.first().map_or(0, |layer| layer.units());
    let cue = cue(network, task, context);
    let shut = |unit: &usize| !cue.is_empty() && cue.iter().skip(*unit).step_by(units).all(|acts| acts.abs() >= HELD);
    units - (0..units).filter(shut).count()
}

/// What the shut units of an Elman network hold in a context, as a column; nothing where none is shut.
pub(super) fn held_still(network: &Network, task: &Task, context: usize) -> Option<Matrix> {
    network.as_elman()?;
    let cue = cue(network, task, context);
    let held = Matrix::from_fn(cue.len(), 1, |i, _| if cue[i].abs() >= HELD { cue[i].tanh() } else { 0.0 });
    (held.norm_max() > 0.0).then_some(held)
}
