//! The data of one page, as the explorer reads it.

use super::input_phase::InputPhase;
use super::layers::{NetworkData, network_data};
use super::made_of::{Part, made_of, parts};
use super::stored::Stored;
use super::words::{self, ClaimWords, Figure};
use super::{Provenance, ReportError, Training};
use crate::circuit::Core;
use crate::code::Contents;
use crate::edit::{EditParams, own_code};
use crate::interpret::{Interpretation, RecordedRun, Verdict};
use crate::memories::{Frame, Memories, Method, observability};
use crate::network::Network;
use crate::numeric::{Matrix, c64, eigenvalues, pseudo_inverse};
use crate::spectrum::{Direction, Eigenvalue, Spectrum};
use crate::task::{Function, Gate, KNOWN_TASKS, Slot, Source, Task};
use serde::Serialize;
use std::collections::BTreeMap;

/// The longest run that a page shows, in output steps.
const LONGEST_RUN: usize = 96;

#[derive(Serialize)]
pub(super) struct PageData {
    meta: Meta,
    verdict: VerdictData,
    network: Option<NetworkData>,
    /// Episodes of a recording, which stand for a network that nobody can run.
    recorded: Vec<RecordedData>,
    /// The rows of the state that are looked at.
    state: Vec<Part>,
    task: Option<TaskData>,
    presets: BTreeMap<String, Vec<Wire>>,
    spectra: SpectraData,
    memories: Option<MemoriesData>,
    memories_missing: Option<&'static str>,
    edit: Option<EditData>,
    training: Option<Training>,
}

/// One recorded episode, a row a step.
#[derive(Serialize)]
struct RecordedData {
    inputs: Stored,
    states: Stored,
    outputs: Stored,
}

impl RecordedData {
    fn of(run: &RecordedRun) -> Self {
        let rows = |matrix: &Matrix| {
            let steps = matrix.ncols().min(LONGEST_RUN);
            Stored::shown(&matrix.subcols(0, steps).transpose().to_owned())
        };
        Self { inputs: rows(&run.inputs), states: rows(&run.states), outputs: rows(&run.outputs) }
    }
}

#[derive(Serialize)]
struct Meta {
    title: String,
    task: Option<String>,
    s: usize,
    d: usize,
    hidden: usize,
    /// What the network is made of; nothing for one plain layer, which its units describe.
    made_of: Option<String>,
    made: Vec<(String, String)>,
    citation: &'static str,
    bibtex: &'static str,
}

