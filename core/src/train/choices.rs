//! What a person chooses about training; everything else keeps its default.

use super::{Recipe, Snapshots, Start, TrainError, TrainParams};
use crate::network::{Activation, CellKind, Initialization, Network, NetworkFile};
use crate::task::Task;
use std::path::{Path, PathBuf};

/// Hidden units where nobody says how many.
pub const DEFAULT_HIDDEN: usize = 128;

/// Choices by the names of the command line, Python and sweep files.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The kind of every layer.
    pub cell: Option<CellKind>,
    /// Layers.
    pub layers: Option<usize>,
    /// Hidden units of each.
    pub hidden: Option<usize>,
    /// Seed of weights and inputs.
    pub seed: Option<u64>,
    /// Optimizer steps.
    pub steps: Option<u64>,
    /// How it is trained, in one word.
    pub recipe: Option<Recipe>,
    /// Threshold of the curriculum.
    pub threshold: Option<f64>,
    /// Longest horizon.
    pub horizon: Option<usize>,
    /// L2 regularization.
    pub l2: Option<f64>,
    /// Learning rate.
    pub lr: Option<f64>,
    /// Largest norm of the gradient.
    pub clip: Option<f64>,
    /// Samples in a batch.
    pub batch: Option<usize>,
    /// `uniform`, `gaussian`, or a file with the initial weights.
    pub init: Option<PathBuf>,
    /// Whether layers and readout have biases.
    pub bias: Option<bool>,
    /// Nonlinearity of the cell.
    pub activation: Option<Activation>,
    /// Steps between rows of metrics.
    pub metrics_every: Option<u64>,
    /// Steps between checkpoints.
    pub checkpoint_every: Option<u64>,
    /// Weights that are kept on the way.
    pub snapshots: Option<Snapshots>,
}

impl Choices {
    /// The parameters and the start that were chosen for a task, checked.
    pub fn params(&self, task: &Task) -> Result<(TrainParams, Start), TrainError> {
        let (initialization, given) = self.beginning()?;
        let cell = self.cell.or(given.as_ref().map(|network| network.kind().unwrap_or_default()));
        let hidden = self.hidden.or(given.as_ref().map(Network::hidden)).unwrap_or(DEFAULT_HIDDEN);
        let mut params = self.recipe.unwrap_or_default().params(task, cell.unwrap_or_default(), hidden);
        if let Some(horizon) = self.horizon {
            params.curriculum = params.curriculum.up_to(horizon);
        }
        if let Some(threshold) = self.threshold {
            params.curriculum = params.curriculum.with_threshold(threshold);
        }
        fn set<T: Copy>(field: &mut T, choice: Option<T>) {
            *field = choice.unwrap_or(*field);
        }
        set(&mut params.layers, self.layers);
        set(&mut params.seed, self.seed);
        set(&mut params.steps, self.steps);
        set(&mut params.l2, self.l2);
        set(&mut params.learning_rate, self.lr);
        set(&mut params.clip, self.clip);
        set(&mut params.batch, self.batch);
        set(&mut params.activation, self.activation);
        set(&mut params.metrics_every, self.metrics_every);
        set(&mut params.checkpoint_every, self.checkpoint_every);
        set(&mut params.bias, self.bias);
        params.snapshots = self.snapshots;
        params.initialization = initialization;
        if let Some(network) = &given {
            params.take_from(network);
        }
        params.calm_the_end(task);
        params.check()?;
        Ok((params, given.map_or(Start::Random, |network| Start::Weights(Box::new(network)))))
    }

    /// The distribution of the initial weights, or weights from a file.
    fn beginning(&self) -> Result<(Initialization, Option<Network>), TrainError> {
        let Some(path) = self.init.as_deref() else { return Ok((Initialization::default(), None)) };
        match path.to_str().map(str::parse::<Initialization>) {
            Some(Ok(initialization)) => Ok((initialization, None)),
            _ => Ok((Initialization::default(), Some(given_weights(path)?))),
        }
    }
}

fn given_weights(path: &Path) -> Result<Network, TrainError> {
    let missing = |source| TrainError::NoSuchStart { init: path.to_string_lossy().into(), source };
    std::fs::metadata(path).map_err(missing)?;
    Ok(NetworkFile::open(path)?.network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Curriculum;

    fn copy() -> Task {
        Task::named("T1", None, None).unwrap()
    }

    #[test]
    fn what_is_not_chosen_keeps_its_default() {
        let (params, _) = Choices::default().params(&copy()).unwrap();
        assert_eq!(params.recipe(), Recipe::Steady);
        let table1 = Choices { recipe: Some(Recipe::Table1), ..Choices::default() };
        assert_eq!(table1.params(&copy()).unwrap().0, TrainParams::default());
        let choices = Choices { recipe: Some(Recipe::Adaptive), horizon: Some(50), ..Choices::default() };
        let (params, _) = choices.params(&copy()).unwrap();
        assert_eq!(params, TrainParams::with_curriculum(Curriculum::adaptive().up_to(50)));
    }

    #[test]
    fn impossible_choices_are_refused() {
        let refusal = |choices: Choices| choices.params(&copy()).unwrap_err().to_string();
        assert_eq!(refusal(Choices { hidden: Some(0), ..Choices::default() }), "hidden is 0, but must be at least 1");
        let init = refusal(Choices { init: Some("gausian".into()), ..Choices::default() });
        assert!(init.contains("uniform, gaussian or a file") && init.contains("gausian"), "{init}");
    }
}
