//! Which network a command is about, and what is known of it.

use crate::arguments::TaskSize;
use crate::failure::Failure;
use ketbra::files::write_whole;
use ketbra::interpret::{self, Interpretation, Question};
use ketbra::network::NetworkFile;
use ketbra::report::{Provenance, page};
use std::path::{Path, PathBuf};

/// What is known of a network before it is interpreted.
#[derive(clap::Args)]
pub struct Known {
    /// The task: T1-T4, repeat-copy, compose-copy, an id such as 255,0,0, or a .toml file
    #[arg(long, conflicts_with = "blind")]
    pub task: Option<String>,
    /// Use no task: read the function back from the network alone
    #[arg(long)]
    pub blind: bool,
    #[command(flatten)]
    pub size: TaskSize,
}

impl Known {
    /// The question to put to a network.
    pub fn question(&self, file: &NetworkFile) -> Result<Question, Failure> {
        let Self { task, blind, size } = self;
        let known = interpret::Known { task: task.clone(), blind: *blind, s: size.s, d: size.d };
        known.question(file).map_err(Failure::bad_input)
    }
}

/// Where things made from a network go: inside a run folder, beside a file.
pub fn beside(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.with_extension("").with_added_extension(name) }
}

/// Writes the page of a network.
pub fn write_page(to: &Path, path: &Path, file: &NetworkFile, found: &Interpretation) -> Result<(), Failure> {
    let html = page(&file.network, found, &Provenance::of(path, file)).map_err(Failure::could_not)?;
    write(to, html.as_bytes())
}

/// Writes a file, and the folder it goes into.
pub fn write(to: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::could_not(format!("cannot write {}: {error}", to.display()));
    to.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    write_whole(to, bytes).map_err(failed)
}
