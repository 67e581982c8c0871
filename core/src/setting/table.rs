//! The settings of stages: each is declared once, beside its stage, with its default, its limits and what it says. From there the
//! command line, Python, sweep files and the documentation have it.

use super::leaf::{take, takes};
use super::{Leaf, Limits, SettingError};
use crate::choose::nearest_name;
use serde::Serialize;
use serde_json::{Map, Value};

/// Declares the parameters of a stage: a struct with public fields, its defaults, and a setting for each field. A line is
/// `name: type = default, LIMITS;` with the limits of [`super::limits`]; what is left out is the type's own default, and any value.
macro_rules! settings {
    ($(#[$of:meta])* pub struct $name:ident {
        $($(#[$($said:tt)*])* $field:ident: $type:ty $(= $default:expr $(, $limits:expr)?)?;)*
    }) => {
        $(#[$of])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$($said)*])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::setting::settings!(@default $($default)?),)* }
            }
        }

        impl $crate::setting::Settings for $name {
            fn visit(&mut self, at: &str, _: $crate::setting::Said, look: $crate::setting::Look<'_>) {
                #[allow(unused_imports, reason = "not every stage has limits of its own")]
                use $crate::setting::limits::*;
                $({
                    let says = concat!($($crate::setting::settings!(@says $($said)*)),*);
                    let limits = $crate::setting::settings!(@limits $($($limits)?)?);
                    let said = $crate::setting::Said { says, limits };
                    $crate::setting::Settings::visit(
                        &mut self.$field, &$crate::setting::within(at, stringify!($field)), said, look);
                })*
            }
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
    (@limits) => { $crate::setting::limits::ANY };
    (@limits $limits:expr) => { $limits };
    (@says doc = $says:expr) => { $says };
    (@says $($other:tt)*) => { "" };
}
pub(crate) use settings;

/// What is said of a setting where it is declared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// What it decides.
    pub says: &'static str,
    /// The numbers that it takes.
    pub limits: Limits,
}

/// What is done with each setting: its name, what is said of it, its value.
pub type Look<'a> = &'a mut dyn FnMut(&str, Said, &mut dyn Leaf);

/// A value with settings in it, or one that is itself a setting.
pub trait Settings {
    /// Looks at each setting; `at` is the name so far.
    fn visit(&mut self, at: &str, said: Said, look: Look<'_>);
}

/// Values that are settings by themselves; stages say it of their own words.
macro_rules! leaves {
    ($($type:ty),*) => {$(
        impl $crate::setting::Settings for $type {
            fn visit(&mut self, at: &str, said: $crate::setting::Said, look: $crate::setting::Look<'_>) {
                look(at, said, self);
            }
        }
    )*};
}
pub(crate) use leaves;

leaves!(f64, usize, u64, u32, bool, (usize, usize), Vec<(f64, f64)>, Option<usize>);

/// The name of a field. How networks are interpreted has no name of its own, whatever stage asks for it.
pub(crate) fn within(at: &str, field: &str) -> String {
    match (at, field) {
        (_, "interpret") => String::new(),
        ("", field) => field.into(),
        (at, field) => format!("{at}.{field}"),
    }
}

/// A setting as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// What it is called: `code.read`.
    pub name: String,
    /// Its value, here the default.
    pub default: Value,
    /// What values it takes.
    pub takes: String,
    /// What a number of it counts.
    pub unit: &'static str,
    /// What it decides.
    pub says: String,
}

/// Parameters of which all settings have a name.
pub trait Adjustable: Settings + Clone {
    /// What their names begin with.
    const NAME: &'static str;
    /// Why they cannot be what was asked for.
    type Error: From<SettingError> + std::error::Error;

    /// Sets one by its name, from text as a person types it.
    fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let mut taken = None;
        self.visit(Self::NAME, Said::default(), &mut |at, said, leaf| {
            if at == name {
                taken = Some(take(leaf, name, value, &said.limits));
            }
        });
        match taken {
            Some(taken) => taken,
            None => {
                let list = self.list();
                let nearest = nearest_name(name, list.iter().map(|known| known.name.as_str())).into();
                Err(SettingError::Unknown { name: name.into(), nearest })
            }
        }
    }

    /// With what follows from the settings.
    fn complete(self) -> Result<Self, Self::Error> {
        Ok(self)
    }

    /// With settings that a person wrote, each as `NAME=VALUE`.
    fn with<T: AsRef<str>>(mut self, written: &[T]) -> Result<Self, Self::Error> {
        for written in written.iter().map(AsRef::as_ref) {
            let (name, value) = written.split_once('=').ok_or_else(|| SettingError::NoValue(written.into()))?;
            self.set(name.trim(), value.trim())?;
        }
        self.complete()
    }

    /// With settings from values as JSON and TOML have them, nested or by their whole names.
    fn with_map(mut self, values: &Map<String, Value>) -> Result<Self, Self::Error> {
        flat("", values).into_iter().try_for_each(|(name, value)| self.set(&name, &typed(value)))?;
        self.complete()
    }

    /// Every setting with the value that it has.
    fn list(&self) -> Vec<Listed> {
        let mut all = vec![];
        self.clone().visit(Self::NAME, Said::default(), &mut |name, said, leaf| {
            let (default, unit) = (leaf.value(), said.limits.unit);
            let takes = takes(&default, &said.limits);
            let says = said.says.trim().trim_end_matches('.').to_string();
            all.push(Listed { name: name.into(), default, takes, unit, says });
        });
        all
    }
}

/// Values by their whole names: `{"code": {"read": 0.95}}` is `{"code.read": 0.95}`.
fn flat<'a>(at: &str, values: &'a Map<String, Value>) -> Vec<(String, &'a Value)> {
    let each = values.iter().flat_map(|(name, value)| match (within(at, name), value) {
        (name, Value::Object(below)) => flat(&name, below),
        (name, value) => vec![(name, value)],
    });
    each.collect()
}

/// A value as a person types it.
pub fn typed(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Array(each) if each.is_empty() => "none".into(),
        Value::String(text) => text.clone(),
        Value::Array(each) => {
            let between = if each.iter().any(Value::is_array) { ";" } else { "," };
            each.iter().map(typed).collect::<Vec<_>>().join(between)
        }
        other => other.to_string(),
    }
}
