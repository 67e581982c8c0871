//! What units a task needs, each once: the circuit, before units are repeated, mixed and given weights.

use super::pairs::{Levels, SuperposedPair};
use super::threshold::{Sum, Threshold};
use crate::circuit::readable;
use crate::task::{Gate, Slot, Window};
use serde::Serialize;

/// What a unit is there for. Contents, outputs and terms are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "role")]
pub enum Role {
    /// Holds an older content: at each step it takes over the content that is one step newer.
    Shift {
        /// The content.
        content: usize,
    },
    /// Holds the newest value of an output that copies an older content, perhaps negated.
    Copy {
        /// The output.
        output: usize,
        /// The content that the output becomes.
        content: usize,
    },
    /// One threshold unit of the function that an output computes.
    Gate {
        /// The output.
        output: usize,
        /// Which of its thresholds.
        term: usize,
    },
    /// On at every step unless an input overrides it: part of the constant of an output.
    Constant {
        /// The output.
        output: usize,
    },
    /// Holds two contents at once, `first + second / 2`, without saturating.
    Level {
        /// The pair.
        pair: usize,
    },
    /// One threshold on a pair: tells apart a content that leaves it.
    Separate {
        /// The content.
        content: usize,
        /// Which of its thresholds.
        term: usize,
    },
}

/// A unit that is to be made, perhaps several times.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) role: Role,
    /// Signals of the step before, with their weights; a constant reads none.
    pub(super) reads: Vec<(usize, f64)>,
    /// Where its sign changes, and how near the sum comes.
    pub(super) threshold: f64,
    pub(super) half_gap: f64,
    /// The input that overrides it, and with what sign.
    pub(super) input: Option<(usize, f64)>,
}

impl Unit {
    /// Whether it only moves one content: its neighbours' contents can be mixed into it.
    pub(super) fn moves(&self) -> bool {
        matches!(self.role, Role::Shift { .. } | Role::Copy { .. })
    }
}

/// The circuit of a task.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    /// What is kept: the newest value of every component and, of those that f reads, all back to the oldest read. In the
    /// order of the window, the oldest first.
    pub(super) contents: Vec<Slot>,
    /// What can be read from the units: which of them, with what coefficients.
    pub(super) signals: Vec<Vec<(usize, f64)>>,
    pub(super) units: Vec<Unit>,
    /// The signal in which each content is held.
    pub(super) holder: Vec<usize>,
    /// The signal of each output.
    pub(super) newest: Vec<usize>,
    pub(super) pairs: Vec<SuperposedPair>,
    /// How each output is computed; nothing where it is a copy.
    pub(super) sums: Vec<Option<Sum>>,
}

/// The contents that a task keeps, the oldest first.
pub(super) fn contents(task: &Window) -> Vec<Slot> {
    readable(task).into_iter().map(|index| Slot::at(index, task.s(), task.d())).collect()
}

impl Circuit {
    /// `levels` is what units make of a pair.
    pub(super) fn new(gates: &[Gate], contents: Vec<Slot>, pairs: Vec<SuperposedPair>, levels: Levels) -> Self {
        // A pair takes the place of its first content among the signals.
        let first = |content: usize| pairs.iter().find(|pair| pair.second == content).map(|pair| pair.first);
        let alone: Vec<usize> = (0..contents.len()).filter(|&content| first(content).is_none()).collect();
        let signal = |content: usize| alone.binary_search(&first(content).unwrap_or(content)).unwrap_or(0);
        let holder: Vec<usize> = (0..contents.len()).map(signal).collect();
        let mut circuit = Self {
            signals: vec![vec![]; alone.len()],
            units: vec![],
            newest: (0..gates.len()).map(|component| holder[place(&contents, Slot { lag: 1, component })]).collect(),
            contents,
            holder,
            pairs,
            sums: gates.iter().map(|gate| gate.as_source().is_none().then(|| Sum::of(gate))).collect(),
        };
        for content in 0..circuit.contents.len() {
            let Slot { lag, component } = circuit.contents[content];
            if lag == 1 {
                circuit.compute(component, content, &gates[component]);
            } else {
                circuit.shift(content, levels);
            }
        }
        circuit
    }

