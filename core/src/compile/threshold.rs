//! Truth tables as exact sums of threshold units: `f = constant + sum_i coefficient_i * sign(w_i . v - threshold_i)`.
//!
//! Two ways. If f depends only on one weighted sum of its inputs, it takes one unit wherever f changes along that sum: copies,
//! `and`, `or` and majority take one, the exclusive or of k inputs takes k. Otherwise the rarer value is covered by disjoint
//! subcubes, with one `and` unit each.

use crate::task::Gate;
use std::collections::BTreeMap;

/// Levels of a weighted sum that are closer than this, in units of the weights' norm, are lost in noise.
const FINEST: f64 = 20.0;

/// The sign of a weighted sum of inputs beyond a threshold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Threshold {
    /// The weight of each input of the gate.
    pub(super) weights: Vec<f64>,
    /// Where the sign changes.
    pub(super) threshold: f64,
    /// How near to the threshold the sum comes.
    pub(super) half_gap: f64,
    /// +1 or -1: what the unit counts for.
    pub(super) coefficient: f64,
}

/// A function as a sum of threshold units.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    /// A whole number; units that are always on make it.
    pub(super) constant: i32,
    pub(super) terms: Vec<Threshold>,
}

impl Sum {
    /// The sum with the fewest units; among those the one that noise disturbs least.
    pub(super) fn of(gate: &Gate) -> Self {
        let table = gate.table();
        let fits = |sum: &Self| sum.fineness() <= FINEST;
        let ordered = candidates(gate.inputs().len()).filter_map(|weights| ordered(table, &weights)).filter(fits);
        let all = ordered.chain([covered(table, gate.inputs().len())]);
        let rank = |sum: &Self| (sum.units(), sum.fineness());
        all.min_by(|a, b| rank(a).0.cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1)))
            .unwrap_or(Self { constant: 1, terms: vec![] })
    }

    /// Units that it takes: an odd number, as f is odd.
    pub(super) fn units(&self) -> usize {
        self.terms.len() + self.constant.unsigned_abs() as usize
    }

    /// The square of the weights over the half gap, at its worst: how much noise of the inputs counts.
    fn fineness(&self) -> f64 {
        let of = |term: &Threshold| term.weights.iter().map(|w| w * w).sum::<f64>() / term.half_gap.powi(2);
        self.terms.iter().map(of).fold(0.0, f64::max)
    }
}

/// Whole weights for so many inputs: all up to 3 for four (every threshold function of four has such), fewer for more inputs.
/// The first is positive, as the opposite of a sum orders the inputs the same.
fn candidates(inputs: usize) -> impl Iterator<Item = Vec<i32>> {
    let largest: usize = match inputs {
        0..=4 => 3,
        5..=6 => 2,
        _ => 1,
    };
    let count = if inputs == 0 { 0 } else { largest * (2 * largest).pow(inputs as u32 - 1) };
    (0..count).map(move |number| {
        let mut rest = number / largest;
        let mut weights = vec![(number % largest) as i32 + 1];
        for _ in 1..inputs {
            let (size, negative) = (rest % (2 * largest) / 2, rest % 2 == 1);
            weights.push((size as i32 + 1) * if negative { -1 } else { 1 });
            rest /= 2 * largest;
        }
        weights
    })
}

/// f as a function of one weighted sum, if it is one.
fn ordered(table: &[bool], weights: &[i32]) -> Option<Sum> {
    let mut levels: BTreeMap<i32, bool> = BTreeMap::new();
    for (m, &up) in table.iter().enumerate() {
        let signed = weights.iter().enumerate().map(|(q, w)| if m >> q & 1 == 1 { *w } else { -w });
        if *levels.entry(signed.sum()).or_insert(up) != up {
            return None;
        }
    }
    let levels: Vec<(i32, bool)> = levels.into_iter().collect();
    let mut constant = if levels.first()?.1 { 1 } else { -1 };
    let mut terms = vec![];
    for pair in levels.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
        let coefficient = if pair[1].1 { 1 } else { -1 };
        // Each step adds 2 where the sum is beyond it: 1 + sign.
        constant += coefficient;
        terms.push(Threshold {
            weights: weights.iter().map(|w| f64::from(*w)).collect(),
            threshold: f64::from(pair[0].0 + pair[1].0) / 2.0,
            half_gap: f64::from(pair[1].0 - pair[0].0) / 2.0,
            coefficient: f64::from(coefficient),
        });
    }
    Some(Sum { constant, terms })
}

/// f by disjoint subcubes of the rarer value.
fn covered(table: &[bool], inputs: usize) -> Sum {
    let ups = table.iter().filter(|up| **up).count();
    let rarer = 2 * ups <= table.len();
    let sign = if rarer { 1 } else { -1 };
    let cubes = disjoint_cubes(table, inputs, rarer);
    let all = |cube: &Vec<f64>| Threshold {
        weights: cube.clone(),
        threshold: cube.iter().map(|w| w.abs()).sum::<f64>() - 1.0,
        half_gap: 1.0,
        coefficient: f64::from(sign),
    };
    Sum { constant: sign * (cubes.len() as i32 - 1), terms: cubes.iter().map(all).collect() }
}

