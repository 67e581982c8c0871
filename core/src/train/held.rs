//! What training may not change, as bytes: a basis for each parameter, and what pulls weights back.

use super::{Held, Hold, Penalty, Restraint, RestraintRule};
use crate::crc32c::crc32c;
use crate::network::{Metadata, Network, Tensor, Tensors, sort_metadata};
use faer::Mat;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::path::Path;
use std::sync::Arc;

const FISHER: &str = "fisher.";
const ANCHOR: &str = "anchor.";

/// The bytes of what is held.
pub(crate) fn encode(held: &Held) -> Result<Vec<u8>, String> {
    let mut tensors = Tensors::new();
    let mut kinds = Metadata::new();
    for (name, hold) in &held.holds {
        kinds.insert(name.clone(), hold.name().into());
        if let Some(basis) = hold.basis() {
            let values = (0..basis.nrows()).flat_map(|i| (0..basis.ncols()).map(move |j| basis[(i, j)])).collect();
            tensors.insert(name.clone(), Tensor { shape: vec![basis.nrows(), basis.ncols()], values });
        }
    }
    if let Some(Penalty { fisher, anchor, .. }) = &held.penalty {
        for (prefix, network) in [(FISHER, fisher), (ANCHOR, anchor)] {
            tensors.extend(network.to_tensors().into_iter().map(|(name, tensor)| (format!("{prefix}{name}"), tensor)));
        }
        let activation = anchor.activation().unwrap_or_default().name();
        kinds.insert("activation".into(), activation.into());
    }
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, tensor)| (name, tensor.shape, tensor.values.iter().flat_map(|x| x.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F64, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| error.to_string())?;
    let bytes = safetensors::serialize(views, Some(kinds.into_iter().collect()));
    let mut bytes = bytes.map_err(|error| error.to_string())?;
    sort_metadata(&mut bytes);
    Ok(bytes)
}

fn decode(bytes: &[u8], rule: &RestraintRule, path: &Path) -> Result<Held, String> {
    let wrong = |error: safetensors::SafeTensorError| error.to_string();
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(wrong)?;
    let file = SafeTensors::deserialize(bytes).map_err(wrong)?;
    let mut tensors = Tensors::new();
    for (name, view) in file.tensors() {
        let values = view.data().as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        tensors.insert(name, Tensor { shape: view.shape().to_vec(), values });
    }
    let part = |prefix: &str| -> Tensors {
        let of =
            tensors.iter().filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_string(), tensor.clone())));
        of.collect()
    };
    let kinds: Metadata = header.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    let activation = kinds.get("activation").and_then(|name| name.parse().ok()).unwrap_or_default();
    let network = |prefix: &str| Network::from_tensors(&part(prefix), activation).map_err(|error| error.to_string());
    let penalty = match rule {
        RestraintRule::Ewc { strength, .. } => {
            Some(Penalty { fisher: network(FISHER)?, anchor: network(ANCHOR)?, strength: *strength })
        }
        _ => None,
    };
    let mut held = Held { penalty, ..Held::default() };
    for (name, kind) in kinds.into_iter().filter(|(name, _)| name != "activation") {
        let basis = || match tensors.get(&name).map(|tensor| (&tensor.shape[..], &tensor.values)) {
            Some(([rows, columns], values)) => Ok(Mat::from_fn(*rows, *columns, |i, j| values[i * columns + j])),
            _ => Err(format!("{} holds no basis of {}", path.display(), crate::foreign_text::escaped_name(&name))),
        };
        let hold = match kind.as_str() {
            "fixed" => Hold::Fixed,
            "outside" => Hold::Outside(basis()?),
            "inside" => Hold::Inside(basis()?),
            "between" => Hold::WithinItself(basis()?),
            other => {
                return Err(format!("'{}' is no way to hold a parameter", crate::foreign_text::escaped_name(other)));
            }
        };
        held.holds.insert(name, hold);
    }
    Ok(held)
}

impl Restraint {
    /// What is held, by a rule, with its checksum.
    pub(crate) fn of(rule: RestraintRule, held: Held) -> Result<Self, String> {
        let crc32c = crc32c(&encode(&held)?);
        Ok(Self { rule, crc32c, before: vec![], held: Some(Arc::new(held)) })
    }

    /// What is held, from the bytes of a file, if they are those that training began with.
    pub(crate) fn held_in(&self, bytes: &[u8], path: &Path) -> Result<Arc<Held>, String> {
        if crc32c(bytes) != self.crc32c {
            return Err("is not what the run began with: its checksum does not match; begin the run again".into());
        }
        decode(bytes, &self.rule, path).map(Arc::new).map_err(|problem| format!("is damaged: {problem}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    #[test]
    fn what_is_held_comes_back_and_a_flipped_byte_is_noticed() {
        let network =
            |seed| Initialization::Uniform.network(&Architecture::elman(3, Activation::Relu, false), 2, 2, seed);
        let basis = Mat::from_fn(3, 2, |i, j| 1.0 / (1.0 + i as f64 + 3.0 * j as f64));
        let holds = [("a".to_string(), Hold::Fixed), ("b".into(), Hold::WithinItself(basis))].into();
        let held = Held { holds, penalty: Some(Penalty { fisher: network(1), anchor: network(2), strength: 0.5 }) };
        let rule = RestraintRule::Ewc { old: vec!["x".into()], strength: 0.5 };
        let (restraint, path) = (Restraint::of(rule, held.clone()).unwrap(), Path::new("held.safetensors"));
        let mut bytes = encode(&held).unwrap();
        assert_eq!(*restraint.held_in(&bytes, path).unwrap(), held);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let message = restraint.held_in(&bytes, path).unwrap_err();
        assert!(message.contains("checksum does not match"), "{message}");
    }
}
