//! Checkpoints: a line that names the format, a line of JSON, then weights and moments as safetensors.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RunFolderError;
use crate::crc32c::crc32c;
use crate::network::{Metadata, Network, NetworkFile};
use crate::train::{BestWeights, CurriculumState, Evaluations, Metrics, TrainState};

const NAME: &str = "ketbra checkpoint ";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    step: u64,
    curriculum: CurriculumState,
    metrics: Option<Metrics>,
    /// Which run it belongs to.
    fingerprint: u32,
    /// Bytes of the weights and of the two moments.
    lengths: [usize; 3],
    /// Looks on the way, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    looks: Option<LooksHeader>,
    /// Checksum of all bytes after the header.
    crc32c: u32,
}

#[derive(Serialize, Deserialize)]
struct LooksHeader {
    good: u32,
    settling_since: Option<u64>,
    #[serde(default)]
    reached: Option<u64>,
    best: Option<BestHeader>,
}

#[derive(Serialize, Deserialize)]
struct BestHeader {
    step: u64,
    loss: f64,
    /// Bytes of the weights, behind the moments.
    length: usize,
}

pub(super) fn encode(state: &TrainState, fingerprint: u32) -> Result<Vec<u8>, RunFolderError> {
    let bytes = |network: &Network| NetworkFile::new(network.clone(), Metadata::new()).to_safetensors();
    let parts = [bytes(&state.network)?, bytes(&state.first_moment)?, bytes(&state.second_moment)?];
    let lengths = [parts[0].len(), parts[1].len(), parts[2].len()];
    let mut body = parts.concat();
    let Evaluations { good, settling_since, reached, best } = &state.evaluations;
    let best = match best {
        None => None,
        Some(BestWeights { step, loss, network }) => {
            let bytes = bytes(network)?;
            body.extend(&bytes);
            Some(BestHeader { step: *step, loss: *loss, length: bytes.len() })
        }
    };
    let looks = LooksHeader { good: *good, settling_since: *settling_since, reached: *reached, best };
    let header = Header {
        step: state.step,
        curriculum: state.curriculum.clone(),
        metrics: state.metrics,
        fingerprint,
        lengths,
        looks: (state.evaluations != Evaluations::default()).then_some(looks),
        crc32c: crc32c(&body),
    };
    let header = serde_json::to_string(&header)
        .map_err(|error| RunFolderError::Checkpoint { path: super::CHECKPOINT.into(), problem: error.to_string() })?;
    // The header's own checksum: a flipped bit in the step count would otherwise go unnoticed.
    let mut bytes = format!("{NAME}{VERSION} {:08x}\n{header}\n", crc32c(header.as_bytes())).into_bytes();
    bytes.extend(body);
    Ok(bytes)
}

pub(super) fn decode(bytes: &[u8], fingerprint: u32, path: &Path) -> Result<TrainState, RunFolderError> {
    let wrong = |problem: String| RunFolderError::Checkpoint { path: path.into(), problem };
    let cut_short = || wrong("is cut short".into());
    if bytes.is_empty() {
        return Err(wrong("is empty".into()));
    }
    let (first_line, rest) = split_line(bytes).ok_or_else(|| wrong("is no checkpoint, or is cut short".into()))?;
    let mut words = first_line.strip_prefix(NAME).ok_or_else(|| wrong("is no checkpoint".into()))?.split(' ');
    let version = words.next().unwrap_or_default();
    if version != VERSION.to_string() {
        return Err(wrong(format!("is a checkpoint of version {version}, but this ketbra reads version {VERSION}")));
    }
    let (header, body) = split_line(rest).ok_or_else(cut_short)?;
    if words.next() != Some(format!("{:08x}", crc32c(header.as_bytes())).as_str()) && !cfg!(fuzzing) {
        return Err(wrong("is damaged: the checksum of its header does not match".into()));
    }
    let header: Header = serde_json::from_str(header).map_err(|error| wrong(format!("is damaged: {error}")))?;
    let [a, b, c] = header.lengths;
    let best = header.looks.as_ref().and_then(|looks| looks.best.as_ref());
    let rest = best.map_or(0, |best| best.length);
    let expected = [a, b, c, rest].into_iter().fold(0, usize::saturating_add);
    if body.len() < expected {
        return Err(wrong(format!("is cut short: {} of {expected} bytes", body.len())));
    }
    if body.len() > expected || crc32c(body) != header.crc32c && !cfg!(fuzzing) {
        return Err(wrong("is damaged: its checksum does not match".into()));
    }
    if header.fingerprint != fingerprint && !cfg!(fuzzing) {
        return Err(wrong("belongs to a run with other parameters".into()));
    }
    let network = |from: usize, length: usize| -> Result<Network, RunFolderError> {
        Ok(NetworkFile::from_safetensors(&body[from..from + length], path)?.network)
    };
    let best = best.map(|best| {
        let network = std::sync::Arc::new(network(a + b + c, best.length)?);
        Ok::<_, RunFolderError>(BestWeights { step: best.step, loss: best.loss, network })
    });
    let best = best.transpose()?;
    let (good, settling_since, reached) =
        header.looks.map_or((0, None, None), |looks| (looks.good, looks.settling_since, looks.reached));
    Ok(TrainState {
        evaluations: Evaluations { good, settling_since, reached, best },
        step: header.step,
        curriculum: header.curriculum,
        network: network(0, a)?,
        first_moment: network(a, b)?,
        second_moment: network(a + b, c)?,
        metrics: header.metrics,
    })
}

