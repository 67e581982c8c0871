//! Which network a command is about, and what is known of it.

use crate::arguments::TaskSize;
use crate::failure::Failure;
use ketbra::files::write_whole;
use ketbra::interpret::{Interpretation, Question};
use ketbra::network::NetworkFile;
use ketbra::report::{Provenance, Training, page};
use ketbra::task::Task;
use std::path::{Path, PathBuf};

/// Rows of a training curve that a page shows.
const MOST_ROWS: usize = 2000;

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
        let (s, d) = (self.size.s, self.size.d);
        if self.blind {
            // Of what the file says about its task only the number of input steps is used.
            let beside = || file.metadata.get("s")?.parse().ok();
            let inside = || file.task(None, None).ok()?.map(|task| task.s());
            return match s.or_else(beside).or_else(inside) {
                Some(s) => Ok(Question::Blind { s }),
                None => Err(Failure::bad_input("--blind needs to know the number of input steps; pass --s N")),
            };
        }
        let task = match &self.task {
            Some(name) => Some(Task::parse(name, s, d.or(Some(file.network.inputs())))?),
            None => file.task(s, d)?,
        };
        task.map(Question::Task).ok_or_else(|| {
            Failure::bad_input(
                "the file does not say which task the network was trained on; pass --task T, or --blind --s N",
            )
        })
    }
}

/// Where things made from a network go: inside a run folder, beside a file.
pub fn beside(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.with_extension("").with_added_extension(name) }
}

/// Where a network comes from, for its page.
pub fn provenance(path: &Path, file: &NetworkFile) -> Provenance {
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let title = if path.is_dir() { whole.file_name() } else { whole.file_stem() };
    let metrics = std::fs::read_to_string(path.join("metrics.csv")).ok().filter(|_| path.is_dir());
    let mut made = vec![("network".to_string(), whole.file_name().unwrap_or_default().to_string_lossy().into_owned())];
    let short = file.metadata.iter().filter(|(_, value)| !value.contains('\n'));
    made.extend(short.map(|(name, value)| (format!("file: {name}"), value.clone())));
    Provenance {
        title: title.unwrap_or_default().to_string_lossy().into_owned(),
        made,
        training: metrics.and_then(|text| Training::from_csv(&text, MOST_ROWS)),
    }
}

/// Writes the page of a network.
pub fn write_page(to: &Path, path: &Path, file: &NetworkFile, found: &Interpretation) -> Result<(), Failure> {
    let html = page(&file.network, found, &provenance(path, file)).map_err(Failure::could_not)?;
    write(to, html.as_bytes())
}

/// Writes a file, and the folder it goes into.
pub fn write(to: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::could_not(format!("cannot write {}: {error}", to.display()));
    to.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    write_whole(to, bytes).map_err(failed)
}
