//! What every engine does: trains a list of networks while somebody watches.

use serde::{Deserialize, Serialize};

use super::{CurriculumState, Evaluations, TrainError, TrainParams};
use crate::network::{Accuracy, Network, NetworkError};
use crate::task::Task;

/// An engine that trains networks. Results do not depend on how it divides the work.
pub trait Engine {
    /// Trains every job of the list. One that fails leaves the others alone; results come in the order of the jobs.
    ///
    /// Step n (from 0) of a job draws its inputs at index n of the stream ([`crate::random::Purpose::TrainInputs`], seed), sample by
    /// sample, as [`crate::task::Episodes::draw`] does.
    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>>;

    /// Refuses a job that this engine cannot train.
    fn supports(&self, job: &Job) -> Result<(), TrainError> {
        job.check()
    }
}

/// One network to train.
#[derive(Clone, Debug)]
pub struct Job {
    /// What it learns.
    pub task: Task,
    /// How it is trained.
    pub params: TrainParams,
    /// Where training begins.
    pub start: Start,
}

/// Where training begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// From random weights of the job's seed.
    Random,
    /// From given weights.
    Weights(Box<Network>),
    /// From a checkpoint.
    State(Box<TrainState>),
}

/// All that training needs to go on, to the same bytes as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainState {
    /// Optimizer steps taken.
    pub step: u64,
    /// Where the curriculum stands.
    pub curriculum: CurriculumState,
    /// The weights.
    pub network: Network,
    /// Adam's first moment, weight by weight.
    pub first_moment: Network,
    /// Adam's second moment, weight by weight.
    pub second_moment: Network,
    /// The metrics of the last step, if any was taken.
    pub metrics: Option<Metrics>,
    /// What was seen of the network during training.
    pub evaluations: Evaluations,
}

impl TrainState {
    /// The best weights that were seen, or the last where nobody looked.
    pub fn best(&self) -> &Network {
        self.evaluations.best.as_ref().map_or(&self.network, |best| &best.network)
    }
}

/// How training stands after a step; loss and accuracy are those of the step's batch before the update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Steps taken.
    pub step: u64,
    /// Output steps of the batch.
    pub horizon: usize,
    /// Mean squared error.
    pub loss: f64,
    /// Share of components with the right sign.
    pub accuracy: f64,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
}

/// Watches training: keeps records, shows progress, asks for a stop. Jobs are named by their place in the list.
pub trait TrainObserver: Sync {
    /// Looks at progress; called as often as suits the engine.
    fn progress(&self, job: usize, metrics: &Metrics) {
        let _ = (job, metrics);
    }

    /// Keeps a row of metrics, every `metrics_every` steps. An error stops this job.
    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        let _ = (job, metrics);
        Ok(())
    }

    /// Keeps a checkpoint: at the beginning, every `checkpoint_every` steps, at the end and when stopped. An error stops this job.
    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        let _ = (job, state);
        Ok(())
    }

    /// Keeps the weights after a step, where snapshots are asked for. An error stops this job.
    fn snapshot(&self, job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        let _ = (job, step, network);
        Ok(())
    }

    /// Whether training should stop after the current step.
    fn stop(&self, job: usize) -> bool {
        let _ = job;
        false
    }
}

/// Why an observer could not keep a record.
pub type RecordError = Box<dyn std::error::Error + Send + Sync>;

/// An observer that keeps nothing and never stops training.
pub struct Unobserved;

impl TrainObserver for Unobserved {}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The state at the end.
    pub state: TrainState,
    /// The accuracy of the best weights on inputs that training never draws, if training came to its end; if not, the observer
    /// asked for a stop.
    pub accuracy: Option<Accuracy>,
}

impl Job {
    /// Whether training has come to its end: all steps are taken, or the task is reliably solved.
    pub fn is_done(&self, step: u64, evaluations: &Evaluations) -> bool {
        step >= self.params.steps || self.params.stopping.is_some_and(|rule| evaluations.settled(&rule, step))
    }

    /// The place of the only context whose episodes are drawn; nothing where all are, or where there is one f.
    pub(crate) fn only_context(&self) -> Option<usize> {
        self.params.context.as_ref().and_then(|name| self.task.context(name).ok())
    }

    /// The steps after which weights are kept on the way.
    pub(super) fn snapshot_steps(&self) -> Vec<u64> {
        self.params.snapshots.map_or(vec![], |snapshots| snapshots.steps(self.params.steps))
    }

    /// Refuses a job that cannot be trained.
    pub fn check(&self) -> Result<(), TrainError> {
        self.params.check()?;
        super::limits::check(self)?;
        if let Some(name) = &self.params.context {
            self.task.context(name)?;
        }
        let held = self.params.restraint.as_ref().and_then(|restraint| restraint.held.as_ref());
        match (&self.start, held) {
            (Start::Random, Some(_)) => return Err(TrainError::NothingToKeep),
            (Start::Weights(network), Some(held)) => held.check(network)?,
            (Start::State(state), Some(held)) => held.check(&state.network)?,
            (_, None) => {}
        }
        match &self.start {
            Start::Random => Ok(()),
            Start::Weights(network) => self.fits(network),
            Start::State(state) => {
                let wrong = |name, value, limit| Err(TrainError::OutOfRange { name, value, limit });
                if !self.params.curriculum.can_be_at(&state.curriculum) {
                    let name = "the checkpoint's horizon";
                    return wrong(name, state.curriculum.horizon, "within the curriculum");
                }
                if state.step > self.params.steps {
                    return wrong("the checkpoint's step", state.step as f64, "within the steps of the run");
                }
                [&state.network, &state.first_moment, &state.second_moment]
                    .into_iter()
                    .try_for_each(|of| self.fits(of))?;
                state.evaluations.best.iter().try_for_each(|best| self.fits(&best.network))?;
                // The moments are read weight by weight, beside the weights.
                [&state.first_moment, &state.second_moment]
                    .into_iter()
                    .try_for_each(|of| same_shapes(&state.network, of))
            }
        }
    }

    /// Refuses a network of other sizes than the job's.
    fn fits(&self, network: &Network) -> Result<(), TrainError> {
        network.check()?;
        let outputs = self.task.outputs();
        let sizes = [
            ("layers", network.layers.len(), self.params.layers),
            ("hidden units", network.hidden(), self.params.hidden),
            ("inputs", network.inputs(), self.task.inputs()),
            ("outputs", network.outputs(), outputs),
        ];
        if network.kind() != Some(self.params.cell) {
            let found = network.kind().map_or("a mixture of cells", |kind| kind.title()).into();
            return Err(TrainError::WrongCell { found, needed: self.params.cell.title() });
        }
        match sizes.into_iter().find(|(_, found, needed)| found != needed) {
            Some((what, found, needed)) => {
                Err(TrainError::WrongNetwork { what, found, needed, task: self.task.name().into() })
            }
            None => Ok(()),
        }
    }
}

/// Refuses moments that are not of the weights' shapes.
pub(super) fn same_shapes(weights: &Network, moment: &Network) -> Result<(), TrainError> {
    let (weights, moment) = (weights.parameters(), moment.parameters());
    if weights.len() != moment.len() {
        let (name, limit) = ("the number of tensors in a checkpoint's moment", "that of its weights");
        return Err(TrainError::OutOfRange { name, value: moment.len() as f64, limit });
    }
    for ((name, weights), (_, moment)) in weights.into_iter().zip(moment) {
        let (expected, found) = (weights.shape(), moment.shape());
        if expected != found {
            return Err(NetworkError::Shape { name, found, expected }.into());
        }
    }
    Ok(())
}
