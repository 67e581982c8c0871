//! What an edit did, as programs read it.

use super::{EditAccuracy, EditParams, Edited, Mode};
use crate::network::{Metadata, NetworkFile};
use crate::task::Task;
use serde::Serialize;

/// The document that `ketbra edit --json` prints and that Python reads.
#[derive(Clone, Debug, Serialize)]
pub struct EditSummary {
    /// What the network computed.
    pub from: String,
    /// What it computes now.
    pub to: String,
    /// The same, a line for each output.
    pub recurrence: Vec<String>,
    /// Accuracy on the new task.
    pub accuracy: EditAccuracy,
    /// How much of its own code was kept.
    pub mode: Mode,
    /// Contents that the new circuit needs.
    pub contents: usize,
    /// Contents that were given a unit of their own.
    pub fresh_units: usize,
    /// Relative change of the recurrent weights (Frobenius).
    pub weight_change: f64,
    /// How it was edited.
    pub params: EditParams,
}

impl Edited {
    /// What was done to a network that computed `from`.
    pub fn summary(&self, from: &Task, params: &EditParams) -> EditSummary {
        EditSummary {
            from: from.name().to_string(),
            to: self.task.name().to_string(),
            recurrence: self.task.recurrence(),
            accuracy: self.accuracy,
            mode: self.mode,
            contents: self.contents,
            fresh_units: self.fresh_units,
            weight_change: self.weight_change,
            params: params.clone(),
        }
    }

    /// The edited network as a file. What its file said about training described another network, and is left out.
    pub fn file(&self) -> NetworkFile {
        let metadata = Metadata::from([("task".into(), self.task.to_toml())]);
        NetworkFile { network: self.network.clone(), metadata }
    }
}
