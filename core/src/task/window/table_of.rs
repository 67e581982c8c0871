//! A truth table as JSON, Python and people have it: everything counted from 1.

use super::{Gate, Slot, Source, Window};
use serde::{Deserialize, Serialize};

/// The truth table of one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableOf {
    /// The output component.
    pub output: usize,
    /// The past components that it reads, the oldest first.
    pub inputs: Vec<PastComponent>,
    /// +1 or -1: entry m is the output when input q is +1 exactly where bit q of m is set.
    pub table: Vec<i8>,
}

/// A past component, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PastComponent {
    /// How many steps back.
    pub lag: usize,
    /// Which component.
    pub component: usize,
}

impl From<Slot> for PastComponent {
    fn from(slot: Slot) -> Self {
        Self { lag: slot.lag, component: slot.component + 1 }
    }
}

impl TableOf {
    /// The table of an output (from 0).
    pub fn of(output: usize, gate: &Gate) -> Self {
        Self {
            output: output + 1,
            inputs: gate.inputs().iter().map(|&slot| slot.into()).collect(),
            table: gate.table().iter().map(|&up| if up { 1 } else { -1 }).collect(),
        }
    }

    /// The table of an output (from 0) that copies.
    pub fn of_copy(output: usize, source: &Source) -> Self {
        Self::of(output, &Gate::copy(source))
    }

    /// Every output of a task; nothing for a matrix of real numbers.
    pub fn all(task: &Window) -> Option<Vec<Self>> {
        Some(task.gates()?.iter().enumerate().map(|(output, gate)| Self::of(output, gate)).collect())
    }

    /// The gate; nothing where table and inputs do not fit each other.
    pub fn gate(&self) -> Option<Gate> {
        let slot = |past: &PastComponent| Slot { lag: past.lag, component: past.component.saturating_sub(1) };
        let inputs: Vec<Slot> = self.inputs.iter().map(slot).collect();
        let table: Vec<bool> = self.table.iter().map(|&entry| entry > 0).collect();
        Gate::new(&inputs, &table).ok()
    }

    /// The shortest formula: `u4 = xor(u1[t-2], u2[t-2])`.
    pub fn in_words(&self) -> String {
        let formula = self.gate().map_or_else(String::new, |gate| gate.to_string());
        format!("u{} = {formula}", self.output)
    }
}
