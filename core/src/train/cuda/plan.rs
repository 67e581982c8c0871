//! What the kernels are told about each network, and what they answer: the structures of `kernels/common.cu`.

use super::CudaError;
use crate::task::{Function, Task};
use crate::train::{Curriculum, CurriculumState, Job, Metrics};

/// Horizons that a plan holds.
pub(super) const MAX_STAGES: usize = 32;

const TABLE1: u32 = 0;
const ADAPTIVE: u32 = 1;
const CONSTANT: u32 = 2;

pub(super) const RUNNING: u32 = 0;
pub(super) const LOSS_DIVERGED: u32 = 1;

/// One network: its parameters, where its curriculum stands, and the steps of the next launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) learning_rate: f64,
    pub(super) learning_rate_factor: f64,
    pub(super) beta1: f64,
    pub(super) beta2: f64,
    pub(super) epsilon: f64,
    pub(super) l2: f64,
    pub(super) clip: f64,
    pub(super) threshold: f64,
    pub(super) factor: f64,
    pub(super) smoothing: f64,
    pub(super) horizon: f64,
    pub(super) learning_rate_after: u32,
    pub(super) input_steps: u32,
    pub(super) curriculum: u32,
    pub(super) stage: u32,
    pub(super) stages: u32,
    pub(super) shortest: u32,
    pub(super) longest: u32,
    pub(super) rolling_length: u32,
    pub(super) step: u32,
    pub(super) begin: u32,
    pub(super) until: u32,
    pub(super) status: u32,
    pub(super) horizons: [u32; MAX_STAGES],
}

impl Plan {
    pub(super) fn new(job: &Job, step: u64, state: &CurriculumState) -> Result<Self, CudaError> {
        let params = &job.params;
        let mut plan = Self {
            seed: params.seed,
            learning_rate: params.learning_rate,
            learning_rate_factor: params.learning_rate_change.map_or(1.0, |change| change.factor),
            learning_rate_after: params
                .learning_rate_change
                .map_or(u32::MAX, |change| u32::try_from(change.after).unwrap_or(u32::MAX)),
            beta1: params.beta1,
            beta2: params.beta2,
            epsilon: params.epsilon,
            l2: params.l2,
            clip: params.clip,
            horizon: state.horizon,
            stage: state.stage as u32,
            rolling_length: state.rolling_loss.len() as u32,
            input_steps: job.task.s() as u32,
            step: step as u32,
            ..Self::default()
        };
        match &params.curriculum {
            Curriculum::Table1 { horizons, threshold } => {
                if horizons.len() > MAX_STAGES {
                    return Err(CudaError::TooManyStages { found: horizons.len(), limit: MAX_STAGES });
                }
                plan.curriculum = TABLE1;
                plan.threshold = *threshold;
                plan.stages = horizons.len() as u32;
                for (place, &horizon) in plan.horizons.iter_mut().zip(horizons) {
                    *place = horizon as u32;
                }
            }
            Curriculum::Adaptive { shortest, longest, factor, threshold, smoothing } => {
                plan.curriculum = ADAPTIVE;
                plan.threshold = *threshold;
                plan.factor = *factor;
                plan.smoothing = *smoothing;
                plan.shortest = *shortest as u32;
                plan.longest = *longest as u32;
            }
            Curriculum::None { .. } => plan.curriculum = CONSTANT,
        }
        Ok(plan)
    }

    /// Where the curriculum stands.
    pub(super) fn curriculum(&self, rolling_loss: &[f64]) -> CurriculumState {
        CurriculumState {
            stage: self.stage as usize,
            horizon: self.horizon,
            rolling_loss: rolling_loss[..self.rolling_length as usize].to_vec(),
        }
    }
}

/// The metrics of one step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) loss: f64,
    pub(super) accuracy: f64,
    pub(super) gradient_norm: f64,
    pub(super) learning_rate: f64,
    pub(super) horizon: u32,
    pub(super) step: u32,
}

impl From<Row> for Metrics {
    fn from(row: Row) -> Self {
        Self {
            step: row.step.into(),
            horizon: row.horizon as usize,
            loss: row.loss,
            accuracy: row.accuracy,
            gradient_norm: row.gradient_norm,
            learning_rate: row.learning_rate,
        }
    }
}

/// The argument of the kernels; pointers are addresses on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Launch {
    pub(super) plans: u64,
    pub(super) weights: u64,
    pub(super) first_moments: u64,
    pub(super) second_moments: u64,
    pub(super) targets: u64,
    pub(super) functions: u64,
    pub(super) rolling_losses: u64,
    pub(super) rows: u64,
    pub(super) scratch: u64,
    pub(super) sums: u64,
    pub(super) queue: u64,
    pub(super) slices_done: u64,
    pub(super) scratch_stride: u64,
    pub(super) networks: u32,
    pub(super) slices: u32,
    pub(super) slice_steps: u32,
    pub(super) parameter_stride: u32,
    pub(super) target_stride: u32,
    pub(super) function_stride: u32,
    pub(super) rolling_stride: u32,
    pub(super) row_stride: u32,
    pub(super) sums_stride: u32,
    pub(super) bit_words: u32,
}

/// The sign bit of an entry of [`target_table`].
pub(super) const NEGATED: u32 = 1 << 31;

/// For each output step and component of a signed selection, the input bit that the target repeats, in the end.
pub(super) fn target_table(task: &Task, horizon: usize) -> Vec<u32> {
    let Function::Selection(sources) = task.function() else { return Vec::new() };
    let (window, d) = (task.window(), task.d());
    let mut origins: Vec<u32> = (0..window as u32).collect();
    for t in 0..horizon {
        for source in sources {
            let origin = origins[t * d + task.window_index(source)];
            origins.push(if source.negated { origin ^ NEGATED } else { origin });
        }
    }
    origins.split_off(window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::task::Episodes;
    use crate::train::{Start, TrainParams};

    #[test]
    fn structures_have_the_size_that_the_kernels_give_them() {
        assert_eq!((size_of::<Plan>(), size_of::<Row>(), size_of::<Launch>()), (272, 40, 144));
    }

    #[test]
    fn the_table_of_targets_leads_to_the_targets_of_the_episodes() {
        for name in ["T1", "T2", "T3", "T4"] {
            let task = Task::named(name, None, None).unwrap();
            let mut episodes = Episodes::new(&task, 3);
            episodes.draw(&task, &Stream::new(5, Purpose::TrainInputs), 9, 30);
            let at = |values: &[f32], index: usize, sample: usize| values[index / 8 * 24 + sample * 8 + index % 8];
            for (index, &entry) in target_table(&task, 30).iter().enumerate() {
                let sign = if entry & NEGATED == 0 { 1.0 } else { -1.0 };
                for sample in 0..3 {
                    let input = at(episodes.inputs(), (entry & !NEGATED) as usize, sample);
                    assert_eq!(at(episodes.targets(), index, sample), sign * input, "{name} {index}");
                }
            }
        }
    }

    #[test]
    fn more_horizons_than_a_plan_holds_are_refused() {
        let curriculum = Curriculum::Table1 { horizons: vec![1; 33], threshold: 0.5 };
        let job = Job {
            task: Task::named("T1", None, None).unwrap(),
            params: TrainParams::with_curriculum(curriculum.clone()),
            start: Start::Random,
        };
        let error = Plan::new(&job, 0, &curriculum.begin()).unwrap_err().to_string();
        assert!(error.contains("33 horizons") && error.contains("holds 32"), "{error}");
    }
}
