//! PyTorch's files: an archive with a pickle, `data.pkl`, and the numbers of each storage beside it.

use super::archive::{Archive, ArchiveError};
use super::limits::{self, TooMuch};
use super::number::Number;
use super::pickle::{Id, Node, Pickle, PickleError};
use super::{Contents, SETTINGS_OF_ACTIVATION};
use crate::foreign_text::escaped_name;
use crate::network::{Metadata, Tensor, Tensors};
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Where training frameworks put the weights, the likeliest first; otherwise they are the whole pickle.
const WEIGHT_KEYS: [&str; 5] = ["state_dict", "model_state_dict", "model", "network", "net"];
/// Where they put the settings of a run.
const SETTING_KEYS: [&str; 5] = ["metadata", "hyper_parameters", "hparams", "config", "args"];
/// The longest name of a parameter, and the longest text that is kept as a setting.
const MAX_NAME_BYTES: usize = 512;
/// The most values that tensors may repeat out of fewer numbers, as `expand` does: a huge tensor made of one is an attack.
const MAX_REPEATED: usize = 1 << 20;

/// Why a PyTorch file could not be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum PyTorchError {
    /// The archive is at fault.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The pickle is at fault.
    #[error(transparent)]
    Pickle(#[from] PickleError),
    /// A compiled model.
    #[error("it is a TorchScript program; load it in Python and save model.state_dict() instead")]
    Script,
    /// A tensor that lies outside of its storage, or whose description makes no sense.
    #[error("'{}' is no tensor that fits its storage: the file is damaged", escaped_name(.0))]
    Tensor(String),
    /// More than a network may have.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// A name beyond the limit.
    #[error("the name of a parameter is longer than {MAX_NAME_BYTES} bytes: the file is damaged")]
    LongName,
}

/// Whether an archive is PyTorch's.
pub(super) fn looks_like(archive: &Archive<'_>) -> bool {
    folder(archive).is_some()
}

/// The folder inside the archive that holds everything; its name is that of the file when it was saved.
fn folder<'a>(archive: &'a Archive<'_>) -> Option<&'a str> {
    let folders = archive.names().filter_map(|name| name.strip_suffix("data.pkl"));
    folders.filter(|folder| folder.is_empty() || folder.ends_with('/')).min_by_key(|folder| folder.len())
}

/// Reads the tensors of floating-point numbers in a state dict, wherever the file keeps it, or in a whole module.
pub(super) fn read(archive: &Archive<'_>) -> Result<Contents, PyTorchError> {
    let folder = folder(archive).unwrap_or_default();
    if archive.holds(&format!("{folder}constants.pkl")) {
        return Err(PyTorchError::Script);
    }
    let big_endian = match archive.read(&format!("{folder}byteorder")) {
        Ok(order) => *order == *b"big",
        Err(ArchiveError::Missing(_)) => false,
        Err(damaged) => return Err(damaged.into()),
    };
    let program = archive.read(&format!("{folder}data.pkl"))?;
    let pickle = Pickle::parse(&program)?;
    let storages = Storages { archive, folder, big_endian, read: BTreeMap::new() };
    Reader { pickle: &pickle, storages, metadata: settings(&pickle), tensors: Tensors::new(), values: 0, repeated: 0 }
        .run()
}

