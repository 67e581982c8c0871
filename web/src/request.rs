//! What the page asks for.

use crate::frame::{File, split};
use ketbra::compile::CompileParams;
use ketbra::interpret::Known;
use ketbra::network::Activation;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A verb, what is known, and the files it is about.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to do.
    pub verb: Verb,
    /// The files that it is about.
    pub files: Vec<File>,
}

/// What can be asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub enum Verb {
    /// Read the circuit of a network.
    Interpret(NetworkOptions),
    /// Make a network for a task.
    Compile(CompileRequest),
    /// Rewrite what a network computes.
    Edit(EditRequest),
    /// Are two networks the same circuit?
    Compare(NetworkOptions),
}

/// What a person knows of a network.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NetworkOptions {
    /// The task, as typed.
    pub task: Option<String>,
    /// Whether to use no task at all.
    pub blind: bool,
    /// Variables.
    pub s: Option<usize>,
    /// Components of a variable.
    pub d: Option<usize>,
    /// The activation, if it is known better than the file says.
    pub activation: Option<Activation>,
    /// Settings of interpretation, by name.
    pub settings: Map<String, Value>,
}

impl NetworkOptions {
    /// The same as the library takes it.
    pub fn known(&self) -> Known {
        Known { task: self.task.as_ref().map(Into::into), blind: self.blind, s: self.s, d: self.d }
    }
}

/// A network to be made.
#[derive(Clone, Debug, Deserialize)]
pub struct CompileRequest {
    /// The task, as typed.
    pub task: String,
    /// Variables.
    pub s: Option<usize>,
    /// Components of a variable.
    pub d: Option<usize>,
    /// How it is made; what is left out keeps its default.
    #[serde(flatten)]
    pub params: CompileParams,
}

/// A network to be rewritten.
#[derive(Clone, Debug, Deserialize)]
pub struct EditRequest {
    /// What is known of it.
    #[serde(flatten)]
    pub about: NetworkOptions,
    /// What is to change.
    pub change: ChangeRequest,
}

/// A change, as typed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeRequest {
    /// Another task.
    To(String),
    /// One output by its formula, such as `u1 = -u3[t-2]`.
    Set(String),
    /// One output changes its sign.
    Negate(usize),
}

/// The head of a frame: the verb, and the files that follow.
#[derive(Deserialize)]
struct Head {
    #[serde(flatten)]
    verb: Verb,
    #[serde(default)]
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    length: usize,
}

impl Request {
    /// From the bytes of a frame.
    pub fn read(frame: &[u8]) -> Result<Self, String> {
        let (json, mut rest) = split(frame).ok_or("the request ended before its end")?;
        let head: Head = serde_json::from_slice(json).map_err(|error| format!("cannot read the request: {error}"))?;
        let mut files = vec![];
        for Listed { name, length } in head.files {
            let (bytes, after) = rest.split_at_checked(length).ok_or("a file of the request ended before its end")?;
            files.push(File { name, bytes: bytes.to_vec() });
            rest = after;
        }
        Ok(Self { verb: head.verb, files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::join;

    #[test]
    fn a_request_lists_its_files_and_one_that_ends_early_is_refused() {
        let file = File { name: "a.pt".into(), bytes: b"abc".to_vec() };
        let json = br#"{"verb":"interpret","s":4,"blind":true,"files":[{"name":"a.pt","length":3}]}"#;
        let frame = join(json, std::slice::from_ref(&file));
        let request = Request::read(&frame).unwrap();
        assert_eq!(request.files, [file]);
        assert!(matches!(request.verb, Verb::Interpret(NetworkOptions { s: Some(4), blind: true, .. })));
        assert!(Request::read(&frame[..frame.len() - 1]).unwrap_err().contains("ended"));
        assert!(Request::read(&join(br#"{"verb":"fly"}"#, &[])).unwrap_err().contains("fly"));
    }
}
