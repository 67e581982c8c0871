//! What the kernels are told about each network, and what they answer: the structures of `kernels/common.cu`.

use super::CudaError;
use super::shape::{FunctionKind, Shape};
use crate::task::{Function, Gate, MAX_GATE_INPUTS, Window};
use crate::train::{Curriculum, CurriculumState, Evaluations, Job, Metrics};

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
            input_steps: job.task.steps_before_outputs() as u32,
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

    /// Lets the learning rate change where what was seen of the network says so.
    pub(super) fn change_learning_rate(&mut self, job: &Job, looks: &Evaluations) {
        if let Some(change) = job.params.learning_rate_change {
            self.learning_rate_after = u32::try_from(change.after_looks(looks)).unwrap_or(u32::MAX);
        }
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

/// Numbers that [`target_table`] takes at most.
pub(super) fn target_numbers(shape: Shape, horizon: usize) -> usize {
    match shape.function {
        FunctionKind::Copies => horizon * shape.components,
        FunctionKind::Matrix => 0,
        FunctionKind::Tables => shape.components * (2 + MAX_GATE_INPUTS + (1 << MAX_GATE_INPUTS) / 32),
    }
}

/// For each output step and component of a signed selection, the input bit that the target repeats, in the end; for truth
/// tables where each gate begins, and the gates: number of inputs, their places in the window, the bits of the table.
pub(super) fn target_table(task: &Window, horizon: usize) -> Vec<u32> {
    let sources = match task.function() {
        Function::Selection(sources) => sources,
        Function::Table(gates) => return gate_program(gates, task),
        Function::Dense(_) => return Vec::new(),
    };
    let (window, d) = (task.width(), task.d());
    let mut origins: Vec<u32> = (0..window as u32).collect();
    for t in 0..horizon {
        for source in sources {
            let origin = origins[t * d + task.window_index(source)];
            origins.push(if source.negated { origin ^ NEGATED } else { origin });
        }
    }
    origins.split_off(window)
}

fn gate_program(gates: &[Gate], task: &Window) -> Vec<u32> {
    let mut program = vec![0; gates.len()];
    for (output, gate) in gates.iter().enumerate() {
        program[output] = program.len() as u32;
        program.push(gate.inputs().len() as u32);
        program.extend(gate.inputs().iter().map(|slot| slot.index(task.s(), task.d()) as u32));
        let word = |bits: &[bool]| bits.iter().enumerate().fold(0, |word, (m, &up)| word | u32::from(up) << m);
        program.extend(gate.table().chunks(32).map(word));
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::task::{Episodes, Slot, Task};
    use crate::train::{Start, TrainParams};

    #[test]
    fn structures_have_the_size_that_the_kernels_give_them() {
        assert_eq!((size_of::<Plan>(), size_of::<Row>(), size_of::<Launch>()), (272, 40, 144));
    }

    #[test]
    fn the_table_of_targets_leads_to_the_targets_of_the_episodes() {
        for name in ["T1", "T2", "T3", "T4"] {
            let task = Window::named(name, None, None).unwrap();
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
    fn gates_are_written_as_the_kernel_reads_them() {
        let slot = |lag, component| Slot { lag, component };
        let xor = Gate::new(&[slot(3, 0), slot(1, 1)], &[false, true, true, false]).unwrap();
        let table: Vec<bool> = (0..64usize).map(|m| m.count_ones() > 3).collect();
        let inputs: Vec<Slot> = (1..=3).flat_map(|lag| [slot(lag, 0), slot(lag, 1)]).collect();
        let most = Gate::new(&inputs, &table).unwrap();
        let task = Window::table("x", 3, 2, vec![xor, most.clone()]).unwrap();
        let program = target_table(&task, 100);
        assert_eq!(&program[..6], [2, 6, 2, 0, 5, 0b0110]);
        assert_eq!(program[6..13], [6, 0, 1, 2, 3, 4, 5]);
        let bit = |m: usize| program[13 + m / 32] >> (m % 32) & 1 == 1;
        assert!((0..64).all(|m| bit(m) == most.table()[m]) && program.len() == 15);
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