#[derive(Serialize)]
struct VerdictData {
    kind: &'static str,
    sentence: String,
    /// Which part of the state this is about, where there is a choice, and what the whole of it comes to.
    state: Option<String>,
    definition: &'static str,
    claims: Vec<ClaimWords>,
    control: Option<String>,
    weights: String,
    figures: Vec<Figure>,
    warnings: Vec<String>,
    recurrence: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Wire {
    lag: usize,
    component: usize,
    sign: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum TaskData {
    Sources(Vec<Wire>),
    Gates(Vec<GateData>),
    Matrix(Stored),
}

/// A truth table: components from 0, entry m as in [`Gate`].
#[derive(Serialize)]
struct GateData {
    inputs: Vec<Slot>,
    table: Vec<i8>,
}

impl GateData {
    fn of(gate: &Gate) -> Self {
        let table = gate.table().iter().map(|&up| if up { 1 } else { -1 }).collect();
        Self { inputs: gate.inputs().to_vec(), table }
    }
}

#[derive(Serialize)]
struct SpectraData {
    origin: Option<SpectrumData>,
    orbit: Option<SpectrumData>,
    /// Whether it is what is read from the memories that turns, and not the whole state.
    in_memories: bool,
    theory: Option<Vec<Eigenvalue>>,
}

#[derive(Serialize)]
struct SpectrumData {
    threshold: f64,
    found: usize,
    expected: Option<usize>,
    error: Option<f64>,
    eigenvalues: Vec<Eigenvalue>,
    directions: Vec<Direction>,
}

#[derive(Serialize)]
struct MemoriesData {
    method: &'static str,
    /// The window component that each memory holds.
    members: Vec<usize>,
    readers: Stored,
    /// The learned circuit on memories and remainder.
    blocks: Stored,
    theory: Stored,
    perp: usize,
    scores: Vec<f64>,
    recovered: f64,
    /// For networks with biases: the mean state at each output step, which is taken off before reading.
    mean: Option<Stored>,
    /// The same at each input step, where that is known, and how much of what is read there is right.
    input_mean: Option<Stored>,
    input_read: Option<f64>,
    /// For superposed networks: contents from the next s outputs.
    rolled: Option<Stored>,
    /// Whether the rows that hand variables on are right whatever the network is.
    by_construction: bool,
    /// The step matrix of the control.
    control: Option<Stored>,
}

/// What the page needs to edit the network as the library does.
#[derive(Serialize)]
struct EditData {
    slots: Vec<usize>,
    read: Vec<f64>,
    code: Stored,
    memories: Stored,
    mean: Vec<f64>,
    readers: Stored,
    /// Squares of all parameters, and of the two biases whose sum the page has.
    squares: (f64, f64),
    params: EditParams,
}

const CITATION: &str = "Arjun Karuvally, Peter Delmastro and Hava T. Siegelmann: Episodic Memory Theory for the Mechanistic \
                        Interpretation of Recurrent Neural Networks (2023).";
const BIBTEX: &str = "@article{karuvally2023episodic,
  title  = {Episodic Memory Theory for the Mechanistic
            Interpretation of Recurrent Neural Networks},
  author = {Karuvally, Arjun and Delmastro, Peter and
            Siegelmann, Hava T.},
  year   = {2023}
}";

pub(super) fn page_data(
    network: Option<&Network>,
    found: &Interpretation,
    provenance: &Provenance,
) -> Result<PageData, ReportError> {
    let task = found.details.task.as_ref();
    let memories = memories_data(network, found)?;
    let memories_missing = memories.is_none().then_some(match (found.verdict, task) {
        (Verdict::NotLearned, Some(_)) => "There are no variable memories to show: nothing lasts in this network.",
        (_, None) => "Without a known function there is no basis of variable memories to show.",
        _ => "The variable memories of this network could not be found; the doubts say why.",
    });
    let known = !found.recurrence_in_words.is_empty();
    Ok(PageData {
        meta: Meta {
            title: provenance.title.clone(),
            task: found.task.name.clone(),
            s: found.task.s,
            d: found.task.d,
            hidden: found.hidden,
            made_of: match network {
                Some(network) => network.as_elman().is_none().then(|| made_of(network)),
                None => Some(format!("{} recorded units", found.hidden)),
            },
            made: made(network, found, provenance)?,
            citation: CITATION,
            bibtex: BIBTEX,
        },
        verdict: VerdictData {
            kind: found.verdict.name(),
            sentence: words::sentence(network, found),
            state: network.and_then(|network| words::state(network, found)),
            definition: found.verdict.definition(),
            claims: words::claims(found),
            control: found.control.as_ref().map(ToString::to_string),
            weights: words::weights_heading(network, found),
            figures: words::figures(found),
            warnings: words::doubts(found),
            recurrence: known.then(|| found.recurrence_in_words.clone()),
        },
        network: network.map(network_data),
        recorded: found.details.runs.iter().map(RecordedData::of).collect(),
        state: match network {
            Some(network) => parts(network, found.state),
            None => vec![Part { name: "units".into(), first: 0, count: found.hidden, squashed: false }],
        },
        task: task.map(|task| match task.function() {
            Function::Selection(sources) => TaskData::Sources(wires(sources)),
            Function::Table(gates) => TaskData::Gates(gates.iter().map(GateData::of).collect()),
            Function::Dense(matrix) => TaskData::Matrix(Stored::exact(matrix)),
        }),
        presets: presets(found.task.s, found.task.d),
        spectra: spectra_data(found)?,
        memories,
        memories_missing,
        edit: network.and_then(|network| edit_data(network, found)),
        training: provenance.training.clone(),
    })
}

fn wires(sources: &[Source]) -> Vec<Wire> {
    sources.iter().map(|s| Wire { lag: s.lag, component: s.component, sign: s.sign() }).collect()
}

/// Every named task of this size.
fn presets(s: usize, d: usize) -> BTreeMap<String, Vec<Wire>> {
    let named = KNOWN_TASKS.iter().filter_map(|known| Task::named(known.name, Some(s), Some(d)).ok());
    let mut presets = BTreeMap::new();
    let mut seen: Vec<Task> = vec![];
    for task in named {
        // T1 and T2 are repeat copy and compose copy where s = d = 8.
        if let Some(sources) = task.sources().filter(|_| !seen.iter().any(|other| other.same_function(&task))) {
            presets.insert(task.name().to_string(), wires(sources));
            seen.push(task);
        }
    }
    presets
}

fn spectra_data(found: &Interpretation) -> Result<SpectraData, ReportError> {
    let mut all = spectra(found)?.into_iter().map(|(place, eigenvalues, spectrum)| {
        (
            place,
            SpectrumData {
                threshold: spectrum.threshold,
                found: spectrum.found,
                expected: spectrum.expected,
                error: spectrum.error,
                eigenvalues,
                directions: spectrum.directions.clone(),
            },
        )
    });
    let known = found.spectrum.origin.as_ref().unwrap_or(&found.spectrum.orbit);
    let theory = known.expected.is_some().then(|| known.theory.clone());
    let (mut origin, mut orbit) = (None, None);
    all.by_ref()
        .for_each(|(place, spectrum)| *(if place == AT_ORIGIN { &mut origin } else { &mut orbit }) = Some(spectrum));
    Ok(SpectraData { origin, orbit, in_memories: found.spectrum.memories.is_some(), theory })
}

fn memories_data(network: Option<&Network>, found: &Interpretation) -> Result<Option<MemoriesData>, ReportError> {
    let (Some(shown), Some(task)) = (Shown::of(found)?, &found.details.task) else { return Ok(None) };
    let rolled = match found.verdict {
        Verdict::Superposed => {
            let said = observability(&shown.readout, &shown.step, task.s());
            Some(pseudo_inverse(&said, found.params.memories.relative_cut)?)
        }
        _ => None,
    };
    let means = &found.details.means;
    let mean = (!network.is_some_and(Network::is_odd) && !means.is_empty()).then(|| {
        let rows = means.len().min(LONGEST_RUN);
        Stored::shown(&Matrix::from_fn(rows, found.hidden, |t, unit| means[t][unit]))
    });
    let score = &shown.memories.score;
    let input = network.and_then(|network| InputPhase::of(network, found, &shown));
    Ok(Some(MemoriesData {
        method: shown.memories.method.name(),
        by_construction: shown.memories.method.shift_by_construction(),
        readers: Stored::shown(&shown.widened(&shown.frame.readers)),
        theory: Stored::shown(&shown.on_window(&shown.step)),
        perp: shown.blocks.nrows() - shown.members.len(),
        blocks: Stored::shown(&shown.blocks),
        scores: if shown.named { score.components.clone() } else { vec![score.worst; shown.members.len()] },
        recovered: found.params.memories.recovered,
        mean,
        input_mean: input.as_ref().map(|input| Stored::shown(&input.means.transpose().to_owned())),
        input_read: input.and_then(|input| input.read),
        rolled: rolled.map(|matrix| Stored::shown(&shown.widened(&matrix))),
        control: found.control.as_ref().map(|control| Stored::shown(&shown.on_window(&control.step))),
        members: shown.members,
    }))
}

/// The memories that are shown first, with everything on components: a function whose contents have no places of their own
/// is shown on the whole window.
pub(super) struct Shown<'a> {
    pub(super) memories: &'a Memories,
    pub(super) frame: &'a Frame,
    /// Whether contents are components.
    pub(super) named: bool,
    /// The window component of each memory.
    pub(super) members: Vec<usize>,
    /// The learned circuit on memories and remainder.
    pub(super) blocks: Matrix,
    step: Matrix,
    readout: Matrix,
    embed: Matrix,
    project: Matrix,
}

