//! Sweep files: every key holds a value or a list of values; the sweep is every combination.

use super::settings::keys;
use super::{Axis, Grid, SweepError};
use crate::choose::nearest_name;
use crate::interpret::InterpretParams;
use crate::setting::Adjustable;
use crate::train::{SettingKind, SettingValue, TrainSetting};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The key that may have by far the most values.
const SEED: &str = "seed";
/// The key of the blocks that are swept one after another, each with the values above them.
const BLOCKS: &str = "grid";
/// The table that says how its networks are interpreted.
const INTERPRET: &str = "interpret";
/// Most seeds in a list, ranges counted by what they stand for: one more is surely a slip.
const MOST_SEEDS: usize = 1_000_000;
/// Most values of any other key: each is tried once before anything is trained.
const MOST_VALUES: usize = 1000;
/// Most values in a file, those that stand above several blocks counted once for each.
const MOST_IN_ALL: usize = 2 * MOST_SEEDS;

struct Source<'a> {
    file: &'a str,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        self.text[..self.text.floor_char_boundary(offset)].matches('\n').count() + 1
    }

    fn error(&self, offset: usize, problem: impl Into<String>) -> SweepError {
        SweepError::File { file: self.file.into(), line: self.line(offset), problem: problem.into() }
    }
}

/// Reads the text of a sweep file; `file` is named in errors.
pub(super) fn parse(text: &str, file: &str) -> Result<(Vec<Grid>, Map<String, Value>), SweepError> {
    let source = Source { file, text };
    let table = DeTable::parse(text)
        .map_err(|error| source.error(error.span().map_or(0, |span| span.start), error.message()))?;
    let mut common = vec![];
    let (mut blocks, mut settings) = (vec![], Map::new());
    for (name, value) in table.get_ref() {
        match (name.get_ref().as_ref(), value.get_ref()) {
            (BLOCKS, DeValue::Array(tables)) => blocks.extend(tables.iter()),
            (BLOCKS, _) => return Err(source.error(name.span().start, "write [[grid]] with two brackets")),
            (INTERPRET, DeValue::Table(_)) => settings = interpretation(&source, name.span().start)?,
            (INTERPRET, _) => {
                return Err(source
                    .error(name.span().start, "write [interpret], and settings such as code.read = 0.95 below it"));
            }
            _ => common.push(axis(&source, name, value)?),
        }
    }
    if blocks.is_empty() {
        return Ok((vec![Grid { axes: common, line: 1 }], settings));
    }
    let mut grids: Vec<Grid> = vec![];
    let mut values = 0;
    for block in blocks {
        let next = grid(&source, block, &common)?;
        values += next.axes.iter().map(|axis| axis.values.len()).sum::<usize>();
        if values > MOST_IN_ALL {
            let problem = format!("the grids have more than {MOST_IN_ALL} values; divide them into several files");
            return Err(source.error(block.span().start, problem));
        }
        grids.push(next);
    }
    Ok((grids, settings))
}

/// The settings of interpretation, tried once.
fn interpretation(source: &Source<'_>, at: usize) -> Result<Map<String, Value>, SweepError> {
    #[derive(Deserialize)]
    struct Table {
        interpret: Map<String, Value>,
    }
    let settings = toml::from_str::<Table>(source.text).map_err(|error| source.error(at, error.message()))?.interpret;
    let taken = InterpretParams::default().with_map(&settings);
    taken.map_err(|error| source.error(at, error.to_string()))?;
    Ok(settings)
}

/// A block takes the common axes and replaces those that it has itself.
fn grid(source: &Source<'_>, block: &Spanned<DeValue<'_>>, common: &[Axis]) -> Result<Grid, SweepError> {
    let start = block.span().start;
    let DeValue::Table(table) = block.get_ref() else {
        return Err(source.error(start, "a grid is a block of keys under [[grid]]"));
    };
    let own = table.iter().map(|(name, value)| axis(source, name, value)).collect::<Result<Vec<_>, _>>()?;
    let replaced = |axis: &&Axis| own.iter().all(|own| own.key.name != axis.key.name);
    let axes = common.iter().filter(replaced).cloned().chain(own.iter().cloned()).collect();
    Ok(Grid { axes, line: source.line(start) })
}

