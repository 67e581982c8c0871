//! Everything that decides how a network is trained.

use serde::{Deserialize, Serialize};

use super::limits::{MAX_BATCH, MAX_HORIZON, MAX_LAYERS, MAX_METRICS, MAX_TEST_BATCHES};
use super::{Curriculum, Evaluations, Restraint, Snapshots, Stopping, TrainError};
use crate::network::{
    Activation, Architecture, CellKind, CellSettings, Family, Initialization, MAX_HIDDEN, Metadata, Network,
    NetworkFile,
};
use crate::task::Task;

/// Parameters of one training run. Two runs with equal parameters on one machine end with equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainParams {
    /// The kind of every layer. Default Elman.
    #[serde(default)]
    pub cell: CellKind,
    /// Layers. Default 1.
    #[serde(default = "one")]
    pub layers: usize,
    /// Hidden units of each layer. Default 128.
    pub hidden: usize,
    /// Seed of the initial weights and of every input. Default 1.
    pub seed: u64,
    /// Optimizer steps. Default 20,000; 45,000 for the adaptive curriculum.
    pub steps: u64,
    /// The rule for the horizon. Default `table1`.
    pub curriculum: Curriculum,
    /// Samples in a batch. Default 64.
    pub batch: usize,
    /// Adam's learning rate. Default 1e-3; 5e-4 for Elman networks on functions that are not linear.
    pub learning_rate: f64,
    /// A later change of the learning rate. Default none; a tenth after 36,000 steps for the adaptive curriculum, and for the last
    /// fifth of the steps for GRU, LSTM and functions that are not linear.
    pub learning_rate_change: Option<LearningRateChange>,
    /// When training ends before its last step, and whether the best weights are kept. Default never; the recipe `steady` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<Stopping>,
    /// Weights that are kept during training. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
    /// The only context whose episodes are drawn, where the task has several. Default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The network that training begins with, where it is a trained one. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<TrainedStart>,
    /// What training may not change of the weights that it begins with. Default nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restraint: Option<Restraint>,
    /// Adam's decay of the first moment. Default 0.9.
    pub beta1: f64,
    /// Adam's decay of the second moment. Default 0.999.
    pub beta2: f64,
    /// Adam's guard against division by zero. Default 1e-8.
    pub epsilon: f64,
    /// L2 regularization: this times the weight is added to the clipped gradient. Default 0.
    pub l2: f64,
    /// Largest norm of the whole gradient. Default 1.
    pub clip: f64,
    /// The distribution of the initial weights. Default uniform.
    pub initialization: Initialization,
    /// The nonlinearity, where the cell leaves a choice. Default tanh; identity for a state-space layer.
    pub activation: Activation,
    /// Whether layers and readout have biases. Default yes for GRU and LSTM and for functions that are not odd, no for others.
    pub bias: bool,
    /// What else the cell leaves to choose. Default as the cell's own table says.
    #[serde(default, skip_serializing_if = "CellSettings::is_empty")]
    pub cell_settings: CellSettings,
    /// A row of metrics is kept every so many steps. Default 100.
    pub metrics_every: u64,
    /// A checkpoint is kept every so many steps. Default 1,000.
    pub checkpoint_every: u64,
    /// The test at the end.
    pub test: TestParams,
}

/// What run folders from before there was a choice stand for.
fn one() -> usize {
    1
}

/// A trained network that training begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainedStart {
    /// Where it was, as typed.
    pub network: String,
    /// Checksum of its weights: another network in the same place is another start.
    pub crc32c: u32,
}

impl TrainedStart {
    /// The record of a network, with its place as typed.
    pub fn of(named: &str, network: &Network) -> Result<Self, TrainError> {
        let bytes = NetworkFile::new(network.clone(), Metadata::new()).to_safetensors()?;
        Ok(Self { network: named.into(), crc32c: crate::crc32c::crc32c(&bytes) })
    }
}

/// A change of the learning rate during training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningRateChange {
    /// Steps taken before the change.
    pub after: u64,
    /// What the learning rate is multiplied by.
    pub factor: f64,
}

impl LearningRateChange {
    /// Steps before the change: it comes early where the task is learned before.
    pub(crate) fn after_looks(&self, evaluations: &Evaluations) -> u64 {
        evaluations.settling_since.map_or(self.after, |since| since.min(self.after))
    }
}

