//! Reads a network: `cargo run --release --example read_a_network -- FILE TASK`.

#![allow(clippy::print_stdout, reason = "an example that tells what it found")]

use ketbra::interpret::{InterpretParams, Question, Verdict, interpret_file};
use ketbra::network::NetworkFile;
use ketbra::report::{Provenance, page};
use ketbra::task::Window;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, task] = &arguments[..] else {
        return Err("say which file, and which task".into());
    };
    // .safetensors, .npz and PyTorch's files are parsed as data; a run folder will do as well.
    let path = Path::new(file);
    let opened = NetworkFile::open(path)?;
    let question = Question::Task(Window::named(task, None, None)?);
    let found = interpret_file(&opened, &question, &InterpretParams::default(), &|_| true)?;

    println!("{}: {}", found.verdict.name(), found.verdict.definition());
    for claim in &found.claims {
        println!("{} {}: {}", if claim.holds { "holds" } else { "fails" }, claim.statement, claim.figure());
    }
    // Doubts travel with the result.
    for warning in &found.warnings {
        println!("warning: {}", warning.message);
    }
    if found.verdict == Verdict::Circuit {
        std::fs::write("page.html", page(Some(&opened.network), &found, &Provenance::of(path, &opened, &|_, _| ()))?)?;
    }
    Ok(())
}
