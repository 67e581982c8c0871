//! What came of one network, as one row.

use super::grid::Run;
use super::settings::{frozen, threshold, word};
use crate::interpret::Interpretation;
use crate::memories::Method;
use crate::network::{CellKind, CellSettings};
use crate::spectrum::Spectrum;
use crate::task::{TableOf, Window};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The methods that every network of a sweep is read with.
pub const COMPARED: [Method; 6] =
    [Method::Orbit, Method::Dual, Method::Power, Method::PowerReference, Method::Rollout, Method::Code];

/// What came of one network. Nothing in it depends on when, where or how often it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What the network is called.
    pub name: String,
    /// Settings of its interpretation that differ from the defaults.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub interpret: Map<String, Value>,
    /// Hash of f and of every setting; nothing in results of earlier versions.
    #[serde(default)]
    pub key: Option<String>,
    /// Task.
    pub task: String,
    /// Variables; nothing for a program, of which results of earlier versions say 0.
    #[serde(deserialize_with = "variables")]
    pub s: Option<usize>,
    /// Components of a variable.
    pub d: usize,
    /// Kind of the layers.
    #[serde(default = "elman")]
    pub cell: String,
    /// Layers.
    #[serde(default = "one")]
    pub layers: usize,
    /// Hidden units of each layer.
    pub hidden: usize,
    /// L2 regularization.
    pub l2: f64,
    /// Threshold of the curriculum.
    pub threshold: Option<f64>,
    /// Distribution of the initial weights.
    pub init: String,
    /// Recipe.
    #[serde(alias = "curriculum")]
    pub recipe: String,
    /// Longest horizon.
    pub horizon: usize,
    /// Optimizer steps, at most.
    pub steps: u64,
    /// Samples in a batch.
    pub batch: usize,
    /// Learning rate.
    pub lr: f64,
    /// Limit on the norm of the gradient.
    pub clip: f64,
    /// Nonlinearity.
    pub activation: String,
    /// Whether it has biases.
    pub bias: bool,
    /// What else the cell leaves to choose.
    #[serde(default, skip_serializing_if = "CellSettings::is_empty")]
    pub cell_settings: CellSettings,
    /// Seed.
    pub seed: u64,
    /// The network that training began with, where it is a trained one.
    #[serde(default)]
    pub from: Option<String>,
    /// The part of that network that was frozen.
    #[serde(default)]
    pub freeze: Option<String>,
    /// Why there are no results, or not all.
    pub error: Option<String>,
    /// Accuracy at the test after training.
    pub accuracy: Option<f64>,
    /// Loss of the last batch.
    pub loss: Option<f64>,
    /// Optimizer steps that were taken: fewer where the task was learned before.
    #[serde(default)]
    pub steps_taken: Option<u64>,
    /// Steps before the first look at which accuracy was 0.99.
    #[serde(default)]
    pub steps_to_99: Option<u64>,
    /// Mean horizon over training: what a step cost.
    pub mean_horizon: Option<f64>,
    /// The verdict on the network.
    pub verdict: Option<String>,
    /// The claims that fail, by name; empty where every claim holds.
    #[serde(default)]
    pub failing: Option<String>,
    /// Whether the function read back from the weights is the task.
    pub read_back: Option<bool>,
    /// Eigenvalues at the origin.
    pub origin: SpectrumFigures,
    /// Eigenvalues on the orbit.
    pub orbit: SpectrumFigures,
    /// Share of right signs in the worst component, by method.
    pub worst: BTreeMap<String, f64>,
    /// Whether every component is recovered, by method.
    pub recovered: BTreeMap<String, bool>,
    /// Relative distance of the learned circuit from the theory's, by method.
    pub phi_error: BTreeMap<String, f64>,
}

/// What rows from before there was a choice stand for.
fn elman() -> String {
    CellKind::Elman.name().into()
}

fn variables<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::deserialize(from)?.filter(|s| *s > 0))
}

fn one() -> usize {
    1
}

/// Eigenvalues that were found, against the theory's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpectrumFigures {
    /// How many were kept.
    pub found: Option<usize>,
    /// How many the theory asks for.
    pub expected: Option<usize>,
    /// Mean difference of the arguments (radians) where the counts match.
    pub error: Option<f64>,
    /// Mean modulus.
    pub modulus: Option<f64>,
}

impl From<&Spectrum> for SpectrumFigures {
    fn from(spectrum: &Spectrum) -> Self {
        let &Spectrum { found, expected, error, mean_modulus, .. } = spectrum;
        Self { found: Some(found), expected, error, modulus: mean_modulus }
    }
}

