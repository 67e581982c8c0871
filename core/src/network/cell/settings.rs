//! What a kind of cell leaves to choose beside its nonlinearity. A cell lists its settings in its own file; the command line,
//! sweep files, run folders and Python take them from the table of all.

use super::{CELL_SETTINGS, CellKind};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A setting of a kind of cell.
#[derive(Clone, Copy, Debug)]
pub struct CellSetting {
    /// The cell that has it.
    pub cell: CellKind,
    /// Its name: Python's keyword, the key of a sweep file.
    pub name: &'static str,
    /// The command line's flag: the name with `-` for `_`.
    pub flag: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// What it may be.
    pub values: CellValues,
}

/// What a setting of a cell may be.
#[derive(Clone, Copy, Debug)]
pub enum CellValues {
    /// Yes, or no unless it is said.
    Flag,
    /// A number above one limit and at most another.
    Number {
        /// What it is unless another is chosen.
        usual: f64,
        /// The limit that it must exceed.
        above: f64,
        /// The largest one.
        most: f64,
        /// Both limits in words.
        limit: &'static str,
    },
}

/// Values of the settings of cells, in the order of the table; a flag is 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSettings([Option<f64>; CELL_SETTINGS.len()]);

impl Eq for CellSettings {}

impl Default for CellSettings {
    fn default() -> Self {
        Self([None; CELL_SETTINGS.len()])
    }
}

impl CellSettings {
    /// What the settings of a kind of cell are unless others are chosen.
    pub fn usual(cell: CellKind) -> Self {
        let usual = |setting: CellSetting| match setting.values {
            _ if setting.cell != cell => None,
            CellValues::Flag => Some(0.0),
            CellValues::Number { usual, .. } => Some(usual),
        };
        Self(CELL_SETTINGS.map(usual))
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Those that are set, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static CellSetting, f64)> {
        CELL_SETTINGS.iter().zip(self.0).filter_map(|(setting, value)| Some((setting, value?)))
    }

    /// A value by its name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter().find(|(setting, _)| setting.name == name).map(|(_, value)| value)
    }

    /// Sets a value by its name, unless it is nothing; says whether there is such a setting.
    pub fn set(&mut self, name: &str, value: Option<f64>) -> bool {
        let place = CELL_SETTINGS.iter().position(|setting| setting.name == name);
        let to = place.and_then(|place| self.0.get_mut(place));
        to.map(|to| *to = value.or(*to)).is_some()
    }

    /// These, and others where nothing is set.
    pub(crate) fn or(self, others: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k].or(others.0[k])))
    }

    /// Every setting under its name as JSON has it, null where nothing is set.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static str, Value)> {
        CELL_SETTINGS.iter().zip(self.0).map(|(setting, value)| (setting.name, setting.values.json(value)))
    }

    /// The first that is not what a cell of a kind may have: its name, its value and what it must be.
    pub(crate) fn wrong(&self, cell: CellKind) -> Option<(&'static str, f64, &'static str)> {
        self.iter().find_map(|(setting, value)| match setting.values {
            _ if setting.cell != cell => Some((setting.name, value, "left out: the cell has no such setting")),
            CellValues::Number { above, most, limit, .. } if !(value > above && value <= most) => {
                Some((setting.name, value, limit))
            }
            _ => None,
        })
    }
}

impl CellValues {
    fn json(self, value: Option<f64>) -> Value {
        match (self, value) {
            (_, None) => Value::Null,
            (Self::Flag, Some(value)) => json!(value != 0.0),
            (Self::Number { .. }, Some(value)) => json!(value),
        }
    }
}

/// By name.
impl Serialize for CellSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns().filter(|(_, value)| !value.is_null()))
    }
}

impl<'de> Deserialize<'de> for CellSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut settings = Self::default();
        for (name, value) in BTreeMap::<String, Value>::deserialize(deserializer)? {
            let number = value.as_f64().or_else(|| value.as_bool().map(|flag| f64::from(u8::from(flag))));
            if number.is_none() || !settings.set(&name, number) {
                return Err(D::Error::custom("a setting that no cell has, or no value of one"));
            }
        }
        Ok(settings)
    }
}