/// The texts and numbers at the top and in the settings of a checkpoint.
fn settings(pickle: &Pickle<'_>) -> Metadata {
    // The attributes of an object, an argparse.Namespace for one, are its state.
    let dictionary = |id: Id| match pickle.node(id) {
        Node::Call(call) => call.state.unwrap_or(id),
        _ => id,
    };
    let nested: Vec<Id> =
        SETTING_KEYS.iter().filter_map(|key| pickle.entry(pickle.root(), key)).map(dictionary).collect();
    // Settings of a part (config.model.activation) count where the whole says nothing; of those only the activation.
    let parts = nested.iter().flat_map(|id| pickle.items(*id)).map(|(_, part)| dictionary(*part));
    let of_parts = parts.flat_map(|id| pickle.items(id)).filter(|(key, _)| is_activation(pickle, *key));
    let simple = |(key, value): &(Id, Id)| {
        let text = match pickle.node(*value) {
            Node::Text(text) if text.len() <= MAX_NAME_BYTES => text.to_string(),
            Node::Int(number) => number.to_string(),
            Node::Float(number) => number.to_string(),
            Node::Bool(truth) => truth.to_string(),
            // A class or function in place of its name: torch.nn.Tanh.
            Node::Global(_, name) if is_activation(pickle, *key) => name.to_string(),
            _ => return None,
        };
        let key = pickle.text(*key).filter(|key| key.len() <= MAX_NAME_BYTES)?;
        Some((key.to_string(), text))
    };
    let whole = [pickle.root()].into_iter().chain(nested.iter().copied()).flat_map(|id| pickle.items(id));
    of_parts.chain(whole).filter_map(simple).collect()
}

fn is_activation(pickle: &Pickle<'_>, key: Id) -> bool {
    pickle.text(key).is_some_and(|key| SETTINGS_OF_ACTIVATION.contains(&key))
}

struct Reader<'a, 'p> {
    pickle: &'a Pickle<'p>,
    storages: Storages<'a>,
    metadata: Metadata,
    tensors: Tensors,
    values: usize,
    repeated: usize,
}

impl<'p> Reader<'_, 'p> {
    fn run(mut self) -> Result<Contents, PyTorchError> {
        let root = self.pickle.root();
        for start in WEIGHT_KEYS.iter().filter_map(|key| self.pickle.entry(root, key)).chain([root]) {
            self.collect(start)?;
            if !self.tensors.is_empty() {
                break;
            }
        }
        Ok(Contents { tensors: self.tensors, metadata: self.metadata })
    }

    /// Every tensor below a node, each container once: shared nodes and cycles cost nothing.
    fn collect(&mut self, start: Id) -> Result<(), PyTorchError> {
        let (mut queue, mut seen) = (vec![(String::new(), start)], BTreeSet::from([start]));
        while let Some((prefix, container)) = queue.pop() {
            for (key, value) in self.children(container) {
                if prefix.len() + key.len() > MAX_NAME_BYTES {
                    return Err(PyTorchError::LongName);
                }
                let name = format!("{prefix}{key}");
                if let Some(tensor) = self.tensor(value, &name)? {
                    self.tensors.insert(name, tensor);
                } else if matches!(self.pickle.node(value), Node::Dict(_) | Node::Call(_)) && seen.insert(value) {
                    queue.push((format!("{name}."), value));
                }
            }
        }
        Ok(())
    }

    /// The named entries of a dictionary, or the parameters and modules of a module.
    fn children(&mut self, container: Id) -> Vec<(&'p str, Id)> {
        let pickle = self.pickle;
        let state = if let Node::Call(call) = pickle.node(container) { call.state } else { None };
        let parts = ["_parameters", "_modules"].map(|part| state.and_then(|state| pickle.entry(state, part)));
        if let (Some(state), [Some(_), _]) = (state, parts) {
            let nonlinearity = pickle.entry(state, "nonlinearity").and_then(|id| pickle.text(id));
            self.metadata.extend(nonlinearity.map(|name| ("activation".to_string(), name.to_string())));
        }
        let dictionaries = if parts == [None, None] { [Some(container), None] } else { parts };
        let items = dictionaries.into_iter().flatten().flat_map(|id| pickle.items(id));
        items.filter_map(|(key, value)| Some((pickle.text(*key)?, *value))).collect()
    }

    /// The tensor that a call would have built; `None` for anything else and for whole numbers.
    fn tensor(&mut self, id: Id, name: &str) -> Result<Option<Tensor>, PyTorchError> {
        let id = match self.pickle.call(id) {
            Some(("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state", [data, ..])) => *data,
            _ => id,
        };
        let Some(("torch._utils", "_rebuild_tensor_v2" | "_rebuild_tensor", arguments)) = self.pickle.call(id) else {
            return Ok(None);
        };
        let wrong = || PyTorchError::Tensor(name.into());
        let &[storage, offset, shape, strides, ..] = arguments else { return Err(wrong()) };
        let (key, kind, length) = self.storage(storage).ok_or_else(wrong)?;
        let Some(number) = kind else { return Ok(None) };
        let sizes = |id| self.pickle.sequence(id)?.iter().map(|size| self.pickle.size(*size)).collect::<Option<_>>();
        let offset = self.pickle.size(offset).ok_or_else(wrong)?;
        let view = View { offset, shape: sizes(shape).ok_or_else(wrong)?, strides: sizes(strides).ok_or_else(wrong)? };
        let count = view.count_within(length).ok_or_else(wrong)?;
        self.repeated = self.repeated.saturating_add(count.saturating_sub(length));
        if self.repeated > MAX_REPEATED {
            return Err(wrong());
        }
        limits::count(&mut self.values, name, &view.shape)?;
        let big_endian = self.storages.big_endian;
        let bytes = self.storages.bytes(key)?;
        let value = |index: usize| {
            let start = index.checked_mul(number.width())?;
            Some(number.value(bytes.get(start..start.checked_add(number.width())?)?, big_endian))
        };
        let values = view.places(count).map(value).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        Ok(Some(Tensor { shape: view.shape, values }))
    }

    /// Key, kind of number (if it is a floating-point one) and length of a storage.
    fn storage(&self, id: Id) -> Option<(&'p str, Option<Number>, usize)> {
        let Node::Persistent(description) = self.pickle.node(id) else { return None };
        let &[_, class, key, _, length, ..] = self.pickle.sequence(*description)? else { return None };
        let Node::Global(_, class) = self.pickle.node(class) else { return None };
        let number = match *class {
            "DoubleStorage" => Some(Number::Float(8)),
            "FloatStorage" => Some(Number::Float(4)),
            "HalfStorage" => Some(Number::Float(2)),
            "BFloat16Storage" => Some(Number::Bfloat16),
            _ => None,
        };
        Some((self.pickle.text(key)?, number, self.pickle.size(length)?))
    }
}

