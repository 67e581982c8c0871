//! Two networks against each other.

use super::circuit::Wire;
use super::claims::{Claim, ClaimName, Verdict, verdict};
use super::codes::Codes;
use super::examine::Examined;
use super::exchange::exchange;
use super::measures::{Measures, dsa, linear_cka, shape_distance};
use super::renamed::{Renaming, renaming};
use super::{CompareError, CompareParams};
use crate::claims::Bound;
use crate::code::Component;
use crate::interpret::{self, Reason};
use crate::numeric::Matrix;
use crate::task::{Function, Task};
use serde::Serialize;

/// Wires that are named, at most.
const NAMED_WIRES: usize = 24;

/// What was found of two networks.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The number of the first network, from 0.
    pub first: usize,
    /// The number of the second.
    pub second: usize,
    /// What it comes to.
    pub verdict: Verdict,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What is claimed, each with its figure.
    pub claims: Vec<Claim>,
    /// How far the circuits are apart: 0 where they are the same, 1 where they share nothing. Nothing where one shows none.
    pub distance: Option<f64>,
    /// Outputs whose functions differ.
    pub outputs: Vec<OutputDiffers>,
    /// Contents that only the first keeps, and only the second.
    pub kept_by_one: [Vec<Component>; 2],
    /// Entries of the step in which they differ most.
    pub wires: Vec<Wire>,
    /// Where the functions differ but are the same under other names of the components.
    pub renamed: Option<Renaming>,
    /// How the codes differ; nothing where they hold different contents.
    pub codes: Option<Codes>,
    /// What the field's measures say of the same states.
    pub measures: Measures,
}

/// An output that two networks compute differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputDiffers {
    /// Which, from 1.
    pub output: usize,
    /// What it is in the first network.
    pub first: String,
    /// What it is in the second.
    pub second: String,
}

/// Compares two networks, each with its number.
pub fn compare_pair(
    (i, first): (usize, &Examined),
    (j, second): (usize, &Examined),
    params: &CompareParams,
) -> Result<Pair, CompareError> {
    let mut pair = Pair {
        first: i,
        second: j,
        verdict: Verdict::NotComparable,
        reasons: vec![],
        claims: vec![],
        distance: None,
        outputs: vec![],
        kept_by_one: [vec![], vec![]],
        wires: vec![],
        renamed: None,
        codes: None,
        measures: Measures::default(),
    };
    if first.size != second.size {
        let size = |of: &Examined| format!("{} has s={} input steps of d={} components", of.name, of.size.0, of.size.1);
        pair.reasons.push(format!("{}, {}: there is nothing to hold against each other", size(first), size(second)));
        return Ok(pair);
    }
    pair.measures = measures(first, second, params)?;
    let functions = first.function().zip(second.function());
    if let Some((f, g)) = functions {
        pair.outputs = outputs(f, g, params);
        pair.renamed = if pair.outputs.is_empty() { None } else { renaming(f, g) };
        pair.claims = claims(first, second, &pair.outputs, params)?;
    }
    if let (Some(a), Some(b), true) = (&first.circuit, &second.circuit, functions.is_some()) {
        pair.distance = Some(a.distance(b));
        pair.kept_by_one = [a.kept_only_here(b), b.kept_only_here(a)];
        pair.wires = a.differences(b, params.entry);
        pair.wires.truncate(NAMED_WIRES);
        if pair.outputs.is_empty() {
            pair.codes = Codes::of(first, second, &steps(first, second))?;
        }
    }
    pair.verdict = verdict(&pair.claims, functions.is_some());
    pair.reasons = reasons(&pair, first, second);
    Ok(pair)
}

/// Steps at which both have states to compare.
fn steps(first: &Examined, second: &Examined) -> Vec<usize> {
    let range = |of: &Examined| of.inputs.as_ref().map_or((0, 0), |inputs| (inputs.first, inputs.end));
    let has = |of: &Examined, t: usize| of.seen.states.contains_key(&t);
    let (a, b) = (range(first), range(second));
    let (from, to) = if a.1 == 0 { b } else { a };
    (from..to).filter(|&t| has(first, t) && has(second, t)).collect()
}

fn same_inputs(first: &Examined, second: &Examined) -> bool {
    matches!((&first.inputs, &second.inputs), (Some(a), Some(b)) if a == b)
}

