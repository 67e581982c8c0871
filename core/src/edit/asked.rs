//! From the options of an edit to a change, and to the task that is changed.

use super::{Change, EditError, EditParams};
use crate::interpret::{InterpretParams, Question, observe_and_read};
use crate::network::{Network, NetworkFile};
use crate::observe::{ObserveParams, Watch};
use crate::task::{Gate, TaskError, Window};
use std::ffi::OsStr;

impl Change {
    /// Another task of the same size, as typed: a name, an id, formulas or a path.
    pub fn to(task: impl AsRef<OsStr>, from: &Window) -> Result<Self, TaskError> {
        Ok(Self::To(Window::parse(task, Some(from.s()), Some(from.d()))?))
    }

    /// One output by its formula, such as `u1 = -u3[t-2]`.
    pub fn set(formula: &str) -> Result<Self, TaskError> {
        let (output, gate) = Gate::parse(formula)?;
        Ok(match gate.as_source() {
            Some(source) => Self::Entry { output, source },
            None => Self::Gate { output, gate },
        })
    }
}

/// What a network computes before it is edited: the task that is named, or that its file names; where only the number `s` of
/// input steps is known, it is read back from the network.
pub fn task_to_edit(
    file: &NetworkFile,
    task: Option<&OsStr>,
    (s, d): (Option<usize>, Option<usize>),
    params: &EditParams,
) -> Result<Window, EditError> {
    match (file.window_named(task, s, d)?, s) {
        (Some(task), _) => Ok(task),
        (None, Some(s)) => task_read_back(&file.network, s, params),
        (None, None) => Err(EditError::NoTask),
    }
}

/// What a network of `s` input steps computes, as it is read back from the network.
pub fn task_read_back(network: &Network, s: usize, params: &EditParams) -> Result<Window, EditError> {
    let observe = ObserveParams { seed: params.seed, ..ObserveParams::default() };
    let params = InterpretParams { observe, ..InterpretParams::default() };
    let (_, reading) = observe_and_read(network, &Question::Blind { s }, &params, &Watch::nobody())?;
    reading.task(s, network.outputs()).ok_or(EditError::NotReadBack)
}
