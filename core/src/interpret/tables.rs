//! The code of a network that computes a truth table: fitted, judged, and written into the network.

use super::InterpretError;
use super::case::{Case, OnOrbit, Theory};
use super::coding::Coded;
use crate::claims::steered_steps;
use crate::code::{
    Code, Contents, ContentsFrom, Drawn, ProductCode, Sample, SignedStates, TABLE_RIDGE, Writer, centre,
    centred_by_step, memories, products_of,
};
use crate::network::Network;
use crate::numeric::{Matrix, NumericError, regress, stacked};
use crate::observe::{Batch, View, drive};
use crate::random::{Purpose, Stream};

/// What the same procedure finds in a network or in another one.
pub(super) struct InNetwork {
    pub(super) found: ProductCode,
    /// A step of the contents on contents and f's products, and where each memory goes.
    pub(super) step: Matrix,
    pub(super) images: Matrix,
    /// The worst output after contents were written, counted from 1.
    pub(super) steered: (f64, usize),
    /// Reading in the first steps that were looked at.
    pub(super) first_steps: f64,
    pub(super) fresh: SignedStates,
}

impl Case<'_> {
    /// The code of a truth table; nothing where f keeps nothing or states never differ.
    pub(super) fn find_code_of_table(&self, theory: &Theory, orbit: &OnOrbit) -> Result<Option<Coded>, InterpretError> {
        let contents = &theory.contents;
        let Some(drawn) = contents.drawn.as_ref().filter(|_| contents.count() > 0) else { return Ok(None) };
        let origin = self.origin();
        if orbit.linear.is_none() && !contents.fades {
            return Ok(None);
        }
        let Some(subject) = self.subject else { return self.table_in_recordings(theory, origin) };
        let Some(found) = self.in_network(subject.network, subject.view, contents, drawn, origin)? else {
            return Ok(None);
        };
        let InNetwork { found: ProductCode { code, judged, products }, step, images, steered, first_steps, fresh } =
            found;
        let sample = Sample { states: fresh.states, contents: fresh.signs, episodes: fresh.episodes };
        Ok(Some(Coded {
            origin,
            code,
            judged,
            first_steps,
            fresh: sample,
            step,
            images,
            steered: Some(steered),
            steps: self.params.code.table_steps,
            episodes: self.params.code.table_episodes,
            products: Some(products),
            recorded: None,
        }))
    }

    /// Every measurement on one network; nothing where its states never differ or are not finite.
    pub(super) fn in_network(
        &self,
        network: &Network,
        view: &View,
        contents: &Contents,
        drawn: &Drawn,
        origin: ContentsFrom,
    ) -> Result<Option<InNetwork>, InterpretError> {
        let task = contents.task();
        let size = (task.s(), task.d());
        let episodes = self.params.code.table_episodes;
        let last = contents.gone_after.map_or(drawn.at + self.params.code.table_steps.max(1), |gone| gone.max(2));
        let steps: Vec<usize> = (drawn.at..last).collect();
        let seed = self.params.observe.seed;
        let run = |purpose| drive(network, size, &Stream::new(seed, purpose), 8, episodes, &steps, self.watch);
        let (fitted, fresh) = (run(Purpose::ProbeInputs)?, run(Purpose::ScoreInputs)?);
        if fitted.states.values().chain(fresh.states.values()).any(|states| !states.is_all_finite()) {
            return Ok(None);
        }
        let seen = (view.batch(fitted.clone()), view.batch(fresh));
        let (of_fitted, of_fresh) =
            (signed(&seen.0, contents, origin, &steps), signed(&seen.1, contents, origin, &steps));
        if of_fitted.states.norm_max() == 0.0 || centred_by_step(&of_fitted.signs, episodes).norm_max() == 0.0 {
            return Ok(None);
        }
        let Some(found) = unless_singular(ProductCode::fit(&of_fitted, &of_fresh, contents, &self.params.code))? else {
            return Ok(None);
        };
        let early = signed(&seen.1, contents, origin, &steps[..1]);
        let first_steps = crate::code::read(&found.code, &early).into_iter().fold(1.0, f64::min);
        let columns = self.params.code.contents.columns;
        let written = written(contents, drawn, &found.products.members, columns);
        let at = [0, 1].map(|k| steps[k.min(steps.len() - 1)]);
        let whole = signed(&fitted, contents, origin, &steps);
        let all = stacked(&whole.signs, &products_of(&whole.signs, &found.products.members));
        let held = Sample { states: whole.states, contents: centred_by_step(&all, episodes), episodes };
        let means = [fitted.mean(&fitted.states[&at[0]]), seen.0.mean(&seen.0.states[&at[1]])];
        let writer = Writer::new(network, view, memories(&held, self.params.code.ridge)?, means);
        let (step, images) = step_on_products(&writer, &found.code, contents, drawn, &written)?;
        let steered =
            steered_by_table(&writer, contents, drawn, &written, steered_steps(contents, &self.params.claims));
        Ok(Some(InNetwork { found, step, images, steered, first_steps, fresh: of_fresh }))
    }

    /// From recordings nothing can be written: the step is taken from one state to the next.
    fn table_in_recordings(&self, theory: &Theory, origin: ContentsFrom) -> Result<Option<Coded>, InterpretError> {
        let (contents, observed) = (&theory.contents, self.observed);
        let last = |batch: &Batch| batch.states.last_key_value().map_or(0, |(&last, _)| last);
        let end = last(&observed.probe).min(last(&observed.score));
        let first = if contents.fades { 0 } else { self.params.visited.settle.min(end) };
        let steps: Vec<usize> = match contents.gone_after {
            Some(gone) => (0..gone.clamp(1, end.max(1))).collect(),
            None => (first..end).filter(|t| observed.score.states.contains_key(t)).collect(),
        };
        if steps.is_empty() {
            return Ok(None);
        }
        let fitted = signed(&observed.probe, contents, origin, &steps);
        let fresh = signed(&observed.score, contents, origin, &steps);
        if fitted.states.norm_max() == 0.0 || centred_by_step(&fitted.signs, fitted.episodes).norm_max() == 0.0 {
            return Ok(None);
        }
        let Some(ProductCode { code, judged, products }) =
            unless_singular(ProductCode::fit(&fitted, &fresh, contents, &self.params.code))?
        else {
            return Ok(None);
        };
        let pairs: Vec<usize> =
            steps.iter().copied().filter(|t| observed.score.states.contains_key(&(t + 1))).collect();
        let after: Vec<usize> = pairs.iter().map(|t| t + 1).collect();
        let next = signed(&observed.score, contents, origin, &after);
        let windows = windows_of(&observed.score, contents, origin, &pairs);
        let features = centred_by_step(&contents.raw_features(&windows), fresh.episodes);
        let step = regress((&code.readers * &next.states).as_ref(), features.as_ref(), TABLE_RIDGE)?;
        let images =
            regress(next.states.as_ref(), features.as_ref(), TABLE_RIDGE)?.subcols(0, contents.count()).to_owned();
        let first_steps = judged.worst();
        let (steps, episodes) = (steps.len(), observed.score.episodes);
        let fresh = Sample { states: fresh.states, contents: fresh.signs, episodes };
        let (products, steered) = (Some(products), None);
        Ok(Some(Coded {
            origin,
            code,
            judged,
            first_steps,
            fresh,
            step,
            images,
            steered,
            steps,
            episodes,
            products,
            recorded: None,
        }))
    }
}

