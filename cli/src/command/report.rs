//! `ketbra report`: the page of a network, made again.

use crate::failure::Failure;
use crate::made::print_made;
use crate::progress::Share;
use crate::subject::{Known, beside, interpret_watched, write_page};
use crate::terminal::{complain, print};
use ketbra::interpret::InterpretParams;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Make the page of a network: one HTML file to open, try and mail
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra report runs/t2 --open
  ketbra report net.safetensors --task T3 --out t3.html
  ketbra report model.pt --blind --s 8

The page needs no network access: it holds the weights, runs them in the browser, and lets you edit them.")]
pub struct ReportCommand {
    /// A run folder or a file: .safetensors, .npz, .pt, .pth, .ckpt
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    known: Known,
    /// Where the page goes [default: report.html in a run folder, NAME.report.html beside a file]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
    /// Print JSON: the files written, and what the network comes to
    #[arg(long)]
    json: bool,
}

impl ReportCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let file = self.known.open(&self.path)?;
        let question = self.known.question(&file)?;
        let found = interpret_watched(&file, &question, &InterpretParams::default(), Some(&Share::new()))?;
        let to = self.out.clone().unwrap_or_else(|| beside(&self.path, "report.html"));
        let page = write_page(&to, &self.path, &file, &found)?;
        if self.json {
            print_made(Some(&self.path), &found, &[page]).map_err(Failure::could_not)?;
        } else {
            print(&format!("{}\n", to.display()));
        }
        if self.open {
            open(&to);
        }
        Ok(())
    }
}

/// Opens a file in the browser; without one, the path is all a person needs.
pub fn open(path: &Path) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(opener).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        complain(&format!("no browser to open {} in; open the file yourself", path.display()));
    }
}
