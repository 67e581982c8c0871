//! What a person can set about training: one table. Sweep files and Python take their keys from it; the command line and the rows
//! of a sweep are tested against it.

use super::{Choices, Freeze, Recipe, Snapshots};
use crate::choose::UnknownWord;
use crate::network::{Activation, CELL_SETTINGS, CellKind, CellSetting, CellValues, Initialization};
use std::path::PathBuf;
use std::str::FromStr;

/// A value as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A whole number from 0.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// Several names.
    Names(Vec<String>),
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingKind {
    /// Whole numbers; in a sweep file a range such as "1-20" stands for all of its numbers.
    Whole,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// true or false.
    Flag,
    /// Several names.
    Names,
}

/// A setting of training.
#[derive(Clone, Copy, Debug)]
pub struct TrainSetting {
    /// Its name: the field of [`Choices`], Python's keyword, the key of a sweep file; with `-` for `_` the command line's flag.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: SettingKind,
    /// Whether a sweep can vary it.
    is_swept: bool,
    set: Sets,
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug)]
enum Sets {
    /// A choice about training.
    Choice(Set),
    /// The setting of a cell, by its place in the table.
    OfCell(usize),
}

/// Takes a value over.
type Set = fn(&mut Choices, &SettingValue) -> Result<(), UnknownWord>;

/// Every setting of training, those of cells behind the others.
pub const SETTINGS: [TrainSetting; OWN.len() + CELL_SETTINGS.len()] = {
    let mut all = [OWN[0]; _];
    let mut k = 0;
    while k < all.len() {
        all[k] = if k < OWN.len() { OWN[k] } else { of_cell(k - OWN.len()) };
        k += 1;
    }
    all
};

/// Those that training has with every cell.
const OWN: [TrainSetting; 29] = [
    swept("cell", SettingKind::Word(&CellKind::NAMES), |to, value| choose(&mut to.cell, value)),
    swept("layers", SettingKind::Whole, |to, value| put(&mut to.layers, value.size())),
    swept("hidden", SettingKind::Whole, |to, value| put(&mut to.hidden, value.size())),
    swept("seed", SettingKind::Whole, |to, value| put(&mut to.seed, value.whole())),
    swept("steps", SettingKind::Whole, |to, value| put(&mut to.steps, value.whole())),
    swept("recipe", SettingKind::Word(&Recipe::NAMES), |to, value| choose(&mut to.recipe, value)),
    swept("threshold", SettingKind::Number, |to, value| put(&mut to.threshold, value.number())),
    swept("horizon", SettingKind::Whole, |to, value| put(&mut to.horizon, value.size())),
    swept("l2", SettingKind::Number, |to, value| put(&mut to.l2, value.number())),
    swept("lr", SettingKind::Number, |to, value| put(&mut to.lr, value.number())),
    swept("clip", SettingKind::Number, |to, value| put(&mut to.clip, value.number())),
    swept("batch", SettingKind::Whole, |to, value| put(&mut to.batch, value.size())),
    swept("init", SettingKind::Word(&Initialization::NAMES), |to, value| put(&mut to.init, value.path())),
    swept("bias", SettingKind::Flag, |to, value| put(&mut to.bias, value.flag())),
    swept("activation", SettingKind::Word(&Activation::NAMES), |to, value| choose(&mut to.activation, value)),
    swept("metrics_every", SettingKind::Whole, |to, value| put(&mut to.metrics_every, value.whole())),
    swept("checkpoint_every", SettingKind::Whole, |to, value| put(&mut to.checkpoint_every, value.whole())),
    // In a sweep they are always more frequent early on, where networks differ.
    swept("snapshots", SettingKind::Whole, |to, value| {
        let count = value.whole().map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        put(&mut to.snapshots, count.map(|count| Snapshots { count, log_spaced: true }))
    }),
    // Behind the snapshots that it is about.
    single("log_spaced", SettingKind::Flag, |to, value| {
        let spaced = value.flag().unwrap_or(false);
        to.snapshots.iter_mut().try_for_each(|of| put(&mut of.log_spaced, spaced))
    }),
    swept("look_every", SettingKind::Whole, |to, value| put(&mut to.look_every, value.whole())),
    single("context", SettingKind::Text, |to, value| put(&mut to.context, value.text().map(Into::into))),
    swept("from", SettingKind::Text, |to, value| put(&mut to.from, value.path())),
    swept("freeze", SettingKind::Word(&Freeze::NAMES), |to, value| choose(&mut to.freeze, value)),
    single("protect", SettingKind::Names, |to, value| put(&mut to.protect, value.names())),
    single("reuse", SettingKind::Names, |to, value| put(&mut to.reuse, value.names())),
    single("left_out", SettingKind::Number, |to, value| put(&mut to.left_out, value.number())),
    single("strong_cue", SettingKind::Flag, |to, value| put(&mut to.strong_cue, value.flag().unwrap_or(false))),
    single("ewc", SettingKind::Names, |to, value| put(&mut to.ewc, value.names())),
    single("ewc_strength", SettingKind::Number, |to, value| put(&mut to.ewc_strength, value.number())),
];

fn put<T>(field: &mut T, value: T) -> Result<(), UnknownWord> {
    *field = value;
    Ok(())
}

