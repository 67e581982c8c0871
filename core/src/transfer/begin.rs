//! From choices to the parameters and the start of training: the one place that knows of old tasks as well as of new ones.

use super::{LearnedTask, TransferError, TransferParams, keep_shut_units_constant};
use super::{consolidate, open_units, own_units, with_strong_cues};
use crate::network::{CellSetting, Initialization, Network, NetworkFile};
use crate::task::Task;
use crate::train::{
    Choices, DEFAULT_HIDDEN, DEFAULT_STRENGTH, Restraint, Start, TrainError, TrainParams, TrainedStart,
};
use std::path::Path;

impl Choices {
    /// The parameters and the start that were chosen for a task, checked.
    pub fn params(&self, task: &Task) -> Result<(TrainParams, Start), TrainError> {
        let (initialization, file) = self.beginning()?;
        if self.strong_cue && (file.is_some() || task.contexts().is_empty()) {
            return Err(if file.is_some() { TrainError::HasCues } else { TrainError::NoCues(task.name().into()) });
        }
        let drawn = self.context.as_ref().map(|name| task.context(name)).transpose()?;
        let given = file.as_ref().map(|file| &file.network);
        let cell = self.cell.or(given.map(|network| network.kind().unwrap_or_default()));
        let hidden = self.hidden.or(given.map(Network::hidden)).unwrap_or(DEFAULT_HIDDEN);
        let open = self.open_units(task, drawn, given, hidden);
        let mut params = self.recipe.unwrap_or_default().params_within(task, cell.unwrap_or_default(), hidden, open);
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
        set(&mut params.initialization, initialization);
        params.context = self.context.clone();
        if let (Some(stopping), Some(every)) = (&mut params.stopping, self.look_every) {
            stopping.look_every = every;
        }
        params.cell_settings = self.cell_settings.or(params.cell_settings);
        if let Some(network) = given {
            params.take_from(network);
            // Networks hold f32.
            let has = |name, value| params.cell_settings.get(name).is_some_and(|own: f64| own as f32 == value as f32);
            let differs = |(setting, value): &(&CellSetting, f64)| !has(setting.name, *value);
            if let Some((setting, value)) = self.cell_settings.iter().find(differs) {
                let limit = "left out: the network that training begins with has its own";
                return Err(TrainError::OutOfRange { name: setting.name, value, limit });
            }
        }
        params.lower_learning_rate_at_the_end(task);
        let named = self.from.as_ref().map(|path| path.to_string_lossy().into_owned());
        params.from = match (given, named) {
            (Some(network), Some(named)) => Some(TrainedStart::of(&named, network)?),
            _ => None,
        };
        params.restraint = self.restraint(task, file.as_ref())?;
        params.check()?;
        let begins = match file {
            Some(file) => Some(file.network),
            None => self.strong_cue.then(|| with_strong_cues(&params, task)),
        };
        let Some(network) = begins else { return Ok((params, Start::Random)) };
        let cannot = |error: TransferError| TrainError::BadRestraint(error.to_string());
        params.restraint = keep_shut_units_constant(&network, task, drawn, params.restraint).map_err(cannot)?;
        Ok((params, Start::Weights(Box::new(network))))
    }

    /// Units that every context which is drawn can use.
    fn open_units(&self, task: &Task, drawn: Option<usize>, given: Option<&Network>, hidden: usize) -> usize {
        let contexts = (0..task.contexts().len()).filter(|k| drawn.is_none_or(|drawn| drawn == *k));
        let open = |context| match given {
            Some(network) => open_units(network, task, context),
            None if self.strong_cue => own_units(hidden, task.contexts().len(), context).len(),
            None => hidden,
        };
        contexts.map(open).min().unwrap_or(hidden)
    }

    /// What training may not change.
    fn restraint(&self, task: &Task, file: Option<&NetworkFile>) -> Result<Option<Restraint>, TrainError> {
        let Self { freeze, protect, reuse, ewc, ewc_strength, .. } = self;
        let asked = [freeze.is_some(), !protect.is_empty(), !reuse.is_empty(), !ewc.is_empty()];
        match asked.iter().filter(|asked| **asked).count() {
            0 => return Ok(None),
            1 => {}
            _ => return Err(TrainError::BadRestraint("freeze, protect, reuse and ewc exclude each other".into())),
        }
        let file = file.ok_or(TrainError::NothingToKeep)?;
        let mut params = TransferParams { seed: self.seed.unwrap_or(1), ..TransferParams::default() };
        params.left_out = self.left_out.unwrap_or(params.left_out);
        params.check()?;
        let old =
            |names: &[String]| names.iter().map(|name| LearnedTask::named(name, task)).collect::<Result<Vec<_>, _>>();
        let made = match freeze {
            Some(part) => super::freeze(&file.network, *part, file.task(None, None).ok().flatten().as_ref()),
            None if !ewc.is_empty() => {
                let strength = ewc_strength.unwrap_or(DEFAULT_STRENGTH);
                old(ewc).and_then(|old| consolidate(&file.network, &old, strength, &params))
            }
            None => {
                let names = if reuse.is_empty() { protect } else { reuse };
                old(names).and_then(|old| super::protect(&file.network, &old, !reuse.is_empty(), &params))
            }
        };
        made.map(Some).map_err(|error| TrainError::BadRestraint(error.to_string()))
    }

    /// The distribution of the initial weights, or the network that they come from.
    fn beginning(&self) -> Result<(Option<Initialization>, Option<NetworkFile>), TrainError> {
        if let Some(given) = &self.given {
            return Ok((None, Some((**given).clone())));
        }
        let path = match (&self.init, &self.from) {
            (Some(_), Some(_)) => return Err(TrainError::TwoStarts),
            (None, None) => return Ok((None, None)),
            (Some(path), None) | (None, Some(path)) => path,
        };
        match path.to_str().filter(|_| self.from.is_none()).map(str::parse::<Initialization>) {
            Some(Ok(initialization)) => Ok((Some(initialization), None)),
            _ => Ok((None, Some(given_weights(path, self.from.is_some())?))),
        }
    }
}

fn given_weights(path: &Path, from: bool) -> Result<NetworkFile, TrainError> {
    let (named, init) = (path.to_string_lossy(), path.to_string_lossy().into());
    let missing = |source| match from {
        true => TrainError::NoSuchNetwork { from: named.into(), source },
        false => TrainError::NoSuchStart { init, source },
    };
    std::fs::metadata(path).map_err(missing)?;
    Ok(NetworkFile::open(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Curriculum, Recipe};

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
        assert!(init.contains("uniform, gaussian, orthogonal or a file") && init.contains("gausian"), "{init}");
    }
}