impl<'a> Shown<'a> {
    pub(super) fn of(found: &'a Interpretation) -> Result<Option<Self>, ReportError> {
        let memories = found.details.memories.iter().find(|memories| memories.frame.is_some());
        let (Some(task), Some(memories)) = (&found.details.task, memories) else { return Ok(None) };
        let (Some(frame), Some(remainder)) = (&memories.frame, &memories.remainder) else { return Ok(None) };
        let (embed, project, step, readout, slots) = match (&found.details.contents, memories.method) {
            (Some(contents), Method::Code) => {
                let Contents { embed, project, step, readout, slots, .. } = contents.clone();
                (embed, project, step, readout, slots)
            }
            _ => {
                let Core { embed, project, step, readout, components, .. } = Core::of(task)?;
                (embed, project, step, readout, components)
            }
        };
        let named = slots.is_some();
        let blocks = match named {
            true => remainder.blocks.clone(),
            false => on_window(&remainder.blocks, remainder.core, &embed, &project),
        };
        let members = slots.unwrap_or_else(|| (0..task.window()).collect());
        Ok(Some(Self { memories, frame, named, members, blocks, step, readout, embed, project }))
    }

    /// Rows of contents as rows of components.
    pub(super) fn widened(&self, matrix: &Matrix) -> Matrix {
        if self.named { matrix.clone() } else { &self.embed * matrix }
    }

