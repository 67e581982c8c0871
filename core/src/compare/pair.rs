//! Two networks against each other.

use super::agreement::{Both, PairClaim, PairClaimName};
use super::circuit::Wire;
use super::codes::Codes;
use super::examine::Examined;
use super::measures::{Measures, dsa, linear_cka, shape_distance};
use super::renamed::{Renaming, renaming};
use super::verdict::{PairVerdict, verdict};
use super::{CompareError, CompareParams};
use crate::claims::fails;
use crate::interpret::{self, Reason};
use crate::numeric::Matrix;
use crate::task::Component;
use crate::task::{Function, Window};
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
    pub verdict: PairVerdict,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What is claimed, each with its figure.
    pub claims: Vec<PairClaim>,
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
    /// Its number, from 1.
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
        verdict: PairVerdict::NotComparable,
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
        pair.claims = Both { first, second, differing: &pair.outputs, params }.all_claims()?;
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
pub(super) fn steps(first: &Examined, second: &Examined) -> Vec<usize> {
    let range = |of: &Examined| of.inputs.as_ref().map_or((0, 0), |inputs| (inputs.first, inputs.end));
    let has = |of: &Examined, t: usize| of.seen.states.contains_key(&t);
    let (a, b) = (range(first), range(second));
    let (from, to) = if a.1 == 0 { b } else { a };
    (from..to).filter(|&t| has(first, t) && has(second, t)).collect()
}

pub(super) fn same_inputs(first: &Examined, second: &Examined) -> bool {
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
fn outputs(first: &Window, second: &Window, params: &CompareParams) -> Vec<OutputDiffers> {
    let (words_a, words_b) = (first.recurrence(), second.recurrence());
    let differs = |output: &usize| match (first.function(), second.function()) {
        (Function::Dense(_), _) | (_, Function::Dense(_)) => match (first.linear(), second.linear()) {
            (Some(a), Some(b)) => {
                let apart = a.row(*output) - b.row(*output);
                apart.norm_max() > params.coefficient || apart.norm_l2() > params.coefficients
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

fn reasons(pair: &Pair, first: &Examined, second: &Examined) -> Vec<String> {
    let mut reasons: Vec<String> = [first, second].iter().filter_map(|of| of.shortcoming()).collect();
    match pair.verdict {
        PairVerdict::SameCircuit => reasons.push(format!("all {} claims hold", pair.claims.len())),
        PairVerdict::SameFunction | PairVerdict::Different => {
            for claim in pair.claims.iter().filter(|claim| !claim.holds && claim.name != PairClaimName::BothCircuits) {
                reasons.push(format!("not so: {} ({}; {})", claim.statement, claim.figure(), claim.detail));
            }
        }
        PairVerdict::Unclear => {
            for of in [first, second].iter().filter(|of| of.function().is_none()) {
                reasons.push(format!("no function could be read from {}", of.name));
            }
            let fails = |name| fails(&pair.claims, name);
            if fails(PairClaimName::SameFunction) || fails(PairClaimName::SameCourse) {
                reasons.push("the functions read back differ, but after the same inputs both say the same".into());
            } else if fails(PairClaimName::SameOutputs) {
                reasons.push(
                    "the functions read back are the same, but after the same inputs they do not say the same".into(),
                );
            }
        }
        PairVerdict::NotComparable => {}
    }
    if let Some(renamed) = &pair.renamed {
        reasons.push(format!("the functions are the same under other names of the components: {renamed}"));
    }
    reasons
}