fn measures(first: &Examined, second: &Examined, params: &CompareParams) -> Result<Measures, CompareError> {
    let mut found = Measures::default();
    if let (Some(a), Some(b)) = (&first.dynamics, &second.dynamics) {
        let apart = dsa(a, b, &params.dsa)?;
        (found.dsa, found.dsa_wasserstein) = (Some(apart.angle), Some(apart.wasserstein));
    }
    if same_inputs(first, second) {
        let steps = steps(first, second);
        let states = |of: &Examined| of.raw_states(&steps);
        let (x, y) = (states(first), states(second));
        (found.cka, found.shape) = (linear_cka(&x, &y), shape_distance(&x, &y)?);
    }
    Ok(found)
}

impl Examined {
    /// States of some steps beside one another, as they are.
    fn raw_states(&self, steps: &[usize]) -> Matrix {
        let episodes = self.seen.episodes;
        let units = self.seen.states.first_key_value().map_or(0, |(_, states)| states.nrows());
        let mut all = Matrix::zeros(units, steps.len() * episodes);
        for (k, t) in steps.iter().enumerate() {
            all.subcols_mut(k * episodes, episodes).copy_from(&self.seen.states[t]);
        }
        all
    }

    /// What it comes to in a few words, where it is no circuit.
    fn shortcoming(&self) -> Option<String> {
        if self.found.verdict == interpret::Verdict::Circuit {
            return None;
        }
        let (verdict, reasons) = match &self.told {
            Some((verdict, reasons)) => (*verdict, reasons),
            None => (self.found.verdict, &self.found.reasons),
        };
        let why = reasons.first().map_or_else(String::new, |reason: &Reason| format!(": {reason}"));
        Some(format!("{} is no circuit but {}{why}", self.name, verdict.name()))
    }
}

/// Outputs whose functions differ.
fn outputs(first: &Task, second: &Task, params: &CompareParams) -> Vec<OutputDiffers> {
    let (words_a, words_b) = (first.recurrence(), second.recurrence());
    let differs = |output: &usize| match (first.function(), second.function()) {
        (Function::Dense(_), _) | (_, Function::Dense(_)) => match (first.linear(), second.linear()) {
            (Some(a), Some(b)) => {
                (0..a.ncols()).any(|j| (a[(*output, j)] - b[(*output, j)]).abs() > params.coefficient)
            }
            _ => true,
        },
        _ => match (first.gates(), second.gates()) {
            (Some(a), Some(b)) => a[*output] != b[*output],
            _ => true,
        },
    };
    let named = |output: usize| OutputDiffers {
        output: output + 1,
        first: words_a.get(output).cloned().unwrap_or_default(),
        second: words_b.get(output).cloned().unwrap_or_default(),
    };
    (0..first.d()).filter(differs).map(named).collect()
}

fn claims(
    first: &Examined,
    second: &Examined,
    differing: &[OutputDiffers],
    params: &CompareParams,
) -> Result<Vec<Claim>, CompareError> {
    let circuits = [first, second].iter().filter(|of| of.found.verdict == interpret::Verdict::Circuit).count();
    let d = first.size.1;
    let mut claims = vec![
        Claim::new(
            ClaimName::BothCircuits,
            circuits as f64,
            Bound::AtLeast,
            2.0,
            "networks for which every claim holds",
        ),
        Claim::new(
            ClaimName::SameFunction,
            differing.len() as f64,
            Bound::AtMost,
            0.0,
            format!("outputs of {d} whose functions differ"),
        ),
    ];
    claims.extend(same_inputs(first, second).then(|| same_outputs(first, second, params)));
    claims.push(same_contents(first, second));
    let detail = "largest difference of an entry of the step";
    let apart = match (&first.circuit, &second.circuit) {
        (Some(a), Some(b)) => a.largest_difference(b),
        _ => f64::NAN,
    };
    claims.push(Claim::new(ClaimName::SameStep, apart, Bound::AtMost, params.entry, detail));
    if differing.is_empty() {
        claims.extend(exchanged(first, second, params)?);
    }
    Ok(claims)
}

