//! A network that computes something else.

use crate::answer::{Answer, Problem, file};
use crate::frame::File;
use crate::request::{ChangeRequest, EditRequest};
use ketbra::edit::{Change, EditParams, edit as rewrite, task_to_edit};
use ketbra::interpret::{InterpretParams, Warning, limits};
use ketbra::network::NetworkFile;
use std::path::Path;

pub fn edit(asked: &EditRequest, files: &[File]) -> Result<Answer, Problem> {
    let [dropped] = files else { return Err("drop one network".into()) };
    let about = &asked.about;
    let network = NetworkFile::from_bytes(&dropped.bytes, Path::new(&dropped.name), about.activation)?;
    let params = EditParams::default();
    let from = task_to_edit(&network, about.task.as_deref().map(AsRef::as_ref), (about.s, about.d), &params)?;
    limits::check(from.s(), from.d(), network.network.state_size(), &InterpretParams::default())?;
    let change = match &asked.change {
        ChangeRequest::To(task) => Change::to(task, &from)?,
        ChangeRequest::Set(formula) => Change::set(formula)?,
        ChangeRequest::Negate(output) => Change::Sign { output: *output },
    };
    let edited = rewrite(&network.network, &from, &change, &params)?;
    let mut summary = edited.summary(&from, &params);
    if !network.unused.is_empty() {
        summary.warnings.push(Warning::UnusedTensors { names: network.unused }.to_string());
    }
    let files = vec![file(NetworkFile::FILE_NAME, edited.file().to_safetensors()?)];
    Ok(Answer { json: serde_json::to_value(summary)?, files })
}
