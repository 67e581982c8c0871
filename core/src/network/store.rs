//! Networks on disk: safetensors under PyTorch's parameter names.

use super::import::{Contents, limits};
use super::{Network, NetworkError, Tensor, Tensors};
use crate::files::write_with_folders;
use crate::task::{Program, Task, TaskError, Window};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, Metadata as Header, SafeTensors, TensorView};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// The longest header of a safetensors file that is read: it holds the text of the task too.
const MAX_HEADER_BYTES: u64 = 16 << 20;
/// The most opening braces in it, one a tensor, which takes several hundred bytes once it is read, ...
const MAX_HEADER_BRACES: usize = 1 << 16;
/// ... and commas and brackets, each a number of a shape or a word of the task.
const MAX_HEADER_VALUES: usize = 1 << 20;

/// What a file says about its network: the task, how it was trained.
pub type Metadata = BTreeMap<String, String>;

/// A network with what its file says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    /// The network.
    pub network: Network,
    /// The file's metadata, empty where the format has none.
    pub metadata: Metadata,
    /// Tensors beside the network that were not understood: if the model uses them, it is another one.
    pub unused: Vec<String>,
}

impl NetworkFile {
    /// A network with its metadata.
    pub fn new(network: Network, metadata: Metadata) -> Self {
        Self { network, metadata, unused: vec![] }
    }

    /// The bytes of a safetensors file: f32 if that holds every weight exactly, f64 otherwise.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, NetworkError> {
        let tensors = self.network.to_tensors();
        let exact = |tensor: &Tensor| tensor.values.iter().all(|&x| f64::from(x as f32) == x);
        let dtype = if tensors.values().all(exact) { Dtype::F32 } else { Dtype::F64 };
        let bytes: BTreeMap<&String, Vec<u8>> = tensors
            .iter()
            .map(|(name, tensor)| {
                let values = tensor.values.iter();
                let bytes = match dtype {
                    Dtype::F32 => values.flat_map(|&x| (x as f32).to_le_bytes()).collect(),
                    _ => values.flat_map(|&x| x.to_le_bytes()).collect(),
                };
                (name, bytes)
            })
            .collect();
        let malformed =
            |problem: String| NetworkError::Malformed { path: "network".into(), format: "safetensors", problem };
        let views = tensors
            .iter()
            .map(|(name, tensor)| Ok((name, TensorView::new(dtype, tensor.shape.clone(), &bytes[name])?)))
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
            .map_err(|error| malformed(error.to_string()))?;
        let mut metadata = self.metadata.clone();
        if let Some(activation) = self.network.activation() {
            metadata.insert("activation".into(), activation.name().into());
        }
        let bytes = safetensors::serialize(views, Some(metadata.into_iter().collect()));
        let mut bytes = bytes.map_err(|error| malformed(error.to_string()))?;
        sort_metadata(&mut bytes);
        Ok(bytes)
    }

    /// The task that the file says the network was trained on: a name or an id with s and d beside it, formulas, a program, or
    /// the text of a task file. `s` and `d` override the sizes beside a name, and must agree with those in a text.
    ///
    /// The path of a task file is refused: what a network file says must never choose which file is opened.
    pub fn task(&self, s: Option<usize>, d: Option<usize>) -> Result<Option<Task>, TaskError> {
        let Some(text) = self.metadata.get("task") else { return Ok(None) };
        let described = |source| TaskError::InNetworkFile { source: Box::new(source) };
        if Window::is_formula(text) {
            let d = d.unwrap_or(self.network.inputs());
            return Window::from_formulas(text, s, Some(d)).map(|window| Some(window.into())).map_err(described);
        }
        if text.contains('=') && !Program::is_text(text) {
            let task = Task::from_toml(text, "task", "task").map_err(described)?;
            return task.of_size(s, d).map(Some);
        }
        if Path::new(text).extension().is_some_and(|extension| extension == "toml") {
            return Err(TaskError::NamesAFile { named: text.clone() });
        }
        let number = |key: &str| self.metadata.get(key).and_then(|value| value.parse().ok());
        let d = d.or(number("d")).unwrap_or(self.network.inputs());
        Task::written_beside(text, s.or(number("s")), Some(d)).map(Some).map_err(described)
    }

    /// The task that a person names, with as many components as the network has inputs unless they say otherwise; without a name
    /// the one that the file says.
    pub fn task_named(
        &self,
        name: Option<&OsStr>,
        s: Option<usize>,
        d: Option<usize>,
    ) -> Result<Option<Task>, TaskError> {
        let Some(name) = name else { return self.task(s, d) };
        Task::parse_beside(name, s, d, self.network.inputs()).map(Some)
    }

    /// The window with one f that [`NetworkFile::task_named`] means.
    pub fn window_named(
        &self,
        name: Option<&OsStr>,
        s: Option<usize>,
        d: Option<usize>,
    ) -> Result<Option<Window>, TaskError> {
        self.task_named(name, s, d)?.map(Task::into_window).transpose()
    }

    /// The window with one f that the file names.
    pub fn window(&self) -> Result<Option<Window>, TaskError> {
        self.window_named(None, None, None)
    }

    /// Writes a safetensors file, all of it or nothing.
    pub fn save(&self, path: &Path) -> Result<(), NetworkError> {
        let bytes = self.to_safetensors()?;
        write_with_folders(path, &bytes).map_err(|source| NetworkError::Io {
            action: "write",
            path: path.into(),
            source,
        })
    }
}

