//! What two networks agree in: every claim that is made of them, measured.

use super::claims::{PairClaim, PairClaimName};
use super::examine::Examined;
use super::exchange::exchange;
use super::pair::{OutputDiffers, same_inputs, steps};
use super::{CompareError, CompareParams};
use crate::claims::Bound;
use crate::interpret;
use crate::numeric::{Matrix, stacked};
use crate::score::{Missed, Tally, same_sign, worst};
use crate::task::Component;
use crate::task::Window;

/// Every claim that can be made of two networks whose functions are known; `differing` are outputs whose functions are not the same.
pub(super) fn claims(
    first: &Examined,
    second: &Examined,
    differing: &[OutputDiffers],
    params: &CompareParams,
) -> Result<Vec<PairClaim>, CompareError> {
    let circuits = [first, second].iter().filter(|of| of.found.verdict == interpret::Verdict::Circuit).count();
    let d = first.size.1;
    let mut claims = vec![
        PairClaim::new(
            PairClaimName::BothCircuits,
            circuits as f64,
            Bound::AtLeast,
            2.0,
            "networks for which every claim holds",
        ),
        PairClaim::new(
            PairClaimName::SameFunction,
            differing.len() as f64,
            Bound::AtMost,
            0.0,
            format!("outputs of {d} whose functions differ"),
        ),
    ];
    claims.extend(first.function().zip(second.function()).and_then(|(f, g)| same_course(f, g, params)));
    claims.extend(same_inputs(first, second).then(|| same_outputs(first, second, params)));
    claims.push(same_contents(first, second));
    let detail = "largest difference of an entry of the step";
    let apart = match (&first.circuit, &second.circuit) {
        (Some(a), Some(b)) => a.largest_difference(b),
        _ => f64::NAN,
    };
    claims.push(PairClaim::new(PairClaimName::SameStep, apart, Bound::AtMost, params.entry, detail));
    let apart = match (&first.circuit, &second.circuit) {
        (Some(a), Some(b)) => a.most_apart(b)?,
        _ => f64::NAN,
    };
    let detail = "most that a direction of the contents is moved apart in one step, as a share of its length";
    claims.push(PairClaim::new(PairClaimName::SameDirections, apart, Bound::AtMost, params.step_norm, detail));
    if differing.is_empty() {
        claims.extend(exchanged(first, second, params)?);
    }
    Ok(claims)
}

/// Two real-valued functions, run on from the same inputs; functions of signs are the same or not.
fn same_course(f: &Window, g: &Window, params: &CompareParams) -> Option<PairClaim> {
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
    Some(PairClaim::new(PairClaimName::SameCourse, (apart / size).sqrt(), Bound::AtMost, params.course, detail))
}

/// What the two say after the same inputs, at every step that was run.
fn same_outputs(first: &Examined, second: &Examined, params: &CompareParams) -> PairClaim {
    let signs = first.function().is_some_and(Window::is_binary) && second.function().is_some_and(Window::is_binary);
    let steps = first.seen.outputs.len().min(second.seen.outputs.len());
    let d = first.size.1;
    let (mut equal, mut apart) = (Tally::new(d), Missed::new(d));
    for (a, b) in first.seen.outputs.iter().zip(&second.seen.outputs) {
        equal.add_columns(a, b, same_sign);
        apart.add(a, b, |a, b| a.powi(2).max(b.powi(2)));
    }
    let name = PairClaimName::SameOutputs;
    if signs {
        let (share, worst) = worst(true, &equal.shares());
        let detail = format!("share of equal signs over {steps} output steps, worst u{worst}");
        return PairClaim::new(name, share, Bound::AtLeast, params.outputs, detail);
    }
    let errors = apart.errors(f64::MIN_POSITIVE);
    let worst = (0..d).max_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
    let detail = format!("difference over {steps} output steps as a share of what is said, worst u{}", worst + 1);
    PairClaim::new(name, errors[worst], Bound::AtMost, params.outputs_error, detail)
}

fn same_contents(first: &Examined, second: &Examined) -> PairClaim {
    let name = PairClaimName::SameContents;
    let (Some(a), Some(b)) = (&first.circuit, &second.circuit) else {
        return PairClaim::new(name, f64::NAN, Bound::AtMost, 0.0, "no code was found in at least one of them");
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
    PairClaim::new(name, (only + beside) as f64, Bound::AtMost, 0.0, detail)
}

/// Both ways; the worse one counts.
fn exchanged(first: &Examined, second: &Examined, params: &CompareParams) -> Result<Option<PairClaim>, CompareError> {
    let steps = steps(first, second);
    let (Some(&at), Some(&last)) = (steps.first(), steps.last()) else { return Ok(None) };
    let span = (at, last + 1);
    let both = exchange(first, second, span)?.zip(exchange(second, first, span)?);
    let Some((there, back)) = both else { return Ok(None) };
    let signs = first.function().is_some_and(Window::is_binary);
    let worse = if (there.0 < back.0) == signs { (there, first, second) } else { (back, second, first) };
    let ((figure, output), from, to) = worse;
    let held = format!("after {} went on from what {} held, worst u{output}", to.name, from.name);
    let name = PairClaimName::Exchange;
    Ok(Some(match signs {
        true => PairClaim::new(name, figure, Bound::AtLeast, params.exchanged, format!("share of equal signs {held}")),
        false => PairClaim::new(name, figure, Bound::AtMost, params.exchanged_error, format!("error {held}")),
    }))
}