fn split_line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};
    use crate::train::Curriculum;

    fn state() -> TrainState {
        let network =
            |seed| Initialization::Uniform.network(&Architecture::elman(5, Activation::Relu, true), 2, 2, seed);
        let mut curriculum = Curriculum::adaptive().begin();
        curriculum.rolling_loss = vec![0.1, 1.0 / 3.0, f64::MIN_POSITIVE];
        TrainState {
            step: 7,
            curriculum,
            network: network(1),
            first_moment: network(2),
            second_moment: network(3),
            metrics: Some(Metrics {
                step: 7,
                horizon: 10,
                loss: 2.0 / 3.0,
                accuracy: 0.1 + 0.2,
                gradient_norm: 1e-300,
                learning_rate: 1e-3,
            }),
            evaluations: Evaluations::default(),
        }
    }

    fn with_looks() -> TrainState {
        let network = Initialization::Uniform.network(&Architecture::elman(5, Activation::Relu, true), 2, 2, 4).into();
        let best = Some(BestWeights { step: 5, loss: 1.0 / 7.0, network });
        TrainState { evaluations: Evaluations { good: 3, settling_since: Some(6), reached: Some(4), best }, ..state() }
    }

    fn refusal(bytes: &[u8]) -> String {
        decode(bytes, 9, Path::new("run/checkpoint")).unwrap_err().to_string()
    }

    #[test]
    fn a_checkpoint_comes_back_whole() {
        for state in [state(), with_looks()] {
            let bytes = encode(&state, 9).unwrap();
            assert_eq!(decode(&bytes, 9, Path::new("x")).unwrap(), state);
        }
    }

    #[test]
    fn every_truncation_and_every_flipped_byte_is_noticed() {
        let bytes = encode(&with_looks(), 9).unwrap();
        for length in 0..bytes.len() {
            assert!(refusal(&bytes[..length]).starts_with("run/checkpoint is"), "{length}");
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(decode(&damaged, 9, Path::new("x")).is_err(), "byte {place} of {}", bytes.len());
        }
    }

    #[test]
    fn each_kind_of_damage_is_named() {
        let bytes = encode(&state(), 9).unwrap();
        assert_eq!(refusal(b""), "run/checkpoint is empty");
        assert_eq!(refusal(b"PK\x03\x04\n"), "run/checkpoint is no checkpoint");
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("is cut short"));
        let newer = [b"ketbra checkpoint 2".as_slice(), &bytes[19..]].concat();
        assert_eq!(refusal(&newer), "run/checkpoint is a checkpoint of version 2, but this ketbra reads version 1");
        let foreign = decode(&bytes, 10, Path::new("run/checkpoint")).unwrap_err().to_string();
        assert_eq!(foreign, "run/checkpoint belongs to a run with other parameters");
    }
}
