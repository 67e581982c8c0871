//! What a network keeps of what it has learned when training goes on with something else: frozen circuits, protected
//! spaces, weights that are pulled back.

mod begin;
mod cues;
mod spaces;

pub use cues::{open_units, own_units, with_strong_cues};

use crate::circuit::Core;
use crate::interpret::contexts::{basis, frame};
use crate::interpret::{InterpretParams, Question, interpret};
use crate::network::{Network, NetworkError};
use crate::numeric::NumericError;
use crate::random::{Purpose, Stream};
use crate::setting::Setting;
use crate::task::{Task, TaskError};
use crate::train::{Freeze, Held, Hold, OldAccuracy, Penalty, Restraint, RestraintRule, TestParams, TrainError, cpu};

/// How old tasks are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferParams {
    /// Seed of the episodes. Default 1.
    pub seed: u64,
    /// Episodes of each old task that show its states. Default 256.
    pub episodes: usize,
    /// Output steps of each. Default 60.
    pub horizon: usize,
    /// Share of the states' variance that may be left outside the protected space. Default 1e-4.
    pub left_out: f64,
    /// Episodes of each old task for the Fisher information. Default 200.
    pub fisher_episodes: u32,
}

impl Default for TransferParams {
    fn default() -> Self {
        Self { seed: 1, episodes: 256, horizon: 60, left_out: 1e-4, fisher_episodes: 200 }
    }
}

impl TransferParams {
    /// Refuses what cannot be meant.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        match (0.0..1.0).contains(&self.left_out) {
            true => Ok(()),
            false => Err(TrainError::OutOfRange { name: "left_out", value: self.left_out, limit: "from 0 to below 1" }),
        }
    }
}

/// Why it cannot be told what to keep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// No memories to freeze.
    #[error(
        "the network has no memories to freeze: {0}; pass {instead}, or a network that has learned its task",
        instead = Setting::word("freeze", "recurrent")
    )]
    NoMemories(String),
    /// A cell without recurrent weights.
    #[error("{0} layers have no matrix from state to state to keep; use elman, gru or lstm layers")]
    NoRecurrentWeights(&'static str),
    /// More than one layer.
    #[error(
        "memories are frozen in networks of one layer, and this one has {0}; pass {instead}",
        instead = Setting::word("freeze", "recurrent")
    )]
    Layers(usize),
    /// An old task that does not take the inputs of the network.
    #[error("task {0} needs {1} inputs, and the network has {2}; name a context of the task")]
    Inputs(String, usize, usize),
    /// A task that is not valid.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A network that cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// Restraints that leave no weight free.
    #[error(
        "nothing is left to train: the states of {} span every direction that the weights act on; protect fewer tasks, leave out more \
         of their variance with {}, or use {}",
        .old.join(" and "), Setting::named("left-out"), Setting::named("ewc")
    )]
    NothingLeft {
        /// The old tasks.
        old: Vec<String>,
    },
    /// What is held cannot be written.
    #[error("what is held cannot be written: {0}")]
    Written(String),
}

/// What a network has learned before: a task, or a context of one.
#[derive(Clone, Debug)]
pub struct LearnedTask {
    /// The task; with contexts where the network has cues.
    pub task: Task,
    /// The context, where that alone was learned.
    pub context: Option<usize>,
    /// What to call it.
    pub name: String,
}

impl LearnedTask {
    /// What a person names: a context of the new task, or any task.
    pub fn named(name: &str, new: &Task) -> Result<Self, TransferError> {
        if !new.contexts().is_empty() {
            return Ok(Self { context: Some(new.context(name)?), task: new.clone(), name: name.into() });
        }
        let new = new.window()?;
        let task = Task::parse(name, Some(new.s()), Some(new.d()))?;
        Ok(Self { task, context: None, name: name.into() })
    }
}

