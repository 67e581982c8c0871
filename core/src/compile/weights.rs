//! From the circuit to weights: `W = drive x readers`.

use super::circuit::{Circuit, Role, Unit};
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
pub(super) fn in_order(copies: &[usize]) -> Vec<Option<Place>> {
    copies.iter().enumerate().flat_map(|(unit, &count)| vec![Some(Place { unit, sign: 1.0 }); count]).collect()
}

/// The hidden units in random order with random signs.
pub(super) fn scattered(copies: &[usize], seed: u64) -> Vec<Option<Place>> {
    let mut places = in_order(copies);
    let stream = Stream::new(seed, Purpose::Weights);
    let mut draws = vec![0.0; 2 * places.len()];
    stream.fill_uniform(0, 0, &mut draws);
    let (turns, swaps) = draws.split_at(places.len());
    let each = places.iter_mut().flatten().zip(turns);
    each.for_each(|(place, draw)| place.sign = if *draw < 0.5 { 1.0 } else { -1.0 });
    for last in (1..places.len()).rev() {
        places.swap(last, ((last + 1) as f64 * swaps[last]) as usize);
    }
    places
}

/// The hidden units that are units of the circuit, with their numbers.
pub(super) fn hidden_units(places: &[Option<Place>]) -> impl Iterator<Item = (usize, &Place)> {
    places.iter().enumerate().filter_map(|(i, place)| Some((i, place.as_ref()?)))
}

/// The circuit's units as hidden units.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) drive: &'a Drive,
    pub(super) copies: &'a [usize],
    /// What each hidden unit is; nothing for one that has a part in all contents of a code that was there already.
    pub(super) places: &'a [Option<Place>],
    pub(super) moving: &'a Moving,
}

/// The same with the code of those that move contents.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) parts: Parts<'a>,
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
    pub(super) fn new(circuit: &Circuit, places: &[Option<Place>]) -> Self {
        let single = |(signal, made): (usize, &Vec<(usize, f64)>)| {
            let &[(unit, _)] = &made[..] else { return None };
            circuit.units[unit].moves().then_some((unit, signal))
        };
        let of: Vec<(usize, usize)> = circuit.signals.iter().enumerate().filter_map(single).collect();
        let own = |place: &Place| of.iter().position(|(unit, _)| *unit == place.unit);
        let found = hidden_units(places).filter_map(|(i, place)| Some((i, own(place)?, place.sign)));
        let found: Vec<(usize, usize, f64)> = found.collect();
        Self {
            movers: Movers {
                own: found.iter().map(|(_, own, _)| *own).collect(),
                signs: found.iter().map(|(.., sign)| *sign).collect(),
                contents: of.len(),
                newest: of.iter().map(|(unit, _)| circuit.units[*unit].input.is_some()).collect(),
            },
            hidden: found.iter().map(|(i, ..)| *i).collect(),
            of,
        }
    }
}

