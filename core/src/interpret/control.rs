//! The control: the same procedure where there is nothing to find.

use super::InterpretError;
use super::case::{Case, Simulated, Theory};
use crate::code::{
    Code, CodeParams, Contents, ContentsFrom, ContentsOver, Directions, Drawn, Judged, Less, Rows, STEP_RIDGE, Sample,
    Writer, random_contents,
};
use crate::network::{Family, Network};
use crate::numeric::Matrix;
use crate::observe::{Batch, drive};
use crate::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// What was taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shuffled {
    /// The entries of the recurrent weights.
    RecurrentWeights,
    /// The phases of a state-space layer's eigenvalues, which were drawn anew.
    Phases,
    /// Which episode's contents belong to which episode's states.
    Episodes,
}

/// What the same procedure finds where there is nothing to find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// What was shuffled.
    pub shuffled: Shuffled,
    /// Share of the variance of fresh states that the contents explain.
    pub explained: f64,
    /// Contents that are read.
    pub read: usize,
    /// Share of right signs (or of the values) over all contents.
    pub mean_read: f64,
    /// Rows of the step matrix that are those of f.
    pub rows: Rows,
    /// The step matrix.
    #[serde(skip, default = "Matrix::new")]
    pub step: Matrix,
}

impl std::fmt::Display for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.shuffled {
            Shuffled::RecurrentWeights => "recurrent weights shuffled",
            Shuffled::Phases => "phases of the eigenvalues drawn anew",
            Shuffled::Episodes => "episodes shuffled",
        };
        let (rows, all) = (self.rows.right(), self.rows.all());
        write!(
            f,
            "with {what}: the code explains {:.3}, reads {} of {all} contents, {rows} of {all} rows are the circuit's",
            self.explained, self.read
        )
    }
}

impl Case<'_> {
    /// The control of a network; nothing where activity grows without bound.
    pub(super) fn control(&self, theory: &Theory) -> Result<Option<Control>, InterpretError> {
        match self.subject {
            Some(subject) => self.shuffled_weights(subject, theory),
            None => self.shuffled_episodes(theory),
        }
    }

    fn shuffled_weights(&self, subject: Simulated<'_>, theory: &Theory) -> Result<Option<Control>, InterpretError> {
        if let Some(drawn) = &theory.contents.drawn {
            return self.shuffled_table(subject, &theory.contents, drawn);
        }
        let (contents, params) = (&theory.contents, &self.params.code);
        let size = (theory.task.s(), theory.task.d());
        let seed = self.params.observe.seed;
        let (network, view) = (&subject.network.shuffled(seed), subject.view);
        let first = if contents.fades { 0 } else { self.params.visited.settle };
        let end = first + params.control_steps.max(2);
        let steps: Vec<usize> = (first..end).collect();
        let episodes = self.observed.probe.episodes;
        let run =
            |purpose, index| drive(network, size, &Stream::new(seed, purpose), index, episodes, &steps, self.watch);
        let (fitted, fresh) = (run(Purpose::ProbeInputs, 4)?, run(Purpose::ScoreInputs, 5)?);
        if fitted.states.values().chain(fresh.states.values()).any(|state| !state.is_all_finite()) {
            return Ok(None);
        }
        let whole = fitted.clone();
        let (fitted, fresh) = (view.batch(fitted), view.batch(fresh));
        let means = fitted.mean_states();
        let sample = |batch: &Batch| of_function(contents, batch).sample(&steps, Less::Means(&means));
        let written = random_contents(contents, params.columns(contents.count()), seed);
        let (fitted, fresh) = (sample(&fitted), sample(&fresh));
        let next = |code: &Code| {
            let held = (&steps[..], &fitted.contents);
            let writer = Writer::by_code(network, view, code, (&whole, first), held, params.ridge)?;
            Ok(writer.next(&written, written.clone()))
        };
        self.judged(what(network), theory, &fitted, &fresh, next).map(Some)
    }

    fn shuffled_table(
        &self,
        subject: Simulated<'_>,
        contents: &Contents,
        drawn: &Drawn,
    ) -> Result<Option<Control>, InterpretError> {
        let network = subject.network.shuffled(self.params.observe.seed);
        let found = self.in_network(&network, subject.view, contents, drawn, ContentsFrom::Function)?;
        Ok(found
            .map(|found| Control::of(what(&network), contents, &found.judged, &found.step.matrix, &self.params.code)))
    }

    /// The states of each episode with the contents of the next input: the next episode may show the same one again.
    fn shuffled_episodes(&self, theory: &Theory) -> Result<Option<Control>, InterpretError> {
        let (observed, contents) = (self.observed, &theory.contents);
        let means = observed.probe.mean_states();
        let steps: Vec<usize> = match contents.fades {
            true => (0..observed.s.min(means.len())).collect(),
            false => observed.settled_steps().filter(|t| *t < means.len()).collect(),
        };
        let torn = |batch: &Batch| {
            let mut sample = of_function(contents, batch).sample(&steps, Less::Means(&means));
            let (whole, episodes, shown) = (sample.contents.clone(), batch.episodes, batch.shown());
            let firsts = shown.firsts();
            for k in 0..whole.ncols() {
                let (step, episode) = (k / episodes, k % episodes);
                let from = step * episodes + firsts[(shown.input(episode) + 1) % firsts.len()];
                sample.contents.col_as_slice_mut(k).copy_from_slice(whole.col_as_slice(from));
            }
            sample
        };
        let (fitted, fresh) = (torn(&observed.probe), torn(&observed.score));
        self.judged(Shuffled::Episodes, theory, &fitted, &fresh, |_| Ok(fresh.clone())).map(Some)
    }

    /// `next` gives states with what was held a step before.
    fn judged(
        &self,
        shuffled: Shuffled,
        theory: &Theory,
        fitted: &Sample,
        fresh: &Sample,
        next: impl Fn(&Code) -> Result<Sample, InterpretError>,
    ) -> Result<Control, InterpretError> {
        let (contents, params) = (&theory.contents, &self.params.code);
        if fitted.is_still() {
            let count = contents.count();
            let chance = if contents.are_signs() { 0.5 } else { 0.0 };
            let nothing = Judged { explained: 0.0, read: vec![] };
            let found = Control::of(shuffled, contents, &nothing, &Matrix::zeros(count, count), params);
            return Ok(Control { mean_read: chance, ..found });
        }
        let code = Code::fit(fitted, Directions::Shared, params)?;
        let step = code.step(&next(&code)?, STEP_RIDGE)?;
        Ok(Control::of(shuffled, contents, &code.judge(fresh), &step.matrix, params))
    }
}

impl Control {
    fn of(shuffled: Shuffled, contents: &Contents, judged: &Judged, step: &Matrix, params: &CodeParams) -> Self {
        let (read, enough) = (&judged.read, params.enough(contents.kind()));
        Self {
            shuffled,
            explained: judged.explained,
            read: read.iter().filter(|&&share| share >= enough).count(),
            mean_read: read.iter().sum::<f64>() / read.len().max(1) as f64,
            rows: Rows::count(step, contents, params.row),
            step: step.subcols(0, contents.count()).to_owned(),
        }
    }
}

/// The contents of a batch, as the function gives them.
fn of_function<'a>(contents: &'a Contents, batch: &'a Batch) -> ContentsOver<'a> {
    contents.over(batch, ContentsFrom::Function, (&[], 1.0))
}

fn what(network: &Network) -> Shuffled {
    if network.kind().is_some_and(|kind| kind.family() == Family::Modes) {
        Shuffled::Phases
    } else {
        Shuffled::RecurrentWeights
    }
}
