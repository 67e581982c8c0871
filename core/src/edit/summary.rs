//! What an edit did, as programs read it.

use super::{Changed, EditAccuracy, EditParams, Edited, Mode};
use crate::network::{CellKind, Metadata, NetworkFile};
use crate::task::Window;
use serde::Serialize;

/// A share, so that little is not rounded to nothing.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The document that `ketbra edit --json` prints and that Python reads.
#[derive(Clone, Debug, Serialize)]
pub struct EditSummary {
    /// How much of the weights changed: first, because an edit that replaces everything proves nothing.
    pub changed: Changed,
    /// The same in words: [`Edited::how`].
    pub how: String,
    /// What the network computed.
    pub from: String,
    /// What it computes now.
    pub to: String,
    /// The new function, a line for each output.
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
    /// Relative change of the input weights.
    pub input_change: f64,
    /// Relative change of the readout.
    pub readout_change: f64,
    /// Whether the network had biases and has none now.
    pub biases_dropped: bool,
    /// Accuracy before the edit on what the network was said to compute.
    pub computed_before: f64,
    /// What a person should know before using it.
    pub warnings: Vec<String>,
    /// How it was edited.
    pub params: EditParams,
}

impl Edited {
    /// What was done to a network that computed `from`.
    pub fn summary(&self, from: &Window, params: &EditParams) -> EditSummary {
        EditSummary {
            changed: self.changed.clone(),
            how: self.how(),
            from: from.name().to_string(),
            to: self.task.name().to_string(),
            recurrence: self.task.recurrence(),
            accuracy: self.accuracy,
            mode: self.mode,
            contents: self.contents,
            fresh_units: self.fresh_units,
            weight_change: self.weight_change,
            input_change: self.input_change,
            readout_change: self.readout_change,
            biases_dropped: self.biases_dropped,
            computed_before: self.computed_before,
            warnings: self.warnings(from, params),
            params: params.clone(),
        }
    }

    /// How much of the weights changed, in a line.
    pub fn how(&self) -> String {
        let Changed { share, differ, parameters, .. } = &self.changed;
        let verb = if self.mode.replaces() { "replaces the cell:" } else { "changes" };
        let cell = self.network.kind().unwrap_or(CellKind::Elman);
        format!(
            "{verb} {} of the weights (size of the difference over that of the old weights; {} of {parameters} parameters \
             differ); {}",
            percent(*share),
            percent(*differ),
            self.mode.in_words(cell)
        )
    }

    /// What a person should know before using it.
    pub fn warnings(&self, from: &Window, params: &EditParams) -> Vec<String> {
        let mut warnings = vec![];
        if self.computed_before < params.computes {
            let (name, accuracy) = (from.name(), self.computed_before);
            warnings
                .push(format!("the network did not compute {name} (accuracy {accuracy:.2}): is that the right task?"));
        }
        if self.biases_dropped {
            warnings.push("the biases are gone: the new circuit is written around zero".into());
        }
        warnings
    }

    /// The edited network as a file. What its file said about training described another network, and is left out.
    pub fn file(&self) -> NetworkFile {
        let metadata = Metadata::from([("task".into(), self.task.to_toml())]);
        NetworkFile::new(self.network.clone(), metadata)
    }
}
