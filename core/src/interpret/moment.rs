//! The code at one moment: a network whose code changes with time still has one at each time.

use super::case::{Case, Theory};
use super::{AtOneMoment, InterpretError};
use crate::code::{Code, ContentsFrom, MomentFit, Sample, SignedStates, at_a_moment, centred_by_step};
use crate::numeric::Matrix;
use crate::observe::{Batch, drive};
use crate::random::{Purpose, Stream};

impl Case<'_> {
    /// The code of a single output step, fitted and judged there; nothing for plain networks, whose code is the same at
    /// all times, or where nothing is left at that step.
    pub(super) fn code_at_one_moment(&self, theory: &Theory) -> Result<Option<AtOneMoment>, InterpretError> {
        if theory.contents.drawn.is_some() {
            return self.table_at_one_moment(theory);
        }
        let Some(subject) = self.subject.filter(|subject| subject.network.as_elman().is_none()) else {
            return Ok(None);
        };
        let (contents, params) = (&theory.contents, &self.params.code);
        if contents.fades || contents.count() == 0 {
            return Ok(None);
        }
        let (size, t) = ((theory.task.s(), theory.task.d()), params.moment);
        let episodes = params.moment_episodes.0.max(params.moment_episodes.1 * contents.count());
        let seed = self.params.observe.seed;
        let run = |purpose| {
            let batch = drive(subject.network, size, &Stream::new(seed, purpose), 6, episodes, &[t], self.watch);
            batch.map(|batch| subject.view.batch(batch))
        };
        let (fitted, fresh) = (run(Purpose::ProbeInputs)?, run(Purpose::ScoreInputs)?);
        let mut means = vec![vec![]; t + 1];
        means[t] = fitted.mean(&fitted.states[&t]);
        let sample = |batch: &Batch| {
            let over = contents.over(batch, ContentsFrom::Function, (&[], 1.0));
            Sample::of(batch, &over, &[t], &means, contents.count())
        };
        let (fitted, fresh) = (sample(&fitted), sample(&fresh));
        if fitted.states.norm_max() == 0.0 || !fitted.states.is_all_finite() || !fresh.states.is_all_finite() {
            return Ok(None);
        }
        let code = Code::fit(&fitted, params)?;
        let judged = code.judge(&fresh, contents.are_signs());
        let worst = judged.worst();
        let explained = judged.explained;
        let condition = code.condition;
        Ok(Some(AtOneMoment { step: t, episodes, explained, with_products: None, worst, condition }))
    }

    /// The same for a truth table, with everything in the window that varies there, and with products of two.
    fn table_at_one_moment(&self, theory: &Theory) -> Result<Option<AtOneMoment>, InterpretError> {
        let (task, params) = (&theory.task, &self.params.code);
        let Some(subject) = self.subject.filter(|_| !theory.contents.fades) else { return Ok(None) };
        let (t, episodes, seed) = (params.moment, params.table_moment_episodes, self.params.observe.seed);
        let size = (task.s(), task.d());
        let run = |purpose| {
            let batch = drive(subject.network, size, &Stream::new(seed, purpose), 6, episodes, &[t], self.watch);
            batch.map(|batch| subject.view.batch(batch))
        };
        let (fitted, fresh) = (run(Purpose::ProbeInputs)?, run(Purpose::ScoreInputs)?);
        let windows = |batch: &Batch| {
            let mut windows = Matrix::zeros(task.width(), batch.episodes);
            theory.contents.over(batch, ContentsFrom::Function, (&[], 1.0)).write_window(t, &mut windows, 0);
            windows
        };
        let (signs, fresh_signs) = (windows(&fitted), windows(&fresh));
        let varies = |i: &usize| (1..signs.ncols()).any(|k| signs[(*i, k)] != signs[(*i, 0)]);
        let varying: Vec<usize> = (0..task.width()).filter(varies).collect();
        let some = |of: &Matrix| Matrix::from_fn(varying.len(), of.ncols(), |i, k| of[(varying[i], k)]);
        let signed = |batch: &Batch, signs: &Matrix| SignedStates {
            states: centred_by_step(&batch.states[&t], batch.episodes),
            signs: some(signs),
            episodes: batch.episodes,
        };
        let (fitted, fresh) = (signed(&fitted, &signs), signed(&fresh, &fresh_signs));
        if varying.is_empty() || fitted.states.norm_max() == 0.0 || !fitted.states.is_all_finite() {
            return Ok(None);
        }
        let MomentFit { explained, with_products, worst, condition } = at_a_moment(&fitted, &fresh, params)?;
        Ok(Some(AtOneMoment { step: t, episodes, explained, with_products, worst, condition }))
    }
}
