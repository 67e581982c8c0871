//! Interpretations on disk: one safetensors file with the matrices, the document as JSON, and the network.

use super::{Details, Interpretation, RecordedRun, Warning};
use crate::circuit::Core;
use crate::code::Contents;
use crate::files::write_with_folders;
use crate::linearize::{Doubt, Linearization, LinearizedAt};
use crate::memories::{Frame, Memories, Method, Remainder, Score};
use crate::network::{MAX_FILE_BYTES, NetworkError, NetworkFile, sort_metadata};
use crate::numeric::{Matrix, c64};
use crate::path_text::path_text;
use crate::task::Window;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What the file says it is.
const FORMAT: &str = "ketbra-interpretation-1";

/// The tensor that holds the file of the network.
const NETWORK: &str = "network";

/// Why an interpretation cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// The file cannot be written or read.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why.
        problem: String,
    },
    /// The file holds no interpretation, or not a whole one.
    #[error("{problem}; read a file that Interpretation::save has written")]
    Damaged {
        /// What is wrong.
        problem: String,
    },
    /// The network in it cannot be read.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

fn damaged(problem: impl std::fmt::Display) -> SavedError {
    SavedError::Damaged { problem: format!("this is no whole interpretation ({problem})") }
}

/// What is behind an interpretation, less its matrices.
#[derive(Serialize, Deserialize)]
struct Behind {
    task: Option<String>,
    orbit: Option<SavedOrbit>,
    memories: Vec<SavedMemories>,
    runs: usize,
}

#[derive(Serialize, Deserialize)]
struct SavedOrbit {
    place: LinearizedAt,
    residual: f64,
    doubts: Vec<Doubt>,
}

#[derive(Serialize, Deserialize)]
struct SavedMemories {
    method: Method,
    condition: Option<f64>,
    phi_error: Option<f64>,
    score: Score,
    core: Option<usize>,
}

type Matrices = BTreeMap<String, Matrix>;

impl Interpretation {
    /// Writes it, all of it or nothing, with the network where there is one.
    pub fn save(&self, path: &Path, network: Option<&NetworkFile>) -> Result<(), SavedError> {
        let bytes = self.to_bytes(network)?;
        write_with_folders(path, &bytes)
            .map_err(|error| SavedError::File { path: path_text(path).into_owned(), problem: error.to_string() })
    }

    /// Whether a file says of itself that it holds one; only its header is read.
    pub fn is_saved(path: &Path) -> bool {
        let header = || {
            // A pipe would be waited for.
            let mut file = path.is_file().then(|| File::open(path).ok())??;
            let (mut length, mut first) = ([0; 8], [0]);
            file.read_exact(&mut length).and_then(|()| file.read_exact(&mut first)).ok().filter(|()| first == *b"{")?;
            let mut header = vec![];
            file.take(u64::from_le_bytes(length).min(MAX_FILE_BYTES)).read_to_end(&mut header).ok()?;
            Some(header)
        };
        // Within the document quotation marks are escaped.
        let says = format!("\"format\":\"{FORMAT}\"");
        header().is_some_and(|header| header.windows(says.len()).any(|text| text == says.as_bytes()))
    }

    /// Reads one, with the network where it was saved with one.
    pub fn load(path: &Path) -> Result<(Self, Option<NetworkFile>), SavedError> {
        let failed = |problem: String| SavedError::File { path: path_text(path).into_owned(), problem };
        let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
        if size > MAX_FILE_BYTES {
            return Err(failed(format!("the file has {size} bytes, more than {MAX_FILE_BYTES}")));
        }
        Self::from_bytes(&std::fs::read(path).map_err(|error| failed(error.to_string()))?)
    }

