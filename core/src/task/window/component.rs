//! Places in the window, as people count them.

use serde::{Deserialize, Serialize};

/// One component of one variable, both counted from 1; variable 1 is the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Component {
    /// The variable, from 1 to s.
    pub variable: usize,
    /// Its component, from 1 to d.
    pub component: usize,
}

impl Component {
    /// The component of window index `slot`.
    pub fn at(slot: usize, d: usize) -> Self {
        Self { variable: slot / d + 1, component: slot % d + 1 }
    }
}
