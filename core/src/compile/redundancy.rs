//! How often each unit is made, so that noise cannot flip what is read.

use super::circuit::{Circuit, Role, Unit};
use super::pairs::{self, Levels};
use crate::network::Plain;

/// A threshold unit comes no nearer to zero than this before its activation: its sign is then exact to 0.001.
pub(super) const SATURATED: f64 = 4.0;

/// How strongly units are driven, and how large they become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drive {
    pub(super) plain: Plain,
    /// Gain of the units that move contents.
    pub(super) gain: f64,
    pub(super) levels: Levels,
}

impl Drive {
    pub(super) fn new(plain: Plain, gain: f64) -> Self {
        Self { plain, gain, levels: Levels::of(|sum| plain.squashed(sum)) }
    }

    /// What a unit's weighted sum is multiplied by.
    pub(super) fn gain_of(&self, unit: &Unit) -> f64 {
        match unit.role {
            Role::Shift { .. } | Role::Copy { .. } => self.gain,
            Role::Level { .. } => pairs::GAIN,
            _ => SATURATED / unit.half_gap,
        }
    }

    /// How large the unit is when what it holds is 1.
    pub(super) fn amplitude(&self, unit: &Unit) -> f64 {
        match unit.role {
            Role::Shift { .. } | Role::Copy { .. } => self.plain.squashed(self.gain),
            Role::Level { .. } => self.levels.middle,
            _ => self.plain.squashed(SATURATED),
        }
    }
}

/// Everything that reads signals, as the noise that reaches it: the share of each unit in the variance over the square of
/// the half gap, if the unit is made once.
pub(super) struct Readings(Vec<Vec<(usize, f64)>>);

impl Readings {
    /// `noise` is the standard deviation of the noise on every unit.
    pub(super) fn of(circuit: &Circuit, drive: &Drive, noise: f64) -> Self {
        let of_units = circuit.units.iter().filter(|unit| !matches!(unit.role, Role::Level { .. }));
        let of_units = of_units.filter(|unit| !unit.reads.is_empty()).map(|unit| (unit.reads.clone(), unit.half_gap));
        let of_outputs = circuit.newest.iter().map(|&signal| (vec![(signal, 1.0)], 1.0));
        let shares = |(reads, half_gap): (Vec<(usize, f64)>, f64)| {
            let mut shares = vec![];
            reach(circuit, drive, &reads, (noise / half_gap).powi(2), &mut shares);
            shares
        };
        Self(of_units.chain(of_outputs).map(shares).collect())
    }

    /// The half gap in standard deviations of the noise, at its smallest.
    pub(super) fn margin(&self, copies: &[usize]) -> f64 {
        1.0 / variance(self.worst(copies), copies).sqrt()
    }

    fn worst(&self, copies: &[usize]) -> &[(usize, f64)] {
        let by_variance = |a: &&Vec<_>, b: &&Vec<_>| variance(a, copies).total_cmp(&variance(b, copies));
        self.0.iter().max_by(by_variance).map_or(&[], Vec::as_slice)
    }
}

/// Adds up what the units behind some signals contribute to the variance of their weighted sum.
fn reach(circuit: &Circuit, drive: &Drive, reads: &[(usize, f64)], scale: f64, shares: &mut Vec<(usize, f64)>) {
    for &(signal, weight) in reads {
        for &(index, coefficient) in &circuit.signals[signal] {
            let unit = &circuit.units[index];
            let share = scale * weight * weight;
            shares.push((index, share * (coefficient / drive.amplitude(unit)).powi(2)));
            // What does not saturate hands on the noise that it gets.
            if matches!(unit.role, Role::Level { .. }) {
                reach(circuit, drive, &unit.reads, share * drive.levels.slope.powi(2), shares);
            }
        }
    }
}

fn variance(shares: &[(usize, f64)], copies: &[usize]) -> f64 {
    shares.iter().map(|&(unit, share)| share / copies[unit] as f64).sum()
}

/// The fewest copies of each unit with which every reading has the margin; stops beyond `limit` units.
pub(super) fn fewest(readings: &Readings, units: usize, margin: f64, limit: usize) -> Vec<usize> {
    let mut copies = vec![1; units];
    let mut total = units;
    while readings.margin(&copies) < margin && total <= limit {
        let gain = |&(unit, share): &(usize, f64)| share / (copies[unit] * (copies[unit] + 1)) as f64;
        let best = readings.worst(&copies).iter().max_by(|a, b| gain(a).total_cmp(&gain(b)));
        let Some(&(unit, _)) = best else { break };
        copies[unit] += 1;
        total += 1;
    }
    copies
}

/// Spreads what is left of `hidden` units over those that are made least often for what they need.
pub(super) fn fill(copies: &mut [usize], hidden: usize) {
    let needed = copies.to_vec();
    let share = |copies: &[usize], unit: usize| copies[unit] as f64 / needed[unit] as f64;
    for _ in needed.iter().sum::<usize>()..hidden {
        let least = (0..needed.len()).min_by(|a, b| share(copies, *a).total_cmp(&share(copies, *b)));
        if let Some(unit) = least {
            copies[unit] += 1;
        }
    }
}
