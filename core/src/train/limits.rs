//! What one training run may ask for, checked before memory is taken for it.

use super::cpu::{CHUNK_SAMPLES, LayerSizes, PANEL};
use super::{Job, Start, TrainError, TrainParams};

/// Most layers of a network.
pub const MAX_LAYERS: u64 = 16;
/// Most samples in a batch.
pub const MAX_BATCH: usize = 1 << 16;
/// Longest horizon, in output steps.
pub const MAX_HORIZON: usize = 1 << 16;
/// Most rows of metrics: a table of a hundred megabytes.
pub const MAX_METRICS: u64 = 1 << 20;
/// Most batches of the test at the end.
pub const MAX_TEST_BATCHES: u32 = 1 << 16;
/// Most bytes that weights and states may take together: 8 GiB.
pub const MAX_BYTES: f64 = (1u64 << 33) as f64;

/// Copies of the weights in f64: the network, the best so far, the state that a checkpoint is written from, and their drafts.
const WIDE_COPIES: f64 = 7.0;
/// Copies of the weights in f32: the parameters, two moments, both orders in which they are multiplied.
const NARROW_COPIES: f64 = 5.0;

/// Copies in f32 of each snapshot while their file is written: the stack, its bytes, the file.
const SNAPSHOT_COPIES: f64 = 3.0;

/// Refuses a job whose sizes are fine one by one and too much together.
pub(super) fn check(job: &Job) -> Result<(), TrainError> {
    let bytes = bytes(job);
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let (params, task) = (&job.params, &job.task);
    Err(TrainError::TooLarge {
        gib: bytes / GIB,
        limit: MAX_BYTES / GIB,
        hidden: params.hidden,
        batch: params.batch,
        horizon: params.curriculum.longest(),
        s: task.steps_before_outputs(),
        d: task.outputs(),
    })
}

const GIB: f64 = (1u64 << 30) as f64;

/// Bytes that training takes, roughly; in floating point, where nothing overflows.
fn bytes(job: &Job) -> f64 {
    let (params, s, d) = (&job.params, job.task.steps_before_outputs(), job.task.outputs());
    let layers = layers(job);
    let readout = (d as f64) * (params.hidden as f64 + 1.0);
    let weights = readout + layers.iter().map(LayerSizes::weights).sum::<f64>();
    let chunks = params.batch.div_ceil(CHUNK_SAMPLES) as f64;
    let tape = |batch: usize, horizon: usize| {
        let steps = s.saturating_add(horizon);
        let states: f64 = layers.iter().map(|layer| layer.tape_shape().numbers_per_sample(steps)).sum();
        let later = if job.task.has_inputs_throughout() { horizon as f64 } else { 0.0 };
        let outside = (s as f64 + later) * job.task.inputs().next_multiple_of(PANEL) as f64
            + 2.0 * horizon as f64 * d.next_multiple_of(PANEL) as f64;
        4.0 * batch as f64 * (states + outside)
    };
    let learning = tape(params.batch, params.curriculum.longest());
    let testing = tape(params.test.batch, params.test.horizon);
    let kept = params.snapshots.map_or(0.0, |snapshots| f64::from(snapshots.count) * SNAPSHOT_COPIES);
    weights * (8.0 * WIDE_COPIES + 4.0 * (NARROW_COPIES + chunks + kept)) + learning + testing
}

/// The layers that will be trained.
fn layers(job: &Job) -> Vec<LayerSizes> {
    let TrainParams { cell, layers, hidden, .. } = job.params;
    let below = |layer: usize| if layer == 0 { job.task.inputs() } else { hidden };
    match &job.start {
        Start::Random => (0..layers).map(|layer| LayerSizes::random(cell, below(layer), hidden)).collect(),
        Start::Weights(network) => network.layers.iter().map(LayerSizes::of).collect(),
        Start::State(state) => state.network.layers.iter().map(LayerSizes::of).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::CellKind;
    use crate::task::Task;
    use crate::train::Snapshots;

    fn job(change: impl FnOnce(&mut TrainParams), s: usize, d: usize) -> Job {
        let mut params = TrainParams::default();
        change(&mut params);
        Job { task: Task::named("repeat-copy", Some(s), Some(d)).unwrap(), params, start: Start::Random }
    }

    #[test]
    fn what_people_train_is_far_below_the_limit() {
        assert!(bytes(&job(|_| (), 8, 8)) < 0.01 * MAX_BYTES);
        job(|params| params.hidden = 4096, 8, 8).check().unwrap();
    }

    #[test]
    fn cells_and_layers_count_with_what_they_keep() {
        let of = |cell: CellKind, layers: usize| {
            bytes(&job(|params| (params.cell, params.layers, params.batch) = (cell, layers, 4096), 8, 8))
        };
        // What a second layer adds: the panels that it keeps of every time step.
        let added = |cell| of(cell, 2) - of(cell, 1);
        for (cell, kept) in [(CellKind::Gru, 5.0), (CellKind::Lstm, 6.0), (CellKind::Ssm, 3.0)] {
            let ratio = added(cell) / added(CellKind::Elman);
            assert!((ratio / kept - 1.0).abs() < 0.1, "{cell:?} takes {ratio} times what elman takes");
        }
        let message = job(|params| (params.cell, params.layers, params.batch) = (CellKind::Lstm, 16, 16_384), 8, 8);
        assert!(message.check().is_err() && bytes(&job(|params| params.batch = 16_384, 8, 8)) < MAX_BYTES);
    }

    #[test]
    fn snapshots_count_with_what_they_keep() {
        let kept =
            |count| job(|p| (p.hidden, p.snapshots) = (2048, Some(Snapshots { count, log_spaced: false })), 8, 8);
        kept(100).check().unwrap();
        assert!(kept(1000).check().is_err(), "50 GB of weights");
    }

    #[test]
    fn sizes_that_are_too_much_together_are_refused_with_all_of_them() {
        let message =
            job(|params| (params.hidden, params.batch) = (4096, 65_536), 8, 8).check().unwrap_err().to_string();
        assert!(message.contains("more than the limit of 8 GiB") && message.contains("batch=65536"), "{message}");
        for (s, d) in [(1 << 18, 1), (1, 1 << 18)] {
            assert!(job(|_| (), s, d).check().is_err(), "s={s} d={d}");
        }
    }

    #[test]
    fn the_messages_name_the_limits() {
        let message = |change: fn(&mut TrainParams)| job(change, 8, 8).check().unwrap_err().to_string();
        assert!(message(|params| params.hidden = usize::MAX).contains(&crate::network::MAX_HIDDEN.to_string()));
        assert!(message(|params| params.batch = MAX_BATCH + 1).contains(&MAX_BATCH.to_string()));
        assert!(message(|params| params.test.batch = MAX_BATCH + 1).contains(&MAX_BATCH.to_string()));
        assert!(message(|params| params.test.horizon = usize::MAX).contains(&MAX_HORIZON.to_string()));
        assert!(message(|params| params.test.batches = u32::MAX).contains(&MAX_TEST_BATCHES.to_string()));
        assert!(
            message(|params| params.curriculum = params.curriculum.clone().up_to(1 << 40))
                .contains(&MAX_HORIZON.to_string())
        );
        assert!(
            message(|params| (params.steps, params.metrics_every) = (1 << 31, 1)).contains(&MAX_METRICS.to_string())
        );
    }
}
