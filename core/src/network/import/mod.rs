//! Networks from elsewhere: `.npz` and PyTorch's files, and the choice of the reader by what a file holds.
//!
//! Files are data of unknown origin. Readers check every length before they use it, allocate no more than the limits
//! below and in proportion to the file, recurse nowhere, and run nothing.

mod archive;
mod bytes;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;
pub(super) mod limits;
mod npy;
mod npz;
mod number;
mod pickle;
mod pytorch;
mod source;

use super::store::{check_header, read_safetensors};
use super::tensors::last_part;
use super::{
    Activation, CELL_SETTINGS, CellKind, Metadata, Network, NetworkError, NetworkFile, Tensor, Tensors, layers,
};
use crate::foreign_text::{escaped_name, listed};
use crate::setting::Setting;
use archive::Archive;
use pickle::{MAX_PICKLE_BYTES, Pickle, PickleError};
use pytorch::PyTorchError;
use source::Source;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The largest file that is opened, in bytes: a checkpoint of [`super::MAX_HIDDEN`] units in f64 with all its moments.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// The most bytes to which the entries of an archive may unpack together.
pub const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// The most values that the tensors of a network may hold together, half as many again as [`super::MAX_HIDDEN`] units have. In a
/// PyTorch file any number of tensors can share one storage.
pub const MAX_VALUES: usize = 3 << 23;

/// What a file holds, before it is known to be a network.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) tensors: Tensors,
    pub(super) metadata: Metadata,
}

impl NetworkFile {
    /// The name of the network in a run folder.
    pub const FILE_NAME: &str = "network.safetensors";

    /// Reads a network from a run folder or from a file: safetensors, `.npz`, or a PyTorch `.pt`, `.pth` or `.ckpt`.
    ///
    /// What the file holds decides how it is read, not its name. Pickles are read as data: nothing in them is run.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        Self::open_as(path, None)
    }

    /// As [`NetworkFile::open`], with an activation that is known better than the file says.
    pub fn open_as(path: &Path, activation: Option<Activation>) -> Result<Self, NetworkError> {
        Self::open_wanted(path, Wanted { activation, readout: true })
    }

    /// The same; a file without a readout will do, and has one of zeros: for what looks at states alone.
    pub fn open_cell(path: &Path, activation: Option<Activation>) -> Result<Self, NetworkError> {
        Self::open_wanted(path, Wanted { activation, readout: false })
    }

    fn open_wanted(path: &Path, wanted: Wanted) -> Result<Self, NetworkError> {
        let path = if path.is_dir() { network_in(path)? } else { path.to_path_buf() };
        let (file, length) = open_file(&path)?;
        Self::assemble(read(Source::Disk(&file, length), &path)?, wanted, &path)
    }

    /// Reads a network from the bytes of a file; the path serves as a hint and in errors. An activation is given where it is known
    /// better than the file says.
    pub fn from_bytes(bytes: &[u8], path: &Path, activation: Option<Activation>) -> Result<Self, NetworkError> {
        Self::assemble(read(Source::Memory(bytes), path)?, Wanted { activation, readout: true }, path)
    }

    /// Reads a safetensors file; the activation is tanh unless the metadata says otherwise.
    pub fn from_safetensors(bytes: &[u8], path: &Path) -> Result<Self, NetworkError> {
        let wanted = Wanted { activation: None, readout: true };
        Self::assemble((SAFETENSORS, safetensors(Source::Memory(bytes), path)?), wanted, path)
    }

    /// A network from the contents of a file; the activation is the one given, or else the one that the metadata says,
    /// or else tanh.
    fn assemble(
        (format, Contents { mut tensors, mut metadata }): (&'static str, Contents),
        Wanted { activation, readout }: Wanted,
        path: &Path,
    ) -> Result<Self, NetworkError> {
        let message =
            SETTINGS_OF_ACTIVATION.iter().find_map(|key| metadata.get(*key)).map(|setting| activation_word(setting));
        let chosen = match (activation, message) {
            (Some(activation), _) => activation,
            (None, Some(word)) => serde_json::from_value(word.into()).map_err(|error| NetworkError::Malformed {
                path: path.into(),
                format,
                problem: format!(
                    "its activation is an {error}; pass {} if that is wrong",
                    Setting::named("activation")
                ),
            })?,
            (None, None) => Activation::Tanh,
        };
        if activation.is_some() {
            metadata.insert(ACTIVATION.into(), chosen.name().into());
        }
        add_cell_settings(&mut tensors, &metadata);
        let read = match readout {
            true => Network::from_tensors_with_unused(&tensors, chosen),
            false => Network::from_tensors_of_a_cell(&tensors, chosen),
        };
        let (network, unused) =
            read.map_err(|source| NetworkError::InFile { path: path.into(), source: Box::new(source) })?;
        let said = said_cell(&metadata).filter(|cell| network.kind() != Some(*cell));
        if let Some(setting) = CELL_SETTINGS.iter().find(|setting| Some(setting.cell) == said) {
            let (cell, name) = (setting.cell.name(), setting.name);
            let problem =
                format!("it calls its layers {cell}, and has no {name}; add a tensor or metadata of that name");
            return Err(NetworkError::Malformed { path: path.into(), format, problem });
        }
        Ok(Self { network, metadata, unused })
    }

    /// Whether the file says which activation the network has; if not, it was taken to be tanh.
    pub fn says_activation(&self) -> bool {
        SETTINGS_OF_ACTIVATION.iter().any(|key| self.metadata.contains_key(*key))
    }
}