/// Nothing where the states of a network that hardly moves leave nothing to invert.
fn unless_singular<T>(fitted: Result<T, NumericError>) -> Result<Option<T>, NumericError> {
    match fitted {
        Err(NumericError::Singular { .. }) => Ok(None),
        fitted => fitted.map(Some),
    }
}

/// States of some steps, less their means, with the signs of their contents.
fn signed(batch: &Batch, contents: &Contents, origin: ContentsFrom, steps: &[usize]) -> SignedStates {
    let over = contents.over(batch, origin, (&[], 1.0));
    let units = batch.states.first_key_value().map_or(0, |(_, states)| states.nrows());
    let mut states = Matrix::zeros(units, steps.len() * batch.episodes);
    let mut signs = Matrix::zeros(contents.count(), steps.len() * batch.episodes);
    for (k, t) in steps.iter().enumerate() {
        states.subcols_mut(k * batch.episodes, batch.episodes).copy_from(&batch.states[t]);
        over.write(*t, &mut signs, k * batch.episodes);
    }
    SignedStates { states: centred_by_step(&states, batch.episodes), signs, episodes: batch.episodes }
}

/// The whole windows of some steps, one column an episode.
fn windows_of(batch: &Batch, contents: &Contents, origin: ContentsFrom, steps: &[usize]) -> Matrix {
    let over = contents.over(batch, origin, (&[], 1.0));
    let mut windows = Matrix::zeros(contents.task().width(), steps.len() * batch.episodes);
    steps.iter().enumerate().for_each(|(k, t)| over.write_window(*t, &mut windows, k * batch.episodes));
    windows
}

/// Contents and their products in windows that f comes to, the mean of each taken off.
fn written(contents: &Contents, drawn: &Drawn, members: &[Vec<usize>], columns: usize) -> Matrix {
    let signs = &contents.project * drawn.windows(contents.task(), 0, columns);
    let mut all = stacked(&signs, &products_of(&signs, members));
    centre(&mut all);
    all
}

/// Writes what f comes to into the state, lets the network take a step, and regresses what is read then on contents and f's
/// products, as f's own step was.
fn step_on_products(
    writer: &Writer<'_>,
    code: &Code,
    contents: &Contents,
    drawn: &Drawn,
    written: &Matrix,
) -> Result<(Matrix, Matrix), InterpretError> {
    let mut after = writer.after_a_step(written);
    centre(&mut after);
    let features = contents.features(&drawn.windows(contents.task(), 0, written.ncols()));
    let step = regress((&code.readers * &after).as_ref(), features.as_ref(), TABLE_RIDGE)?;
    let images = regress(after.as_ref(), features.as_ref(), TABLE_RIDGE)?.subcols(0, contents.count()).to_owned();
    Ok((step, images))
}

/// Lets the network run on for some steps from what was written, and compares what it says with what f says. Gives the worst output,
/// counted from 1.
fn steered_by_table(
    writer: &Writer<'_>,
    contents: &Contents,
    drawn: &Drawn,
    written: &Matrix,
    steps: usize,
) -> (f64, usize) {
    let (task, columns) = (contents.task(), written.ncols());
    let (d, window) = (task.d(), task.width());
    let network = &writer.network.padded();
    let mut states = writer.states(written);
    let mut right = vec![0usize; d];
    for turn in 0..=steps {
        if turn > 0 {
            states = network.step_batch(states.as_ref(), None);
        }
        let (produced, wanted) = (network.read(states.as_ref()), drawn.windows(task, turn, columns));
        for k in 0..columns {
            for (j, right) in right.iter_mut().enumerate() {
                *right += usize::from((produced[(j, k)] > 0.0) == (wanted[(window - d + j, k)] > 0.0));
            }
        }
    }
    let all = ((steps + 1) * columns).max(1) as f64;
    let shares = right.iter().enumerate().map(|(j, &right)| (right as f64 / all, j + 1));
    shares.fold((1.0, 1), |worst, next| if next.0 < worst.0 { next } else { worst })
}
