//! The data of one page, as the explorer reads it.

use super::commands::Commands;
use super::composition::{Part, made_of, parts};
use super::editing::{EditData, edit_data};
use super::glossary::{TERMS, Term};
use super::layers::{NetworkData, network_data};
use super::memories::{MemoriesData, memories_data};
use super::sentences::{self, ClaimWords, Figure};
use super::spectra::SpectraData;
use super::stored::Stored;
use super::story::Story;
use super::{LONGEST_RUN, Provenance, ReportError, Training, shown_steps};
use crate::code::OverTime;
use crate::interpret::{Interpretation, ProductsSummary, RecordedRun, Verdict};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::task::{Function, Gate, KNOWN_TASKS, Slot, Source, Window};
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) use super::memories::Shown;

#[derive(Serialize)]
pub(super) struct PageData<'a> {
    meta: Meta,
    story: Story,
    glossary: &'static [Term],
    commands: Option<Commands>,
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
    /// Products of contents that the states hold, where f is a truth table.
    products: Option<&'a ProductsSummary>,
    /// What the states hold at each time step.
    over_time: Option<&'a OverTime>,
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
    /// Output steps of a run.
    horizon: usize,
    /// What the network is made of; nothing for one plain layer, which its units describe.
    made_of: Option<String>,
    made: Vec<(String, String)>,
    citation: &'static str,
    bibtex: &'static str,
}

#[derive(Serialize)]
struct VerdictData {
    kind: &'static str,
    /// Which part of the state this is about, where there is a choice, and what the whole of it comes to.
    state: Option<String>,
    definition: &'static str,
    claims: Vec<ClaimWords>,
    control: Option<String>,
    weights: String,
    /// Rows of the step matrix that are the circuit's, and all of them.
    rows: Option<[usize; 2]>,
    /// What the network was driven with.
    stimulus: Option<String>,
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

const CITATION: &str = "Arjun Karuvally, Peter Delmastro and Hava T. Siegelmann: Episodic Memory Theory for the Mechanistic \
                        Interpretation of Recurrent Neural Networks (2023).";
const BIBTEX: &str = "@article{karuvally2023episodic,
  title  = {Episodic Memory Theory for the Mechanistic
            Interpretation of Recurrent Neural Networks},
  author = {Karuvally, Arjun and Delmastro, Peter and
            Siegelmann, Hava T.},
  year   = {2023}
}";

pub(super) fn page_data<'a>(
    network: Option<&Network>,
    found: &'a Interpretation,
    provenance: &Provenance,
) -> Result<PageData<'a>, ReportError> {
    let task = found.details.task.as_ref();
    let memories = memories_data(network, found)?;
    let memories_missing = memories.is_none().then_some(match (found.verdict, task) {
        (Verdict::NotLearned | Verdict::Silent, Some(_)) => {
            "There are no variable memories to show: nothing lasts in this network."
        }
        (_, None) => "Without a known function there is no basis of variable memories to show.",
        _ => "The variable memories of this network could not be found; the doubts say why.",
    });
    let known = !found.recurrence_in_words.is_empty();
    let run = network.map(|network| network_data(network, found.task.s));
    Ok(PageData {
        meta: Meta {
            title: provenance.title.clone(),
            task: found.task.name.clone(),
            s: found.task.s,
            d: found.task.d,
            hidden: found.hidden,
            horizon: shown_steps(found.task.s),
            made_of: match network {
                Some(network) => network.as_elman().is_none().then(|| made_of(network)),
                None => Some(format!("{} recorded units", found.hidden)),
            },
            made: made(network, run.as_ref(), found, provenance)?,
            citation: CITATION,
            bibtex: BIBTEX,
        },
        story: Story::of(network, found),
        glossary: TERMS,
        commands: Commands::of(found, provenance),
        verdict: VerdictData {
            kind: found.verdict.name(),
            state: network.and_then(|network| sentences::state(network, found)),
            definition: found.verdict.definition(),
            claims: sentences::claims(found),
            control: found.control.as_ref().map(ToString::to_string),
            weights: sentences::weights_heading(network, found),
            rows: found.code.as_ref().map(|code| [code.rows.right(), code.rows.all()]),
            stimulus: found.stimulus.map(|stimulus| sentences::capital(&stimulus.to_string())),
            figures: sentences::figures(found),
            warnings: sentences::doubts(found),
            recurrence: known.then(|| found.recurrence_in_words.clone()),
        },
        network: run,
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
        spectra: SpectraData::of(found)?,
        memories,
        memories_missing,
        products: found.code.as_ref().and_then(|code| code.products.as_ref()),
        over_time: found.over_time.as_ref(),
        edit: network.and_then(|network| edit_data(network, found)),
        training: provenance.training.clone(),
    })
}

fn wires(sources: &[Source]) -> Vec<Wire> {
    sources.iter().map(|s| Wire { lag: s.lag, component: s.component, sign: s.sign() }).collect()
}

/// Every named task of this size.
fn presets(s: usize, d: usize) -> BTreeMap<String, Vec<Wire>> {
    let named = KNOWN_TASKS.iter().filter_map(|known| Window::named(known.name, Some(s), Some(d)).ok());
    let mut presets = BTreeMap::new();
    let mut seen: Vec<Window> = vec![];
    for task in named {
        // T1 and T2 are repeat copy and compose copy where s = d = 8.
        if let Some(sources) = task.sources().filter(|_| !seen.iter().any(|other| other.same_function(&task))) {
            presets.insert(task.name().to_string(), wires(sources));
            seen.push(task);
        }
    }
    presets
}

/// The learned circuit on memories and remainder, as the page shows it.
#[cfg(feature = "figures")]
pub(super) fn circuit_blocks(found: &Interpretation) -> Result<Option<Matrix>, ReportError> {
    Ok(Shown::of(found)?.map(|shown| shown.blocks))
}

/// How the page was made: what the caller knows, what the network is, then every number that decided something.
fn made(
    network: Option<&Network>,
    run: Option<&NetworkData>,
    found: &Interpretation,
    provenance: &Provenance,
) -> Result<Vec<(String, String)>, ReportError> {
    let mut made = provenance.made.clone();
    made.extend(network.map(|network| ("made of".into(), made_of(network))));
    made.extend(run.and_then(NetworkData::rounding).map(|text| ("weights of gates on this page".into(), text)));
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
