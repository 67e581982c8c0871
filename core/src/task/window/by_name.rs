//! Tasks by name.

use super::{Source, TaskError, TaskId, Window, check_size, families};
use crate::choose::nearest_name;
use std::ffi::OsStr;
use std::path::Path;

/// A task that goes by a name.
#[derive(Clone, Copy, Debug)]
pub struct KnownTask {
    /// The name, as typed.
    pub name: &'static str,
    /// What it asks for.
    pub summary: &'static str,
    /// Whether any s and d will do.
    pub any_size: bool,
    /// Which s and d will do, in words.
    pub sizes: &'static str,
}

// The variables and components of a named task where none are given.
const DEFAULT_SIZE: (usize, usize) = (8, 8);

/// Window components on the block diagonal for s = d = 8: bits 0, 9, 18, ..., 63.
const DIAGONAL: &str = "9241421688590303745";

/// Every name that [`Window::named`] takes, in the order in which they are listed.
pub const KNOWN_TASKS: [KnownTask; 9] = [
    KnownTask {
        name: "T1",
        summary: "repeat copy: say the whole input again and again",
        any_size: false,
        sizes: "s=8, d=8",
    },
    KnownTask {
        name: "T2",
        summary: "compose copy: component j repeats with a period of its own",
        any_size: false,
        sizes: "s=8, d=8",
    },
    KnownTask {
        name: "T3",
        summary: "compose copy with components exchanged and signs flipped: four odd cycles",
        any_size: false,
        sizes: "s=8, d=8",
    },
    KnownTask {
        name: "T4",
        summary: "compose copy with components exchanged and signs flipped: one long cycle",
        any_size: false,
        sizes: "s=8, d=8",
    },
    KnownTask { name: "repeat-copy", summary: "T1 for any s and d", any_size: true, sizes: "any s, d" },
    KnownTask {
        name: "compose-copy",
        summary: "T2 for any s and d: output j copies component j of variable 1 + (j-1) mod s",
        any_size: true,
        sizes: "any s, d",
    },
    KnownTask {
        name: "xor-copy",
        summary: "repeat copy, the last component xored with the first on the way",
        any_size: false,
        sizes: "any s, d>1",
    },
    KnownTask {
        name: "rule110",
        summary: "cellular automaton on a ring; any of rule0 to rule255",
        any_size: false,
        sizes: "s=1, d>2",
    },
    KnownTask {
        name: "lfsr",
        summary: "shift register, the xor of its taps: lfsr:5,3",
        any_size: false,
        sizes: "s>=taps",
    },
];

impl Window {
    /// A task from what a person types: a name, an id such as `255,0,0`, formulas such as `u1 = xor(u1[t-5], u1[t-3])`, or the
    /// path of a TOML file.
    ///
    /// `s` and `d` default to 8 for most names and for ids; formulas have as many as they name, a file carries its own. Only a path may be something else than UTF-8.
    pub fn parse(text: impl AsRef<OsStr>, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        Self::parse_with_contexts(text, s, d)?.alone()
    }

    /// The same; a file may have contexts.
    pub fn parse_with_contexts(text: impl AsRef<OsStr>, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        let path = Path::new(text.as_ref());
        if path.extension().is_some_and(|extension| extension == "toml") {
            return Self::read_toml_with_contexts(path);
        }
        Self::named_or_numbered(&path.to_string_lossy(), s, d)
    }

    /// A task by its name, id or formulas, whoever wrote it: no file is opened.
    pub fn named_or_numbered(text: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        if text.contains('=') {
            return Self::from_formulas(text, s, d);
        }
        if text.starts_with(|first: char| first.is_ascii_digit() || first == '(') {
            let (s, d) = size(s, d);
            return text.parse::<TaskId>()?.decode(s, d);
        }
        Self::named(text, s, d)
    }

