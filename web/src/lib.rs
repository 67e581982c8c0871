//! ketbra in a browser tab.
//!
//! A worker hands over the bytes of a [`frame`] with a [`Request`] and gets a frame with the [`Answer`] back. Nothing here
//! knows of browsers: the functions that JavaScript calls are in `exports.rs`, which is built for WebAssembly alone.

pub mod answer;
mod compare;
mod compile;
mod edit;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod frame;
mod interpret;
pub mod request;

use answer::Answer;
use ketbra::observe::OnProgress;
use request::{Request, Verb};

/// Does what a request asks for. `look` is told how far it is.
pub fn answer(request: &Request, look: OnProgress<'_>) -> Answer {
    let done = match &request.verb {
        Verb::Interpret(asked) => interpret::interpret(asked, &request.files, look),
        Verb::Compile(asked) => compile::compile(asked),
        Verb::Edit(asked) => edit::edit(asked, &request.files),
        Verb::Compare(asked) => compare::compare(asked, &request.files, look),
    };
    done.unwrap_or_else(|problem| Answer::problem(&problem.to_string()))
}

/// As [`answer()`], on bytes: a frame in, a frame out.
pub fn answer_bytes(bytes: &[u8], look: OnProgress<'_>) -> Vec<u8> {
    let answered = match Request::read(bytes) {
        Ok(request) => answer(&request, look),
        Err(problem) => Answer::problem(&problem),
    };
    answered.write()
}