/// The fewest subcubes by which a decision tree covers a value, each as what it asks of the inputs: +1, -1, or 0 for nothing.
fn disjoint_cubes(table: &[bool], inputs: usize, value: bool) -> Vec<Vec<f64>> {
    // A subcube is a number in base 3: digit 2 leaves an input free. Fixing one makes the number smaller.
    let power = |q: usize| 3usize.pow(q as u32);
    let digit = |cube: usize, q: usize| cube / power(q) % 3;
    let free = |cube: usize| (0..inputs).filter(move |&q| digit(cube, q) == 2);
    let halves = |cube: usize, q: usize| [cube - power(q), cube - 2 * power(q)];
    // How many leaves of the value, and whether all of the subcube has it.
    let mut best: Vec<(usize, bool, usize)> = Vec::with_capacity(power(inputs));
    for cube in 0..power(inputs) {
        let found = match free(cube).next() {
            None => {
                let index = (0..inputs).fold(0, |m, q| m | digit(cube, q) << q);
                let has = table[index] == value;
                (usize::from(has), has, 0)
            }
            Some(first) => {
                let whole = halves(cube, first).iter().all(|&half| best[half].1);
                let cost = |q: usize| halves(cube, q).iter().map(|&half| best[half].0).sum::<usize>();
                let split = free(cube).min_by_key(|&q| cost(q)).unwrap_or(first);
                (if whole { 1 } else { cost(split) }, whole, split)
            }
        };
        best.push(found);
    }
    let (mut cubes, mut open) = (vec![], vec![power(inputs) - 1]);
    while let Some(cube) = open.pop() {
        let (leaves, whole, split) = best[cube];
        if whole {
            cubes.push((0..inputs).map(|q| [-1.0, 1.0, 0.0][digit(cube, q)]).collect());
        } else if leaves > 0 {
            open.extend(halves(cube, split));
        }
    }
    cubes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Slot;

    fn gate(inputs: usize, value: impl Fn(usize) -> bool) -> Gate {
        let slots: Vec<Slot> = (0..inputs).map(|component| Slot { lag: 1, component }).collect();
        let table: Vec<bool> = (0..1 << inputs).map(value).collect();
        Gate::new(&slots, &table).unwrap()
    }

    /// Asserts that the sum is the gate at every combination of inputs, and comes no nearer to a threshold than it says.
    fn assert_exact(gate: &Gate, sum: &Sum) {
        for (m, &up) in gate.table().iter().enumerate() {
            let value = sum.terms.iter().map(|term| {
                let inputs = term.weights.iter().enumerate();
                let level: f64 = inputs.map(|(q, w)| if m >> q & 1 == 1 { *w } else { -w }).sum();
                assert!((level - term.threshold).abs() >= term.half_gap - 1e-9);
                term.coefficient * (level - term.threshold).signum()
            });
            assert_eq!(value.sum::<f64>() + f64::from(sum.constant), if up { 1.0 } else { -1.0 }, "{gate} at {m}");
        }
        assert_eq!(sum.units() % 2, 1, "{gate}");
    }

    #[test]
    fn every_function_of_up_to_four_inputs_is_an_exact_sum() {
        for inputs in 0..=4usize {
            let tables = 1usize << (1 << inputs);
            for number in (0..tables).step_by(if inputs == 4 { 17 } else { 1 }) {
                let gate = gate(inputs, |m| number >> m & 1 == 1);
                assert_exact(&gate, &Sum::of(&gate));
            }
        }
    }

    #[test]
    fn what_one_threshold_computes_takes_one_unit_and_xor_of_k_takes_k() {
        let bits = |m: usize| m.count_ones();
        for (gate, units) in [
            (gate(3, |m| m == 7), 1),
            (gate(3, |m| m != 0), 1),
            (gate(3, |m| bits(m) >= 2), 1),
            (gate(5, |m| bits(m) >= 3), 1),
            (gate(2, |m| bits(m) == 1), 2),
            (gate(7, |m| bits(m) % 2 == 1), 7),
            (gate(10, |m| bits(m) % 2 == 1), 10),
        ] {
            let sum = Sum::of(&gate);
            assert_exact(&gate, &sum);
            assert_eq!(sum.terms.len(), units, "{gate}");
        }
    }

    #[test]
    fn functions_of_many_inputs_are_covered_by_disjoint_subcubes() {
        // Bits of a multiplicative hash: no structure that a weighted sum could follow.
        for inputs in 5..=10 {
            let gate = gate(inputs, |m| (m + 3).wrapping_mul(0x9E37_79B9) >> 13 & 1 == 1);
            assert_exact(&gate, &Sum::of(&gate));
        }
    }
}