    /// The bytes of its file.
    pub fn to_bytes(&self, network: Option<&NetworkFile>) -> Result<Vec<u8>, SavedError> {
        let details = &self.details;
        let mut matrices = Matrices::new();
        if let Some(orbit) = &details.orbit {
            for (name, matrix) in
                [("basis", &orbit.basis), ("dual", &orbit.dual), ("operator", &orbit.operator), ("image", &orbit.image)]
            {
                matrices.insert(format!("orbit.{name}"), matrix.clone());
            }
        }
        let units = details.means.first().map_or(0, Vec::len);
        matrices.insert("means".into(), Matrix::from_fn(units, details.means.len(), |i, t| details.means[t][i]));
        let origin = &details.origin_eigenvalues;
        let part = |i: usize, k: usize| if i == 0 { origin[k].re } else { origin[k].im };
        matrices.insert("origin".into(), Matrix::from_fn(2, origin.len(), part));
        if let Some(control) = &self.control {
            matrices.insert("control".into(), control.step.clone());
        }
        details.memories.iter().enumerate().for_each(|(k, memories)| put(&mut matrices, k, memories));
        for (k, run) in details.runs.iter().enumerate() {
            for (name, matrix) in [("inputs", &run.inputs), ("states", &run.states), ("outputs", &run.outputs)] {
                matrices.insert(format!("runs.{k}.{name}"), matrix.clone());
            }
        }
        let behind = Behind {
            task: details.task.as_ref().map(Window::to_toml),
            orbit: details.orbit.as_ref().map(|orbit| SavedOrbit {
                place: orbit.place,
                residual: orbit.residual,
                doubts: orbit.doubts.clone(),
            }),
            memories: details.memories.iter().map(SavedMemories::of).collect(),
            runs: details.runs.len(),
        };
        let network = network.map(NetworkFile::to_safetensors).transpose()?;
        written(self, &behind, &matrices, network.as_deref())
    }

    /// The interpretation in the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, Option<NetworkFile>), SavedError> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let metadata = header.metadata().as_ref().ok_or_else(|| damaged("it says nothing of itself"))?;
        let field = |name: &str| metadata.get(name).ok_or_else(|| damaged(format!("{name} is missing")));
        if field("format")? != FORMAT {
            return Err(damaged(format!("its format is not {FORMAT}")));
        }
        let mut found: Self = serde_json::from_str(field("interpretation")?).map_err(damaged)?;
        let behind: Behind = serde_json::from_str(field("behind")?).map_err(damaged)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let mut matrices = Matrices::new();
        for (name, tensor) in tensors.tensors() {
            if tensor.dtype() == Dtype::F64 {
                matrices.insert(name, matrix(&tensor)?);
            }
        }
        let unused = found.warnings.iter().find_map(|note| match &note.warning {
            Warning::UnusedTensors { names } => Some(names.clone()),
            _ => None,
        });
        let network = match tensors.tensor(NETWORK) {
            Ok(tensor) => {
                let file = NetworkFile::from_safetensors(tensor.data(), Path::new(NETWORK))?;
                Some(NetworkFile { unused: unused.unwrap_or_default(), ..file })
            }
            Err(_) => None,
        };
        if let (Some(control), Some(step)) = (&mut found.control, matrices.remove("control")) {
            control.step = step;
        }
        found.details = details(&found, behind, matrices)?;
        Ok((found, network))
    }
}

impl SavedMemories {
    fn of(memories: &Memories) -> Self {
        Self {
            method: memories.method,
            condition: memories.condition.filter(|condition| condition.is_finite()),
            phi_error: memories.phi_error.filter(|error| error.is_finite()),
            score: memories.score.clone(),
            core: memories.remainder.as_ref().map(|remainder| remainder.core),
        }
    }
}

/// The matrices of one method's memories.
fn put(matrices: &mut Matrices, at: usize, memories: &Memories) {
    let mut add = |name: &str, matrix: Matrix| matrices.insert(format!("memories.{at}.{name}"), matrix);
    if let Some(frame) = &memories.frame {
        add("memories", frame.memories.clone());
        add("readers", frame.readers.clone());
    }
    if let Some(remainder) = &memories.remainder {
        add("directions", remainder.directions.clone());
        add("blocks", remainder.blocks.clone());
        add("sizes", Matrix::from_fn(1, remainder.sizes.len(), |_, k| remainder.sizes[k]));
    }
}

