//! The code in recordings: cross-validated, held against shuffled episodes, and told from noise.

use super::case::{Case, OnOrbit, Theory};
use super::coding::Coded;
use super::{InterpretError, RecordedRun};
use crate::claims::{Behaviour, ClaimParams};
use crate::code::{
    Code, CodeParams, ContentKind, Contents, ContentsFrom, CrossValidated, Interval, Less, Noise, Null, Sample,
    normal_deviation, off_by, right_signs,
};
use crate::numeric::{Matrix, NumericError};
use crate::observe::Observations;
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// Ridge of the readout that is fitted to recordings.
const RIDGE: f64 = 1e-6;

/// What recordings say of the code beside its figures.
pub(super) struct Recorded {
    /// Different inputs that were shown.
    pub(super) stimuli: usize,
    pub(super) null: Null,
    pub(super) noise: Option<Noise>,
    /// Where noise hides how contents move: the episodes that would show it, as far as can be told.
    pub(super) hidden: Option<Option<usize>>,
    pub(super) explained: Interval,
    pub(super) worst: Interval,
    pub(super) ablation: Ablation,
}

/// Recordings in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingSummary {
    /// Episodes.
    pub episodes: usize,
    /// Different inputs that these show, each judged by a code of the others.
    #[serde(default)]
    pub stimuli: usize,
    /// Units that were recorded.
    pub units: usize,
    /// The content that is read worst from one state, with a 95 % interval.
    pub worst_reading: Interval,
    /// Share of the variance of the states that contents explain, with a 95 % interval.
    pub explained: Interval,
    /// Contents against those of other inputs.
    pub null: Null,
    /// Noise, where it keeps contents from being read.
    pub noise: Option<NoiseSummary>,
    /// Episodes that the step matrix would need to be right everywhere, where it is not.
    pub episodes_needed: Option<usize>,
    /// What is left of the outputs when one memory is projected out of the states.
    pub ablation: Ablation,
}

/// Noise in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseSummary {
    /// Share of the variance of the states.
    pub share: f64,
    /// Share of right signs that it allows for the content that is read worst.
    pub allowed: f64,
    /// Largest correlation of errors of reading with themselves some steps later.
    pub comes_back: f64,
    /// Units like these that would be needed to read every content from one state.
    pub units_needed: usize,
}

/// Outputs predicted from states by a linear readout, with all memories and without one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// For each output the share of right signs with all memories.
    pub intact: Vec<f64>,
    /// The same without one memory.
    pub without: Vec<Without>,
}

/// Outputs without one memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Without {
    /// The memory that was projected out.
    #[serde(flatten)]
    pub component: Component,
    /// For each output the share of right signs.
    pub outputs: Vec<f64>,
}

impl Case<'_> {
    /// The code of recordings; nothing where states never differ.
    pub(super) fn find_code_in_recordings(
        &self,
        theory: &Theory,
        behaviour: &Behaviour,
        orbit: &OnOrbit,
    ) -> Result<Option<Coded>, InterpretError> {
        let (contents, observed, params) = (&theory.contents, self.observed, &self.params.code);
        let batch = observed.recorded(self.params.observe.judged_every.max(2));
        let (produced, unit) = (observed.probe.mean_outputs(), behaviour.followed.unit);
        let origin = self.origin();
        let over = contents.over(&batch, origin, (&produced, unit));
        let means = batch.mean_states();
        let settle = orbit.visited.settle.min(means.len().saturating_sub(2));
        let steps: Vec<usize> = (settle..means.len()).collect();
        let sample = over.sample(&steps, Less::Means(&means));
        if sample.is_still() {
            return Ok(None);
        }
        let params =
            CodeParams { folds: self.params.observe.judged_every.max(2), floor_by_unit: true, ..params.clone() };
        let shown = observed.shown();
        let judged = |e: usize| shown.input(e).is_multiple_of(params.folds);
        let found = CrossValidated::of(&sample, &shown, &contents.whole_step(), &params)?;
        let null = Null::of(&sample, &shown, &params, self.params.observe.seed)?;
        let fresh = sample.episodes_where(judged);
        let early: Vec<usize> = (0..observed.s.min(means.len())).collect();
        let early = over.sample(&early, Less::Means(&means)).episodes_where(judged);
        let first_steps = early.read_by(&found.code.readers).into_iter().fold(1.0, f64::min);
        let produced = sample.with_contents(spoken(&batch.outputs, &steps), ContentKind::Sign);
        let ablation = ablation(&found.code, contents, &produced, judged)?;
        let CrossValidated { code, judged, explained, worst, step, noise, hidden } = found;
        Ok(Some(Coded {
            origin,
            code,
            judged,
            first_steps,
            fresh,
            step,
            steered: None,
            steps: steps.len(),
            episodes: batch.episodes,
            products: None,
            recorded: Some(Recorded { stimuli: shown.count(), null, noise, hidden, explained, worst, ablation }),
        }))
    }

    /// Where contents come from.
    pub(super) fn origin(&self) -> ContentsFrom {
        match self.question {
            super::Question::Task(_) => ContentsFrom::Function,
            super::Question::Blind { .. } => ContentsFrom::Outputs,
        }
    }
}

