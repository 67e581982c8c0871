//! `ketbra compose`: two circuits in one network.

use super::interpret::summary::summary;
use crate::arguments::Settings;
use crate::failure::Failure;
use crate::progress::Count;
use crate::subject::{Known, interpret_watched};
use crate::terminal::{FAINT, answer, title};
use ketbra::compose::{Composed, How, feed, sum};
use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict};
use ketbra::network::NetworkFile;
use ketbra::path_text::path_text;
use ketbra::task::Window;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Put two circuits into one network, by their codes
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra compose runs/t2 runs/t3 --out both.safetensors
  ketbra compose runs/t2 runs/t3 --how feed --out fed.safetensors
  ketbra interpret both.safetensors --blind

--how sum puts them side by side: components of A, then components of B, no weight between them. The task is both tasks.

--how feed lets A drive B: after every step the newest variable that B holds is taken out and what A says is written there, so
that B computes its function g of what A says. The task has 2d components: u1 to ud as in A, and u(d+j) = g_j of the last s
values of u1 to ud. Both must be Elman networks of one layer, with the same s and d and functions that copy.

The network is written with its task, and what interpret says of it under that task is printed.")]
pub struct ComposeCommand {
    /// A run folder, a file or a saved interpretation
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// sum or feed
    #[arg(long, value_name = "HOW", default_value = "sum", value_parser = How::from_str)]
    how: How,
    /// The task of A [default: what the file says]
    #[arg(long, value_name = "TASK")]
    task_a: Option<OsString>,
    /// The task of B [default: what the file says]
    #[arg(long, value_name = "TASK")]
    task_b: Option<OsString>,
    /// The file to write, .safetensors
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// Print JSON: the file, the task and what interpret says
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    how: &'static str,
    task: &'a str,
    s: usize,
    d: usize,
    recurrence: Vec<String>,
    hidden: usize,
    verdict: Verdict,
    interpretation: &'a Interpretation,
}

impl ComposeCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let params = self.settings.on(InterpretParams::default())?;
        let (first, f, in_first) = part(&self.first, self.task_a.as_ref(), &params)?;
        let (second, g, in_second) = part(&self.second, self.task_b.as_ref(), &params)?;
        let read = |file: &NetworkFile, task: &Window| {
            interpret_watched(file, &Question::Task(task.clone()), &params, Some(&Count::of_stages()))
        };
        let parts = ((&first.network, &f), (&second.network, &g));
        let made = match self.how {
            How::Sum => sum(parts.0, parts.1),
            How::Feed => {
                let found = |saved: Option<Interpretation>, file, task| saved.map_or_else(|| read(file, task), Ok);
                feed(parts.0, parts.1, (&found(in_first, &first, &f)?, &found(in_second, &second, &g)?))
            }
        };
        let made = made?;
        let file = made.file();
        file.save(&self.out)?;
        let found = read(&file, &made.task)?;
        answer(self.json, &self.line(&made, &found), || self.words(&made, &found));
        Ok(())
    }

    fn line<'a>(&self, made: &'a Composed, found: &'a Interpretation) -> Line<'a> {
        Line {
            path: path_text(&self.out).into_owned(),
            how: self.how.name(),
            task: made.task.name(),
            s: made.task.s(),
            d: made.task.d(),
            recurrence: made.task.recurrence(),
            hidden: made.network.hidden(),
            verdict: found.verdict,
            interpretation: found,
        }
    }

    fn words(&self, made: &Composed, found: &Interpretation) -> String {
        let (s, d, hidden) = (made.task.s(), made.task.d(), made.network.hidden());
        let mut text = title(&format!("{}: {hidden} units, s={s} d={d}", made.task.name()));
        made.task.recurrence().iter().for_each(|line| text.push_str(&format!("  {FAINT}{line}{FAINT:#}\n")));
        text.push_str(&format!("  saved {}\n\n", self.out.display()));
        text + &summary(&self.out, found)
    }
}

/// A network and its task, with what was found in it where that is what the file holds.
fn part(
    path: &Path,
    task: Option<&OsString>,
    params: &InterpretParams,
) -> Result<(NetworkFile, Window, Option<Interpretation>), Failure> {
    let known = Known { task: task.cloned(), ..Known::default() };
    let (file, found) = match known.saved(path, params)? {
        Some((file, found)) => (file, Some(found)),
        None => (NetworkFile::open(path)?, None),
    };
    match found.as_ref().map_or_else(|| known.question(&file), |found| Ok(found.question()))? {
        Question::Task(task) => Ok((file, task, found)),
        Question::Blind { .. } => Err(Failure::bad_input("a task is needed")),
    }
}