/// Freezes a part of a network. `learned` is the task that it has learned, by which its memories are found.
pub fn freeze(network: &Network, part: Freeze, learned: Option<&Task>) -> Result<Restraint, TransferError> {
    let names = recurrent_names(network)?;
    let hold = match part {
        Freeze::Recurrent => Hold::Fixed,
        Freeze::Memories => Hold::WithinItself(memory_space(network, learned)?),
    };
    let holds = names.into_iter().map(|name| (name, hold.clone())).collect();
    made(RestraintRule::Freeze { part }, Held { holds, penalty: None })
}

/// Projects changes of the weights out of the spaces that old tasks span, or with `reuse` into them.
pub fn protect(
    network: &Network,
    old: &[LearnedTask],
    reuse: bool,
    params: &TransferParams,
) -> Result<Restraint, TransferError> {
    recurrent_names(network)?;
    let spaces = spaces::of(network, &checked(network, old)?, params)?;
    let mut holds: std::collections::BTreeMap<String, Hold> = Default::default();
    for (name, parameter) in network.parameters() {
        let basis = spaces.get(&name).cloned();
        let hold = match (basis, reuse, parameter.shape().len()) {
            (Some(basis), true, _) => Some(Hold::Inside(basis)),
            (Some(basis), false, _) => Some(Hold::Outside(basis)),
            // A bias acts on every state, old ones too.
            (None, false, 1) => Some(Hold::Fixed),
            (None, _, _) => None,
        };
        holds.extend(hold.map(|hold| (name, hold)));
    }
    let names: Vec<String> = old.iter().map(|old| old.name.clone()).collect();
    if network.parameters().iter().all(|(name, _)| holds.get(name).is_some_and(Hold::is_total)) {
        return Err(TransferError::NothingLeft { old: names });
    }
    let rule = if reuse { RestraintRule::Reuse { old: names } } else { RestraintRule::Protect { old: names } };
    let before = accuracies(network, old, params.seed);
    Ok(Restraint { before, ..made(rule, Held { holds, penalty: None })? })
}

/// How well a network does what it has learned before.
fn accuracies(network: &Network, old: &[LearnedTask], seed: u64) -> Vec<OldAccuracy> {
    let one = |old: &LearnedTask| OldAccuracy {
        name: old.name.clone(),
        accuracy: cpu::accuracy_on(&old.task, old.context, network, TestParams::default(), seed),
    };
    old.iter().map(one).collect()
}

/// The same after training has gone on under a restraint, for each old task that is still known by its name.
pub fn accuracies_after(network: &Network, restraint: &Restraint, new: &Task, seed: u64) -> Vec<OldAccuracy> {
    let known = restraint.before.iter().filter_map(|before| LearnedTask::named(&before.name, new).ok());
    accuracies(network, &known.collect::<Vec<_>>(), seed)
}

/// Pulls every weight back to where it is, the more strongly the more the outputs of old tasks depend on it.
pub fn consolidate(
    network: &Network,
    old: &[LearnedTask],
    strength: f64,
    params: &TransferParams,
) -> Result<Restraint, TransferError> {
    let mut fisher: Option<Network> = None;
    for old in checked(network, old)? {
        let found = cpu::fisher(&old.task, old.context, network, params.fisher_episodes, params.horizon, params.seed);
        match &mut fisher {
            None => fisher = Some(found),
            Some(fisher) => fisher.combine(&found, |sum, next| sum + next),
        }
    }
    let mut fisher = fisher.unwrap_or_else(|| network.clone());
    // As the loss is a mean over steps and components: with strength 1 what old tasks lose counts as much as the new one's loss.
    let outputs = old.first().map_or(1, |of| of.task.outputs() * params.horizon) as f64;
    fisher.parameters_mut().into_iter().for_each(|(_, parameter)| parameter.change(|x| 2.0 * x / outputs));
    let penalty = Some(Penalty { fisher, anchor: network.clone(), strength });
    let rule = RestraintRule::Ewc { old: old.iter().map(|old| old.name.clone()).collect(), strength };
    let before = accuracies(network, old, params.seed);
    Ok(Restraint { before, ..made(rule, Held { holds: Default::default(), penalty })? })
}

