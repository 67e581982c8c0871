//! The code at one moment: a network whose code changes with time still has one at each time.

use super::case::{Case, Theory};
use super::{AtOneMoment, InterpretError};
use crate::code::{Code, ContentKind, ContentsFrom, ContentsOver, Directions, Less, Sample, explained_with_pairs};
use crate::numeric::{Matrix, Svd};
use crate::observe::{Batch, drive};
use crate::random::{Purpose, Stream};

impl Case<'_> {
    /// The code of a single output step, fitted and judged there; nothing for plain networks without tables, whose code is the same
    /// at all times, or where nothing is left at that step.
    pub(super) fn code_at_one_moment(&self, theory: &Theory) -> Result<Option<AtOneMoment>, InterpretError> {
        let (contents, params) = (&theory.contents, &self.params.code);
        let table = contents.drawn.is_some();
        let Some(subject) = self.subject.filter(|subject| table || subject.network.as_elman().is_none()) else {
            return Ok(None);
        };
        if contents.fades || (contents.count() == 0 && !table) {
            return Ok(None);
        }
        let (size, t, seed) = ((theory.task.s(), theory.task.d()), params.moment, self.params.observe.seed);
        let episodes = match table {
            true => params.table_moment_episodes,
            false => params.moment_episodes.0.max(params.moment_episodes.1 * contents.count()),
        };
        let run = |purpose| {
            let batch = drive(subject.network, size, &Stream::new(seed, purpose), 6, episodes, &[t], self.watch);
            batch.map(|batch| subject.view.batch(batch))
        };
        let (fitted, fresh) = (run(Purpose::ProbeInputs)?, run(Purpose::ScoreInputs)?);
        let over = |batch| contents.over(batch, ContentsFrom::Function, (&[], 1.0));
        let [fitted, fresh] = match table {
            true => whole_windows([(&fitted, over(&fitted)), (&fresh, over(&fresh))], t),
            false => {
                let means = fitted.mean_states();
                [over(&fitted), over(&fresh)].map(|over| over.sample(&[t], Less::Means(&means)))
            }
        };
        if fitted.is_still() || !fitted.states.is_all_finite() || !fresh.states.is_all_finite() {
            return Ok(None);
        }
        if table {
            // Contents may depend on one another.
            let (memories, readers) = (fitted.memories(params.ridge)?, fitted.readers(params.ridge)?);
            return Ok(Some(AtOneMoment {
                step: t,
                episodes,
                explained: fresh.explained_by(&memories),
                with_products: explained_with_pairs(&fitted, &fresh, params)?,
                worst: fresh.read_by(&readers).into_iter().fold(1.0, f64::min),
                condition: Svd::of(&memories)?.condition(),
            }));
        }
        let code = Code::fit(&fitted, Directions::Shared, params)?;
        let judged = code.judge(&fresh);
        let (explained, worst, condition) = (judged.explained, judged.worst(), code.condition);
        Ok(Some(AtOneMoment { step: t, episodes, explained, with_products: None, worst, condition }))
    }
}

/// States of one step with everything in the window that varies there.
fn whole_windows([fitted, fresh]: [(&Batch, ContentsOver<'_>); 2], t: usize) -> [Sample; 2] {
    let windows = [&fitted.1, &fresh.1].map(|over| over.windows(&[t]));
    let first = &windows[0];
    let varies = |i: &usize| (1..first.ncols()).any(|k| first[(*i, k)] != first[(*i, 0)]);
    let varying: Vec<usize> = (0..first.nrows()).filter(varies).collect();
    let some = |of: &Matrix| Matrix::from_fn(varying.len(), of.ncols(), |i, k| of[(varying[i], k)]);
    let sample =
        |batch: &Batch, windows: &Matrix| Sample::of(batch, &[t], some(windows), ContentKind::Sign, Less::OwnMeans);
    [sample(fitted.0, &windows[0]), sample(fresh.0, &windows[1])]
}