impl Made<'_> {
    /// Signals x hidden: what is read from the units.
    pub(super) fn readers(&self) -> Matrix {
        let mut readers = Matrix::zeros(self.parts.circuit.signals.len(), self.parts.places.len());
        for (signal, made) in self.parts.circuit.signals.iter().enumerate() {
            for &(unit, coefficient) in made {
                let share = coefficient
                    / self.parts.drive.amplitude(&self.parts.circuit.units[unit])
                    / self.parts.copies[unit] as f64;
                let here = hidden_units(self.parts.places).filter(|(_, place)| place.unit == unit);
                here.for_each(|(i, place)| readers[(signal, i)] = share * place.sign);
            }
        }
        for (k, (_, signal)) in self.parts.moving.of.iter().enumerate() {
            self.parts
                .moving
                .hidden
                .iter()
                .enumerate()
                .for_each(|(m, &i)| readers[(*signal, i)] = self.code.readers[(k, m)]);
        }
        readers
    }

    /// Hidden x signals, and the biases: what the signals of the step before do to the units.
    fn driven(&self) -> (Matrix, Vec<f64>) {
        let mut driven = Matrix::zeros(self.parts.places.len(), self.parts.circuit.signals.len());
        let mut bias = vec![0.0; self.parts.places.len()];
        for (i, place) in hidden_units(self.parts.places) {
            let unit = &self.parts.circuit.units[place.unit];
            let gain = place.sign * self.parts.drive.gain_of(unit);
            unit.reads.iter().for_each(|(signal, weight)| driven[(i, *signal)] += gain * weight);
            bias[i] = if unit.threshold == 0.0 { 0.0 } else { -gain * unit.threshold };
        }
        for (m, &i) in self.parts.moving.hidden.iter().enumerate() {
            (0..driven.ncols()).for_each(|signal| driven[(i, signal)] = 0.0);
            for (k, (unit, _)) in self.parts.moving.of.iter().enumerate() {
                let reads = &self.parts.circuit.units[*unit].reads;
                reads.iter().for_each(|(signal, weight)| driven[(i, *signal)] += self.code.sums[(m, k)] * weight);
            }
        }
        (driven, bias)
    }

    /// Inputs override the units that hold the newest values, and take their part in what is mixed into the others.
    fn inputs(&self, driven: &Matrix, bias: &[f64]) -> Matrix {
        let mut input = Matrix::zeros(self.parts.places.len(), self.parts.circuit.newest.len());
        for (m, &i) in self.parts.moving.hidden.iter().enumerate() {
            for (k, (unit, _)) in self.parts.moving.of.iter().enumerate() {
                if let Role::Copy { output, .. } = self.parts.circuit.units[*unit].role {
                    input[(i, output)] = self.code.written * self.code.sums[(m, k)];
                }
            }
        }
        for (i, place) in hidden_units(self.parts.places) {
            if let Some((output, says)) = self.parts.circuit.units[place.unit].input {
                let others: f64 = driven.row(i).norm_l1() + bias[i].abs() + input.row(i).norm_l1();
                input[(i, output)] = place.sign * says * (OVERRIDE * others + SATURATED);
            }
        }
        input
    }

    /// How many standard deviations every reading keeps from its threshold, with noise of this size on every unit.
    pub(super) fn margin(&self, noise: f64) -> f64 {
        let circuit = self.parts.circuit;
        let by_unit = |&(unit, coefficient): &(usize, f64)| {
            (noise * coefficient / self.parts.drive.amplitude(&circuit.units[unit])).powi(2)
                / self.parts.copies[unit] as f64
        };
        let mut variance: Vec<f64> = circuit.signals.iter().map(|made| made.iter().map(by_unit).sum()).collect();
        for (k, (_, signal)) in self.parts.moving.of.iter().enumerate() {
            // What is left of an error adds up over the steps.
            variance[*signal] = self.code.variance[k] / (1.0 - self.code.kept.min(0.99).powi(2));
        }
        let spread = |reads: &[(usize, f64)], of: &[f64]| reads.iter().map(|(k, w)| w * w * of[*k]).sum::<f64>();
        let is_level = |unit: &Unit| matches!(unit.role, Role::Level { .. });
        // What does not saturate hands on the noise that it gets.
        let mut handed_on = variance.clone();
        for (signal, made) in circuit.signals.iter().enumerate() {
            if let Some(unit) = made.first().map(|(unit, _)| &circuit.units[*unit]).filter(|unit| is_level(unit)) {
                handed_on[signal] += self.parts.drive.levels.slope.powi(2) * spread(&unit.reads, &variance);
            }
        }
        let units = circuit.units.iter().filter(|unit| !unit.reads.is_empty() && !is_level(unit));
        let of_units = units.map(|unit| unit.half_gap / spread(&unit.reads, &handed_on).sqrt());
        let of_outputs = circuit.newest.iter().map(|&signal| 1.0 / handed_on[signal].sqrt());
        of_units.chain(of_outputs).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn weights(&self) -> PlainWeights {
        let readers = self.readers();
        let (driven, bias) = self.driven();
        let rows = Matrix::from_fn(self.parts.circuit.newest.len(), self.parts.places.len(), |j, i| {
            readers[(self.parts.circuit.newest[j], i)]
        });
        PlainWeights {
            input: self.inputs(&driven, &bias),
            recurrent: &driven * &readers,
            bias: bias.iter().any(|bias| *bias != 0.0).then_some(bias),
            readout: Readout { weights: rows, bias: None },
        }
    }
}
