//! What is made, and what is known of it.

use super::circuit::Role;
use super::threshold::Threshold;
use super::weights::Made;
use super::{Checked, CompileError, CompileParams, GATE, SuperposedPair, check};
use crate::network::{Metadata, Network, NetworkFile, PlainWeights};
use crate::numeric::{Matrix, draw};
use crate::random::{Purpose, Stream};
use crate::task::{Gate, Slot, Window};
use serde::Serialize;
use serde_json::{Value, json};

/// Episodes and the most output steps of the check that every network passes before it is handed out, and by how much louder
/// than promised the noise on its state is.
const CHECK: (usize, usize, f64) = (8, 1000, 1.0);
/// The same with noise on the weights: no margin is known then, and more has to be seen.
const CHECK_OF_DISTURBED: (usize, usize, f64) = (512, 100, 1.5);
/// Numbers that the check may multiply: less for large networks.
const CHECK_WORK: usize = 2_000_000_000;

/// A hidden unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldUnit {
    /// What it is there for.
    #[serde(flatten)]
    pub role: Role,
    /// Whether it holds that (+1) or its opposite (-1).
    pub sign: f64,
}

/// Figures of a compiled network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CompiledFigures {
    /// The fewest hidden units that would have done.
    pub needed: usize,
    /// How many standard deviations every reading keeps from its threshold.
    pub margin: f64,
    /// The share of other contents in the units that move contents.
    pub mixing: f64,
    /// The share of those units' variance that is linear in the contents.
    pub linear: f64,
}

/// A compiled network in short, as JSON has it.
#[derive(Clone, Debug, Serialize)]
pub struct CompiledSummary<'a> {
    task: &'a str,
    s: usize,
    d: usize,
    params: &'a CompileParams,
    hidden: usize,
    contents: usize,
    numbers: CompiledFigures,
    checked: Checked,
}

/// A compiled network with the truth about it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The network.
    pub network: Network,
    /// What it computes.
    pub task: Window,
    /// How it was made.
    pub params: CompileParams,
    /// What it holds, in the order of the window: the oldest first.
    pub contents: Vec<Slot>,
    /// What each hidden unit is there for.
    pub units: Vec<HeldUnit>,
    /// Hidden x contents: what each content adds to the units.
    #[doc(alias = "Psi")]
    pub memories: Matrix,
    /// Contents x hidden: how each content is read. The two contents of a pair have the same row, which reads
    /// `first + second / 2`.
    pub readers: Matrix,
    /// Contents that share a direction.
    pub pairs: Vec<SuperposedPair>,
    /// How many units it needed, its margin, and how contents are mixed.
    pub figures: CompiledFigures,
    /// The run that it has passed.
    pub checked: Checked,
    /// The thresholds that each output is a sum of, with the constant; nothing where it is a copy.
    sums: Vec<Option<(i32, Vec<Threshold>)>>,
}

impl Compiled {
    /// What it is and what it has passed.
    pub fn summary(&self) -> CompiledSummary<'_> {
        CompiledSummary {
            task: self.task.name(),
            s: self.task.s(),
            d: self.task.d(),
            params: &self.params,
            hidden: self.network.hidden(),
            contents: self.contents.len(),
            numbers: self.figures,
            checked: self.checked,
        }
    }

    pub(super) fn finish(
        task: &Window,
        gates: &[Gate],
        made: &Made<'_>,
        params: &CompileParams,
        figures: CompiledFigures,
    ) -> Result<Self, CompileError> {
        let mut weights = made.weights();
        disturb(&mut weights, params);
        let network = made.parts.drive.plain.network(weights, GATE);
        let (episodes, most, louder) = if params.noise > 0.0 { CHECK_OF_DISTURBED } else { CHECK };
        let steps = (CHECK_WORK / (episodes * network.hidden().pow(2)).max(1)).clamp(20, most);
        let checked = check(&network, task, params.seed, episodes, steps, louder * params.state_noise);
        if checked.accuracy < 1.0 {
            return Err(CompileError::Unreliable { accuracy: checked.accuracy, noise: params.noise });
        }
        let by_signal = made.readers();
        let circuit = made.parts.circuit;
        let unit = |place: &super::weights::Place| HeldUnit { role: circuit.units[place.unit].role, sign: place.sign };
        Ok(Self {
            network,
            task: task.clone(),
            params: params.clone(),
            contents: circuit.contents.clone(),
            units: made.parts.places.iter().flatten().map(unit).collect(),
            memories: made.memories(gates)?,
            readers: Matrix::from_fn(circuit.contents.len(), made.parts.places.len(), |k, i| {
                by_signal[(circuit.holder[k], i)]
            }),
            pairs: circuit.pairs.clone(),
            figures,
            checked,
            sums: circuit.sums.iter().map(|sum| sum.as_ref().map(|sum| (sum.constant, sum.terms.clone()))).collect(),
        })
    }

    /// The network as a file that names its task.
    pub fn file(&self) -> NetworkFile {
        let metadata = [("task", self.task.to_toml()), ("made", "compiled".into())];
        let metadata: Metadata = metadata.into_iter().map(|(key, value)| (key.into(), value)).collect();
        NetworkFile::new(self.network.clone(), metadata)
    }

    /// All that is known of the network, as `truth.json` has it. Contents, units, outputs and inputs of gates are counted from 0.
    pub fn truth(&self) -> Value {
        let contents = self.contents.iter().enumerate().map(|(k, slot)| {
            json!({
                "lag": slot.lag,
                "component": slot.component,
                "variable": self.task.s() + 1 - slot.lag,
                "memory": self.memories.col_as_slice(k),
                "reader": self.readers.row(k).iter().collect::<Vec<_>>(),
            })
        });
        json!({
            "task": { "name": self.task.name(), "s": self.task.s(), "d": self.task.d(), "recurrence": self.task.recurrence() },
            "params": self.params,
            "numbers": self.figures,
            "checked": self.checked,
            "contents": contents.collect::<Vec<_>>(),
            "superposed": self.pairs,
            "units": self.units,
            "gates": self.gates(),
        })
    }

    fn gates(&self) -> Vec<Value> {
        let gates = self.task.gates().unwrap_or_default();
        let of = |(gate, sum): (&Gate, &Option<(i32, Vec<Threshold>)>)| {
            let inputs: Vec<_> =
                gate.inputs().iter().map(|slot| self.contents.iter().position(|at| at == slot)).collect();
            let term = |of: &Threshold| json!({ "weights": of.weights, "threshold": of.threshold, "coefficient": of.coefficient });
            match sum {
                None => json!({ "inputs": inputs, "copies": true, "negated": gate.table().first() }),
                Some((constant, terms)) => {
                    json!({ "inputs": inputs, "constant": constant, "terms": terms.iter().map(term).collect::<Vec<_>>() })
                }
            }
        };
        gates.iter().zip(&self.sums).map(of).collect()
    }
}

/// Adds noise to the finished weights.
fn disturb(weights: &mut PlainWeights, params: &CompileParams) {
    if params.noise == 0.0 {
        return;
    }
    let stream = Stream::new(params.seed, Purpose::Matrices);
    let all = [&mut weights.input, &mut weights.recurrent, &mut weights.readout.weights];
    for (index, matrix) in (2..).zip(all) {
        let size = matrix.norm_l2() / ((matrix.nrows() * matrix.ncols()) as f64).sqrt();
        *matrix += faer::Scale(params.noise * size) * draw::normal(matrix.nrows(), matrix.ncols(), &stream, index);
    }
}