    /// A step of contents as a step of components.
    fn on_window(&self, step: &Matrix) -> Matrix {
        if self.named { step.clone() } else { &self.embed * step * &self.project }
    }
}

/// Nothing where there is no code to edit in: no known selection, no lasting activity, an activation without inverse; and
/// nothing for cells that the page's own edit does not rewrite.
fn edit_data(network: &Network, found: &Interpretation) -> Option<EditData> {
    network.as_elman()?;
    let task = found.details.task.as_ref().filter(|task| task.is_binary() && found.memories.is_some())?;
    let params = EditParams::default();
    let own = own_code(network, task, &params).ok()?;
    let [code, memories, readers] = [&own.columns, &own.memories, &own.readers].map(Stored::exact);
    let sum = |of: &dyn Fn(&str) -> bool| -> f64 {
        let values =
            network.parameters().into_iter().filter(|(name, _)| of(name)).flat_map(|(_, tensor)| tensor.values());
        values.map(|x| x * x).sum()
    };
    let squares = (sum(&|_| true), sum(&|name| name.starts_with("rnn.bias")));
    Some(EditData { slots: own.slots, read: own.read, code, memories, mean: own.mean, readers, squares, params })
}

/// The learned circuit on memories and remainder, as the page shows it.
pub(super) fn circuit_blocks(found: &Interpretation) -> Result<Option<Matrix>, ReportError> {
    Ok(Shown::of(found)?.map(|shown| shown.blocks))
}

/// Where, every eigenvalue there, and how they compare with theory.
pub(super) type PlacedSpectrum<'a> = (&'static str, Vec<Eigenvalue>, &'a Spectrum);

const AT_ORIGIN: &str = "at the origin";

/// Every eigenvalue at the origin and, where activity lasts, on the orbit.
pub(super) fn spectra(found: &Interpretation) -> Result<Vec<PlacedSpectrum<'_>>, ReportError> {
    let pairs = |values: &[c64]| -> Vec<Eigenvalue> { values.iter().map(|z| [z.re, z.im]).collect() };
    let at_origin = |spectrum| (AT_ORIGIN, pairs(&found.details.origin_eigenvalues), spectrum);
    let mut spectra: Vec<_> = found.spectrum.origin.iter().map(at_origin).collect();
    if let Some(memories) = &found.spectrum.memories {
        spectra.push(("in the memories", memories.eigenvalues.clone(), memories));
    } else if let Some(orbit) = &found.details.orbit {
        spectra.push(("on the orbit", pairs(&eigenvalues(&orbit.operator)?), &found.spectrum.orbit));
    }
    Ok(spectra)
}

/// The learned circuit with its memories written as window components.
fn on_window(blocks: &Matrix, core: usize, embed: &Matrix, project: &Matrix) -> Matrix {
    let rest = blocks.nrows() - core;
    let widen = |matrix: &Matrix| {
        let mut wide = Matrix::zeros(matrix.nrows() + rest, matrix.ncols() + rest);
        wide.submatrix_mut(0, 0, matrix.nrows(), matrix.ncols()).copy_from(matrix);
        (0..rest).for_each(|k| wide[(matrix.nrows() + k, matrix.ncols() + k)] = 1.0);
        wide
    };
    widen(embed) * blocks * widen(project)
}

/// How the page was made: what the caller knows, what the network is, then every number that decided something.
fn made(
    network: Option<&Network>,
    found: &Interpretation,
    provenance: &Provenance,
) -> Result<Vec<(String, String)>, ReportError> {
    let mut made = provenance.made.clone();
    made.extend(network.map(|network| ("made of".into(), made_of(network))));
    made.push(("ketbra".into(), env!("CARGO_PKG_VERSION").into()));
    flatten("", &serde_json::to_value(&found.params)?, &mut made);
    Ok(made)
}

fn flatten(name: &str, value: &serde_json::Value, into: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                flatten(&name, value, into);
            }
        }
        serde_json::Value::Array(items) if items.is_empty() => {}
        serde_json::Value::String(text) => into.push((name.into(), text.clone())),
        other => into.push((name.into(), other.to_string())),
    }
}
