//! What a sweep can vary: one table of keys, and how a network is made of their values.

use crate::network::{Activation, CellKind, Initialization, Network, NetworkFile};
use crate::task::{Task, TaskError};
use crate::train::{Curriculum, DEFAULT_HIDDEN, Freeze, Job, Origin, Recipe, Rule, Snapshots, Start, TrainParams};
use crate::transfer;
use std::path::Path;

/// A value of a sweep file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number from 0.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Yes or no.
    Flag(bool),
}

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers; a range such as "1-20" stands for all of its numbers.
    Whole,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// true or false.
    Flag,
}

/// A key of a sweep file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The key as typed; the flag of `ketbra train` has the same name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    set: fn(&mut TrainParams, &Value),
}

/// Every key that a sweep file takes.
pub const KEYS: [Key; 24] = [
    key("task", Kind::Text, |_, _| ()),
    key("s", Kind::Whole, |_, _| ()),
    key("d", Kind::Whole, |_, _| ()),
    key("recipe", Kind::Word(&Recipe::NAMES), |_, _| ()),
    key("threshold", Kind::Number, |_, _| ()),
    key("horizon", Kind::Whole, |_, _| ()),
    key("cell", Kind::Word(&CellKind::NAMES), |_, _| ()),
    key("layers", Kind::Whole, |params, value| params.layers = value.whole() as usize),
    key("hidden", Kind::Whole, |_, _| ()),
    key("seed", Kind::Whole, |params, value| params.seed = value.whole()),
    key("steps", Kind::Whole, |params, value| params.steps = value.whole()),
    key("l2", Kind::Number, |params, value| params.l2 = value.number()),
    key("lr", Kind::Number, |params, value| params.learning_rate = value.number()),
    key("clip", Kind::Number, |params, value| params.clip = value.number()),
    key("batch", Kind::Whole, |params, value| params.batch = value.whole() as usize),
    key("init", Kind::Word(&Initialization::NAMES), |params, value| {
        params.initialization = value.text().parse().unwrap_or_default();
    }),
    key("bias", Kind::Flag, |params, value| params.bias = *value == Value::Flag(true)),
    key("activation", Kind::Word(&["tanh", "relu", "identity"]), |params, value| {
        params.activation = match value.text() {
            "relu" => Activation::Relu,
            "identity" => Activation::Identity,
            _ => Activation::Tanh,
        };
    }),
    key("metrics_every", Kind::Whole, |params, value| params.metrics_every = value.whole()),
    key("checkpoint_every", Kind::Whole, |params, value| params.checkpoint_every = value.whole()),
    key("look_every", Kind::Whole, |params, value| {
        if let Some(stopping) = &mut params.stopping {
            stopping.look_every = value.whole();
        }
    }),
    key("snapshots", Kind::Whole, |params, value| {
        let count = u32::try_from(value.whole()).unwrap_or(u32::MAX);
        params.snapshots = Some(Snapshots { count, log_spaced: true });
    }),
    key("from", Kind::Text, |_, _| ()),
    key("freeze", Kind::Word(&Freeze::NAMES), |_, _| ()),
];

const fn key(name: &'static str, kind: Kind, set: fn(&mut TrainParams, &Value)) -> Key {
    Key { name, kind, set }
}

/// The values of one network.
pub(super) type Settings<'a> = [(&'static Key, &'a Value)];

/// The network that the values ask for; `folder` is where task files are looked for.
pub(super) fn job(settings: &Settings<'_>, folder: &Path) -> Result<Job, String> {
    let get = |name: &str| settings.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
    let whole = |name: &str| get(name).map(|value| value.whole() as usize);
    let task = match get("task").map(Value::text) {
        Some(name) if name.ends_with(".toml") => Task::read_toml(&folder.join(name)).map_err(|error| match error {
            TaskError::Contexts { name, .. } => TaskError::ContextsInSweep { name },
            error => error,
        }),
        Some(name) => Task::parse(name, whole("s"), whole("d")),
        None => return Err("no task is given: add a line such as task = [\"T1\", \"T2\"]".into()),
    };
    let task = task.map_err(|error| error.to_string())?;
    // These decide what is usual for the others.
    let recipe: Recipe = get("recipe").and_then(|value| value.text().parse().ok()).unwrap_or_default();
    let from = get("from").map(|value| begins_with(value.text(), whole("seed").unwrap_or(1), folder)).transpose()?;
    let given = from.as_ref().map(|(_, file)| &file.network);
    let cell = get("cell").and_then(|value| value.text().parse().ok()).or(given.and_then(Network::kind));
    let hidden = whole("hidden").or(given.map(Network::hidden)).unwrap_or(DEFAULT_HIDDEN);
    let mut params = recipe.params(&task, cell.unwrap_or_default(), hidden);
    if let Some(horizon) = whole("horizon") {
        params.curriculum = params.curriculum.up_to(horizon);
    }
    if let Some(threshold) = get("threshold") {
        params.curriculum = params.curriculum.with_threshold(threshold.number());
    }
    for (key, value) in settings {
        (key.set)(&mut params, value);
    }
    if let Some(network) = given {
        params.take_from(network);
    }
    params.calm_the_end(&task);
    let part = get("freeze").and_then(|value| value.text().parse::<Freeze>().ok());
    let mut job = Job { task, params, start: Start::Random };
    match (from, part) {
        (Some((named, file)), part) => begin_with(&mut job, &named, file, part)?,
        (None, Some(_)) => {
            return Err("freeze needs a network to begin with: add a line such as from = \"runs/t2\"".into());
        }
        (None, None) => {}
    }
    job.check().map_err(|error| error.to_string())?;
    Ok(job)
}