/// Refuses a safetensors file by its header alone: one that does not fit the file, or states too much.
///
/// `start` gives as many first bytes as are asked for, of `length` in all.
pub(super) fn check_header<'a>(
    start: impl Fn(usize) -> Option<Cow<'a, [u8]>>,
    length: usize,
    path: &Path,
) -> Result<(), NetworkError> {
    let wrong = |error| malformed(error, path);
    let words = start(8).and_then(|bytes| bytes.first_chunk().copied().map(u64::from_le_bytes));
    let stated = words.ok_or_else(|| wrong(SafeTensorError::HeaderTooSmall))?;
    if stated > MAX_HEADER_BYTES {
        return Err(wrong(SafeTensorError::HeaderTooLarge));
    }
    let end = 8 + stated as usize;
    let bytes = start(end).filter(|bytes| bytes.len() == end);
    let bytes = bytes.ok_or_else(|| wrong(SafeTensorError::InvalidHeaderLength))?;
    let count = |signs: &[u8]| bytes.iter().filter(|byte| signs.contains(byte)).count();
    if count(b"{") > MAX_HEADER_BRACES || count(b",[") > MAX_HEADER_VALUES {
        return Err(wrong(SafeTensorError::HeaderTooLarge));
    }
    let header: Header = serde_json::from_slice(&bytes[8..])
        .map_err(|error| wrong(SafeTensorError::InvalidHeaderDeserialization(error)))?;
    if header.data_len().checked_add(end) != Some(length) {
        return Err(wrong(SafeTensorError::MetadataIncompleteBuffer));
    }
    let mut values = 0;
    let tensors: BTreeMap<_, _> = header.tensors().into_iter().collect();
    tensors.iter().try_for_each(|(name, tensor)| limits::count(&mut values, name, &tensor.shape)).map_err(|problem| {
        NetworkError::Malformed { path: path.into(), format: "safetensors", problem: problem.to_string() }
    })
}

fn malformed(error: SafeTensorError, path: &Path) -> NetworkError {
    let problem =
        format!("{error}; it is cut short, damaged or something else: copy or download it again, or save it again");
    NetworkError::Malformed { path: path.into(), format: "safetensors", problem }
}

/// The tensors of floating-point numbers in a safetensors file, and what it says about them.
pub(super) fn read_safetensors(bytes: &[u8], path: &Path) -> Result<Contents, NetworkError> {
    let malformed = |error| malformed(error, path);
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(malformed)?;
    let file = SafeTensors::deserialize(bytes).map_err(malformed)?;
    let metadata = header.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut tensors = Tensors::new();
    for (name, view) in file.tensors() {
        // Counters and other whole numbers ride along in some files; they are no weights.
        if let Some(values) = floats(&view) {
            tensors.insert(name, Tensor { shape: view.shape().to_vec(), values });
        }
    }
    Ok(Contents { tensors, metadata })
}

/// The values of a tensor of floating-point numbers, `None` for any other kind.
fn floats(view: &TensorView<'_>) -> Option<Vec<f64>> {
    let bytes = view.data();
    let halves = || bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    Some(match view.dtype() {
        Dtype::F64 => bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        Dtype::F32 => bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        Dtype::BF16 => halves().map(bfloat16).collect(),
        Dtype::F16 => halves().map(float16).collect(),
        _ => return None,
    })
}

