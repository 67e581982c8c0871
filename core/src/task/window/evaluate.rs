//! f, evaluated: the one place for training, truth and every comparison.

use super::{Function, Slot, Window};

impl Window {
    /// One step of f for a batch of windows: `past(slot, sample)` is what they hold, `write(output, sample, value)` takes
    /// the next values.
    pub fn step_with(
        &self,
        samples: usize,
        past: impl Fn(Slot, usize) -> f64,
        mut write: impl FnMut(usize, usize, f64),
    ) {
        match &self.function {
            Function::Selection(sources) => {
                for (output, source) in sources.iter().enumerate() {
                    let (slot, sign) = (source.slot(), source.sign());
                    (0..samples).for_each(|sample| write(output, sample, sign * past(slot, sample)));
                }
            }
            Function::Table(gates) => {
                for (output, gate) in gates.iter().enumerate() {
                    (0..samples).for_each(|sample| write(output, sample, gate.value(|slot| past(slot, sample))));
                }
            }
            Function::Dense(matrix) => {
                for output in 0..self.d {
                    let read = |k: usize| (Slot::at(k, self.s, self.d), matrix[(output, k)]);
                    let terms: Vec<(Slot, f64)> = (0..self.width()).map(read).filter(|term| term.1 != 0.0).collect();
                    for sample in 0..samples {
                        write(output, sample, terms.iter().map(|&(slot, weight)| weight * past(slot, sample)).sum());
                    }
                }
            }
        }
    }

    /// f of one window, variable 1 (the oldest) first.
    pub fn next(&self, window: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; self.d];
        self.step_with(1, |slot, _| window[slot.index(self.s, self.d)], |output, _, value| next[output] = value);
        next
    }
}