/// The test of a trained network on inputs that training never drew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestParams {
    /// Output steps. Default 200.
    pub horizon: usize,
    /// Batches. Default 10.
    pub batches: u32,
    /// Samples in a batch. Default 64.
    pub batch: usize,
    /// A network with a lower accuracy has not learned its task. Default 0.98, the limit of the claim `follows-function`.
    pub learned_from: f64,
}

impl Default for TestParams {
    fn default() -> Self {
        Self { horizon: 200, batches: 10, batch: 64, learned_from: 0.98 }
    }
}

impl Default for TrainParams {
    fn default() -> Self {
        Self::with_curriculum(Curriculum::table1())
    }
}

impl TrainParams {
    /// The defaults that go with a curriculum.
    pub fn with_curriculum(curriculum: Curriculum) -> Self {
        let adaptive = matches!(curriculum, Curriculum::Adaptive { .. });
        Self {
            cell: CellKind::default(),
            layers: 1,
            hidden: 128,
            seed: 1,
            steps: if adaptive { 45_000 } else { 20_000 },
            curriculum,
            batch: 64,
            learning_rate: 1e-3,
            learning_rate_change: adaptive.then_some(LearningRateChange { after: 36_000, factor: 0.1 }),
            stopping: None,
            snapshots: None,
            context: None,
            from: None,
            restraint: None,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            l2: 0.0,
            clip: 1.0,
            initialization: Initialization::default(),
            activation: Activation::default(),
            bias: false,
            cell_settings: CellSettings::default(),
            metrics_every: 100,
            checkpoint_every: 1_000,
            test: TestParams::default(),
        }
    }

    /// What the network is made of.
    pub fn architecture(&self) -> Architecture {
        let Self { cell, layers, hidden, activation, bias, cell_settings: settings, .. } = *self;
        Architecture { cell, layers, hidden, activation, bias, settings }
    }

    /// A network with random weights, for a task of d components without contexts.
    pub fn random_network(&self, d: usize) -> Network {
        self.initialization.network(&self.architecture(), d, d, self.seed)
    }

    /// A network with random weights for a task; contexts add inputs for their cues.
    pub fn network_for(&self, task: &Task) -> Network {
        self.initialization.network(&self.architecture(), task.inputs(), task.outputs(), self.seed)
    }

    /// Sets the cell, and with it the activation, biases and learning rate that suit it and the task: a network without
    /// biases can compute odd functions only.
    pub fn choose_cell(&mut self, cell: CellKind, task: &Task) {
        (self.cell, self.activation) = (cell, cell.usual_activation());
        self.cell_settings = CellSettings::usual(cell);
        self.bias = cell.usually_biased() || !task.is_odd();
        // Of 16 registers with taps 5,3 (and 7,6) all are learned so, with 1e-3 two thirds, with 2e-3 none.
        if cell.family() == Family::Plain && !task.is_linear() {
            self.learning_rate = 5e-4;
        }
    }

    /// Takes over what given weights decide: the cell and its settings, layers, biases.
    pub fn take_from(&mut self, network: &Network) {
        self.cell = network.kind().unwrap_or_default();
        self.cell_settings = network.cell_settings();
        self.layers = network.layers.len();
        self.activation = network.activation().unwrap_or_default();
        self.bias = network.has_bias();
    }

    /// The learning rate after `taken` steps.
    pub fn learning_rate_at(&self, taken: u64, evaluations: &Evaluations) -> f64 {
        match self.learning_rate_change {
            Some(change) if taken >= change.after_looks(evaluations) => self.learning_rate * change.factor,
            _ => self.learning_rate,
        }
    }