fn axis(
    source: &Source<'_>,
    name: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<Axis, SweepError> {
    let typed = name.get_ref();
    // What recipes were called before.
    let typed = if typed == "curriculum" { "recipe" } else { typed };
    let Some(key) = keys().find(|key| key.name == typed) else {
        let nearest = nearest_name(&typed.to_lowercase(), keys().map(|key| key.name).chain([BLOCKS, INTERPRET]));
        let problem = format!("there is no key '{typed}'; did you mean '{nearest}'?");
        return Err(source.error(name.span().start, problem));
    };
    let most = if key.name == SEED { MOST_SEEDS } else { MOST_VALUES };
    let mut values = vec![];
    let items = match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    };
    for item in items {
        let more = read(source, key, item)?;
        if more.count() > most - values.len() {
            let problem = format!("{typed} has more than {most} values, the limit; give it fewer");
            return Err(source.error(item.span().start, problem));
        }
        values.extend(more.values());
    }
    if values.is_empty() {
        let problem = format!("{typed} has no values, so the grid is empty; give it at least one");
        return Err(source.error(value.span().start, problem));
    }
    Ok(Axis { key, values, line: source.line(name.span().start) })
}

/// What one item of a list stands for, counted before it is written out.
enum Item {
    One(SettingValue),
    /// From and to.
    Range(u64, u64),
}

impl Item {
    fn count(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Range(from, to) => usize::try_from(to - from).unwrap_or(usize::MAX).saturating_add(1),
        }
    }

    fn values(self) -> Vec<SettingValue> {
        match self {
            Self::One(value) => vec![value],
            Self::Range(from, to) => (from..=to).map(SettingValue::Whole).collect(),
        }
    }
}

fn read(source: &Source<'_>, key: &TrainSetting, value: &Spanned<DeValue<'_>>) -> Result<Item, SweepError> {
    let wrong = |takes: String| Err(source.error(value.span().start, format!("{} takes {takes}", key.name)));
    let one = |value| Ok(Item::One(value));
    match (key.kind, value.get_ref()) {
        (SettingKind::Whole, DeValue::Integer(number)) => match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => one(SettingValue::Whole(number)),
            Err(_) => wrong(format!("whole numbers from 0, not {}", number.as_str())),
        },
        (SettingKind::Whole, DeValue::String(range)) => match whole_range(range) {
            Some((from, to)) => Ok(Item::Range(from, to)),
            None => wrong(format!("whole numbers or a range such as \"1-20\", not \"{range}\"")),
        },
        (SettingKind::Number, DeValue::Integer(number)) => number_of(number.as_str()).map_or_else(
            || wrong(format!("numbers, not {}", number.as_str())),
            |number| one(SettingValue::Number(number)),
        ),
        (SettingKind::Number, DeValue::Float(number)) => number_of(number.as_str()).map_or_else(
            || wrong(format!("finite numbers, not {}", number.as_str())),
            |number| one(SettingValue::Number(number)),
        ),
        (SettingKind::Text, DeValue::String(text)) => one(SettingValue::Text(text.to_string())),
        (SettingKind::Word(words), DeValue::String(text)) if words.contains(&text.as_ref()) => {
            one(SettingValue::Text(text.to_string()))
        }
        (SettingKind::Word(words), DeValue::String(text)) => {
            let nearest = nearest_name(&text.to_lowercase(), words.iter().copied());
            wrong(format!("{}, not \"{text}\"; did you mean \"{nearest}\"?", words.join(", ")))
        }
        (SettingKind::Flag, DeValue::Boolean(flag)) => one(SettingValue::Flag(*flag)),
        (SettingKind::Whole, _) => wrong("whole numbers, or a range such as \"1-20\"".into()),
        (SettingKind::Number, _) => wrong("numbers".into()),
        (SettingKind::Text, _) => wrong("text in quotation marks".into()),
        (SettingKind::Word(words), _) => wrong(format!("one of {}", words.join(", "))),
        (SettingKind::Flag, _) => wrong("true or false".into()),
        (SettingKind::Names, _) => wrong("a list of names, which a sweep cannot vary".into()),
    }
}

