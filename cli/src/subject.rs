//! Which network a command is about, and what is known of it.

use crate::arguments::{Settings, with_taps};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Count;
use crate::terminal::{WARN, note};
use crate::written::Written;
use ketbra::files::{cannot, write_with_folders};
use ketbra::foreign_text::escaped;
use ketbra::interpret::{self, InterpretParams, Interpretation, Question};
use ketbra::network::{Activation, NetworkFile};
use ketbra::report::{Provenance, page};
use ketbra::run_folder::{RunFolder, RunStatus};
use ketbra::sweep::{Row, SweepFolder};
use ketbra::task::Window;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// What is known of a network before it is interpreted.
#[derive(clap::Args, Default)]
pub struct Known {
    /// The task: a name (see `ketbra task --list`), an id such as 255,0,0, formulas, or a .toml file
    #[arg(long, conflicts_with = "blind")]
    pub task: Option<OsString>,
    /// Use no task: read the function back from the network alone
    #[arg(long)]
    pub blind: bool,
    /// Variables: time steps of the input phase [default: what the file says, or 8]; --blind needs it where the file does not say it
    #[arg(long, value_name = "N")]
    pub s: Option<usize>,
    /// Components of each variable [default: what the file says, or the network's inputs]
    #[arg(long, value_name = "N")]
    pub d: Option<usize>,
    /// Lags that a shift register (--task lfsr) takes the xor of, such as 5,3
    #[arg(long, value_name = "LAGS", requires = "task")]
    pub taps: Option<String>,
    /// The network's activation: tanh, relu, identity or softplus [default: what the file says, or tanh]
    #[arg(long, value_name = "NAME", value_parser = Activation::from_str)]
    pub activation: Option<Activation>,
    #[command(flatten)]
    pub settings: Settings,
}

impl Known {
    /// Opens a network; says where its training has not ended.
    pub fn open(&self, path: &Path) -> Result<NetworkFile, Failure> {
        let file = NetworkFile::open_as(path, self.activation)?;
        note_training(path);
        Ok(file)
    }

    /// The same; it needs no readout.
    pub fn open_cell(&self, path: &Path) -> Result<NetworkFile, Failure> {
        let file = NetworkFile::open_cell(path, self.activation)?;
        note_training(path);
        Ok(file)
    }

    /// The question to put to a network.
    pub fn question(&self, file: &NetworkFile) -> Result<Question, Failure> {
        let taps = self.taps.as_deref();
        let task = self.task.as_deref().map(|name| with_taps(name, taps)).transpose()?;
        let known = interpret::Known { task, blind: self.blind, s: self.s, d: self.d };
        Ok(known.question(file)?)
    }

    /// The task with contexts that the network was trained on, where it has them.
    pub fn contexts(&self, file: &NetworkFile) -> Result<Option<Window>, Failure> {
        if self.blind {
            return Ok(None);
        }
        let task = file.task_named(self.task.as_deref(), self.s, self.d)?;
        Ok(task.filter(|task| !task.contexts().is_empty()).map(|task| task.window().cloned()).transpose()?)
    }
}

/// Says where the training of a network has not ended.
pub fn note_training(path: &Path) {
    if RunFolder::open(path).is_ok_and(|run| run.manifest().status == RunStatus::Unfinished) {
        let path = escaped(&path.display().to_string());
        note(&format!(
            "{WARN}still training{WARN:#}, or stopped: these are the weights so far; go on with 'ketbra train --resume {path}'"
        ));
    }
}

impl Known {
    /// A network and what is found in it: as it was saved, or now.
    pub fn interpreted(&self, path: &Path) -> Result<(NetworkFile, Interpretation), Failure> {
        let params = self.settings.on(InterpretParams::default())?;
        if let Some(saved) = self.saved(path, &params)? {
            return Ok(saved);
        }
        let file = self.open(path)?;
        let found = interpret_watched(&file, &self.question(&file)?, &params, Some(&Count::of_stages()))?;
        Ok((file, found))
    }

    /// The network and the interpretation in a file that [`Interpretation::save`] has written; nothing for any other file. It answers
    /// what it was asked, and nothing else.
    pub fn saved(
        &self,
        path: &Path,
        params: &InterpretParams,
    ) -> Result<Option<(NetworkFile, Interpretation)>, Failure> {
        if !Interpretation::is_saved(path) {
            return Ok(None);
        }
        let (found, file) = Interpretation::load(path).map_err(Failure::bad_input)?;
        let refuse = |why: &str| Failure::bad_input(format!("{} {why}", escaped(&path.display().to_string())));
        let file = file.ok_or_else(|| refuse("was made of recordings and holds no network; name a network"))?;
        let asked = self.task.is_some() || self.blind || self.s.is_some() || self.d.is_some();
        let same_question = match (found.question(), asked.then(|| self.question(&file)).transpose()?) {
            (_, None) => true,
            (Question::Task(of), Some(Question::Task(task))) => of.same_function(&task),
            (of, Some(asked)) => of == asked,
        };
        let same_activation = self.activation.is_none() || self.activation == file.network.activation();
        let same_params = *params == InterpretParams::default() || *params == found.params;
        if !(same_question && same_activation && same_params) {
            return Err(refuse(
                "is a saved interpretation that was asked something else; leave the options out, or name the network that it is of",
            ));
        }
        Ok(Some((file, found)))
    }
}