/// Adds to a restraint that no change of the weights acts on the constant that shut units hold in the contexts being
/// drawn. All weights from those units act as one bias, and Adam moves each at the full rate: with 171 of 256 units
/// shut, T2 is hardly learned without this.
pub fn keep_shut_units_constant(
    network: &Network,
    task: &Task,
    drawn: Option<usize>,
    restraint: Option<Restraint>,
) -> Result<Option<Restraint>, TransferError> {
    let contexts = (0..task.contexts().len()).filter(|k| drawn.is_none_or(|drawn| drawn == *k));
    let still: Vec<faer::Mat<f64>> = contexts.filter_map(|k| cues::held_still(network, task, k)).collect();
    if still.is_empty() {
        return Ok(restraint);
    }
    let before = restraint.as_ref().map_or(vec![], |of| of.before.clone());
    let (rule, held) = restraint.map_or((RestraintRule::ShutUnits, None), |of| (of.rule, of.held));
    let mut held = held.map_or_else(Held::default, |held| (*held).clone());
    for name in ["rnn.weight_hh_l0", "readout.weight"] {
        let hold = match held.holds.remove(name) {
            None => Hold::Outside(joined(None, &still)?),
            Some(Hold::Outside(basis)) => Hold::Outside(joined(Some(&basis), &still)?),
            Some(other) => other,
        };
        held.holds.insert(name.into(), hold);
    }
    Ok(Some(Restraint { before, ..made(rule, held)? }))
}

/// An orthonormal basis of a space and of more columns, each of which counts as much as any direction of it.
fn joined(space: Option<&faer::Mat<f64>>, more: &[faer::Mat<f64>]) -> Result<faer::Mat<f64>, TransferError> {
    let first = space.map_or(0, |space| space.ncols());
    let rows = more.first().map_or(0, |column| column.nrows());
    let all = faer::Mat::from_fn(rows, first + more.len(), |i, j| match (space, j.checked_sub(first)) {
        (_, Some(k)) => more[k][(i, 0)] / more[k].norm_l2(),
        (Some(space), None) => space[(i, j)],
        (None, None) => 0.0,
    });
    Ok(basis(&all)?)
}

fn made(rule: RestraintRule, held: Held) -> Result<Restraint, TransferError> {
    Restraint::of(rule, held).map_err(TransferError::Written)
}

fn checked<'a>(network: &Network, old: &'a [LearnedTask]) -> Result<Vec<&'a LearnedTask>, TransferError> {
    for of in old {
        if of.task.inputs() != network.inputs() || of.task.outputs() != network.outputs() {
            return Err(TransferError::Inputs(of.name.clone(), of.task.inputs(), network.inputs()));
        }
    }
    Ok(old.iter().collect())
}

/// The names of the matrices from state to state.
fn recurrent_names(network: &Network) -> Result<Vec<String>, TransferError> {
    let is = |name: &String| name.starts_with("rnn.weight_hh_l");
    let names: Vec<String> = network.parameters().into_iter().map(|(name, _)| name).filter(is).collect();
    match names.len() == network.layers.len() {
        true => Ok(names),
        false => Err(TransferError::NoRecurrentWeights(network.kind().map_or("mixed", |kind| kind.title()))),
    }
}

/// An orthonormal basis of the memories of a network's code.
fn memory_space(network: &Network, learned: Option<&Task>) -> Result<faer::Mat<f64>, TransferError> {
    if network.layers.len() != 1 {
        return Err(TransferError::Layers(network.layers.len()));
    }
    let none = |why: &str| TransferError::NoMemories(why.into());
    let task = learned.ok_or_else(|| none("its file does not say which task it has learned"))?.window()?;
    if task.is_linear() {
        Core::of(task).map_err(|error| none(&error.to_string()))?;
    }
    let found = interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true)
        .map_err(|error| none(&error.to_string()))?;
    let (memories, _) = frame(&found).ok_or_else(|| none(&format!("it is {}", found.verdict.name())))?;
    Ok(basis(memories)?)
}

/// Where inputs of old tasks are drawn.
fn old_inputs(seed: u64) -> Stream {
    Stream::new(seed, Purpose::OldInputs)
}
