//! `ketbra report`: the page of a network, of two, or of a sweep.

use crate::failure::Failure;
use crate::progress::Count;
use crate::subject::{Known, beside, name, provenance, rows_of, write, write_page};
use crate::terminal::{complain, print, print_json};
use crate::written::{Written, print_made};
use ketbra::path_text;
use ketbra::report::{Side, page_of_sweep, page_of_two};
use ketbra::sweep::{Row, SweepFolder};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Make the page of a network, of two, or of a sweep: one HTML file to open, try and mail
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra report runs/t2 --open
  ketbra report net.safetensors --task T3 --out t3.html
  ketbra report model.pt --blind --s 8
  ketbra report runs/t2 runs/t2-as-t3         # both on one clock, side by side
  ketbra report runs/grid                     # a sweep: its table and networks
  ketbra report runs/grid/NAME                # one of its networks

The page needs no network access: it holds the weights, runs them in the browser, and lets you edit them.")]
pub struct ReportCommand {
    /// A run folder or a file (.safetensors, .npz, .pt, .pth, .ckpt, a saved interpretation), two of them, or the folder of a sweep
    #[arg(value_name = "PATH", required = true, num_args = 1..=2)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    known: Known,
    /// Where the page goes [default: report.html in a run folder or sweep, NAME.report.html beside a file,
    /// A-and-B.report.html beside the first of two]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
    /// Print JSON: the files written, and what each network comes to
    #[arg(long)]
    json: bool,
}

impl ReportCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let to = match &self.paths[..] {
            [path] => match SweepFolder::open(path) {
                Ok(folder) => self.sweep(path, &folder)?,
                Err(_) => self.one(path)?,
            },
            [left, right, ..] => self.two(left, right)?,
            [] => return Err(Failure::bad_input("name a network or the folder of a sweep")),
        };
        if self.open {
            open(&to);
        }
        Ok(())
    }

    fn one(&self, path: &Path) -> Result<PathBuf, Failure> {
        let (file, found) = self.known.interpreted(path)?;
        let to = self.out.clone().unwrap_or_else(|| beside(path, "report.html"));
        let page = write_page(&to, path, &file, &found)?;
        if self.json {
            print_made(Some(path), &found, &[page])?;
        } else {
            tell(found.verdict.name(), &page);
        }
        Ok(to)
    }

    fn two(&self, left: &Path, right: &Path) -> Result<PathBuf, Failure> {
        let [a, b] = [self.known.interpreted(left)?, self.known.interpreted(right)?];
        let told = [provenance(left, &a.0), provenance(right, &b.0)];
        let sides = [
            Side { network: &a.0.network, found: &a.1, provenance: &told[0] },
            Side { network: &b.0.network, found: &b.1, provenance: &told[1] },
        ];
        let html = page_of_two(&sides[0], &sides[1], None)?;
        let both = format!("{}-and-{}.report.html", name(left), name(right));
        let to = self.out.clone().unwrap_or_else(|| left.with_file_name(both));
        let page = [write(&to, html.as_bytes())?];
        if self.json {
            print_made(Some(left), &a.1, &page)?;
            print_made(Some(right), &b.1, &page)?;
        } else {
            tell(&format!("{} and {}", a.1.verdict.name(), b.1.verdict.name()), &page[0]);
        }
        Ok(to)
    }

    fn sweep(&self, path: &Path, folder: &SweepFolder) -> Result<PathBuf, Failure> {
        let rows = rows_of(folder)?;
        let bar = Count::new(rows.len(), "networks");
        let html = page_of_sweep(folder, &|done, of| bar.set(done, of))?;
        bar.finish();
        let to = self.out.clone().unwrap_or_else(|| path.join("report.html"));
        let page = write(&to, html.as_bytes())?;
        let verdicts = verdicts(&rows);
        if self.json {
            let files = [page];
            print_json(&Swept { path, networks: rows.len(), verdicts, files: &files });
        } else {
            let counted: Vec<String> = verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            tell(&counted.join(", "), &page);
        }
        Ok(to)
    }
}

/// A sweep, for `--json`.
#[derive(Serialize)]
struct Swept<'a> {
    #[serde(serialize_with = "path_text::serialize")]
    path: &'a Path,
    networks: usize,
    /// How many networks came to what; `failed` for those without a verdict.
    verdicts: BTreeMap<String, usize>,
    files: &'a [Written],
}

fn verdicts(rows: &[Row]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.verdict.clone().unwrap_or_else(|| "failed".into())).or_default() += 1;
    }
    counts
}

/// What it comes to, where the page is and how large.
fn tell(verdict: &str, page: &Written) {
    let size = match page.bytes {
        bytes if bytes < 1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        bytes => format!("{:.1} MB", bytes as f64 / 1e6),
    };
    print(&format!("{verdict}  {}  {size}\n", page.path.display()));
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
