//! From what a person knows of a network to the question that is put to it.

use super::{InterpretError, InterpretParams, Interpretation, Question, Reason, Verdict, Warning, interpret};
use crate::network::NetworkFile;
use crate::observe::OnProgress;
use std::ffi::OsString;

/// What is known of a network before it is interpreted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The task, as typed, perhaps a path; nothing for the one that the file names.
    pub task: Option<OsString>,
    /// Whether to use no task at all.
    pub blind: bool,
    /// Variables, which is input steps.
    pub s: Option<usize>,
    /// Components of a variable.
    pub d: Option<usize>,
}

impl Known {
    /// The question to put to a network.
    pub fn question(&self, file: &NetworkFile) -> Result<Question, InterpretError> {
        let (s, d) = (self.s, self.d);
        if self.blind {
            if self.task.is_some() {
                return Err(InterpretError::TaskAndBlind);
            }
            // Of what the file says about its task only the number of input steps is used.
            let beside = || file.metadata.get("s")?.parse().ok();
            let inside = || file.window().ok()?.map(|task| task.s());
            let s = s.or_else(beside).or_else(inside);
            if let Some(d) = d.filter(|d| *d != file.network.outputs()) {
                return Err(InterpretError::BlindSize { d, outputs: file.network.outputs() });
            }
            return s.map(|s| Question::Blind { s }).ok_or(InterpretError::NoInputSteps);
        }
        let task = file.window_named(self.task.as_deref(), s, d)?;
        task.map(Question::Task).ok_or(InterpretError::NoTask)
    }
}

/// Interprets the network of a file. Beside what [`interpret`](super::interpret()) says, it warns of what the file leaves open.
pub fn interpret_file(
    file: &NetworkFile,
    question: &Question,
    params: &InterpretParams,
    look: OnProgress<'_>,
) -> Result<Interpretation, InterpretError> {
    let mut found = interpret(&file.network, question, params, look)?;
    if !file.unused.is_empty() {
        found.warnings.push(Warning::UnusedTensors { names: file.unused.clone() }.into());
        // What was left out may be what is missing.
        if matches!(found.verdict, Verdict::Partial | Verdict::NotLearned | Verdict::Silent | Verdict::OtherKind) {
            found.verdict = Verdict::Unclear;
            found.reasons.insert(0, Reason::NotSimulated { tensors: file.unused.len() });
            found.warnings.retain(|note| !matches!(note.warning, Warning::NotLearned | Warning::InputsAtEveryStep));
        }
    }
    // Where the network is a circuit, its activation is no question.
    let activation = file.network.activation().filter(|_| !file.says_activation());
    if let Some(activation) = activation.filter(|_| !matches!(found.verdict, Verdict::Circuit | Verdict::Superposed)) {
        found.warnings.push(Warning::ActivationAssumed { activation }.into());
    }
    Ok(found)
}