/// The value of a bfloat16: the upper half of an f32.
pub(super) fn bfloat16(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// The value of an IEEE half-precision number.
pub(super) fn float16(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// Puts the metadata of a serialized file in order: the library keeps it in a hash map, whose order is random.
pub(crate) fn sort_metadata(file: &mut [u8]) {
    let Some(length) = file.first_chunk::<8>().map(|b| u64::from_le_bytes(*b) as usize) else { return };
    let Some(header) = file.get_mut(8..8 + length) else { return };
    let Ok(mut parsed) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(header) else { return };
    if let Some(serde_json::Value::Object(metadata)) = parsed.get_mut("__metadata__") {
        metadata.sort_keys();
    }
    if let Ok(sorted) = serde_json::to_vec(&parsed) {
        // The same entries in another order take the same room; the rest is padding.
        header[..sorted.len()].copy_from_slice(&sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, Architecture, Initialization};
    use super::*;

    fn example() -> NetworkFile {
        let network = Initialization::Uniform.network(&Architecture::elman(5, Activation::Relu, true), 3, 2, 1);
        let metadata = (0..20).map(|k| (format!("key{k}"), format!("\"värde\" {k}"))).collect();
        NetworkFile::new(network, metadata)
    }

    #[test]
    fn a_saved_network_comes_back_whole_and_saves_to_the_same_bytes() {
        let file = example();
        let bytes = file.to_safetensors().unwrap();
        for _ in 0..10 {
            assert_eq!(file.to_safetensors().unwrap(), bytes);
        }
        let mut again = NetworkFile::from_safetensors(&bytes, Path::new("x")).unwrap();
        assert_eq!(again.metadata.remove("activation").as_deref(), Some("relu"));
        assert_eq!(again, file);
    }

    #[test]
    fn the_task_is_read_from_a_name_with_sizes_or_from_the_text_of_a_task_file() {
        let mut file = example();
        assert_eq!(file.task(None, None).unwrap(), None);
        let task = Task::named("repeat-copy", Some(5), Some(3)).unwrap();
        for (name, s) in [("repeat_copy", Some("5")), (&task.to_toml(), None)] {
            file.metadata.insert("task".into(), name.into());
            s.map(|s| file.metadata.insert("s".into(), s.into()));
            assert!(file.task(None, None).unwrap().unwrap().same_function(&task), "{name}");
        }
    }

    #[test]
    fn a_task_file_that_the_metadata_names_is_never_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task.toml");
        std::fs::write(&path, Task::named("T2", None, None).unwrap().to_toml()).unwrap();
        let mut file = example();
        file.metadata.insert("task".into(), path.to_string_lossy().into_owned());
        let message = file.task(None, None).unwrap_err().to_string();
        assert!(
            message.contains("the network's file names the task file") && message.contains("task=FILE"),
            "{message}"
        );
    }

    #[test]
    fn a_task_in_the_metadata_that_cannot_be_used_is_blamed_on_the_file() {
        let mut file = example();
        for task in ["copy memory", "255,1", "s = 2", &"x".repeat(200_000)] {
            file.metadata.insert("task".into(), task.into());
            let message = file.task(None, None).unwrap_err().to_string();
            assert!(message.starts_with("the network's file describes its task") && message.len() < 400, "{message}");
            assert!(message.ends_with("Pass task=T, or blind=true and s=N"), "{message}");
        }
    }

    #[test]
    fn sizes_that_contradict_the_task_in_the_metadata_are_refused() {
        let mut file = example();
        file.metadata.insert("task".into(), Task::named("repeat-copy", Some(5), Some(3)).unwrap().to_toml());
        assert!(file.task(Some(5), Some(3)).unwrap().is_some());
        let message = file.task(Some(4), None).unwrap_err().to_string();
        assert!(message.contains("'repeat-copy' has s=5, d=3, but s=4 was passed"), "{message}");
        assert!(file.task(None, Some(8)).is_err());
    }

    #[test]
    fn weights_that_f32_cannot_hold_are_saved_in_f64() {
        let mut file = example();
        let short = file.to_safetensors().unwrap().len();
        file.network.readout.weights[(0, 0)] = 0.1;
        let bytes = file.to_safetensors().unwrap();
        assert!(bytes.len() > short + 5 * 5 * 4);
        assert_eq!(NetworkFile::from_safetensors(&bytes, Path::new("x")).unwrap().network, file.network);
    }

    #[test]
    fn half_precision_numbers_are_read() {
        for (bits, value) in [(0x3C00, 1.0), (0xC000, -2.0), (0x3555, 0.333_251_953_125), (0x0001, 2f64.powi(-24))] {
            assert_eq!(float16(bits), value);
        }
        assert!(float16(0x7C01).is_nan() && float16(0xFC00) == f64::NEG_INFINITY);
        assert_eq!(bfloat16(0x3F80), 1.0);
    }

    #[test]
    fn every_truncation_is_refused_without_a_panic() {
        let bytes = example().to_safetensors().unwrap();
        for length in 0..bytes.len() {
            let error = NetworkFile::from_safetensors(&bytes[..length], Path::new("net.safetensors")).unwrap_err();
            assert!(error.to_string().contains("net.safetensors"), "{error}");
        }
    }
}