/// The network that a job begins with; `{seed}` in its path stands for the seed.
fn begins_with(path: &str, seed: usize, folder: &Path) -> Result<(String, NetworkFile), String> {
    let named = path.replace("{seed}", &seed.to_string());
    let file = NetworkFile::open(&folder.join(&named)).map_err(|error| format!("from = \"{named}\": {error}"))?;
    Ok((named, file))
}

/// Lets a job begin with a trained network, and freezes a part of it.
pub(super) fn begin_with(job: &mut Job, named: &str, file: NetworkFile, part: Option<Freeze>) -> Result<(), String> {
    job.params.from = Some(Origin::of(named, &file.network).map_err(|error| error.to_string())?);
    if let Some(part) = part {
        let learned = file.task(None, None).ok().flatten();
        let restraint = transfer::freeze(&file.network, part, learned.as_ref());
        job.params.restraint = Some(restraint.map_err(|error| error.to_string())?);
    }
    job.start = Start::Weights(Box::new(file.network));
    Ok(())
}

/// What a network is called: task, hidden units, recipe, whatever is not as usual, seed. Those trained as in the paper always name
/// l2 and threshold.
pub fn name(job: &Job) -> String {
    let Job { task, params, .. } = job;
    let recipe = params.recipe();
    let usual = recipe.params(task, params.cell, params.hidden);
    let steady = recipe == Recipe::Steady;
    let tame = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let mut parts = vec![task.name().to_lowercase().replace(|c| tame(c) == '-', "-")];
    if (task.s(), task.d()) != (8, 8) {
        parts.push(format!("s{}-d{}", task.s(), task.d()));
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
        let usual = threshold_of(&usual);
        unusual(!steady || usual != Some(threshold), format!("thr{}", short(threshold)));
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
        Rule::Freeze { part } => Some(word(&part)),
        _ => None,
    }
}

/// A number in as few characters as tell it from every other.
fn short(value: f64) -> String {
    let plain = value.to_string();
    let powers = format!("{value:e}");
    if powers.len() + 1 < plain.len() { powers } else { plain }
}

fn threshold_of(params: &TrainParams) -> Option<f64> {
    threshold(&params.curriculum)
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

impl Value {
    fn whole(&self) -> u64 {
        match self {
            Self::Whole(value) => *value,
            _ => 0,
        }
    }

    fn number(&self) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Whole(value) => *value as f64,
            _ => f64::NAN,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(value) => value,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[(&str, Value)]) -> String {
        let key = |name: &str| KEYS.iter().find(|key| key.name == name).unwrap();
        let settings: Vec<_> = values.iter().map(|(name, value)| (key(name), value)).collect();
        name(&job(&settings, Path::new("")).unwrap())
    }

    #[test]
    fn a_network_is_named_by_what_it_is_and_not_by_how_the_file_says_it() {
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(named(&[("task", text("T1"))]), "t1-h128-seed01");
        let paper = [("task", text("T1")), ("recipe", text("table1"))];
        assert_eq!(named(&paper), "t1-h128-l2_0-thr0.98-seed01");
        let same = [("task", text("T1")), ("hidden", Value::Whole(128)), ("init", text("uniform"))];
        assert_eq!(named(&same), "t1-h128-seed01");
        let unusual = [
            ("task", text("repeat-copy")),
            ("s", Value::Whole(16)),
            ("d", Value::Whole(5)),
            ("l2", Value::Number(0.001)),
            ("init", text("gaussian")),
            ("steps", Value::Whole(500)),
            ("seed", Value::Whole(12)),
        ];
        assert_eq!(named(&unusual), "repeat-copy-s16-d5-h128-l2_0.001-steps500-gaussian-seed12");
    }

    #[test]
    fn extreme_numbers_stay_short() {
        assert_eq!([1e300, 0.001, 0.98, 0.0, 1e-7].map(short), ["1e300", "0.001", "0.98", "0", "1e-7"]);
    }

    #[test]
    fn every_key_that_changes_a_network_changes_its_name() {
        let base = [("task", Value::Text("repeat-copy".into()))];
        for key in KEYS.iter().filter(|key| !["task", "from", "freeze"].contains(&key.name)) {
            let value = match key.kind {
                Kind::Whole => Value::Whole(7),
                Kind::Number => Value::Number(0.7),
                Kind::Word(words) => Value::Text(words[1].into()),
                Kind::Text => continue,
                Kind::Flag => Value::Flag(true),
            };
            assert_ne!(named(&[base[0].clone(), (key.name, value)]), named(&base), "{}", key.name);
        }
    }
}
