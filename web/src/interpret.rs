//! From a dropped file to the interpretation and the page.

use crate::answer::{Answer, PAGE, Problem, file};
use crate::frame::File;
use crate::request::NetworkOptions;
use ketbra::interpret::{InterpretParams, Interpretation, interpret_file};
use ketbra::network::NetworkFile;
use ketbra::observe::OnProgress;
use ketbra::report::{Provenance, page};
use ketbra::setting::Adjustable;
use std::path::Path;

pub fn interpret(about: &NetworkOptions, files: &[File], look: OnProgress<'_>) -> Result<Answer, Problem> {
    let [dropped] = files else { return Err("drop one network".into()) };
    let (network, found) = interpreted(about, dropped, look)?;
    let told = Provenance::of(Path::new(&dropped.name), &network, &|_, _| ());
    let line = found.document(Some(Path::new(&dropped.name)))?;
    let files = vec![
        file(PAGE, page(Some(&network.network), &found, &told)?),
        file("interpretation.json", serde_json::to_string_pretty(&line)?),
        file(Interpretation::MATRICES_FILE, found.matrices()?),
    ];
    Ok(Answer { json: line, files })
}

/// Opens a dropped file and interprets it.
pub fn interpreted(
    about: &NetworkOptions,
    dropped: &File,
    look: OnProgress<'_>,
) -> Result<(NetworkFile, Interpretation), Problem> {
    let network = NetworkFile::from_bytes(&dropped.bytes, Path::new(&dropped.name), about.activation)?;
    let question = about.known().question(&network)?;
    let found = interpret_file(&network, &question, &InterpretParams::default().with_map(&about.settings)?, look)?;
    Ok((network, found))
}