    /// Refuses what no training can use.
    pub fn check(&self) -> Result<(), TrainError> {
        let require = |fine: bool, name, value, limit| {
            if fine { Ok(()) } else { Err(TrainError::OutOfRange { name, value, limit }) }
        };
        let positive = |name, value: f64| require(value.is_finite() && value > 0.0, name, value, "a number above 0");
        let counted = |name, value: u64| require(value > 0, name, value as f64, "at least 1");
        let upto = |name, value: u64, most: u64, limit| require(value <= most, name, value as f64, limit);
        counted("hidden", self.hidden as u64)?;
        upto("hidden", self.hidden as u64, MAX_HIDDEN as u64, "at most 4096, the limit for a network")?;
        counted("layers", self.layers as u64)?;
        upto("layers", self.layers as u64, MAX_LAYERS, "at most 16")?;
        counted("batch", self.batch as u64)?;
        upto("batch", self.batch as u64, MAX_BATCH as u64, "at most 65536")?;
        counted("steps", self.steps)?;
        // The random numbers of a step are addressed by 32 bits.
        require(self.steps < 1 << 32, "steps", self.steps as f64, "below 2^32")?;
        counted("metrics_every", self.metrics_every)?;
        let rows = self.steps / self.metrics_every;
        upto("the number of rows of metrics, steps / metrics_every,", rows, MAX_METRICS, "at most 1048576")?;
        counted("checkpoint_every", self.checkpoint_every)?;
        counted("the test's horizon", self.test.horizon as u64)?;
        upto("the test's horizon", self.test.horizon as u64, MAX_HORIZON as u64, "at most 65536")?;
        counted("the test's batches", u64::from(self.test.batches))?;
        upto("the test's batches", self.test.batches.into(), MAX_TEST_BATCHES.into(), "at most 65536")?;
        counted("the test's batch", self.test.batch as u64)?;
        upto("the test's batch", self.test.batch as u64, MAX_BATCH as u64, "at most 65536")?;
        positive("the learning rate", self.learning_rate)?;
        if let Some(change) = self.learning_rate_change {
            positive("the learning rate's factor", change.factor)?;
        }
        positive("clip", self.clip)?;
        positive("epsilon", self.epsilon)?;
        require(self.l2.is_finite() && self.l2 >= 0.0, "l2", self.l2, "0 or more")?;
        for (name, beta) in [("beta1", self.beta1), ("beta2", self.beta2)] {
            require((0.0..1.0).contains(&beta), name, beta, "from 0 to below 1")?;
        }
        if let Some((name, value, limit)) = self.cell_settings.wrong(self.cell) {
            return Err(TrainError::OutOfRange { name, value, limit });
        }
        if let Some(stopping) = &self.stopping {
            stopping.check()?;
        }
        if let Some(snapshots) = &self.snapshots {
            snapshots.check()?;
        }
        if let Some(restraint) = &self.restraint {
            restraint.check()?;
        }
        self.curriculum.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_usable() {
        TrainParams::default().check().unwrap();
        TrainParams::with_curriculum(Curriculum::adaptive()).check().unwrap();
    }

    #[test]
    fn impossible_values_are_refused_by_name() {
        let refusal = |change: fn(&mut TrainParams)| {
            let mut params = TrainParams::default();
            change(&mut params);
            params.check().unwrap_err().to_string()
        };
        assert_eq!(refusal(|p| p.hidden = 0), "hidden is 0, but must be at least 1");
        assert_eq!(refusal(|p| p.learning_rate = -0.1), "the learning rate is -0.1, but must be a number above 0");
        assert!(refusal(|p| p.learning_rate = f64::NAN).contains("NaN"));
        assert!(refusal(|p| p.l2 = f64::INFINITY).starts_with("l2 is inf"));
        assert!(refusal(|p| p.steps = 1 << 32).contains("below 2^32"));
        assert!(refusal(|p| p.beta2 = 1.0).contains("beta2"));
        assert!(refusal(|p| p.curriculum = Curriculum::none().up_to(0)).contains("horizon is 0"));
        assert!(refusal(|p| p.curriculum = Curriculum::table1().with_threshold(1.5)).contains("threshold is 1.5"));
    }

    #[test]
    fn the_learning_rate_changes_after_its_step() {
        let params = TrainParams::with_curriculum(Curriculum::adaptive());
        let mut evaluations = Evaluations::default();
        assert_eq!(params.learning_rate_at(35_999, &evaluations), 1e-3);
        assert_eq!(params.learning_rate_at(36_000, &evaluations), 1e-4);
        evaluations.settling_since = Some(5_000);
        assert_eq!(params.learning_rate_at(4_999, &evaluations), 1e-3);
        assert_eq!(params.learning_rate_at(5_000, &evaluations), 1e-4);
    }
}