/// What is known of a file and asked of it.
#[derive(Clone, Copy)]
struct Wanted {
    /// The activation, where somebody knows it better than the file.
    activation: Option<Activation>,
    /// Whether it must have a readout.
    readout: bool,
}

/// Where the metadata names a cell and numbers that the cell leaves to choose, each stands for a tensor of its name that is missing.
fn add_cell_settings(tensors: &mut Tensors, metadata: &Metadata) {
    let cell = said_cell(metadata);
    for setting in CELL_SETTINGS.iter().filter(|setting| Some(setting.cell) == cell) {
        let Some(value) = metadata.get(setting.name).and_then(|text| text.parse().ok()) else { continue };
        for layer in 0..layers::count(tensors) {
            let name = format!("{}_l{layer}", setting.name);
            let is_it = |last: &str| last == name || layer == 0 && last == setting.name;
            if !tensors.keys().any(|key| is_it(last_part(key))) {
                tensors.insert(name, Tensor { shape: vec![], values: vec![value] });
            }
        }
    }
}

/// The kind of the layers, where the metadata say it.
fn said_cell(metadata: &Metadata) -> Option<CellKind> {
    metadata.get(CELL)?.parse().ok()
}

/// Where the kind of the layers is kept.
const CELL: &str = "cell";
/// Where the activation is kept.
const ACTIVATION: &str = "activation";
/// Under which names others keep it.
const SETTINGS_OF_ACTIVATION: [&str; 2] = [ACTIVATION, "nonlinearity"];

/// The word for an activation: `torch.relu`, `nn.ReLU()` and `ReLU` are all `relu`.
fn activation_word(setting: &str) -> String {
    let called = setting.split('(').next().unwrap_or(setting).trim();
    let word = escaped_name(called.rsplit(['.', ':']).next().unwrap_or(called)).to_ascii_lowercase();
    if word == "linear" { "identity".into() } else { word }
}

/// The network in a run folder; where there is none, the error says what else could be meant.
fn network_in(folder: &Path) -> Result<PathBuf, NetworkError> {
    let path = folder.join(NetworkFile::FILE_NAME);
    if path.exists() {
        return Ok(path);
    }
    let is_network = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|found| found == "safetensors");
    let others = fs::read_dir(folder).map_or(0, |entries| entries.flatten().filter(is_network).count());
    // A run writes its network when it ends or is stopped.
    let training = folder.join("manifest.json").is_file();
    Err(NetworkError::NoNetwork { folder: folder.into(), others, training })
}

