//! The code of a network that computes a truth table: fitted, judged, and written into the network.

use super::InterpretError;
use super::case::{Case, OnOrbit, Theory};
use super::coding::Coded;
use crate::claims::steered_steps;
use crate::code::{ContentKind, Contents, ContentsFrom, Drawn, Less, ProductCode, Sample, Writer, centre, products_of};
use crate::network::Network;
use crate::numeric::{Matrix, NumericError, stacked};
use crate::observe::{Batch, View, drive};
use crate::random::{Purpose, Stream};
use crate::score::{Tally, same_sign, worst};

impl Case<'_> {
    /// The code of a truth table; nothing where f keeps nothing or states never differ.
    pub(super) fn find_code_of_table(&self, theory: &Theory, orbit: &OnOrbit) -> Result<Option<Coded>, InterpretError> {
        let contents = &theory.contents;
        let Some(drawn) = contents.drawn.as_ref().filter(|_| contents.count() > 0) else { return Ok(None) };
        let origin = self.origin();
        if orbit.linear.is_none() && !contents.fades {
            return Ok(None);
        }
        match self.subject {
            Some(subject) => self.in_network(subject.network, subject.view, contents, drawn, origin),
            None => self.table_in_recordings(theory, origin),
        }
    }

    /// Every measurement on one network; nothing where its states never differ or are not finite.
    pub(super) fn in_network(
        &self,
        network: &Network,
        view: &View,
        contents: &Contents,
        drawn: &Drawn,
        origin: ContentsFrom,
    ) -> Result<Option<Coded>, InterpretError> {
        let task = contents.task();
        let (size, params) = ((task.s(), task.d()), &self.params.code);
        let last = contents.gone_after.map_or(drawn.at + params.table_steps.max(1), |gone| gone.max(2));
        let steps: Vec<usize> = (drawn.at..last).collect();
        let (seed, episodes) = (self.params.observe.seed, params.table_episodes);
        let run = |purpose| drive(network, size, &Stream::new(seed, purpose), 8, episodes, &steps, self.watch);
        let (whole, fresh) = (run(Purpose::ProbeInputs)?, run(Purpose::ScoreInputs)?);
        if whole.states.values().chain(fresh.states.values()).any(|states| !states.is_all_finite()) {
            return Ok(None);
        }
        let of = |batch: &Batch| contents.over(batch, origin, (&[], 1.0)).sample(&steps, Less::OwnMeans);
        let (fitted, fresh) = (of(&view.batch(whole.clone())), of(&view.batch(fresh)));
        let Some(ProductCode { code, judged, products }) = self.fit_beside_products(&fitted, &fresh, contents)? else {
            return Ok(None);
        };
        let first_steps = fresh.at_steps(&[0]).read_by(&code.readers).into_iter().fold(1.0, f64::min);
        let windows = drawn.windows(task, 0, params.contents.columns);
        let written = written(&(&contents.project * &windows), &products.members);
        let memories = of(&whole).with_products(&products.members).memories(params.ridge)?;
        let at = [0, 1].map(|k| steps[k.min(steps.len() - 1)]);
        let writer = Writer::into_mean(network, view, &memories, &whole, at);
        // As f's own step was.
        let next = writer.next(&written, contents.features(&windows)).centred();
        let step = code.step(&next, contents.step_ridge())?;
        let steered =
            steered_by_table(&writer, contents, drawn, &written, steered_steps(contents, &self.params.claims));
        Ok(Some(Coded {
            origin,
            code,
            judged,
            first_steps,
            fresh,
            step,
            steered: Some(steered),
            steps: params.table_steps,
            episodes,
            products: Some(products),
            recorded: None,
        }))
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
        let over = |batch| contents.over(batch, origin, (&[], 1.0));
        let fitted = over(&observed.probe).sample(&steps, Less::OwnMeans);
        let score = over(&observed.score);
        let fresh = score.sample(&steps, Less::OwnMeans);
        let Some(ProductCode { code, judged, products }) = self.fit_beside_products(&fitted, &fresh, contents)? else {
            return Ok(None);
        };
        let pairs: Vec<usize> =
            steps.iter().copied().filter(|t| observed.score.states.contains_key(&(t + 1))).collect();
        let after: Vec<usize> = pairs.iter().map(|t| t + 1).collect();
        let before = contents.features(&score.windows(&pairs));
        let next = score.sample(&after, Less::OwnMeans).with_contents(before, ContentKind::Sign);
        Ok(Some(Coded {
            origin,
            first_steps: judged.worst(),
            step: code.step(&next, contents.step_ridge())?,
            code,
            judged,
            fresh,
            steered: None,
            steps: steps.len(),
            episodes: observed.score.episodes,
            products: Some(products),
            recorded: None,
        }))
    }

    /// Nothing where states never differ, or where those of a network that hardly moves leave nothing to invert.
    fn fit_beside_products(
        &self,
        fitted: &Sample,
        fresh: &Sample,
        contents: &Contents,
    ) -> Result<Option<ProductCode>, NumericError> {
        if fitted.is_still() {
            return Ok(None);
        }
        match ProductCode::fit(fitted, fresh, contents, &self.params.code) {
            Err(NumericError::Singular { .. }) => Ok(None),
            fitted => fitted.map(Some),
        }
    }
}

/// Contents and their products, the mean of each taken off.
fn written(signs: &Matrix, members: &[Vec<usize>]) -> Matrix {
    let mut all = stacked(signs, &products_of(signs, members));
    centre(&mut all);
    all
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
    let (network, mut tally) = (writer.network.padded(), Tally::new(d));
    for (turn, said) in network.says_on(writer.states(written), steps).enumerate() {
        let wanted = drawn.windows(task, turn, columns).subrows(window - d, d).to_owned();
        tally.add_columns(&said, &wanted, same_sign);
    }
    worst(true, &tally.shares())
}
