//! A network for a task, made and not trained.

use crate::answer::{Answer, Problem, file};
use crate::request::CompileRequest;
use ketbra::compile::compile as make;
use ketbra::network::NetworkFile;
use ketbra::task::Task;

pub fn compile(asked: &CompileRequest) -> Result<Answer, Problem> {
    let task = Task::parse(&asked.task, asked.s, asked.d)?.of_size(asked.s, asked.d)?;
    let made = make(task.window()?, &asked.params)?;
    let files =
        vec![file(NetworkFile::FILE_NAME, made.file().to_safetensors()?), file("truth.json", made.truth().to_string())];
    Ok(Answer { json: serde_json::to_value(made.summary())?, files })
}