/// A regular file within the limit, and its length; a pipe or device could go on forever.
fn open_file(path: &Path) -> Result<(File, usize), NetworkError> {
    let failed = |source| NetworkError::Io { action: "read", path: path.into(), source };
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(NetworkError::UnknownFormat { path: path.into() });
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(NetworkError::TooLarge { path: path.into(), bytes: about.len(), limit: MAX_FILE_BYTES });
    }
    Ok((File::open(path).map_err(failed)?, usize::try_from(about.len()).unwrap_or(usize::MAX)))
}

/// A file that became shorter while it was read, or a disk that failed.
fn changed_meanwhile(path: &Path) -> NetworkError {
    let source = std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "it ended before its end; try again");
    NetworkError::Io { action: "read", path: path.into(), source }
}

const SAFETENSORS: &str = "safetensors";

/// The format of a file and what it holds: what its first bytes say decides what else is read.
fn read(source: Source<'_>, path: &Path) -> Result<(&'static str, Contents), NetworkError> {
    let changed = || changed_meanwhile(path);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let start = source.start(16).ok_or_else(changed)?;
    if Archive::looks_like(&start) {
        return from_archive(source, path);
    }
    // Eight bytes of header length, then JSON.
    if extension == SAFETENSORS || start.get(8) == Some(&b'{') {
        return Ok((SAFETENSORS, safetensors(source, path)?));
    }
    let bare = || source.start(MAX_PICKLE_BYTES).map_or_else(changed, |bytes| bare_pickle(&bytes, path));
    let malformed = |format, problem: String| NetworkError::Malformed { path: path.into(), format, problem };
    match extension {
        _ if start.first() == Some(&0x80) => Err(bare()),
        "pt" | "pth" | "ckpt" | "pkl" | "pickle" | "bin" => Err(bare()),
        "npz" => Err(malformed("NumPy", "it does not start as a zip archive does; write it with numpy.savez".into())),
        _ => Err(NetworkError::UnknownFormat { path: path.into() }),
    }
}

/// What a safetensors file holds, its header checked before the rest is read.
fn safetensors(source: Source<'_>, path: &Path) -> Result<Contents, NetworkError> {
    check_header(|count| source.start(count), source.length(), path)?;
    let bytes = source.start(usize::MAX).ok_or_else(|| changed_meanwhile(path))?;
    read_safetensors(&bytes, path)
}

/// The format of an archive and what it holds.
fn from_archive(source: Source<'_>, path: &Path) -> Result<(&'static str, Contents), NetworkError> {
    let malformed = |format, problem: String| NetworkError::Malformed { path: path.into(), format, problem };
    let archive = Archive::open(source).map_err(|error| malformed("zip", error.to_string()))?;
    if pytorch::looks_like(&archive) {
        let contents = pytorch::read(&archive).map_err(|error| match error {
            PyTorchError::Pickle(PickleError::Executable(global)) => {
                NetworkError::Executable { path: path.into(), global }
            }
            other => malformed("PyTorch", other.to_string()),
        })?;
        Ok(("PyTorch", contents))
    } else if archive.names().any(|name| name.ends_with(".npy")) {
        Ok(("NumPy", npz::read(&archive).map_err(|error| malformed("NumPy", error.to_string()))?))
    } else {
        let names: Vec<&str> = archive.names().collect();
        let problem = format!("it holds neither arrays (.npy) nor a data.pkl, but [{}]", listed(names.into_iter()));
        Err(malformed("zip", problem))
    }
}

/// Why a pickle outside of an archive is refused: its program attacks, or it is of a kind that is not read.
fn bare_pickle(bytes: &[u8], path: &Path) -> NetworkError {
    match Pickle::parse(bytes) {
        Err(PickleError::Executable(global)) => NetworkError::Executable { path: path.into(), global },
        _ => NetworkError::Malformed {
            path: path.into(),
            format: "PyTorch",
            problem: "it is a bare pickle or a file of torch before 1.6, or not PyTorch's at all; \
                      load it with a recent torch and torch.save(model.state_dict(), PATH) again"
                .into(),
        },
    }
}