    pub(super) fn place(&self, slot: Slot) -> usize {
        place(&self.contents, slot)
    }

    /// Adds a unit that a signal is made of.
    fn add(&mut self, signal: usize, coefficient: f64, unit: Unit) {
        self.signals[signal].push((self.units.len(), coefficient));
        self.units.push(unit);
    }

    /// An older content: what the one after it was.
    fn shift(&mut self, content: usize, levels: Levels) {
        let Slot { lag, component } = self.contents[content];
        let before = self.place(Slot { lag: lag - 1, component });
        let (signal, read) = (self.holder[content], self.holder[before]);
        if let Some(pair) = self.pairs.iter().position(|pair| pair.first == content || pair.second == content) {
            let weight = if self.pairs[pair].first == content { 1.0 } else { 0.5 };
            // Whichever content comes first brings the unit.
            match self.signals[signal].first() {
                Some(&(unit, _)) => self.units[unit].reads.push((read, weight)),
                None => {
                    let role = Role::Level { pair };
                    let reads = vec![(read, weight)];
                    self.add(signal, 1.0, Unit { role, reads, threshold: 0.0, half_gap: 1.0, input: None });
                }
            }
            return;
        }
        let terms = match self.pairs.iter().find(|pair| pair.first == before || pair.second == before) {
            None => {
                let (role, reads) = (Role::Shift { content }, vec![(read, 1.0)]);
                self.add(signal, 1.0, Unit { role, reads, threshold: 0.0, half_gap: 1.0, input: None });
                return;
            }
            Some(pair) if pair.first == before => SuperposedPair::first_apart(),
            Some(_) => SuperposedPair::second_apart(),
        };
        for (term, Threshold { threshold, coefficient, .. }) in terms.into_iter().enumerate() {
            let (role, half_gap) = (Role::Separate { content, term }, levels.half_gap(threshold));
            self.add(signal, coefficient, Unit { role, reads: vec![(read, 1.0)], threshold, half_gap, input: None });
        }
    }

    /// A newest component: an input, or what f makes of the contents.
    fn compute(&mut self, output: usize, content: usize, gate: &Gate) {
        let signal = self.holder[content];
        if let Some(source) = gate.as_source() {
            let from = self.place(source.slot());
            let (role, reads) = (Role::Copy { output, content }, vec![(self.holder[from], source.sign())]);
            let input = Some((output, 1.0));
            self.add(signal, 1.0, Unit { role, reads, threshold: 0.0, half_gap: 1.0, input });
            return;
        }
        let Some(Sum { constant, terms }) = self.sums[output].clone() else { return };
        let read: Vec<usize> = gate.inputs().iter().map(|slot| self.holder[self.place(*slot)]).collect();
        let gates = terms.iter().enumerate().map(|(term, of)| {
            let reads = read.iter().copied().zip(of.weights.iter().copied()).filter(|(_, weight)| *weight != 0.0);
            let (role, reads) = (Role::Gate { output, term }, reads.collect());
            (of.coefficient, Unit { role, reads, threshold: of.threshold, half_gap: of.half_gap, input: None })
        });
        let on = (0..constant.abs()).map(|_| {
            let role = Role::Constant { output };
            // Below its sum, which is zero: on.
            (f64::from(constant.signum()), Unit { role, reads: vec![], threshold: -1.0, half_gap: 1.0, input: None })
        });
        let all: Vec<(f64, Unit)> = gates.chain(on).collect();
        let count = all.len();
        for (k, (coefficient, mut unit)) in all.into_iter().enumerate() {
            // Half of the units and one more say the input, the others its opposite: together they say it once.
            let says = if k <= count / 2 { 1.0 } else { -1.0 };
            unit.input = Some((output, coefficient * says));
            self.add(signal, coefficient, unit);
        }
    }
}

fn place(contents: &[Slot], slot: Slot) -> usize {
    contents.iter().position(|other| *other == slot).unwrap_or(0)
}