fn number_of(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn whole_range(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    let (from, to): (u64, u64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (from <= to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, file: &str) -> Result<Vec<Grid>, SweepError> {
        super::parse(text, file).map(|(grids, _)| grids)
    }

    fn refused(text: &str) -> String {
        parse(text, "s.toml").unwrap_err().to_string()
    }

    #[test]
    fn values_lists_and_ranges_make_axes() {
        let grids = parse("task = \"T1\"\nseed = \"3-5\"\nl2 = [0, 0.001]\nhidden = 0x40", "s.toml").unwrap();
        let counts: Vec<_> = grids[0].axes.iter().map(|axis| (axis.key.name, axis.values.len())).collect();
        assert_eq!(counts, [("hidden", 1), ("l2", 2), ("seed", 3), ("task", 1)]);
        assert_eq!(grids[0].axes[0].values, [SettingValue::Whole(64)]);
    }

    #[test]
    fn blocks_share_what_stands_above_them_and_replace_what_they_give_themselves() {
        let text = "hidden = [64, 128]\nseed = 1\n[[grid]]\ntask = \"T1\"\n[[grid]]\ntask = \"T2\"\nhidden = 32";
        let grids = parse(text, "s.toml").unwrap();
        assert_eq!(grids.iter().map(Grid::count).collect::<Vec<_>>(), [Some(2), Some(1)]);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_the_nearest_name() {
        let message = refused("task = \"T1\"\n\nhiden = 64");
        assert_eq!(message, "s.toml:3: there is no key 'hiden'; did you mean 'hidden'?");
        let message = refused("[[grid]]\ntask = \"T1\"\ntreshold = 0.9");
        assert_eq!(message, "s.toml:3: there is no key 'treshold'; did you mean 'threshold'?");
    }

    #[test]
    fn lists_have_a_limit_that_ranges_cannot_get_around() {
        let million = "\"1-1000000\"";
        assert_eq!(parse(&format!("seed = [{million}]"), "s.toml").unwrap()[0].count(), Some(1_000_000));
        for text in [format!("seed = [{million}, 7]"), "seed = \"0-18446744073709551615\"".into()] {
            assert!(refused(&text).contains("seed has more than 1000000 values"), "{}", refused(&text));
        }
        assert!(refused("hidden = \"1-1001\"").contains("hidden has more than 1000 values"));
        let blocks = format!("seed = {million}\n{}", "[[grid]]\n".repeat(3));
        assert!(refused(&blocks).contains("the grids have more than 2000000 values"), "{}", refused(&blocks));
    }

    #[test]
    fn values_of_the_wrong_kind_are_refused_with_their_line() {
        assert!(refused("seed = -1").starts_with("s.toml:1: seed takes whole numbers from 0, not -1"));
        assert!(refused("seed = \"20-1\"").contains("a range such as \"1-20\", not \"20-1\""));
        assert!(refused("task = \"T1\"\nl2 = [0,\n  nan]").starts_with("s.toml:3: l2 takes finite numbers"));
        assert!(refused("init = \"gausian\"").ends_with("did you mean \"gaussian\"?"));
        assert!(refused("bias = 1").contains("bias takes true or false"));
        assert!(refused("task = T1").starts_with("s.toml:1:"));
        assert!(refused("seed = []").contains("seed has no values, so the grid is empty"));
    }
}
