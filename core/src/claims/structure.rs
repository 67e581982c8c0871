//! Claims about how a network does it: states, weights, eigenvalues.

use super::{ClaimParams, Grounds, InStates, Limit, Measured, Outcome, found, unmeasured};
use crate::code::{Contents, MAX_PRODUCTS, Noise, Rows, Writer};
use crate::numeric::{Matrix, operator_norm, zero_padded};
use crate::score::{Missed, Tally, same_sign, worst};

/// Contents that could not be looked for are asked for as signs are.
pub(super) fn enough_is_read(of: &Grounds<'_>) -> Limit {
    match (&of.states, of.noise()) {
        (None, _) => Limit::at_least(of.code.read),
        (_, Some(_)) => Limit::at_most(of.claims.below_noise),
        _ => of.limit_of_contents(of.code.read, of.code.missed),
    }
}

pub(super) fn read(of: &Grounds<'_>) -> Outcome {
    let contents = of.contents()?;
    let Some(states) = &of.states else {
        // What should be held and could not be looked for was not found.
        let count = Some(contents.count()).filter(|count| *count > 0)?;
        return unmeasured(format!("no code of {count} contents could be fitted to these states"));
    };
    if let Some(noise) = of.noise() {
        return read_under_noise(states, noise);
    }
    let read = states.judged.read.iter().copied().enumerate();
    let (at, worst) = read.fold((0, 1.0), |worst, next| if next.1 < worst.1 { next } else { worst });
    let place =
        contents.named(at).map_or(String::new(), |at| format!(", worst u{} in variable {}", at.component, at.variable));
    if contents.are_signs() {
        return found(worst, format!("share of right signs, read linearly from fresh states{place}"));
    }
    found(1.0 - worst, "error of contents, read linearly from fresh states, relative to their size")
}

/// Noise limits the reading of one state; what it does not allow is no sign of a content that is missing.
fn read_under_noise(states: &InStates<'_>, noise: &Noise) -> Outcome {
    let missing = states.judged.read.iter().zip(&noise.allowed).map(|(read, allowed)| allowed - read);
    let most = missing.fold(0.0, f64::max);
    let (worst, allowed) = (states.judged.worst(), noise.allowed.iter().copied().fold(1.0, f64::min));
    found(
        most,
        format!(
            "by how much a content is read less well from one fresh state than its noise allows; worst {worst:.3}, allowed {allowed:.3}"
        ),
    )
}

/// Nothing for a network that was run: what states hold there is what they hold of their own inputs.
pub(super) fn present(of: &Grounds<'_>) -> Outcome {
    let (contents, (null, _)) = (of.contents()?, of.states.as_ref()?.recorded?);
    let least = null.contents.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    let place = least
        .and_then(|(k, _)| contents.named(k))
        .map_or(String::new(), |at| format!(" (u{} in variable {})", at.component, at.variable));
    let detail = format!(
        "standard deviations by which the content that stands out least{place} does so from episodes shuffled {} times; p = {:.2}",
        null.draws, null.p
    );
    found(null.least, detail)
}

/// Nothing where units were recorded, which may hold anything else besides, nor while f forgets: the state may still be full of what
/// f does not read.
pub(super) fn explained(of: &Grounds<'_>) -> Outcome {
    let states = of.states.as_ref().filter(|states| states.recorded.is_none())?;
    if of.contents()?.fades {
        return None;
    }
    let detail = match states.products.map(|products| &products.by_degree[..]) {
        Some([alone, .., _]) => {
            let most = states.products.map_or(1, |products| products.by_degree.len());
            format!(
                "share of the variance of fresh states, with products of up to {most} contents; contents alone {alone:.3}"
            )
        }
        _ => "share of the variance of fresh states".into(),
    };
    found(states.judged.explained, detail)
}

