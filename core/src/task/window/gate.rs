//! Outputs that are any function of a few past components of +-1: truth tables.

use super::{Source, TaskError};
use serde::{Deserialize, Serialize};

/// The most inputs of one output of a truth table: 1024 entries.
pub const MAX_GATE_INPUTS: usize = 10;

/// One past component: how many steps back, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// How many steps back, from 1 (the newest value) to s.
    pub lag: usize,
    /// Which component, from 0.
    pub component: usize,
}

impl Slot {
    /// Its place in a window: variables from the oldest, components within.
    pub fn index(self, s: usize, d: usize) -> usize {
        (s - self.lag) * d + self.component
    }

    /// The slot at a place in a window.
    pub fn at(index: usize, s: usize, d: usize) -> Self {
        Self { lag: s - index / d, component: index % d }
    }
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "u{}[t-{}]", self.component + 1, self.lag)
    }
}

/// A truth table on past components, in a form of its own: no two gates that compute the same are different.
///
/// Every input matters and stands once, the oldest first. Entry m of the table is the output when input q is +1 exactly
/// where bit q of m is set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    inputs: Vec<Slot>,
    table: Vec<bool>,
}

impl Gate {
    /// The gate with a given table; inputs that do not matter are left out, inputs that stand twice are joined.
    pub fn new(inputs: &[Slot], table: &[bool]) -> Result<Self, TaskError> {
        if inputs.len() > MAX_GATE_INPUTS {
            return Err(TaskError::TooManyInputs { found: inputs.len(), limit: MAX_GATE_INPUTS });
        }
        if table.len() != 1 << inputs.len() {
            return Err(TaskError::TableSize { found: table.len(), inputs: inputs.len() });
        }
        Ok(Self::of(inputs, |m| table[m]))
    }

    /// The gate whose output is `value(m)`, m as in a table of these inputs.
    pub(super) fn of(inputs: &[Slot], value: impl Fn(usize) -> bool) -> Self {
        let mut order: Vec<Slot> = inputs.to_vec();
        order.sort_by_key(|slot| (std::cmp::Reverse(slot.lag), slot.component));
        order.dedup();
        let place: Vec<usize> =
            inputs.iter().map(|slot| order.iter().position(|other| other == slot).unwrap_or(0)).collect();
        // Bit q of the old index is what its slot has in the new one.
        let old = |m: usize| place.iter().enumerate().fold(0, |index, (q, &at)| index | (m >> at & 1) << q);
        let table: Vec<bool> = (0..1 << order.len()).map(|m| value(old(m))).collect();
        let matters = |q: usize| (0..table.len()).any(|m| table[m] != table[m ^ 1 << q]);
        let kept: Vec<usize> = (0..order.len()).filter(|&q| matters(q)).collect();
        let spread = |m: usize| kept.iter().enumerate().fold(0, |index, (q, &at)| index | (m >> q & 1) << at);
        Self {
            table: (0..1 << kept.len()).map(|m| table[spread(m)]).collect(),
            inputs: kept.iter().map(|&q| order[q]).collect(),
        }
    }

    /// A copy of one component, perhaps negated.
    pub fn copy(source: &Source) -> Self {
        Self { inputs: vec![source.slot()], table: vec![source.negated, !source.negated] }
    }

    /// What it reads, the oldest first.
    pub fn inputs(&self) -> &[Slot] {
        &self.inputs
    }

    /// Whether the output is +1, by the inputs' bits.
    pub fn table(&self) -> &[bool] {
        &self.table
    }

    /// The output for given inputs: +1 where they are positive.
    pub fn value(&self, input: impl Fn(Slot) -> f64) -> f64 {
        let index = self.inputs.iter().enumerate().fold(0, |m, (q, slot)| m | usize::from(input(*slot) > 0.0) << q);
        if self.table[index] { 1.0 } else { -1.0 }
    }

    /// The table over other inputs, first input lowest; nothing where one that matters is not among them.
    pub(super) fn table_over(&self, order: &[Slot]) -> Option<Vec<bool>> {
        let place = |slot: &Slot| order.iter().position(|other| other == slot);
        let places = self.inputs.iter().map(place).collect::<Option<Vec<usize>>>()?;
        let index = |m: usize| places.iter().enumerate().fold(0, |index, (q, &at)| index | (m >> at & 1) << q);
        Some((0..1 << order.len()).map(|m| self.table[index(m)]).collect())
    }

    /// The component that it copies, if it does no more.
    pub fn as_source(&self) -> Option<Source> {
        match self.inputs[..] {
            [slot] => Some(Source::of(slot, self.table[0])),
            _ => None,
        }
    }

    /// The table as a sum of products of inputs (Walsh expansion): which inputs are multiplied (bits), with what coefficient.
    pub fn products(&self) -> Vec<(usize, f64)> {
        let mut sums: Vec<f64> = self.table.iter().map(|&up| if up { 1.0 } else { -1.0 }).collect();
        for q in 0..self.inputs.len() {
            for m in (0..sums.len()).filter(|m| m >> q & 1 == 0) {
                let (low, high) = (sums[m], sums[m | 1 << q]);
                (sums[m], sums[m | 1 << q]) = (high + low, high - low);
            }
        }
        let size = sums.len() as f64;
        sums.iter().enumerate().filter(|(_, sum)| **sum != 0.0).map(|(m, sum)| (m, sum / size)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(lag: usize, component: usize) -> Slot {
        Slot { lag, component }
    }

    #[test]
    fn inputs_that_do_not_matter_or_stand_twice_are_gone_and_the_oldest_comes_first() {
        let (a, b, c) = (slot(1, 0), slot(3, 1), slot(2, 0));
        // a and b, whatever c is; c stands twice.
        let gate = Gate::of(&[a, c, b, c], |m| m & 1 == 1 && m >> 2 & 1 == 1);
        assert_eq!((gate.inputs(), gate.table()), (&[b, a][..], &[false, false, false, true][..]));
        assert_eq!(gate, Gate::new(&[b, a], &[false, false, false, true]).unwrap());
        // b copies, asymmetric on purpose.
        let gate = Gate::of(&[a, b], |m| m >> 1 & 1 == 0);
        assert_eq!(gate.as_source(), Some(Source { lag: 3, component: 1, negated: true }));
        assert!(Gate::of(&[a], |_| true).inputs().is_empty());
    }

    #[test]
    fn products_add_up_to_the_table() {
        for table in 0..256usize {
            let inputs = [slot(1, 0), slot(1, 1), slot(1, 2)];
            let gate = Gate::of(&inputs, |m| table >> m & 1 == 1);
            for m in 0..gate.table().len() {
                let sign = |bits: usize| if (bits & !m).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                let sum: f64 = gate.products().iter().map(|&(bits, c)| c * sign(bits)).sum();
                assert_eq!(sum > 0.0, gate.table()[m]);
                assert_eq!(sum.abs(), 1.0);
            }
        }
    }

    #[test]
    fn tables_of_the_wrong_size_are_refused() {
        assert!(Gate::new(&[slot(1, 0)], &[true]).is_err());
        let many: Vec<Slot> = (0..11).map(|component| slot(1, component)).collect();
        assert!(Gate::new(&many, &[true; 2048]).unwrap_err().to_string().contains("at most 10"));
    }
}
