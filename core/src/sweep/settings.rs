//! What a sweep can vary, and what its networks are called.

use crate::network::{CellKind, CellValues, NetworkFile};
use crate::task::{Task, TaskError};
use crate::train::{
    Choices, Curriculum, Freeze, Job, Recipe, RestraintRule, SETTINGS, SettingKind, SettingValue, Start, TrainError,
    TrainParams, TrainSetting, TrainedStart,
};
use crate::transfer;
use std::path::Path;

/// What a network is trained on, and what is kept beside it: the keys of a sweep file that are no settings of training.
const BESIDE: [TrainSetting; 4] = [
    TrainSetting::beside(TENSORBOARD, SettingKind::Flag),
    TrainSetting::beside("task", SettingKind::Text),
    TrainSetting::beside("s", SettingKind::Whole),
    TrainSetting::beside("d", SettingKind::Whole),
];

/// Whether TensorBoard event files are written: the same network, with or without.
const TENSORBOARD: &str = "tensorboard";

/// Every key that a sweep file takes.
pub fn keys() -> impl Iterator<Item = &'static TrainSetting> {
    BESIDE.iter().chain(SETTINGS.iter().filter(|setting| setting.is_swept()))
}

/// The values of one network.
pub(super) type Settings<'a> = [(&'static TrainSetting, &'a SettingValue)];

/// The network that the values ask for; `folder` is where task files are looked for.
pub(super) fn job(settings: &Settings<'_>, folder: &Path) -> Result<Job, String> {
    let get = |name: &str| settings.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
    let size = |name: &str| get(name).and_then(SettingValue::size);
    let task = match get("task").and_then(SettingValue::text) {
        Some(name) if name.ends_with(".toml") => Task::read_toml(&folder.join(name)),
        Some(name) => Task::parse(name, size("s"), size("d")),
        None => return Err("no task is given: add a line such as task = [\"T1\", \"T2\"]".into()),
    };
    let task = task.map_err(|error| error.to_string())?;
    if !task.contexts().is_empty() {
        return Err(TaskError::ContextsInSweep { name: task.name().into() }.to_string());
    }
    let mut choices = Choices::default();
    for (key, value) in settings {
        key.set(&mut choices, value).map_err(|error| error.to_string())?;
    }
    match (&choices.from, &choices.init, choices.freeze) {
        (Some(_), Some(_), _) => return Err(TrainError::TwoStarts.to_string()),
        (Some(path), None, _) => {
            let (named, file) = begins_with(&path.to_string_lossy(), choices.seed.unwrap_or(1), folder)?;
            (choices.from, choices.given) = (Some(named.into()), Some(Box::new(file)));
        }
        (None, _, Some(_)) => {
            return Err("freeze needs a network to begin with: add a line such as from = \"runs/t2\"".into());
        }
        (None, _, None) => {}
    }
    let (params, start) = choices.params(&task).map_err(|error| error.to_string())?;
    let job = Job { task, params, start };
    job.check().map_err(|error| error.to_string())?;
    Ok(job)
}

/// Whether the values ask for TensorBoard event files.
pub(super) fn tensorboard(settings: &Settings<'_>) -> bool {
    settings.iter().any(|(key, value)| key.name == TENSORBOARD && **value == SettingValue::Flag(true))
}

/// The network that a job begins with; `{seed}` in its path stands for the seed.
fn begins_with(path: &str, seed: u64, folder: &Path) -> Result<(String, NetworkFile), String> {
    let named = path.replace("{seed}", &seed.to_string());
    let file = NetworkFile::open(&folder.join(&named)).map_err(|error| format!("from = \"{named}\": {error}"))?;
    Ok((named, file))
}

/// Lets a job that was written down begin with its network again, and freezes a part of it.
pub(super) fn begin_with(job: &mut Job, named: &str, file: NetworkFile, part: Option<Freeze>) -> Result<(), String> {
    job.params.from = Some(TrainedStart::of(named, &file.network).map_err(|error| error.to_string())?);
    if let Some(part) = part {
        let learned = file.task(None, None).ok().flatten();
        let restraint = transfer::freeze(&file.network, part, learned.as_ref());
        job.params.restraint = Some(restraint.map_err(|error| error.to_string())?);
    }
    job.start = Start::Weights(Box::new(file.network));
    Ok(())
}