    /// A task by name; upper and lower case are the same, `_` and `-` too.
    pub fn named(name: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        let wanted = name.trim().to_lowercase().replace('_', "-");
        if let Some(task) = family(&wanted, s, d) {
            return task;
        }
        let Some(known) = KNOWN_TASKS.iter().find(|known| known.name.to_lowercase() == wanted) else {
            let nearest = nearest_name(&wanted, KNOWN_TASKS.iter().map(|known| known.name));
            return Err(TaskError::UnknownName { name: name.into(), nearest: nearest.into() });
        };
        let (s, d) = size(s, d);
        check_size(s, d)?;
        if !known.any_size && (s, d) != DEFAULT_SIZE {
            let general = if known.name == "T1" { "repeat-copy" } else { "compose-copy" };
            return Err(TaskError::FixedSize { name: known.name, s, d, general });
        }
        let by_id = |id2: &str, id3: &str| TaskId::from_decimal(DIAGONAL, id2, id3)?.decode(s, d);
        let task = match known.name {
            "T3" => by_id("262676", "189")?,
            "T4" => by_id("38637", "145")?,
            "T1" | "repeat-copy" => copies(s, d, |_| s)?,
            _ => copies(s, d, |component| s - component % s.max(1))?,
        };
        Ok(task.renamed(known.name))
    }
}

/// A task of a family that has numbers of its own.
fn family(name: &str, s: Option<usize>, d: Option<usize>) -> Option<Result<Window, TaskError>> {
    let rule = name.strip_prefix("rule").map(|number| number.trim_start_matches(['-', ' ']));
    if let Some(rule) = rule.filter(|rule| !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some(families::ring(rule, s, d));
    }
    match name.split_once(':') {
        None if name == "lfsr" => Some(families::register(None, s, d)),
        Some(("lfsr", taps)) => Some(families::register(Some(taps), s, d)),
        None if name == "xor-copy" => {
            let (s, d) = size(s, d);
            Some(families::xor_copy(s, d))
        }
        _ => None,
    }
}

fn copies(s: usize, d: usize, lag: impl Fn(usize) -> usize) -> Result<Window, TaskError> {
    let sources = (0..d).map(|component| Source { lag: lag(component), component, negated: false }).collect();
    Window::selection("copy", s, d, sources)
}

fn size(s: Option<usize>, d: Option<usize>) -> (usize, usize) {
    (s.unwrap_or(DEFAULT_SIZE.0), d.unwrap_or(DEFAULT_SIZE.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_the_ids_that_define_them() {
        for (name, id1, id2, id3) in
            [("T1", "255", "0", "0"), ("T2", DIAGONAL, "0", "0"), ("T3", DIAGONAL, "262676", "189")]
        {
            let by_id = TaskId::from_decimal(id1, id2, id3).unwrap().decode(8, 8).unwrap();
            assert!(Window::named(name, None, None).unwrap().same_function(&by_id), "{name}");
        }
        let t2 = Window::named("T2", None, None).unwrap();
        assert!(Window::named("compose_copy", Some(8), Some(8)).unwrap().same_function(&t2));
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        for (typed, nearest) in [("T5", "T1"), ("repeatcopy", "repeat-copy"), ("compose-cop", "compose-copy")] {
            let error = Window::named(typed, None, None).unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean '{nearest}'")), "{error}");
        }
    }

    #[test]
    fn tasks_of_fixed_size_point_to_the_family() {
        let error = Window::named("T1", Some(16), Some(5)).unwrap_err().to_string();
        assert!(error.contains("repeat-copy") && error.contains("s=16, d=5"), "{error}");
    }

    #[test]
    fn compose_copy_works_with_more_components_than_variables() {
        let task = Window::named("compose-copy", Some(3), Some(7)).unwrap();
        let lags: Vec<_> = task.sources().unwrap().iter().map(|source| source.lag).collect();
        assert_eq!(lags, [3, 2, 1, 3, 2, 1, 3]);
    }
}
