//! What two networks agree in: every claim that is made of them, measured.

use super::CompareParams;
use super::examine::Examined;
use super::exchange::exchange;
use super::pair::{OutputDiffers, same_inputs, steps};
use crate::claims::{Claim, Limit, Measured, Outcome, claim_tables, found, unmeasured};
use crate::interpret;
use crate::numeric::{Matrix, NumericError, stacked};
use crate::score::{Missed, Tally, same_sign, worst};
use crate::task::Component;
use crate::task::Window;

/// Two networks whose functions are known.
pub struct Both<'a> {
    /// One of them.
    pub first: &'a Examined,
    /// The other.
    pub second: &'a Examined,
    /// Outputs whose functions are not the same.
    pub differing: &'a [OutputDiffers],
    /// Every number that decides something.
    pub params: &'a CompareParams,
}

/// One statement about two networks, with its figure.
pub type PairClaim = Claim<PairClaimName>;

claim_tables! {
    /// What is claimed of two networks.
    pub enum PairClaimName;

    /// Claims about what they do and how.
    pub const CLAIMS: Both<'a> = {
        /// Both are circuits, read blind.
        BothCircuits = "both-circuits", "both are circuits, read without their task",
            |_| Limit::at_least(2.0), both_circuits;
        /// The functions read back are the same.
        SameFunction = "same-function", "the functions read back are the same",
            |_| Limit::at_most(0.0), same_function;
        /// The functions read back, run on from the same inputs, stay together.
        SameCourse = "same-course", "the functions read back stay together when they are run on",
            |of| Limit::at_most(of.params.course), same_course;
        /// They say the same after the same inputs.
        SameOutputs = "same-outputs", "they say the same after the same inputs",
            |of| Limit::of_values(of.both_say_signs(), of.params.outputs, of.params.outputs_error), same_outputs;
        /// They keep the same contents, and the same beside them.
        SameContents = "same-contents", "they keep the same contents, and no other input that linear readers find in one alone",
            |_| Limit::at_most(0.0), same_contents;
        /// Contents move in the same way.
        SameStep = "same-step", "one step moves the contents in the same way",
            |of| Limit::at_most(of.params.entry), same_step;
        /// Every direction of the contents does, and not only each content.
        SameDirections = "same-directions", "one step moves every direction of the contents in the same way",
            |of| Limit::at_most(of.params.step_norm), same_directions;
        /// Each goes on from what the other holds.
        Exchange = "exchange", "each goes on from what the other holds as the other does",
            |of| Limit::of_values(says_signs(of.first), of.params.exchanged, of.params.exchanged_error), exchanged;
    }
}

impl Both<'_> {
    /// Every claim that has a meaning for them.
    pub fn all_claims(&self) -> Result<Vec<PairClaim>, NumericError> {
        Self::CLAIMS.iter().filter_map(|row| row.claim(self)).collect()
    }

    fn both_say_signs(&self) -> bool {
        says_signs(self.first) && says_signs(self.second)
    }
}

fn says_signs(of: &Examined) -> bool {
    of.function().is_some_and(Window::is_binary)
}

fn both_circuits(of: &Both<'_>) -> Outcome {
    let circuit = |of: &&&Examined| of.found.verdict == interpret::Verdict::Circuit;
    let circuits = [of.first, of.second].iter().filter(circuit).count();
    found(circuits as f64, "networks for which every claim holds")
}

fn same_function(of: &Both<'_>) -> Outcome {
    found(of.differing.len() as f64, format!("outputs of {} whose functions differ", of.first.size.1))
}

fn same_step(of: &Both<'_>) -> Outcome {
    let detail = "largest difference of an entry of the step";
    match (&of.first.circuit, &of.second.circuit) {
        (Some(a), Some(b)) => found(a.largest_difference(b), detail),
        _ => unmeasured(detail),
    }
}

fn same_directions(of: &Both<'_>) -> Outcome {
    let detail = "most that a direction of the contents is moved apart in one step, as a share of its length";
    match (&of.first.circuit, &of.second.circuit) {
        (Some(a), Some(b)) => Some(a.most_apart(b).map(|apart| Measured::new(apart, detail))),
        _ => unmeasured(detail),
    }
}

/// Two real-valued functions, run on from the same inputs; functions of signs are the same or not.
fn same_course(of: &Both<'_>) -> Outcome {
    let (f, g, params) = (of.first.function()?, of.second.function()?, of.params);
    let (a, b) = f.linear().zip(g.linear()).filter(|_| !(f.is_binary() && g.is_binary()))?;
    let (window, d) = (f.width(), f.d());
    let mut runs = [Matrix::identity(window, window), Matrix::identity(window, window)];
    let (mut apart, mut size) = (0.0, f64::MIN_POSITIVE);
    for _ in 0..params.turns * f.s() {
        for (run, f) in runs.iter_mut().zip([&a, &b]) {
            let next = stacked(&run.subrows(d, window - d).to_owned(), &(f * &*run));
            *run = next;
        }
        // From inputs that are independent signs the mean square of a value is that of its row.
        let [ours, theirs] = [0, 1].map(|k| runs[k].subrows(window - d, d));
        apart += (ours - theirs).squared_norm_l2();
        size += ours.squared_norm_l2().max(theirs.squared_norm_l2());
    }
    let detail = format!("difference over {} steps as a share of the values", params.turns * f.s());
    found((apart / size).sqrt(), detail)
}

/// What the two say after the same inputs, at every step that was run.
fn same_outputs(of: &Both<'_>) -> Outcome {
    let Both { first, second, .. } = *of;
    if !same_inputs(first, second) {
        return None;
    }
    let steps = first.seen.outputs.len().min(second.seen.outputs.len());
    let d = first.size.1;
    let (mut equal, mut apart) = (Tally::new(d), Missed::new(d));
    for (a, b) in first.seen.outputs.iter().zip(&second.seen.outputs) {
        equal.add_columns(a, b, same_sign);
        apart.add(a, b, |a, b| a.powi(2).max(b.powi(2)));
    }
    if of.both_say_signs() {
        let (share, worst) = worst(true, &equal.shares());
        return found(share, format!("share of equal signs over {steps} output steps, worst u{worst}"));
    }
    let errors = apart.errors(f64::MIN_POSITIVE);
    let worst = (0..d).max_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
    let detail = format!("difference over {steps} output steps as a share of what is said, worst u{}", worst + 1);
    found(errors[worst], detail)
}

fn same_contents(of: &Both<'_>) -> Outcome {
    let Both { first, second, .. } = *of;
    let (Some(a), Some(b)) = (&first.circuit, &second.circuit) else {
        return unmeasured("no code was found in at least one of them");
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
    found((only + beside) as f64, detail)
}

/// Both ways; the worse one counts. Nothing where the functions differ.
fn exchanged(of: &Both<'_>) -> Outcome {
    let Both { first, second, .. } = *of;
    if !of.differing.is_empty() {
        return None;
    }
    let steps = steps(first, second);
    let span = (*steps.first()?, *steps.last()? + 1);
    let both = || Ok(exchange(first, second, span)?.zip(exchange(second, first, span)?));
    Some(both().transpose()?.map(|(there, back)| {
        let signs = says_signs(first);
        let worse = if (there.0 < back.0) == signs { (there, first, second) } else { (back, second, first) };
        let ((figure, output), from, to) = worse;
        let what = if signs { "share of equal signs" } else { "error" };
        Measured::new(figure, format!("{what} after {} went on from what {} held, worst u{output}", to.name, from.name))
    }))
}