/// The numbers of each storage, read from the archive once.
struct Storages<'a> {
    archive: &'a Archive<'a>,
    folder: &'a str,
    big_endian: bool,
    read: BTreeMap<String, Cow<'a, [u8]>>,
}

impl Storages<'_> {
    fn bytes(&mut self, key: &str) -> Result<&[u8], ArchiveError> {
        let name = format!("{}data/{key}", self.folder);
        match self.read.entry(name) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let bytes = self.archive.read(entry.key())?;
                Ok(entry.insert(bytes))
            }
        }
    }
}

/// Which numbers of a storage make a tensor.
struct View {
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl View {
    /// The number of values, if all of them lie within a storage of `length`.
    fn count_within(&self, length: usize) -> Option<usize> {
        let count = self.shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size))?;
        let steps =
            self.shape.iter().zip(&self.strides).map(|(size, stride)| size.saturating_sub(1).checked_mul(*stride));
        let last = steps.into_iter().try_fold(self.offset, |sum, step| sum.checked_add(step?))?;
        let fits = count == 0 || last < length;
        (fits && self.shape.len() == self.strides.len() && self.shape.len() <= limits::MAX_DIMENSIONS).then_some(count)
    }

    /// The places of the values in row-major order.
    fn places(&self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(|index| {
            let dimensions = self.shape.iter().zip(&self.strides).rev();
            let (place, _) = dimensions.fold((self.offset, index), |(place, rest), (size, stride)| {
                (place + rest % size * stride, rest / size)
            });
            place
        })
    }
}
