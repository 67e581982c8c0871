//! How fast training runs, and how fast the machine could.

use std::sync::Barrier;
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::isa::Isa;
use super::learner::Learner;
use super::model::Model;
use super::optimizer::AdamStep;
use super::peak::fma_work;
use crate::network::{Activation, Architecture, CellKind, CellSettings, Initialization, Network};
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::TrainError;

/// Work timed at a stretch: about one step of the largest network, so that other processes interrupt a slice of every size
/// alike and the best slices can be compared.
const SLICE_SECONDS: f64 = 0.1;

/// What to train while its speed is measured.
#[derive(Clone, Debug)]
pub struct SpeedSetup {
    /// The task whose targets are made.
    pub task: Task,
    /// The kind of every layer.
    pub cell: CellKind,
    /// Layers.
    pub layers: usize,
    /// Hidden units of each layer.
    pub hidden: usize,
    /// Samples in a batch.
    pub batch: usize,
    /// Output steps.
    pub horizon: usize,
    /// Networks trained at the same time.
    pub networks: usize,
    /// Threads for each of them.
    pub threads_each: usize,
    /// How long to measure.
    pub seconds: f64,
}

/// Rates of some work, over slices of a tenth of a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The median over the slices.
    pub median: f64,
    /// The best slice: what the machine does when nothing else runs on it.
    pub best: f64,
}

impl Rate {
    fn of(mut slices: Vec<f64>) -> Self {
        slices.sort_by(f64::total_cmp);
        let median = slices.get(slices.len() / 2).copied().unwrap_or(0.0);
        Self { median, best: slices.last().copied().unwrap_or(0.0) }
    }

    fn sum(rates: impl IntoIterator<Item = Self>) -> Self {
        let add = |a: Self, b: Self| Self { median: a.median + b.median, best: a.best + b.best };
        rates.into_iter().fold(Self { median: 0.0, best: 0.0 }, add)
    }
}

impl SpeedSetup {
    /// Floating-point operations of one optimizer step of one network that cannot be left out: the products with recurrent
    /// weights except at h(0) = 0, those with the inputs while there are any, those with the readout in the output phase.
    /// An implementation that multiplies through zeros does more.
    pub fn operations(&self) -> f64 {
        let (model, task) = (Model::<f32>::new(&self.network(0)), &self.task);
        let multiply_adds =
            model.multiply_adds(task.steps_before_outputs(), self.horizon, task.has_inputs_throughout());
        2.0 * self.batch as f64 * multiply_adds as f64
    }

    fn network(&self, seed: u64) -> Network {
        let Self { cell, layers, hidden, .. } = *self;
        let of = Architecture {
            cell,
            layers,
            hidden,
            activation: Activation::Tanh,
            bias: false,
            settings: CellSettings::usual(cell),
        };
        Initialization::Uniform.network(&of, self.task.inputs(), self.task.outputs(), seed)
    }

    /// Optimizer steps a second, all networks together.
    pub fn training_speed(&self) -> Result<Rate, TrainError> {
        let threads = self.threads_each.max(1);
        let pools = (0..self.networks.max(1))
            .map(|_| ThreadPoolBuilder::new().num_threads(threads).build())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| TrainError::Threads { threads, problem: error.to_string() })?;
        let together = Barrier::new(pools.len());
        let rates = std::thread::scope(|scope| {
            let handles: Vec<_> = pools
                .iter()
                .enumerate()
                .map(|(k, pool)| {
                    let together = &together;
                    scope.spawn(move || pool.install(|| self.one_network(k as u64, together)))
                })
                .collect();
            handles.into_iter().filter_map(|handle| handle.join().ok()).collect::<Vec<_>>()
        });
        Ok(Rate::sum(rates))
    }

    fn one_network(&self, seed: u64, together: &Barrier) -> Rate {
        let network = self.network(seed);
        let mut learner: Learner<f32> = Learner::new(&network, Isa::best(), self.batch, &self.task, self.horizon);
        let stream = Stream::new(seed, Purpose::TrainInputs);
        let mut count = 0;
        let mut step = || {
            learner.learn_batch(&self.task, &stream, count as u32, self.horizon);
            count += 1;
            let gradient_factor = AdamStep::clipping(1.0, learner.reduce());
            let (learning_rate, beta1, beta2, epsilon) = (1e-3, 0.9, 0.999, 1e-8);
            learner.update(AdamStep { learning_rate, l2: 0.0, beta1, beta2, epsilon, count, gradient_factor });
        };
        step();
        together.wait();
        timed(self.seconds, || {
            step();
            1.0
        })
    }
}

/// Fused-multiply-add peak in floating-point operations a second, all `threads` at once.
pub fn fma_peak(threads: usize, seconds: f64) -> Rate {
    let together = Barrier::new(threads);
    let rates = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    together.wait();
                    timed(seconds, || fma_work(Isa::best()))
                })
            })
            .collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).collect::<Vec<_>>()
    });
    Rate::sum(rates)
}

/// Does `work`, which returns how much it did, for some seconds.
fn timed(seconds: f64, mut work: impl FnMut() -> f64) -> Rate {
    let begin = Instant::now();
    let mut slices = Vec::new();
    while slices.is_empty() || begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        let mut done = 0.0;
        while done == 0.0 || start.elapsed().as_secs_f64() < SLICE_SECONDS {
            done += work();
        }
        slices.push(done / start.elapsed().as_secs_f64());
    }
    Rate::of(slices)
}
