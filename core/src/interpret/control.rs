//! The control: the same procedure where there is nothing to find.

use super::InterpretError;
use super::case::{Case, Simulated, Theory};
use crate::code::{Code, Contents, ContentsFrom, Drawn, Rows, Sample, Writer, random_contents, step_by_writing};
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
        let (network, view) = (&shuffled(subject.network, seed), subject.view);
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
        let means: Vec<Vec<f64>> =
            (0..end).map(|t| fitted.states.get(&t).map_or_else(Vec::new, |state| fitted.mean(state))).collect();
        let sample = |batch: &Batch| {
            let over = contents.over(batch, ContentsFrom::Function, (&[], 1.0));
            Sample::of(batch, &over, &steps, &means, contents.count())
        };
        let fitted = sample(&fitted);
        let written = random_contents(contents, params.columns(contents.count()), seed)?;
        let over = contents.over(&whole, ContentsFrom::Function, (&[], 1.0));
        let step = |code: &Code| {
            let means = [means[first].clone(), means[first + 1].clone()];
            let writer = match view.is_plain() {
                true => Writer::by_code(network, view, code, means),
                false => Writer::by_states(network, view, &whole, (contents, &over), &steps, first, params.ridge)?,
            };
            step_by_writing(&writer, code, &written)
        };
        self.judged(what(network), theory, &fitted, &sample(&fresh), |code| Ok(step(code)?.0)).map(Some)
    }

    fn shuffled_table(
        &self,
        subject: Simulated<'_>,
        contents: &Contents,
        drawn: &Drawn,
    ) -> Result<Option<Control>, InterpretError> {
        let network = shuffled(subject.network, self.params.observe.seed);
        let Some(found) = self.in_network(&network, subject.view, contents, drawn, ContentsFrom::Function)? else {
            return Ok(None);
        };
        let read = &found.found.judged.read;
        Ok(Some(Control {
            shuffled: what(&network),
            explained: found.found.judged.explained,
            read: read.iter().filter(|&&share| share >= self.params.code.read).count(),
            mean_read: read.iter().sum::<f64>() / read.len().max(1) as f64,
            rows: Rows::count(&found.step, contents, self.params.code.row),
            step: found.step.subcols(0, contents.count()).to_owned(),
        }))
    }

    /// The states of each episode with the contents of the next input: the next episode may show the same one again.
    fn shuffled_episodes(&self, theory: &Theory) -> Result<Option<Control>, InterpretError> {
        let (observed, contents) = (self.observed, &theory.contents);
        let means: Vec<Vec<f64>> = observed.probe.states.values().map(|state| observed.probe.mean(state)).collect();
        let steps: Vec<usize> = match contents.fades {
            true => (0..observed.s.min(means.len())).collect(),
            false => observed.settled_steps().filter(|t| *t < means.len()).collect(),
        };
        let torn = |batch: &Batch| {
            let over = contents.over(batch, ContentsFrom::Function, (&[], 1.0));
            let mut sample = Sample::of(batch, &over, &steps, &means, contents.count());
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
        let next = fresh.clone();
        let step = |code: &Code| Ok(crate::code::step_in_recordings(code, &next)?.0);
        self.judged(Shuffled::Episodes, theory, &fitted, &fresh, step).map(Some)
    }

    fn judged(
        &self,
        shuffled: Shuffled,
        theory: &Theory,
        fitted: &Sample,
        fresh: &Sample,
        step: impl Fn(&Code) -> Result<Matrix, InterpretError>,
    ) -> Result<Control, InterpretError> {
        let (contents, params) = (&theory.contents, &self.params.code);
        let count = contents.count();
        let nothing = Control {
            shuffled,
            explained: 0.0,
            read: 0,
            mean_read: if contents.are_signs() { 0.5 } else { 0.0 },
            rows: Rows::count(&Matrix::zeros(count, count), contents, params.row),
            step: Matrix::zeros(count, count),
        };
        if fitted.states.norm_max() == 0.0 || fitted.contents.norm_max() == 0.0 {
            return Ok(nothing);
        }
        let code = Code::fit(fitted, params)?;
        let judged = code.judge(fresh, contents.are_signs());
        let step = step(&code)?;
        let enough = if contents.are_signs() { params.read } else { 1.0 - params.missed };
        Ok(Control {
            explained: judged.explained,
            read: judged.read.iter().filter(|&&share| share >= enough).count(),
            mean_read: judged.read.iter().sum::<f64>() / count.max(1) as f64,
            rows: Rows::count(&step, contents, params.row),
            step,
            ..nothing
        })
    }
}

fn what(network: &Network) -> Shuffled {
    if network.kind().is_some_and(|kind| kind.family() == Family::Modes) {
        Shuffled::Phases
    } else {
        Shuffled::RecurrentWeights
    }
}

/// The same network with every layer scrambled.
fn shuffled(network: &Network, seed: u64) -> Network {
    let mut network = network.clone();
    network.layers.iter_mut().for_each(|cell| cell.scramble(seed));
    network
}
