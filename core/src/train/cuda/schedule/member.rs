//! One job on its way through the device.

use super::super::plan::Plan;
use super::super::shape::Shape;
use super::super::supports;
use super::LOOK_EVERY;
use crate::train::cpu::look_at;
use crate::train::{Evaluations, Job, Metrics, Start, TrainError};

/// One job on its way.
pub(super) struct Member<'a> {
    pub(super) index: usize,
    pub(super) job: &'a Job,
    pub(super) plan: Plan,
    pub(super) metrics: Option<Metrics>,
    pub(super) evaluations: Evaluations,
    snapshots: Vec<u64>,
    /// Steps at the last checkpoint.
    pub(super) saved: u64,
    pub(super) finished: bool,
}

impl<'a> Member<'a> {
    pub(super) fn new(index: usize, job: &'a Job) -> Result<Self, TrainError> {
        supports(job)?;
        let (step, curriculum, metrics, evaluations) = match &job.start {
            Start::State(state) => (state.step, state.curriculum.clone(), state.metrics, state.evaluations.clone()),
            _ => (0, job.params.curriculum.begin(), None, Evaluations::default()),
        };
        let mut plan = Plan::new(job, step, &curriculum)?;
        plan.change_learning_rate(job, &evaluations);
        plan.rolling_length = plan.rolling_length.min(job.params.curriculum.longest() as u32);
        let snapshots = job.snapshot_steps();
        Ok(Self { index, job, plan, metrics, evaluations, snapshots, saved: step, finished: false })
    }

    pub(super) fn step(&self) -> u64 {
        self.plan.step.into()
    }

    /// Input and output steps of its longest batch.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.job.task.steps_before_outputs(), self.job.params.curriculum.longest())
    }

    /// Where the next launch ends: at a checkpoint, at a look, at the last step, or when the host wants to look in.
    pub(super) fn next_stop(&self) -> u64 {
        let params = &self.job.params;
        let checkpoint = (self.step() / params.checkpoint_every + 1) * params.checkpoint_every;
        let look = params.stopping.map_or(u64::MAX, |rule| self.evaluations.next_stop(&rule, self.step()));
        let snapshot = self.snapshots.get(self.snapshots.partition_point(|step| *step <= self.step()));
        let soon = checkpoint.min(look).min(snapshot.copied().unwrap_or(u64::MAX));
        soon.min(self.step() + LOOK_EVERY).min(params.steps)
    }

    /// Whether its weights are to be kept on the way, or at the end.
    pub(super) fn is_kept(&self) -> bool {
        self.snapshots.binary_search(&self.step()).is_ok() || (!self.snapshots.is_empty() && self.is_done())
    }

    /// Whether its weights are to be looked at now.
    pub(super) fn is_due(&self) -> bool {
        self.job.params.stopping.is_some_and(|rule| rule.is_due(self.step(), self.job.params.steps))
    }

    pub(super) fn is_done(&self) -> bool {
        self.job.is_done(self.step(), &self.evaluations)
    }

    /// Looks at its weights; what it sees may change the learning rate.
    pub(super) fn look(&mut self, shape: Shape, weights: &[f32]) {
        let Some(rule) = self.job.params.stopping else { return };
        let network = shape.network(weights);
        let seen = look_at(self.job, &network);
        self.evaluations.note(&rule, self.plan.step.into(), seen, || network);
        self.plan.change_learning_rate(self.job, &self.evaluations);
    }
}