fn written(
    found: &Interpretation,
    behind: &Behind,
    matrices: &Matrices,
    network: Option<&[u8]>,
) -> Result<Vec<u8>, SavedError> {
    // Columns first, as matrices lie in memory: the first axis of the tensor counts columns.
    let values = |matrix: &Matrix| -> Vec<u8> {
        (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)).flat_map(|x| x.to_le_bytes()).collect()
    };
    let bytes: BTreeMap<&String, Vec<u8>> = matrices.iter().map(|(name, matrix)| (name, values(matrix))).collect();
    let mut views: Vec<(String, TensorView<'_>)> = vec![];
    for (name, matrix) in matrices {
        let shape = vec![matrix.ncols(), matrix.nrows()];
        views.push((name.clone(), TensorView::new(Dtype::F64, shape, &bytes[name]).map_err(damaged)?));
    }
    if let Some(network) = network {
        views.push((NETWORK.into(), TensorView::new(Dtype::U8, vec![network.len()], network).map_err(damaged)?));
    }
    let metadata = HashMap::from([
        ("format".into(), FORMAT.into()),
        ("interpretation".into(), serde_json::to_string(found).map_err(damaged)?),
        ("behind".into(), serde_json::to_string(behind).map_err(damaged)?),
    ]);
    let mut bytes = safetensors::serialize(views, Some(metadata)).map_err(damaged)?;
    sort_metadata(&mut bytes);
    Ok(bytes)
}

fn matrix(tensor: &TensorView<'_>) -> Result<Matrix, SavedError> {
    let [columns, rows] = tensor.shape() else { return Err(damaged("a tensor is no matrix")) };
    let values: Vec<f64> = tensor
        .data()
        .chunks_exact(size_of::<f64>())
        .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default()))
        .collect();
    Ok(Matrix::from_fn(*rows, *columns, |i, j| values[j * rows + i]))
}

/// The matrices in their places.
fn details(found: &Interpretation, behind: Behind, mut matrices: Matrices) -> Result<Details, SavedError> {
    let mut take = |name: String| matrices.remove(&name).ok_or_else(|| damaged(format!("{name} is missing")));
    let task =
        behind.task.map(|text| Window::from_toml(&text, "read back", "the file")).transpose().map_err(damaged)?;
    let core = task.as_ref().map(Core::of_linear).transpose().map_err(damaged)?.flatten();
    let contents = task.as_ref().map(|task| Contents::of(task, core.as_ref(), &found.params.code.contents));
    let orbit = match behind.orbit {
        Some(SavedOrbit { place, residual, doubts }) => Some(Linearization {
            place,
            basis: take("orbit.basis".into())?,
            dual: take("orbit.dual".into())?,
            operator: take("orbit.operator".into())?,
            image: take("orbit.image".into())?,
            residual,
            doubts,
        }),
        None => None,
    };
    let means = take("means".into())?;
    let origin = take("origin".into())?;
    let mut memories = vec![];
    for (k, SavedMemories { method, condition, phi_error, score, core }) in behind.memories.into_iter().enumerate() {
        let mut of = |name: &str| take(format!("memories.{k}.{name}"));
        // Rollout has no linear basis.
        let frame = match method {
            Method::Rollout => None,
            _ => Some(Frame { memories: of("memories")?, readers: of("readers")? }),
        };
        let remainder = match core {
            Some(core) => {
                let sizes = of("sizes")?;
                let sizes = (0..sizes.ncols()).map(|k| sizes[(0, k)]).collect();
                Some(Remainder { directions: of("directions")?, sizes, blocks: of("blocks")?, core })
            }
            None => None,
        };
        memories.push(Memories { method, frame, remainder, condition, phi_error, score });
    }
    let mut runs = vec![];
    for k in 0..behind.runs {
        let mut of = |name: &str| take(format!("runs.{k}.{name}"));
        runs.push(RecordedRun { inputs: of("inputs")?, states: of("states")?, outputs: of("outputs")? });
    }
    Ok(Details {
        runs,
        core,
        contents: contents.transpose().map_err(damaged)?,
        task,
        orbit,
        means: (0..means.ncols()).map(|t| means.col_as_slice(t).to_vec()).collect(),
        origin_eigenvalues: (0..origin.ncols()).map(|k| c64::new(origin[(0, k)], origin[(1, k)])).collect(),
        memories,
    })
}
