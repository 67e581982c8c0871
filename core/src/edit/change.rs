//! What is to change.

use super::EditError;
use crate::circuit::{CircuitError, operator, readable};
use crate::numeric::Matrix;
use crate::task::{Gate, Source, TaskError, Window};

/// A variable is kept with at most this strength: more would only saturate.
const LARGEST_STRENGTH: f64 = 100.0;

/// A change of what a network computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Another task altogether.
    To(Window),
    /// One output copies another past component.
    Entry {
        /// The output, from 1.
        output: usize,
        /// Where it comes from now.
        source: Source,
    },
    /// One output becomes a truth table of past components.
    Gate {
        /// The output, from 1.
        output: usize,
        /// What it computes now.
        gate: Gate,
    },
    /// One output changes its sign.
    Sign {
        /// The output, from 1.
        output: usize,
    },
    /// One variable is kept more or less strongly on its way through the window.
    Strength {
        /// The variable, from 1 (the oldest) to s.
        variable: usize,
        /// What its contents are multiplied by when they move in.
        strength: f64,
    },
}

/// What an edit aims at.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) task: Window,
    /// One step on the whole window, strengths included.
    pub(super) step: Matrix,
}

impl Change {
    /// What the network is to compute.
    pub(super) fn task(&self, from: &Window) -> Result<Window, EditError> {
        let (s, d) = (from.s(), from.d());
        Ok(match self {
            Self::To(task) if (task.s(), task.d()) != (s, d) => {
                return Err(EditError::Sizes { s, d, new_s: task.s(), new_d: task.d() });
            }
            Self::To(task) => task.clone(),
            Self::Entry { output, source } => {
                let row = within("output", *output, d)?;
                within("lag", source.lag, s)?;
                within("component", source.component + 1, d)?;
                let name = format!("{} with output {output} changed", from.name());
                match from.gates() {
                    Some(mut gates) => {
                        gates[row] = Gate::copy(source);
                        Window::table(name, s, d, gates)?
                    }
                    None => {
                        let mut matrix = linear(from)?;
                        (0..s * d).for_each(|column| matrix[(row, column)] = 0.0);
                        matrix[(row, from.window_index(source))] = source.sign();
                        Window::from_matrix(name, s, d, matrix)?
                    }
                }
            }
            Self::Gate { output, gate } => {
                let row = within("output", *output, d)?;
                let mut gates = from.gates().ok_or(TaskError::OutputCount { found: 0, d })?;
                gates[row] = gate.clone();
                Window::table(format!("{} with output {output} changed", from.name()), s, d, gates)?
            }
            Self::Sign { output } => {
                let row = within("output", *output, d)?;
                let name = format!("{} with output {output} negated", from.name());
                match from.gates() {
                    Some(mut gates) => {
                        let table: Vec<bool> = gates[row].table().iter().map(|up| !up).collect();
                        gates[row] = Gate::new(gates[row].inputs(), &table)?;
                        Window::table(name, s, d, gates)?
                    }
                    None => {
                        let mut matrix = linear(from)?;
                        (0..s * d).for_each(|column| matrix[(row, column)] = -matrix[(row, column)]);
                        Window::from_matrix(name, s, d, matrix)?
                    }
                }
            }
            Self::Strength { variable, strength } => {
                from.clone().renamed(format!("{} with variable {variable} kept at {strength}", from.name()))
            }
        })
    }

    /// What the network is to compute, and one step of it on the window.
    pub(super) fn apply(&self, from: &Window) -> Result<Target, EditError> {
        let (s, d, task) = (from.s(), from.d(), self.task(from)?);
        let mut step = operator(&task)?;
        if let Self::Strength { variable, strength } = self {
            let first = within("variable", *variable, s)? * d;
            if !(*strength > 0.0 && *strength <= LARGEST_STRENGTH) {
                return Err(EditError::Strength { value: *strength, limit: LARGEST_STRENGTH });
            }
            for row in first..first + d {
                (0..s * d).for_each(|column| step[(row, column)] *= strength);
            }
        }
        Ok(Target { task, step })
    }
}

fn within(what: &'static str, value: usize, limit: usize) -> Result<usize, EditError> {
    match value {
        value if (1..=limit).contains(&value) => Ok(value - 1),
        value => Err(EditError::OutOfRange { what, value, limit }),
    }
}

fn linear(task: &Window) -> Result<Matrix, CircuitError> {
    task.linear().ok_or_else(|| CircuitError::NotLinear { name: task.name().into() })
}

impl Target {
    /// The window components that the new circuit needs, rising: the newest of each component, and back to the largest
    /// lag that f reads.
    pub(super) fn slots(&self) -> Vec<usize> {
        readable(&self.task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t3() -> Window {
        Window::named("T3", None, None).unwrap()
    }

    #[test]
    fn the_slots_of_compose_copy_are_its_core() {
        let task = Window::named("T2", None, None).unwrap();
        let target = Change::To(task.clone()).apply(&task).unwrap();
        let core = crate::circuit::Core::of(&task).unwrap();
        assert_eq!(Some(target.slots()), core.components);
    }

    #[test]
    fn a_sign_changed_twice_is_the_old_task() {
        let once = Change::Sign { output: 4 }.apply(&t3()).unwrap().task;
        assert!(!once.same_function(&t3()));
        assert!(Change::Sign { output: 4 }.apply(&once).unwrap().task.same_function(&t3()));
    }

    #[test]
    fn an_entry_replaces_what_its_output_copied() {
        let source = Source { lag: 2, component: 6, negated: true };
        let task = Change::Entry { output: 1, source }.apply(&t3()).unwrap().task;
        assert_eq!(task.sources().unwrap()[0], source);
        assert_eq!(task.sources().unwrap()[1..], t3().sources().unwrap()[1..]);
    }

    #[test]
    fn changes_that_name_what_is_not_there_are_refused() {
        for change in [
            Change::Sign { output: 9 },
            Change::Sign { output: 0 },
            Change::Strength { variable: 9, strength: 1.0 },
            Change::Strength { variable: 1, strength: -1.0 },
            Change::Strength { variable: 1, strength: f64::NAN },
            Change::Entry { output: 1, source: Source { lag: 9, component: 0, negated: false } },
            Change::To(Window::named("repeat-copy", Some(4), Some(8)).unwrap()),
        ] {
            assert!(change.apply(&t3()).is_err(), "{change:?}");
        }
    }
}