/// What a network is called: task, hidden units, recipe, every setting that differs from the recipe's default, seed.
/// Networks trained as in the paper always name l2 and threshold.
pub fn name(job: &Job) -> String {
    let Job { task, params, .. } = job;
    let recipe = params.recipe();
    let usual = recipe.params(task, params.cell, params.hidden);
    let (steady, usual_threshold) = (recipe == Recipe::Steady, threshold(&usual.curriculum));
    let tame = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let mut parts = vec![task.name().to_lowercase().replace(|c| tame(c) == '-', "-")];
    if let Ok(window) = task.window()
        && (window.s(), window.d()) != (8, 8)
    {
        parts.push(format!("s{}-d{}", window.s(), window.d()));
    }
    if params.cell != CellKind::default() {
        parts.push(params.cell.name().into());
    }
    if params.layers != 1 {
        parts.push(format!("layers{}", params.layers));
    }
    parts.push(format!("h{}", params.hidden));
    let mut unusual = |differs: bool, text: String| differs.then(|| parts.push(text));
    unusual(!steady || params.l2 != usual.l2, format!("l2_{}", short(params.l2)));
    if let Some(threshold) = threshold(&params.curriculum) {
        unusual(!steady || usual_threshold != Some(threshold), format!("thr{}", short(threshold)));
    }
    unusual(!steady && recipe != Recipe::Table1, recipe.name().into());
    let longest = params.curriculum.longest();
    unusual(longest != usual.curriculum.longest(), format!("horizon{longest}"));
    unusual(params.steps != usual.steps, format!("steps{}", params.steps));
    unusual(params.learning_rate != usual.learning_rate, format!("lr{}", short(params.learning_rate)));
    unusual(params.clip != usual.clip, format!("clip{}", short(params.clip)));
    unusual(params.batch != usual.batch, format!("batch{}", params.batch));
    unusual(params.initialization != usual.initialization, word(&params.initialization));
    unusual(params.activation != usual.activation, word(&params.activation));
    for (setting, value) in params.cell_settings.iter() {
        unusual(
            usual.cell_settings.get(setting.name) != Some(value),
            match setting.values {
                CellValues::Flag => setting.name.into(),
                CellValues::Number { .. } => format!("{}{}", setting.name, short(value)),
            },
        );
    }
    unusual(params.bias != usual.bias, if params.bias { "bias" } else { "nobias" }.into());
    unusual(params.metrics_every != usual.metrics_every, format!("metrics{}", params.metrics_every));
    let look = |params: &TrainParams| params.stopping.map_or(0, |rule| rule.look_every);
    unusual(look(params) != look(&usual), format!("look{}", look(params)));
    unusual(params.snapshots.is_some(), format!("snapshots{}", params.snapshots.map_or(0, |of| of.count)));
    unusual(params.from.is_some(), format!("from{:08x}", params.from.as_ref().map_or(0, |from| from.crc32c)));
    unusual(params.restraint.is_some(), format!("freeze_{}", frozen(params).unwrap_or_default()));
    unusual(params.checkpoint_every != usual.checkpoint_every, format!("checkpoint{}", params.checkpoint_every));
    parts.push(format!("seed{:02}", params.seed));
    parts.join("-")
}

/// The part of the network that is frozen.
pub(super) fn frozen(params: &TrainParams) -> Option<String> {
    match params.restraint.as_ref()?.rule {
        RestraintRule::Freeze { part } => Some(word(&part)),
        _ => None,
    }
}

/// A number in as few characters as tell it from every other.
fn short(value: f64) -> String {
    let plain = value.to_string();
    let powers = format!("{value:e}");
    if powers.len() + 1 < plain.len() { powers } else { plain }
}

/// The threshold of a curriculum that has one.
pub(super) fn threshold(curriculum: &Curriculum) -> Option<f64> {
    match curriculum {
        Curriculum::Table1 { threshold, .. } | Curriculum::Adaptive { threshold, .. } => Some(*threshold),
        Curriculum::None { .. } => None,
    }
}

/// The name of a variant, as files spell it.
pub(super) fn word(variant: &impl std::fmt::Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[(&str, SettingValue)]) -> String {
        let key = |name: &str| keys().find(|key| key.name == name).unwrap();
        let settings: Vec<_> = values.iter().map(|(name, value)| (key(name), value)).collect();
        name(&job(&settings, Path::new("")).unwrap())
    }

    #[test]
    fn a_network_is_named_by_what_it_is_and_not_by_how_the_file_says_it() {
        let text = |text: &str| SettingValue::Text(text.into());
        assert_eq!(named(&[("task", text("T1"))]), "t1-h128-seed01");
        let paper = [("task", text("T1")), ("recipe", text("table1"))];
        assert_eq!(named(&paper), "t1-h128-l2_0-thr0.98-seed01");
        let same = [("task", text("T1")), ("hidden", SettingValue::Whole(128)), ("init", text("uniform"))];
        assert_eq!(named(&same), "t1-h128-seed01");
        let unusual = [
            ("task", text("repeat-copy")),
            ("s", SettingValue::Whole(16)),
            ("d", SettingValue::Whole(5)),
            ("l2", SettingValue::Number(0.001)),
            ("init", text("gaussian")),
            ("steps", SettingValue::Whole(500)),
            ("seed", SettingValue::Whole(12)),
        ];
        assert_eq!(named(&unusual), "repeat-copy-s16-d5-h128-l2_0.001-steps500-gaussian-seed12");
    }

    #[test]
    fn extreme_numbers_stay_short() {
        assert_eq!([1e300, 0.001, 0.98, 0.0, 1e-7].map(short), ["1e300", "0.001", "0.98", "0", "1e-7"]);
    }

    #[test]
    fn every_key_that_changes_a_network_changes_its_name() {
        let base = [("task", SettingValue::Text("repeat-copy".into()))];
        for key in keys().filter(|key| !["task", "from", "freeze", "tensorboard"].contains(&key.name)) {
            let cell = key.cell().map(|cell| ("cell", SettingValue::Text(cell.name().into())));
            let base: Vec<_> = base.iter().cloned().chain(cell).collect();
            assert_ne!(named(&[&base[..], &[(key.name, key.kind.example())]].concat()), named(&base), "{}", key.name);
        }
    }
}
