//! From the circuit to weights: `W = drive x readers`.

use super::circuit::{Circuit, Role};
use super::code::{Code, Movers};
use super::redundancy::{Drive, SATURATED};
use crate::network::{PlainWeights, Readout};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};

/// How much stronger inputs are than all else that a unit can get.
const OVERRIDE: f64 = 1.2;

/// A hidden unit: which unit of the circuit it is, and whether it is turned over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) unit: usize,
    pub(super) sign: f64,
}

/// The hidden units in the circuit's order, none turned over.
pub(super) fn in_order(copies: &[usize]) -> Vec<Place> {
    copies.iter().enumerate().flat_map(|(unit, &count)| vec![Place { unit, sign: 1.0 }; count]).collect()
}

/// The hidden units in random order with random signs.
pub(super) fn scattered(copies: &[usize], seed: u64) -> Vec<Place> {
    let mut places = in_order(copies);
    let stream = Stream::new(seed, Purpose::Weights);
    let mut draws = vec![0.0; 2 * places.len()];
    stream.fill_uniform(0, 0, &mut draws);
    let (turns, swaps) = draws.split_at(places.len());
    places.iter_mut().zip(turns).for_each(|(place, draw)| place.sign = if *draw < 0.5 { 1.0 } else { -1.0 });
    for last in (1..places.len()).rev() {
        places.swap(last, ((last + 1) as f64 * swaps[last]) as usize);
    }
    places
}

/// The circuit's units as hidden units, with the code of those that move contents.
pub(super) struct Made<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) drive: &'a Drive,
    pub(super) copies: &'a [usize],
    pub(super) places: &'a [Place],
    pub(super) moving: &'a Moving,
    pub(super) code: &'a Code,
}

/// What is moved, and where: units and signals of the circuit, and hidden units.
pub(super) struct Moving {
    /// The circuit's units that move a content, each with its signal.
    pub(super) of: Vec<(usize, usize)>,
    /// The hidden units that these are.
    pub(super) hidden: Vec<usize>,
    pub(super) movers: Movers,
}

impl Moving {
    pub(super) fn new(circuit: &Circuit, places: &[Place]) -> Self {
        let single = |(signal, made): (usize, &Vec<(usize, f64)>)| {
            let &[(unit, _)] = &made[..] else { return None };
            circuit.units[unit].moves().then_some((unit, signal))
        };
        let of: Vec<(usize, usize)> = circuit.signals.iter().enumerate().filter_map(single).collect();
        let own = |place: &Place| of.iter().position(|(unit, _)| *unit == place.unit);
        let found = places.iter().enumerate().filter_map(|(i, place)| Some((i, own(place)?, place.sign)));
        let found: Vec<(usize, usize, f64)> = found.collect();
        Self {
            movers: Movers {
                own: found.iter().map(|(_, own, _)| *own).collect(),
                signs: found.iter().map(|(.., sign)| *sign).collect(),
                contents: of.len(),
            },
            hidden: found.iter().map(|(i, ..)| *i).collect(),
            of,
        }
    }
}

impl Made<'_> {
    /// Signals x hidden: what is read from the units.
    pub(super) fn readers(&self) -> Matrix {
        let mut readers = Matrix::zeros(self.circuit.signals.len(), self.places.len());
        for (signal, made) in self.circuit.signals.iter().enumerate() {
            for &(unit, coefficient) in made {
                let share = coefficient / self.drive.amplitude(&self.circuit.units[unit]) / self.copies[unit] as f64;
                let here = self.places.iter().enumerate().filter(|(_, place)| place.unit == unit);
                here.for_each(|(i, place)| readers[(signal, i)] = share * place.sign);
            }
        }
        for (k, (_, signal)) in self.moving.of.iter().enumerate() {
            self.moving.hidden.iter().enumerate().for_each(|(m, &i)| readers[(*signal, i)] = self.code.readers[(k, m)]);
        }
        readers
    }

    /// Hidden x signals, and the biases: what the signals of the step before do to the units.
    fn driven(&self) -> (Matrix, Vec<f64>) {
        let mut driven = Matrix::zeros(self.places.len(), self.circuit.signals.len());
        let mut bias = vec![0.0; self.places.len()];
        for (i, place) in self.places.iter().enumerate() {
            let unit = &self.circuit.units[place.unit];
            let gain = place.sign * self.drive.gain_of(unit);
            unit.reads.iter().for_each(|(signal, weight)| driven[(i, *signal)] += gain * weight);
            bias[i] = if unit.threshold == 0.0 { 0.0 } else { -gain * unit.threshold };
        }
        for (m, &i) in self.moving.hidden.iter().enumerate() {
            (0..driven.ncols()).for_each(|signal| driven[(i, signal)] = 0.0);
            for (k, (unit, _)) in self.moving.of.iter().enumerate() {
                let reads = &self.circuit.units[*unit].reads;
                reads.iter().for_each(|(signal, weight)| driven[(i, *signal)] += self.code.sums[(m, k)] * weight);
            }
        }
        (driven, bias)
    }

    /// Inputs override the units that hold the newest values, and take their part in what is mixed into the others.
    fn inputs(&self, driven: &Matrix, bias: &[f64]) -> Matrix {
        let mut input = Matrix::zeros(self.places.len(), self.circuit.newest.len());
        for (m, &i) in self.moving.hidden.iter().enumerate() {
            for (k, (unit, _)) in self.moving.of.iter().enumerate() {
                if let Role::Copy { output, .. } = self.circuit.units[*unit].role {
                    input[(i, output)] = self.code.sums[(m, k)];
                }
            }
        }
        for (i, place) in self.places.iter().enumerate() {
            if let Some((output, says)) = self.circuit.units[place.unit].input {
                let others: f64 = driven.row(i).norm_l1() + bias[i].abs() + input.row(i).norm_l1();
                input[(i, output)] = place.sign * says * (OVERRIDE * others + SATURATED);
            }
        }
        input
    }

    pub(super) fn weights(&self) -> PlainWeights {
        let readers = self.readers();
        let (driven, bias) = self.driven();
        let rows = Matrix::from_fn(self.circuit.newest.len(), self.places.len(), |j, i| {
            readers[(self.circuit.newest[j], i)]
        });
        PlainWeights {
            input: self.inputs(&driven, &bias),
            recurrent: &driven * &readers,
            bias: bias.iter().any(|bias| *bias != 0.0).then_some(bias),
            readout: Readout { weights: rows, bias: None },
        }
    }
}
