//! The code at one moment: a network whose code changes with time still has one at each time.

use super::case::{Case, Theory};
use super::{AtOneMoment, InterpretError};
use crate::code::{Code, Origin, Sample};
use crate::observe::{Batch, drive};
use crate::random::{Purpose, Stream};

impl Case<'_> {
    /// The code of a single output step, fitted and judged there; nothing for plain networks, whose code is the same at
    /// all times, or where nothing is left at that step.
    pub(super) fn code_at_one_moment(&self, theory: &Theory) -> Result<Option<AtOneMoment>, InterpretError> {
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
        let run = |purpose, index| {
            let batch = drive(subject.network, size, &Stream::new(seed, purpose), index, episodes, &[t], self.watch);
            batch.map(|batch| subject.view.batch(batch))
        };
        let (fitted, fresh) = (run(Purpose::ProbeInputs, 6)?, run(Purpose::ScoreInputs, 6)?);
        let mut means = vec![vec![]; t + 1];
        means[t] = fitted.mean(&fitted.states[&t]);
        let sample = |batch: &Batch| {
            let over = contents.over(batch, Origin::Meant, (&[], 1.0));
            Sample::of(batch, &over, &[t], &means, contents.count())
        };
        let (fitted, fresh) = (sample(&fitted), sample(&fresh));
        if fitted.states.norm_max() == 0.0 || !fitted.states.is_all_finite() || !fresh.states.is_all_finite() {
            return Ok(None);
        }
        let code = Code::fit(&fitted, params)?;
        let judged = code.judge(&fresh, contents.are_signs());
        let worst = judged.worst();
        Ok(Some(AtOneMoment { step: t, episodes, explained: judged.explained, worst, condition: code.condition }))
    }
}
