//! What a network was driven with: every statement about it is about this.

use crate::observe::{Observations, as_windows};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Inputs that a network was shown, and the silence after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stimulus {
    /// Steps of input.
    pub input_steps: usize,
    /// Inputs at each of these.
    pub inputs: usize,
    /// Steps of zero input after them, at most.
    pub silent_steps: usize,
    /// Different inputs that outputs were followed after, to the last of these steps.
    pub different: usize,
    /// Whether there are no others.
    pub all: bool,
    /// Whether somebody else drove the network and recorded it.
    pub recorded: bool,
}

impl Stimulus {
    pub(super) fn of(observed: &Observations) -> Self {
        let long = &observed.long;
        let windows = as_windows(&long.inputs, (observed.s, observed.d));
        let signs = |e: usize| windows.col_as_slice(e).iter().map(|&u| u > 0.0).collect::<Vec<bool>>();
        Self {
            input_steps: observed.s,
            inputs: observed.d,
            silent_steps: long.outputs.len(),
            different: (0..long.episodes).map(signs).collect::<BTreeSet<_>>().len(),
            all: observed.every_window,
            recorded: observed.flips.is_none(),
        }
    }
}

impl std::fmt::Display for Stimulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = |count: usize| if count == 1 { "1 step".into() } else { format!("{count} steps") };
        let inputs = if self.inputs == 1 { "its input".into() } else { format!("its {} inputs", self.inputs) };
        let (shown, silent) = (steps(self.input_steps), steps(self.silent_steps));
        let recorded = if self.recorded { "recorded with " } else { "driven with " };
        write!(f, "{recorded}{shown} of +1 and -1 in {inputs}, then {silent} of zeros, ")?;
        match self.all {
            true => write!(f, "after each of the {} inputs that there are", self.different),
            false => write!(f, "after {} different inputs", self.different),
        }
    }
}