impl Coded {
    /// Recordings in a few numbers; nothing for a network that was run.
    pub(super) fn recording(&self, theory: &Theory, params: &CodeParams) -> Option<RecordingSummary> {
        let recorded = self.recorded.as_ref()?;
        let off = off_by(&self.step.matrix, &theory.contents.whole_step()).into_iter().fold(0.0, f64::max);
        // Errors that are noise fall with the root of the episodes.
        let more = (self.episodes as f64 * (off / params.row).powi(2)).ceil() as usize;
        let noisy = recorded.noise.is_some() && off > params.row && recorded.null.least >= params.stands_out;
        let needed = recorded.hidden.unwrap_or(noisy.then_some(more));
        Some(RecordingSummary {
            episodes: self.episodes,
            stimuli: recorded.stimuli,
            units: self.code.memories.nrows(),
            worst_reading: recorded.worst,
            explained: recorded.explained,
            null: recorded.null.clone(),
            noise: recorded.noise.as_ref().map(|noise| self.noise(noise, params.read)),
            episodes_needed: needed,
            ablation: recorded.ablation.clone(),
        })
    }

    fn noise(&self, noise: &Noise, read: f64) -> NoiseSummary {
        // Readings of +-1 have that share of right signs where their standard deviation is one over this.
        let clear = normal_deviation(read);
        // With more units of the same kind the variance of what is read falls as their number grows.
        let units = (self.code.memories.nrows() as f64 * noise.largest_error * clear * clear).ceil() as usize;
        NoiseSummary {
            share: noise.share,
            allowed: noise.allowed.iter().copied().fold(1.0, f64::min),
            comes_back: noise.comes_back,
            units_needed: units,
        }
    }

    /// Contents that are not read, though noise would allow it, or that do not stand out of shuffled episodes.
    pub(super) fn unread(&self, params: &CodeParams, claims: &ClaimParams) -> Vec<usize> {
        let read = &self.judged.read;
        let noise = self.recorded.as_ref().and_then(|recorded| Some((recorded.noise.as_ref()?, &recorded.null)));
        let missed = |k: &usize| match noise {
            Some((noise, null)) => {
                noise.allowed[*k] - read[*k] > claims.below_noise || null.contents[*k] < params.stands_out
            }
            None => read[*k] < params.read,
        };
        (0..read.len()).filter(missed).collect()
    }
}

/// Episodes that are kept to look at.
const KEPT_RUNS: usize = 6;

/// A few of the episodes that the code is judged on.
pub(super) fn recorded_runs(observed: &Observations) -> Vec<RecordedRun> {
    let (batch, s, d) = (&observed.score, observed.s, observed.d);
    let units = batch.states.first_key_value().map_or(0, |(_, states)| states.nrows());
    let steps = (0..).take_while(|t| batch.states.contains_key(t)).count();
    let run = |e: usize| RecordedRun {
        inputs: Matrix::from_fn(d, s, |j, t| batch.value((s, d), t, j, e)),
        states: Matrix::from_fn(units, steps, |i, t| batch.states[&t][(i, e)]),
        outputs: Matrix::from_fn(d, steps, |j, t| batch.outputs[t][(j, e)]),
    };
    (0..batch.episodes.min(KEPT_RUNS)).map(run).collect()
}

/// The outputs at some steps, outputs x columns.
fn spoken(outputs: &[Matrix], steps: &[usize]) -> Matrix {
    let (d, episodes) = outputs.first().map_or((0, 0), |first| (first.nrows(), first.ncols()));
    let mut produced = Matrix::zeros(d, steps.len() * episodes);
    steps.iter().enumerate().for_each(|(k, &t)| produced.subcols_mut(k * episodes, episodes).copy_from(&outputs[t]));
    produced
}

/// Predicts outputs from states, and again with one memory after the other projected out of them.
fn ablation(
    code: &Code,
    contents: &Contents,
    produced: &Sample,
    judged: impl Fn(usize) -> bool,
) -> Result<Ablation, NumericError> {
    let readout = produced.episodes_where(|e| !judged(e)).readers(RIDGE)?;
    let fresh = produced.episodes_where(judged);
    let intact = &readout * &fresh.states;
    let read = &code.readers * &fresh.states;
    let through = &readout * &code.memories;
    let without = |k: usize| {
        let outputs = right_signs(&(&intact - through.col(k) * read.row(k)), &fresh.contents);
        contents.named(k).map(|component| Without { component, outputs })
    };
    Ok(Ablation {
        intact: right_signs(&intact, &fresh.contents),
        without: (0..code.count()).filter_map(without).collect(),
    })
}