impl Row {
    /// The row of a network of which nothing is known yet.
    pub(crate) fn of(run: &Run) -> Self {
        let (task, params) = (&run.job.task, &run.job.params);
        Self {
            name: run.name.clone(),
            interpret: run.interpret.clone(),
            key: run.key().ok(),
            task: task.name().into(),
            s: task.window().ok().map(Window::s),
            d: task.outputs(),
            cell: params.cell.name().into(),
            layers: params.layers,
            hidden: params.hidden,
            l2: params.l2,
            threshold: threshold(&params.curriculum),
            init: word(&params.initialization),
            recipe: params.recipe().name().into(),
            horizon: params.curriculum.longest(),
            steps: params.steps,
            batch: params.batch,
            lr: params.learning_rate,
            clip: params.clip,
            activation: word(&params.activation),
            bias: params.bias,
            cell_settings: params.cell_settings,
            seed: params.seed,
            from: params.from.as_ref().map(|from| from.network.clone()),
            freeze: frozen(params),
            error: None,
            accuracy: None,
            loss: None,
            steps_taken: None,
            steps_to_99: None,
            mean_horizon: None,
            verdict: None,
            failing: None,
            read_back: None,
            origin: SpectrumFigures::default(),
            orbit: SpectrumFigures::default(),
            worst: BTreeMap::new(),
            recovered: BTreeMap::new(),
            phi_error: BTreeMap::new(),
        }
    }

    /// Adds what interpretation found.
    pub(super) fn interpreted(&mut self, run: &Run, found: &Interpretation) {
        self.verdict = Some(found.verdict.name().into());
        let failing = found.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name.name());
        self.failing = Some(failing.collect::<Vec<_>>().join(" "));
        self.origin = found.spectrum.origin.as_ref().map(SpectrumFigures::from).unwrap_or_default();
        self.orbit = SpectrumFigures::from(&found.spectrum.orbit);
        self.read_back = run.job.task.window().ok().and_then(TableOf::all).map(|wanted| found.function == wanted);
        for (method, memories) in found.methods.iter().flatten() {
            self.worst.insert(method.clone(), memories.worst);
            self.recovered.insert(method.clone(), memories.recovered);
            self.phi_error.extend(memories.phi_error.map(|error| (method.clone(), error)));
        }
    }

    /// The row as columns with their names; every row has the same.
    pub(crate) fn columns(&self) -> Result<Vec<(String, Value)>, serde_json::Error> {
        let Value::Object(fields) = serde_json::to_value(self)? else { return Ok(vec![]) };
        let mut columns = vec![];
        for (name, value) in fields.into_iter().filter(|(name, _)| name != "cell_settings") {
            match (name.as_str(), value) {
                // Of one sweep they are all the same.
                ("interpret", _) => {}
                ("worst" | "recovered" | "phi_error", Value::Object(by_method)) => {
                    let of = |method: Method| by_method.get(method.name()).cloned().unwrap_or(Value::Null);
                    columns.extend(COMPARED.map(|method| (column(&name, method.name()), of(method))));
                }
                (_, Value::Object(inside)) => {
                    columns.extend(inside.into_iter().map(|(inner, value)| (column(&name, &inner), value)));
                }
                (_, value) => columns.push((name, value)),
            }
        }
        columns.extend(self.cell_settings.columns().map(|(name, value)| (name.to_string(), value)));
        Ok(columns)
    }
}

fn column(outer: &str, inner: &str) -> String {
    format!("{outer}_{inner}").replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Plan, keys};
    use std::path::Path;

    #[test]
    fn a_row_holds_every_key_that_makes_a_network_another() {
        let runs = Plan::parse("task = \"T1\"", "a sweep", Path::new("")).unwrap().runs().unwrap();
        let columns: Vec<String> = Row::of(&runs[0]).columns().unwrap().into_iter().map(|(name, _)| name).collect();
        // How a run is looked at and saved is told by its name alone.
        let beside = ["tensorboard", "metrics_every", "checkpoint_every", "snapshots", "look_every"];
        let missing = |name: &&str| !columns.iter().any(|column| column == name);
        assert_eq!(keys().map(|key| key.name).filter(missing).collect::<Vec<_>>(), beside);
    }

    #[test]
    fn the_row_of_a_program_has_no_variables_of_a_window_and_old_ones_are_read() {
        let runs = Plan::parse("task = \"flipflop:3\"", "a sweep", Path::new("")).unwrap().runs().unwrap();
        let row = Row::of(&runs[0]);
        let mut value = serde_json::to_value(&row).unwrap();
        assert_eq!((row.s, &value["s"]), (None, &Value::Null));
        assert_eq!(serde_json::from_value::<Row>(value.clone()).unwrap(), row);
        value["s"] = 0.into();
        assert_eq!(serde_json::from_value::<Row>(value).unwrap(), row);
        let table = crate::sweep::to_csv(std::slice::from_ref(&row)).unwrap();
        let [names, cells] = [0, 1].map(|line| table.lines().nth(line).unwrap().split(',').collect::<Vec<_>>());
        assert_eq!(cells[names.iter().position(|name| *name == "s").unwrap()], "");
    }
}
