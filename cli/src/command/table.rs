//! `ketbra table`: what a sweep found, as the paper's Table 1 and in full.

use crate::failure::Failure;
use crate::subject::rows_of;
use crate::terminal::{print, print_exactly, print_json, room};
use clap::ValueEnum;
use ketbra::sweep::SweepFolder;
use ketbra::table::{TableParams, latex, markdown, table, text_within};
use std::path::PathBuf;

/// Sum up a sweep: the paper's Table 1, and more
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra table runs/table1
  ketbra table runs/table1 --format latex > table1.tex
  ketbra table runs/table1 --json

Each entry is the spectral error with the accuracy in brackets, '---' where no seed has as many eigenvalues as theory asks
for. The better threshold counts for each seed. JSON is a list of cells.")]
pub struct TableCommand {
    /// Folder of the sweep
    folder: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Print JSON, as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Latex,
    Json,
}

impl TableCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let rows = rows_of(&SweepFolder::open(&self.folder)?)?;
        let table = table(&rows, &TableParams::default());
        match self.format {
            _ if self.json => print_json(&table.groups),
            Format::Json => print_json(&table.groups),
            Format::Text => print(&text_within(&table, room())),
            Format::Markdown => print_exactly(&markdown(&table)),
            Format::Latex => print_exactly(&latex(&table)),
        }
        Ok(())
    }
}
