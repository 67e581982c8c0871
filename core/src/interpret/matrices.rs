//! An interpretation as a document, and the matrices behind it as one file that NumPy, PyTorch and Rust read.

use super::Interpretation;
use crate::memories::Memories;
use crate::numeric::Matrix;
use crate::path_text::path_text;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

impl Interpretation {
    /// The file's name in a folder of results.
    pub const MATRICES_FILE: &'static str = "memories.safetensors";

    /// What was found as a document, behind the path of what it was found in where that is known.
    pub fn document(&self, path: Option<&Path>) -> Result<Value, serde_json::Error> {
        let mut document = serde_json::to_value(self)?;
        if let (Value::Object(found), Some(path)) = (&mut document, path) {
            found.shift_insert(0, "path".into(), path_text(path).into());
        }
        Ok(document)
    }

    /// Memories, readers, remainder and learned circuit of every method, and the linearized orbit, as a safetensors file of
    /// doubles in row-major order. The names say the method first: `orbit.memories` (H x core), `orbit.readers` (core x H),
    /// `orbit.remainder` (H x k), `orbit.circuit` ((core + k) squared, memories first; rows receive).
    #[doc(alias = "Psi")]
    pub fn matrices(&self) -> Result<Vec<u8>, SafeTensorError> {
        let mut named: BTreeMap<String, &Matrix> = BTreeMap::new();
        for memories in &self.details.memories {
            named.extend(of_method(memories));
        }
        if let Some(orbit) = &self.details.orbit {
            named.insert("linearized.basis".into(), &orbit.basis);
            named.insert("linearized.dual".into(), &orbit.dual);
            named.insert("linearized.operator".into(), &orbit.operator);
        }
        let bytes: BTreeMap<&String, Vec<u8>> =
            named.iter().map(|(name, matrix)| (name, row_major_bytes(matrix))).collect();
        let views = named
            .iter()
            .map(|(name, matrix)| {
                Ok((name, TensorView::new(Dtype::F64, vec![matrix.nrows(), matrix.ncols()], &bytes[name])?))
            })
            .collect::<Result<Vec<_>, SafeTensorError>>()?;
        safetensors::serialize(views, None)
    }
}

fn of_method(memories: &Memories) -> impl Iterator<Item = (String, &Matrix)> {
    let named = move |what: &str| format!("{}.{what}", memories.method.name());
    let frame = memories.frame.iter();
    let frame = frame.flat_map(move |frame| [(named("memories"), &frame.memories), (named("readers"), &frame.readers)]);
    let rest = memories.remainder.iter();
    let rest = rest.flat_map(move |rest| [(named("remainder"), &rest.directions), (named("circuit"), &rest.blocks)]);
    frame.chain(rest)
}

fn row_major_bytes(matrix: &Matrix) -> Vec<u8> {
    let entries = (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)]));
    entries.flat_map(f64::to_le_bytes).collect()
}