fn choose<T: FromStr<Err = UnknownWord>>(field: &mut Option<T>, value: &SettingValue) -> Result<(), UnknownWord> {
    put(field, value.text().map(str::parse).transpose()?)
}

/// A setting that a sweep can vary.
const fn swept(name: &'static str, kind: SettingKind, set: Set) -> TrainSetting {
    TrainSetting { name, kind, is_swept: true, set: Sets::Choice(set) }
}

/// One that only a single network has.
const fn single(name: &'static str, kind: SettingKind, set: Set) -> TrainSetting {
    TrainSetting { name, kind, is_swept: false, set: Sets::Choice(set) }
}

/// One of a cell.
const fn of_cell(place: usize) -> TrainSetting {
    let CellSetting { name, values, .. } = CELL_SETTINGS[place];
    let kind = match values {
        CellValues::Flag => SettingKind::Flag,
        CellValues::Number { .. } => SettingKind::Number,
    };
    TrainSetting { name, kind, is_swept: true, set: Sets::OfCell(place) }
}

impl TrainSetting {
    /// A key of a sweep file that is no choice about training.
    pub(crate) const fn beside(name: &'static str, kind: SettingKind) -> Self {
        swept(name, kind, |_, _| Ok(()))
    }

    /// The cell whose setting it is, if it is one's.
    pub fn cell(&self) -> Option<CellKind> {
        match self.set {
            Sets::OfCell(place) => Some(CELL_SETTINGS[place].cell),
            _ => None,
        }
    }

    /// Whether a sweep can vary it.
    pub fn is_swept(&self) -> bool {
        self.is_swept
    }

    /// Takes over a value of its kind.
    pub fn set(&self, choices: &mut Choices, value: &SettingValue) -> Result<(), UnknownWord> {
        match self.set {
            Sets::Choice(set) => set(choices, value),
            Sets::OfCell(_) => {
                choices.cell_settings.set(self.name, value.number());
                Ok(())
            }
        }
    }
}

impl SettingValue {
    pub(crate) fn whole(&self) -> Option<u64> {
        match self {
            Self::Whole(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn size(&self) -> Option<usize> {
        self.whole().map(|value| usize::try_from(value).unwrap_or(usize::MAX))
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Whole(value) => Some(*value as f64),
            Self::Flag(value) => Some(f64::from(*value)),
            Self::Text(_) | Self::Names(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(value) => Some(value),
            _ => None,
        }
    }

    fn path(&self) -> Option<PathBuf> {
        self.text().map(Into::into)
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Names(names) => names.clone(),
            _ => vec![],
        }
    }

    fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(value) => Some(*value),
            _ => None,
        }
    }
}

#[cfg(test)]
impl SettingKind {
    /// A value that is nobody's default.
    pub(crate) fn example(self) -> SettingValue {
        match self {
            Self::Whole => SettingValue::Whole(7),
            Self::Number => SettingValue::Number(0.7),
            Self::Text => SettingValue::Text("runs/t2".into()),
            Self::Word(words) => SettingValue::Text(words[1].into()),
            Self::Flag => SettingValue::Flag(true),
            Self::Names => SettingValue::Names(vec!["a".into()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of the choices, by their own account.
    fn fields(choices: &Choices) -> Vec<String> {
        let text = format!("{choices:#?}");
        let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        let own = lines.filter(|line| !line.starts_with([' ', ']', '}', ')']));
        own.filter_map(|line| Some(line.split_once(':')?.0.to_string())).collect()
    }

    #[test]
    fn the_table_has_every_choice_and_no_other() {
        // A network at hand has no name; how snapshots are spaced belongs to them.
        let mut expected: Vec<String> =
            fields(&Choices::default()).into_iter().filter(|name| name != "given").collect();
        // Those of cells stand together, behind all others.
        assert_eq!(expected.pop().as_deref(), Some("cell_settings"));
        expected.extend(CELL_SETTINGS.iter().map(|setting| setting.name.to_string()));
        let listed: Vec<&str> =
            SETTINGS.iter().map(|setting| setting.name).filter(|name| *name != "log_spaced").collect();
        assert_eq!(listed, expected);
    }

    #[test]
    fn every_setting_sets_the_choice_of_its_name_alone() {
        let before = fields_and_values(&Choices::default());
        for setting in SETTINGS.iter().filter(|setting| setting.name != "log_spaced") {
            let value = setting.kind.example();
            let mut choices = Choices::default();
            setting.set(&mut choices, &value).unwrap();
            let after = fields_and_values(&choices);
            let changed: Vec<&str> =
                before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, _)| a.0.as_str()).collect();
            assert_eq!(changed, [setting.cell().map_or(setting.name, |_| "cell_settings")]);
        }
    }

    fn fields_and_values(choices: &Choices) -> Vec<(String, String)> {
        let text = format!("{choices:#?}");
        let names = fields(choices);
        let starts: Vec<usize> = names.iter().filter_map(|name| text.find(&format!("\n    {name}: "))).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        names
            .into_iter()
            .zip(starts.iter().zip(ends))
            .map(|(name, (&from, to))| (name, text[from..to].into()))
            .collect()
    }
}
