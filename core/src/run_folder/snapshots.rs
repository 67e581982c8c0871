//! Weights on the way, all in one file: every parameter stacked under PyTorch's name, and the steps they were kept after.

use super::RunFolderError;
use crate::files::{cannot, read_bytes, write_whole_unsynced};
use crate::network::{Activation, Network, Tensor, Tensors};
use crate::train::limits::MAX_BYTES;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The tensor with the steps.
const STEP: &str = "step";

/// Parameters by name: the shape of one, and the values of all, one snapshot after the other.
type Stacks = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// The file of a run's snapshots while it grows; it is written anew for each.
pub(super) struct SnapshotsFile {
    path: PathBuf,
    steps: Vec<i64>,
    stacks: Stacks,
}

impl SnapshotsFile {
    /// Opens the file and drops what was kept after `step`, which will be kept again.
    pub(super) fn open(path: PathBuf, step: u64) -> Self {
        // A file that is missing or unreadable is begun again; it is not needed to go on.
        let bytes = read_bytes(&path, MAX_BYTES as u64).unwrap_or_default();
        let (mut steps, mut stacks) = read(&bytes, &path).unwrap_or_default();
        let kept = steps.iter().take_while(|&&at| at <= step as i64).count();
        steps.truncate(kept);
        for (shape, values) in stacks.values_mut() {
            values.truncate(kept * shape.iter().product::<usize>());
        }
        Self { path, steps, stacks }
    }

    /// Adds the weights after a step, unless they are there.
    pub(super) fn append(&mut self, step: u64, network: &Network) -> Result<(), RunFolderError> {
        if self.steps.last() == Some(&(step as i64)) {
            return Ok(());
        }
        self.steps.push(step as i64);
        for (name, Tensor { shape, values }) in network.to_tensors() {
            let (_, stack) = self.stacks.entry(name).or_insert_with(|| (shape, vec![]));
            stack.extend(values.iter().map(|&value| value as f32));
        }
        let bytes = self.bytes().map_err(|problem| damaged(&self.path, problem))?;
        Ok(write_whole_unsynced(&self.path, &bytes).map_err(cannot("write", &self.path))?)
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let count = self.steps.len();
        let steps: Vec<u8> = self.steps.iter().flat_map(|step| step.to_le_bytes()).collect();
        let values: Vec<Vec<u8>> =
            self.stacks.values().map(|(_, values)| values.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
        let view = |dtype, shape: Vec<usize>, bytes| TensorView::new(dtype, shape, bytes).map_err(|e| e.to_string());
        let mut views = vec![(STEP, view(Dtype::I64, vec![count], &steps)?)];
        for ((name, (shape, _)), values) in self.stacks.iter().zip(&values) {
            let shape = std::iter::once(count).chain(shape.iter().copied()).collect();
            views.push((name, view(Dtype::F32, shape, values)?));
        }
        safetensors::serialize(views, None).map_err(|error| error.to_string())
    }
}

/// The snapshots in a file, in the order of their steps; `like` is the network at the end, which says of what kind they are.
pub(super) fn networks(path: &Path, like: &Network) -> Result<Vec<(u64, Network)>, RunFolderError> {
    let bytes = read_bytes(path, MAX_BYTES as u64).map_err(cannot("read", path))?;
    parse(&bytes, path, like.activation().unwrap_or_default())
}

/// The same from the bytes of the file.
pub(super) fn parse(bytes: &[u8], path: &Path, activation: Activation) -> Result<Vec<(u64, Network)>, RunFolderError> {
    let (steps, stacks) = read(bytes, path)?;
    let one = |(k, &step): (usize, &i64)| {
        let tensor = |(name, (shape, values)): (&String, &(Vec<usize>, Vec<f32>))| {
            let size = shape.iter().product::<usize>();
            let values = values[k * size..(k + 1) * size].iter().map(|&x| f64::from(x)).collect();
            (name.clone(), Tensor { shape: shape.clone(), values })
        };
        let tensors: Tensors = stacks.iter().map(tensor).collect();
        let network = Network::from_tensors(&tensors, activation)?;
        Ok((step.max(0) as u64, network))
    };
    steps.iter().enumerate().map(one).collect()
}

fn read(bytes: &[u8], path: &Path) -> Result<(Vec<i64>, Stacks), RunFolderError> {
    let wrong = |problem: String| damaged(path, problem);
    let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
    let (mut steps, mut stacks) = (vec![], Stacks::new());
    for (name, view) in file.tensors() {
        match (name.as_str(), view.dtype(), view.shape()) {
            (STEP, Dtype::I64, [_]) => {
                steps = view.data().as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
            }
            (_, Dtype::F32, [_, shape @ ..]) => {
                let values = view.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
                stacks.insert(name, (shape.to_vec(), values));
            }
            _ => return Err(wrong(format!("{} is no stack of weights", crate::foreign_text::escaped_name(&name)))),
        }
    }
    let fits = |(shape, values): &(Vec<usize>, Vec<f32>)| values.len() == steps.len() * shape.iter().product::<usize>();
    if steps.is_empty() || !steps.is_sorted() || !stacks.values().all(fits) {
        return Err(wrong("its weights are not as many as its steps".into()));
    }
    Ok((steps, stacks))
}

fn damaged(path: &Path, problem: String) -> RunFolderError {
    RunFolderError::Checkpoint { path: path.into(), problem: format!("holds no snapshots that can be read: {problem}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    fn network(seed: u64) -> Network {
        Initialization::Uniform.network(&Architecture::elman(3, Activation::Relu, true), 2, 2, seed)
    }

    #[test]
    fn what_was_kept_comes_back_and_what_came_after_a_stop_is_kept_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshots.safetensors");
        let mut file = SnapshotsFile::open(path.clone(), 0);
        for step in [0, 10, 10, 20] {
            file.append(step, &network(step)).unwrap();
        }
        let kept = networks(&path, &network(0)).unwrap();
        assert_eq!(kept, [0, 10, 20].map(|step| (step, network(step))));
        let bytes = std::fs::read(&path).unwrap();
        // A run that goes on from step 10 keeps the same bytes in the end.
        let mut resumed = SnapshotsFile::open(path.clone(), 10);
        resumed.append(20, &network(20)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn damage_is_told_and_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshots.safetensors");
        SnapshotsFile::open(path.clone(), 0).append(0, &network(1)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
        let message = networks(&path, &network(1)).unwrap_err().to_string();
        assert!(message.contains("holds no snapshots that can be read"), "{message}");
        SnapshotsFile::open(path.clone(), 5).append(0, &network(1)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