/// Interprets a network. One that takes a while is shown in `bar`; Ctrl-C ends it.
pub fn interpret_watched(
    file: &NetworkFile,
    question: &Question,
    params: &InterpretParams,
    bar: Option<&Count>,
) -> Result<Interpretation, Failure> {
    let look = |moment| {
        bar.inspect(|bar| bar.stage(moment));
        !interrupt::asked()
    };
    Ok(interpret::interpret_file(file, question, params, &look)?)
}

/// What came of the networks of a sweep, of which there must be some.
pub fn rows_of(folder: &SweepFolder) -> Result<Vec<Row>, Failure> {
    let (rows, path) = (folder.rows()?, folder.path().display());
    match rows.is_empty() {
        true => Err(Failure::bad_input(format!("{path} has no results yet; look with 'ketbra sweep --status {path}'"))),
        false => Ok(rows),
    }
}

/// Where things made from a network go: inside a run folder, beside a file.
pub fn beside(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.with_extension("").with_added_extension(name) }
}

/// What a network is called: the file without its extension, or the run folder.
pub fn name(path: &Path) -> String {
    file_name(path).to_string_lossy().into_owned()
}

/// The name byte for byte, for folders.
fn file_name(path: &Path) -> OsString {
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let name = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
    name.unwrap_or(path.as_os_str()).into()
}

/// Names for folders, one a network: no two networks share one, so names that would be the same get the file's extension
/// or the folders above in front, as far as it takes.
pub fn distinct_names(paths: &[PathBuf]) -> Vec<OsString> {
    let whole: Vec<PathBuf> =
        paths.iter().map(|path| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone())).collect();
    let above = |path: &Path, levels: usize| {
        let parts: Vec<&OsStr> = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .map(|part| part.as_os_str())
            .collect();
        parts[parts.len().saturating_sub(levels)..].join(OsStr::new("-"))
    };
    let mut names: Vec<OsString> = whole.iter().map(|path| file_name(path)).collect();
    let deepest = whole.iter().map(|path| path.components().count()).max().unwrap_or(0);
    for levels in 1..=deepest {
        let shared: Vec<bool> =
            (0..names.len()).map(|i| (0..names.len()).any(|j| names[i] == names[j] && whole[i] != whole[j])).collect();
        if !shared.contains(&true) {
            break;
        }
        for i in (0..names.len()).filter(|i| shared[*i]) {
            names[i] = above(&whole[i], levels);
        }
    }
    names
}

/// Writes the page of a network.
pub fn write_page(to: &Path, path: &Path, file: &NetworkFile, found: &Interpretation) -> Result<Written, Failure> {
    let html = page(Some(&file.network), found, &provenance(path, file))?;
    write(to, html.as_bytes())
}

/// Where a network comes from; a bar shows that weights which were kept on the way are read.
pub fn provenance(path: &Path, file: &NetworkFile) -> Provenance {
    let bar = Count::new(0, "snapshots");
    let provenance = Provenance::of(path, file, &|done, of| bar.set(done, of));
    bar.finish();
    provenance
}

/// Writes a file, and the folder it goes into.
pub fn write(to: &Path, bytes: &[u8]) -> Result<Written, Failure> {
    write_with_folders(to, bytes).map_err(cannot("write", to))?;
    Ok(Written { path: to.into(), bytes: bytes.len() })
}

/// Where the network of a folder goes. A folder that holds a training run keeps its own network.
pub fn network_in(folder: &Path) -> Result<PathBuf, Failure> {
    if RunFolder::open(folder).is_ok() {
        return Err(Failure::bad_input(format!(
            "{} holds a training run, and nothing was written; choose another folder with --out",
            folder.display()
        )));
    }
    Ok(folder.join(NetworkFile::FILE_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_of_the_same_name_get_folders_of_their_own() {
        let paths: Vec<PathBuf> =
            ["/a/x/net.npz", "/a/y/net.npz", "/a/y/net.pt", "/a/other.pt", "/a/other.pt"].map(PathBuf::from).to_vec();
        assert_eq!(distinct_names(&paths), ["x-net.npz", "y-net.npz", "net.pt", "other", "other"]);
    }
}