/// What the two say after the same inputs, at every step that was run.
fn same_outputs(first: &Examined, second: &Examined, params: &CompareParams) -> Claim {
    let signs = first.function().is_some_and(Task::is_binary) && second.function().is_some_and(Task::is_binary);
    let steps = first.seen.outputs.len().min(second.seen.outputs.len());
    let d = first.size.1;
    let (mut equal, mut apart, mut size) = (vec![0usize; d], vec![0.0; d], vec![0.0; d]);
    for (a, b) in first.seen.outputs.iter().zip(&second.seen.outputs) {
        for e in 0..a.ncols() {
            for j in 0..d {
                equal[j] += usize::from((a[(j, e)] > 0.0) == (b[(j, e)] > 0.0));
                apart[j] += (a[(j, e)] - b[(j, e)]).powi(2);
                size[j] += a[(j, e)].powi(2).max(b[(j, e)].powi(2));
            }
        }
    }
    let all = (steps * first.seen.episodes).max(1) as f64;
    let share = |j: usize| equal[j] as f64 / all;
    let error = |j: usize| (apart[j] / f64::max(size[j], f64::MIN_POSITIVE)).sqrt();
    let name = ClaimName::SameOutputs;
    if signs {
        let worst = (0..d).min_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0);
        let detail = format!("share of equal signs over {steps} output steps, worst u{}", worst + 1);
        return Claim::new(name, share(worst), Bound::AtLeast, params.outputs, detail);
    }
    let worst = (0..d).max_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0);
    let detail = format!("difference over {steps} output steps as a share of what is said, worst u{}", worst + 1);
    Claim::new(name, error(worst), Bound::AtMost, params.outputs_error, detail)
}

fn same_contents(first: &Examined, second: &Examined) -> Claim {
    let name = ClaimName::SameContents;
    let (Some(a), Some(b)) = (&first.circuit, &second.circuit) else {
        return Claim::new(name, f64::NAN, Bound::AtMost, 0.0, "no code was found in at least one of them");
    };
    let only = a.kept_only_here(b).len() + b.kept_only_here(a).len();
    // Contents without a place of their own are counted.
    let only = if a.slots.is_some() && b.slots.is_some() { only } else { a.step.nrows().abs_diff(b.step.nrows()) };
    let mut detail = String::from("contents that only one of them keeps");
    let beside = match (&first.beside, &second.beside) {
        (Some(a), Some(b)) => {
            let missing = |x: &[Component], y: &[Component]| x.iter().filter(|at| !y.contains(at)).count();
            missing(&a.kept, &b.kept) + missing(&b.kept, &a.kept)
        }
        _ => {
            detail += "; what they keep beside contents was not looked at";
            0
        }
    };
    if beside > 0 {
        detail += &format!(", {beside} of them inputs that the function does not need");
    }
    Claim::new(name, (only + beside) as f64, Bound::AtMost, 0.0, detail)
}

/// Both ways; the worse one counts.
fn exchanged(first: &Examined, second: &Examined, params: &CompareParams) -> Result<Option<Claim>, CompareError> {
    let steps = steps(first, second);
    let (Some(&at), Some(&last)) = (steps.first(), steps.last()) else { return Ok(None) };
    let span = (at, last + 1);
    let both = exchange(first, second, span)?.zip(exchange(second, first, span)?);
    let Some((there, back)) = both else { return Ok(None) };
    let signs = first.function().is_some_and(Task::is_binary);
    let worse = if (there.0 < back.0) == signs { (there, first, second) } else { (back, second, first) };
    let ((figure, output), from, to) = worse;
    let held = format!("after {} went on from what {} held, worst u{output}", to.name, from.name);
    let name = ClaimName::Exchange;
    Ok(Some(match signs {
        true => Claim::new(name, figure, Bound::AtLeast, params.exchanged, format!("share of equal signs {held}")),
        false => Claim::new(name, figure, Bound::AtMost, params.exchanged_error, format!("error {held}")),
    }))
}

fn reasons(pair: &Pair, first: &Examined, second: &Examined) -> Vec<String> {
    let mut reasons: Vec<String> = [first, second].iter().filter_map(|of| of.shortcoming()).collect();
    match pair.verdict {
        Verdict::SameCircuit => reasons.push(format!("all {} claims hold", pair.claims.len())),
        Verdict::SameFunction | Verdict::Different => {
            for claim in pair.claims.iter().filter(|claim| !claim.holds && claim.name != ClaimName::BothCircuits) {
                reasons.push(format!("not so: {} ({}; {})", claim.statement, claim.figure(), claim.detail));
            }
        }
        Verdict::Unclear => {
            for of in [first, second].iter().filter(|of| of.function().is_none()) {
                reasons.push(format!("no function could be read from {}", of.name));
            }
            if !pair.outputs.is_empty() {
                reasons.push("the functions read back differ, but after the same inputs both say the same".into());
            }
        }
        Verdict::NotComparable => {}
    }
    if let Some(renamed) = &pair.renamed {
        reasons.push(format!("the functions are the same under other names of the components: {renamed}"));
    }
    reasons
}
