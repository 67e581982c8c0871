//! What one network holds, handed to the other: it must go on as the first one does.

use super::circuit::{contents_from_outputs, read};
use super::examine::Examined;
use crate::code::{Less, Sample, Writer};
use crate::numeric::{Matrix, NumericError};
use crate::score::{Missed, Tally, same_sign, worst};

/// Ridge of the memories that are written.
const RIDGE: f64 = 1e-6;

/// Contents are read from the first network's states at a step and written into the second one, which then runs on. Gives the share
/// of right signs (or the error of real values) of the worst output, counted from 1, against what the first network goes on to say;
/// nothing where one of them cannot be run, or where the state holds products beside contents.
pub(super) fn exchange(
    from: &Examined,
    to: &Examined,
    (at, end): (usize, usize),
) -> Result<Option<(f64, usize)>, NumericError> {
    let (Some(_), Some(network)) = (&from.network, &to.network) else { return Ok(None) };
    let (Some(held), Some(kept)) = (&from.found.details.contents, &to.found.details.contents) else {
        return Ok(None);
    };
    let Some(frame) = from.frame() else { return Ok(None) };
    let fits = held.count() == kept.count() && held.slots == kept.slots && frame.readers.nrows() == held.count();
    if !fits || held.drawn.is_some() || held.fades || end <= at + 1 {
        return Ok(None);
    }
    let contents = match held.are_signs() {
        true => read(from, held, &frame.readers, &[at]),
        // A network says real values in a unit of its own: what it holds is taken as it says it.
        false => contents_from_outputs(from, held, &[at]),
    };
    let states = written(to, at, &contents)?;
    let (mut tally, mut missed) = (Tally::new(network.outputs()), Missed::new(network.outputs()));
    let scale = if held.are_signs() { 1.0 } else { unit(to) / unit(from).max(f64::MIN_POSITIVE) };
    for (here, there) in network.says_on(states, end - at - 1).zip(&from.seen.outputs[at..end]) {
        tally.add_columns(&here, there, same_sign);
        missed.add(&here, &(faer::Scale(scale) * there), |_, wanted| wanted * wanted);
    }
    let figures = if held.are_signs() { tally.shares() } else { missed.errors(f64::MIN_POSITIVE) };
    Ok(Some(worst(held.are_signs(), &figures)))
}

/// Whole states of a network that hold these contents.
fn written(to: &Examined, at: usize, contents: &Matrix) -> Result<Matrix, NumericError> {
    let (Some(network), Some(kept)) = (&to.network, &to.found.details.contents) else {
        return Ok(Matrix::zeros(0, contents.ncols()));
    };
    let batch = to.whole.as_ref().unwrap_or(&to.seen);
    // Contents turn: states of several steps fill the space of contents also where episodes are few.
    let steps: Vec<usize> = batch.states.keys().copied().filter(|t| *t >= at).collect();
    let held = contents_from_outputs(to, kept, &steps);
    let memories = Sample::of(batch, &steps, held, kept.kind(), Less::OwnMeans).memories(RIDGE)?;
    // The mean state is that of these episodes, less what their mean contents add.
    let mut mean_contents = contents_from_outputs(to, kept, &[at]);
    let means = crate::code::centre(&mut mean_contents);
    let added = &memories * Matrix::from_fn(means.len(), 1, |i, _| means[i]);
    let mut mean = batch.mean(&batch.states[&at]);
    mean.iter_mut().enumerate().for_each(|(i, x)| *x -= added[(i, 0)]);
    let writer = Writer::new(network, &to.view, &memories, [mean.clone(), mean]);
    Ok(writer.states(contents))
}

/// Root mean square of what a network says.
fn unit(of: &Examined) -> f64 {
    let all: f64 = of.seen.outputs.iter().map(|produced| produced.squared_norm_l2()).sum();
    let count: usize = of.seen.outputs.iter().map(|produced| produced.nrows() * produced.ncols()).sum();
    (all / count.max(1) as f64).sqrt()
}