pub(super) fn step_matrix(of: &Grounds<'_>) -> Outcome {
    let (contents, step) = (of.contents()?, of.states.as_ref()?.step);
    let rows = Rows::count(step, contents, of.code.row);
    let off = crate::code::off_by(step, &contents.whole_step()).into_iter().fold(0.0, f64::max);
    let mut detail = format!("largest error of an entry; {} of {} rows are right", rows.right(), rows.all());
    if contents.products_left_out > 0 {
        let (products, most) = (contents.products_left_out, MAX_PRODUCTS);
        detail += &format!("; on contents alone, as f has {products} products, more than {most}");
    }
    found(off, detail)
}

/// Small errors of many entries may add up in one direction.
pub(super) fn step_directions(of: &Grounds<'_>) -> Outcome {
    let apart = operator_norm(&(of.states.as_ref()?.step - &of.contents()?.whole_step()));
    let detail =
        "most that one step moves a direction of the contents otherwise than the function, as a share of its length";
    Some(apart.map(|apart| Measured::new(apart, detail)))
}

pub(super) fn steering(of: &Grounds<'_>) -> Outcome {
    let (contents, (measured, output)) = (of.contents()?, of.states.as_ref()?.steered?);
    let steps = steered_steps(contents, of.claims);
    let what = if contents.are_signs() { "share of right signs" } else { "error" };
    found(measured, format!("{what} over the {steps} steps after random contents were written, worst u{output}"))
}

/// Nothing where f keeps nothing for good.
pub(super) fn angles(of: &Grounds<'_>) -> Outcome {
    let spectrum = of.states.as_ref()?.spectrum;
    let expected = spectrum.expected.filter(|&expected| expected > 0)?;
    let lasting = spectrum.found;
    if lasting != expected {
        return unmeasured(format!("{lasting} last where the circuit has {expected}"));
    }
    let detail = format!("largest angle error in radians of {lasting} lasting eigenvalues");
    found(spectrum.worst_error.unwrap_or(f64::NAN), detail)
}

/// Nothing where the counts differ, which the claim about angles says; noise in recordings makes every modulus smaller.
pub(super) fn moduli(of: &Grounds<'_>) -> Outcome {
    let states = of.states.as_ref().filter(|states| states.recorded.is_none())?;
    let worst = states.spectrum.worst_modulus.filter(|_| states.spectrum.found > 0)?;
    found(worst, format!("largest difference in modulus of {} lasting eigenvalues", states.spectrum.found))
}

/// Output steps over which written contents are followed: two turns of the window, or until they are gone.
pub(crate) fn steered_steps(contents: &Contents, params: &ClaimParams) -> usize {
    let least = if contents.drawn.is_some() { params.steered_steps } else { 0 };
    let turns = (2 * contents.task().s()).max(least).min(params.steered_most);
    contents.gone_after.map_or(turns, |gone| turns.min(gone.max(1)))
}

/// Writes contents into states through the code, lets the network run on, and compares its outputs with those of f.
/// Gives the worst output, counted from 1.
pub fn steered(
    writer: &Writer<'_>,
    contents: &Contents,
    written: &Matrix,
    unit: f64,
    params: &ClaimParams,
) -> (f64, usize) {
    let (d, steps) = (contents.task().d(), steered_steps(contents, params));
    let network = writer.network.padded();
    let (step, readout) = (zero_padded(&contents.step), zero_padded(&contents.readout));
    let mut held = written.clone();
    let (mut tally, mut missed) = (Tally::new(d), Missed::new(d));
    // What is written is said at once, and then as f says.
    for said in network.says_on(writer.states(written), steps) {
        let wanted = &readout * &held;
        tally.add_columns(&said, &wanted, same_sign);
        missed.add(&(faer::Scale(1.0 / unit) * said), &wanted, |_, u| u * u);
        held = &step * held;
    }
    match contents.are_signs() {
        true => worst(true, &tally.shares()),
        // An output that f keeps silent must be silent beside the others.
        false => worst(false, &missed.errors(params.silent * missed.largest())),
    }
}
