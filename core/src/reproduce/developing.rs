//! What experiments ask of how circuits came to be.

use super::measure::picked;
use super::records::{Which, mean, without_end};
use crate::develop::{DevelopParams, Development, develop};
use crate::run_folder::RunFolder;
use crate::sweep::{Row, SweepFolder};
use crate::table::IntervalParams;

/// What appears.
const THINGS: [&str; 4] = ["memories", "spectrum", "function", "accuracy"];

/// Whether a quantity is about development: `THING_before_THING` is the share of networks in which the one appears in an earlier
/// snapshot than the other, `THING_after_THING` the share in a later one, `_low` and `_high` the ends of their 95 % interval,
/// `appears_THING` the share of networks in which it appears at all.
pub(super) fn knows(what: &str) -> bool {
    parse(what).is_some()
}

enum Asked<'a> {
    Appears(&'a str),
    Before(&'a str, &'a str, Option<usize>),
}

fn parse(what: &str) -> Option<Asked<'_>> {
    let known = |thing: &&str| THINGS.contains(thing);
    if let Some(thing) = what.strip_prefix("appears_").filter(known) {
        return Some(Asked::Appears(thing));
    }
    let (what, end) = without_end(what);
    let (a, b) = match (what.split_once("_before_"), what.split_once("_after_")) {
        (Some((a, b)), _) | (None, Some((b, a))) => (a, b),
        (None, None) => return None,
    };
    (THINGS.contains(&a) && THINGS.contains(&b)).then_some(Asked::Before(a, b, end))
}

/// How every network of an experiment that was trained came to be; networks that kept no snapshots are none of its.
pub(super) fn develop_all(rows: &[Row], folder: &SweepFolder) -> Result<Vec<Development>, String> {
    let one = |row: &Row| {
        let run = RunFolder::open(&folder.run_path(&row.name)).map_err(|error| error.to_string())?;
        develop(&run, &DevelopParams::default(), &|_, _| true).map_err(|error| error.to_string())
    };
    rows.iter().filter(|row| row.error.is_none()).map(one).collect()
}

/// A quantity over the networks that are picked, each beside its row; only those in which both things appear are asked for
/// their order.
pub(super) fn measure(what: &str, which: &Which, rows: &[Row], found: &[Development]) -> Result<Option<f64>, String> {
    let picked: Vec<&str> = picked(which, rows)?.iter().map(|row| row.name.as_str()).collect();
    let trained = rows.iter().filter(|row| row.error.is_none());
    let shown: Vec<_> = trained.zip(found).filter(|(row, _)| picked.contains(&row.name.as_str())).collect();
    let step = |of: &Development, thing: &str| {
        of.appeared.all().iter().find(|(name, _)| *name == thing).and_then(|(_, step)| *step)
    };
    Ok(match parse(what) {
        Some(Asked::Appears(thing)) => {
            mean(&shown.iter().map(|(_, of)| f64::from(step(of, thing).is_some())).collect::<Vec<_>>())
        }
        Some(Asked::Before(a, b, end)) => {
            let pairs = shown.iter().filter_map(|(_, of)| Some((step(of, a)?, step(of, b)?)));
            let flags: Vec<f64> = pairs.map(|(a, b)| f64::from(a < b)).collect();
            match end {
                None => mean(&flags),
                Some(end) => IntervalParams::default().interval_of_share(&flags).map(|interval| interval[end]),
            }
        }
        None => return Err("there is no such quantity".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_known_by_their_form() {
        for what in
            ["memories_before_function", "function_after_memories", "appears_spectrum", "memories_before_spectrum_low"]
        {
            assert!(knows(what), "{what}");
        }
        for what in ["accuracy", "before", "memories_before_lunch", "appears_x", "steps_to_99"] {
            assert!(!knows(what), "{what}");
        }
    }
}
