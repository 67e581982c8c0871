//! The memory of each content: what it adds to the state, as far as that is linear.

use super::circuit::{Circuit, Role};
use super::pairs::{self, SuperposedPair};
use super::redundancy::Drive;
use super::weights::{Made, hidden_units};
use crate::numeric::{Matrix, NumericError, least_squares};
use crate::task::{Gate, Slot};

impl Made<'_> {
    /// Hidden x contents. Exact for units of a kind by themselves: averaged over all that their inputs can be.
    pub(super) fn memories(&self, gates: &[Gate]) -> Result<Matrix, NumericError> {
        let mut memories = Matrix::zeros(self.parts.places.len(), self.parts.circuit.contents.len());
        let by_unit = held_by_units(self.parts.circuit, self.parts.drive, gates)?;
        for (i, place) in hidden_units(self.parts.places) {
            by_unit[place.unit].iter().for_each(|(content, part)| memories[(i, *content)] += place.sign * part);
        }
        for (content, signal) in self.parts.circuit.holder.iter().enumerate() {
            let Some(k) = self.parts.moving.of.iter().position(|(_, other)| other == signal) else { continue };
            let hidden = self.parts.moving.hidden.iter().enumerate();
            hidden.for_each(|(m, &i)| memories[(i, content)] = self.code.memories[(m, k)]);
        }
        Ok(memories)
    }
}

/// What each unit of the circuit holds of which content; nothing for those that move contents, which the code knows.
fn held_by_units(circuit: &Circuit, drive: &Drive, gates: &[Gate]) -> Result<Vec<Vec<(usize, f64)>>, NumericError> {
    let mut held = vec![vec![]; circuit.units.len()];
    for (output, gate) in gates.iter().enumerate() {
        held_by_gate(circuit, drive, output, gate, &mut held)?;
    }
    for (index, unit) in circuit.units.iter().enumerate() {
        let squash = |sum: f64| drive.plain.squashed(drive.gain_of(unit) * (sum - unit.threshold));
        match unit.role {
            Role::Level { pair } => {
                let SuperposedPair { first, second } = circuit.pairs[pair];
                held[index] = of_two(|a, b| squash(a + b / 2.0), [first, second]);
            }
            Role::Separate { .. } => {
                let after = |content: usize| {
                    let slot = circuit.contents[content];
                    circuit.place(Slot { lag: slot.lag + 1, ..slot })
                };
                let signal = unit.reads.first().map(|(signal, _)| *signal);
                let pair = circuit.pairs.iter().find(|pair| Some(circuit.holder[pair.first]) == signal);
                let Some(&SuperposedPair { first, second }) = pair else { continue };
                let level = |a: f64, b: f64| drive.plain.squashed(pairs::GAIN * (a + b / 2.0)) / drive.levels.middle;
                held[index] = of_two(|a, b| squash(level(a, b)), [first, second].map(after));
            }
            _ => {}
        }
    }
    Ok(held)
}

/// What a function of two contents holds of each.
fn of_two(unit: impl Fn(f64, f64) -> f64, contents: [usize; 2]) -> Vec<(usize, f64)> {
    let all = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let mean = |with: fn((f64, f64)) -> f64| all.iter().map(|&(a, b)| with((a, b)) * unit(a, b)).sum::<f64>() / 4.0;
    vec![(contents[0], mean(|(a, _)| a)), (contents[1], mean(|(_, b)| b))]
}

/// The units of an output hold its value and, where these are still kept a step later, the inputs of its function.
fn held_by_gate(
    circuit: &Circuit,
    drive: &Drive,
    output: usize,
    gate: &Gate,
    held: &mut [Vec<(usize, f64)>],
) -> Result<(), NumericError> {
    let made = &circuit.signals[circuit.newest[output]];
    let units: Vec<usize> = made.iter().map(|(unit, _)| *unit).filter(|&unit| !circuit.units[unit].moves()).collect();
    if units.is_empty() {
        return Ok(());
    }
    let mut contents = vec![(circuit.place(Slot { lag: 1, component: output }), None)];
    for (q, slot) in gate.inputs().iter().enumerate() {
        let later = Slot { lag: slot.lag + 1, ..*slot };
        contents.extend(circuit.contents.iter().position(|other| *other == later).map(|content| (content, Some(q))));
    }
    let sign = |up: bool| if up { 1.0 } else { -1.0 };
    let rows = gate.table().len();
    let inputs = Matrix::from_fn(rows, contents.len() + 1, |m, k| match contents.get(k) {
        Some((_, None)) => sign(gate.table()[m]),
        Some((_, Some(q))) => sign(m >> q & 1 == 1),
        None => 1.0,
    });
    let signal = |slot: &Slot| circuit.holder[circuit.place(*slot)];
    let read: Vec<usize> = gate.inputs().iter().map(signal).collect();
    let values = Matrix::from_fn(rows, units.len(), |m, k| {
        let unit = &circuit.units[units[k]];
        let bit = |from: usize| read.iter().position(|other| *other == from).is_some_and(|q| m >> q & 1 == 1);
        let level: f64 = unit.reads.iter().map(|&(from, weight)| weight * sign(bit(from))).sum();
        drive.plain.squashed(drive.gain_of(unit) * (level - unit.threshold))
    });
    let found = least_squares(&inputs, &values, 0.0)?;
    for (k, &unit) in units.iter().enumerate() {
        held[unit] = contents.iter().enumerate().map(|(at, (content, _))| (*content, found[(at, k)])).collect();
    }
    Ok(())
}
