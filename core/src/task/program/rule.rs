//! Formulas made quick: a formula of few values becomes a table of all of them, which checks it too.

use super::formula::{Fault, Formula, Place};
use super::kind::{Domain, Kind, NO_SYMBOL};

/// The most entries of the table of one formula.
const MOST_ENTRIES: usize = 1 << 16;

/// A formula in the form in which it is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    Constant(f64),
    Copy(Place),
    Table {
        axes: Vec<(Place, Domain, usize)>,
        values: Vec<f64>,
    },
    /// Too many values, or no end of them.
    Tree(Formula),
}

/// What a formula's value must be, and where.
pub(super) struct Wanted<'a> {
    /// The kinds of everything that a formula can read.
    pub(super) kinds: &'a dyn Fn(Place) -> Kind,
    /// The kind that the value must be of.
    pub(super) kind: &'a Kind,
    /// Where the value is asked for; everywhere if nothing.
    pub(super) when: Option<&'a Formula>,
    /// How a place is shown.
    pub(super) name: &'a dyn Fn(Place) -> String,
}

impl Rule {
    /// The rule of a formula; the parts that may still be evaluated for tables are counted down.
    pub(super) fn of(formula: &Formula, wanted: &Wanted<'_>, room: &mut usize) -> Result<Self, Fault> {
        if let (Formula::Place(place), None) = (formula, wanted.when)
            && (wanted.kinds)(*place) == *wanted.kind
        {
            return Ok(Self::Copy(*place));
        }
        let size = formula.size() + wanted.when.map_or(0, Formula::size);
        let Some(axes) = axes(formula, wanted, *room / size) else { return Ok(Self::Tree(formula.clone())) };
        let count = axes.iter().map(|(_, domain, _)| domain.values.len()).product::<usize>();
        *room -= count * size;
        let allowed = wanted.kind.values();
        let fits = |value: f64| allowed.as_ref().is_none_or(|values| values.contains(&value));
        let mut values = Vec::with_capacity(count);
        // Values that never meet may have no answer; the first such fault is told where there is nothing else.
        let (mut fault, mut answers) = (None, false);
        for entry in 0..count {
            let at = |axis: &(Place, Domain, usize)| axis.1.values[entry / axis.2 % axis.1.values.len()];
            let read = |place: Place| axes.iter().find(|axis| axis.0 == place).map_or(f64::NAN, at);
            let told = |fault: &str| {
                let held: Vec<String> =
                    axes.iter().map(|axis| format!("{} = {}", (wanted.name)(axis.0), shown(at(axis)))).collect();
                if held.is_empty() { fault.to_string() } else { format!("{fault}, where {}", held.join(", ")) }
            };
            let asked = wanted.when.map_or(Ok(1.0), |when| when.value(&read));
            if asked != Ok(1.0) {
                // Nobody asks for it.
                values.push(f64::NAN);
                continue;
            }
            let value = formula.value(&read).and_then(|value| {
                let value = if value == NO_SYMBOL { wanted.kind.none() } else { value };
                match fits(value) {
                    true => Ok(value),
                    false => Err(format!("the value is {}, which is not {}", shown(value), wanted.kind)),
                }
            });
            answers |= value.is_ok();
            values.push(value.unwrap_or_else(|problem| {
                fault.get_or_insert_with(|| told(&problem));
                f64::NAN
            }));
        }
        if let (false, Some(fault)) = (answers, fault) {
            return Err(fault);
        }
        if axes.is_empty() {
            return Ok(Self::Constant(values[0]));
        }
        Ok(Self::Table { axes, values })
    }

    /// Its value; NaN where the formula has none.
    pub(super) fn value(&self, kind: &Kind, read: &impl Fn(Place) -> f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Copy(place) => read(*place),
            Self::Table { axes, values } => {
                values[axes.iter().map(|(place, domain, stride)| domain.place(read(*place)) * stride).sum::<usize>()]
            }
            Self::Tree(formula) => match formula.value(read) {
                Ok(NO_SYMBOL) => kind.none(),
                Ok(value) => value,
                Err(_) => f64::NAN,
            },
        }
    }
}

pub(super) fn shown(value: f64) -> String {
    if value == NO_SYMBOL { "none".into() } else { value.to_string() }
}

/// The places that a formula reads with the values of each; nothing where they are too many.
fn axes(formula: &Formula, wanted: &Wanted<'_>, room: usize) -> Option<Vec<(Place, Domain, usize)>> {
    let mut places = vec![];
    formula.places(&mut places);
    wanted.when.into_iter().for_each(|when| when.places(&mut places));
    places.sort_unstable();
    places.dedup();
    let last = || Some(formula.last_step()?.max(wanted.when.map_or(Some(1), Formula::last_step)?));
    let (mut axes, mut count) = (vec![], 1);
    for place in places {
        let values = match place {
            Place::Time => (1..=last()?).map(|step| step as f64).collect(),
            _ => (wanted.kinds)(place).values()?,
        };
        let domain = Domain::of(values);
        let stride = count;
        count *= domain.values.len();
        if count > MOST_ENTRIES.min(room) {
            return None;
        }
        axes.push((place, domain, stride));
    }
    Some(axes)
}
