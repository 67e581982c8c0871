//! Observations from trajectories that somebody else simulated: a cell of any kind, written anywhere.

use super::{Batch, Observations, ObserveParams, Shown};
use crate::numeric::Matrix;

/// What a network did on a batch of episodes with different inputs.
#[derive(Clone, Debug)]
pub struct Trajectories {
    /// The inputs, (s, episodes, d), each -1 or +1; nothing where they are not known.
    pub inputs: Option<Vec<f32>>,
    /// H x episodes, one for each output step.
    pub states: Vec<Matrix>,
    /// d x episodes, one for each output step.
    pub outputs: Vec<Matrix>,
}

/// Why trajectories cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrajectoriesError {
    /// States and outputs that do not belong together.
    #[error("{what}: {found} found where {needed} are needed; states and outputs must come from the same episodes")]
    Shape {
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        needed: usize,
    },
    /// Too short to see the orbit.
    #[error("the trajectories have {found} output steps, but {needed} are needed; run the network on for longer")]
    TooShort {
        /// Output steps given.
        found: usize,
        /// Output steps needed.
        needed: usize,
    },
    /// Too few to fit and to judge on.
    #[error(
        "{episodes} episodes show {found} different inputs, but {needed} are needed: what is said of an input is judged on inputs that \
         nothing was fitted on; run the network on more of them"
    )]
    TooFew {
        /// Episodes given.
        episodes: usize,
        /// Different inputs in them.
        found: usize,
        /// Different inputs needed.
        needed: usize,
    },
    /// NaN or infinity.
    #[error("{what} are not finite at output step {step}; check the network for numbers that overflow")]
    NotFinite {
        /// States or outputs.
        what: &'static str,
        /// The first such output step, from 1.
        step: usize,
    },
    /// Inputs that are no signs.
    #[error("an input is {value}, but inputs are -1 or +1; present the network with such inputs")]
    NoSign {
        /// The value found.
        value: f32,
    },
}

impl Trajectories {
    /// Hidden units.
    pub fn hidden(&self) -> usize {
        self.states.first().map_or(0, Matrix::nrows)
    }

    /// Components of the output.
    pub fn components(&self) -> usize {
        self.outputs.first().map_or(0, Matrix::nrows)
    }

    fn episodes(&self) -> usize {
        self.states.first().map_or(0, Matrix::ncols)
    }

    /// The observations of a network with `s` variables. `settle` output steps are left out at the start.
    ///
    /// Where no inputs are known, what the network says in its first s output steps stands for them. A share of the
    /// episodes is kept for judging; the others show the orbit.
    pub fn observations(
        &self,
        s: usize,
        settle: usize,
        params: &ObserveParams,
    ) -> Result<Observations, TrajectoriesError> {
        self.check(s)?;
        let (d, episodes) = (self.components(), self.episodes());
        let (inputs, first) = match &self.inputs {
            Some(inputs) => (inputs.clone(), 0),
            None => (self.first_outputs(s), s),
        };
        let given = self.states.len().saturating_sub(first);
        let steps = params.ends_after.map_or(given, |end| given.min(end));
        // Decoders are judged on steps whose contents are still to be said; a trial that ends says no more of them.
        let ahead = if params.ends_after.is_some() { 0 } else { s };
        let needed = settle + ahead + 2;
        if steps < needed {
            return Err(TrajectoriesError::TooShort { found: self.states.len(), needed: needed + first });
        }
        // Fewer inputs than components cannot fill the directions of an eigenvalue that f repeats d times.
        let every = params.judged_every.max(2);
        let needed = ((2 * d).max(8) * every).div_ceil(every - 1);
        let shown = Shown::of(&inputs, episodes, d);
        // Where there are no others, nothing is left to judge on.
        let all = shown.count() >= FEWEST_INPUTS && s * d < 32 && shown.count() == 1 << (s * d);
        if shown.count() < needed && !all {
            return Err(TrajectoriesError::TooFew { episodes, found: shown.count(), needed });
        }
        // Spread evenly, so that what drifts over a recording is in both parts.
        let (scored, fitted): (Vec<usize>, Vec<usize>) =
            (0..episodes).partition(|&e| shown.input(e).is_multiple_of(every));
        let everyone: Vec<usize> = (0..episodes).collect();
        let states = without_drift(&self.states[first..first + steps], params);
        let outputs = &self.outputs[first..first + steps];
        let whole = Given { inputs: &inputs, states: &states, outputs, d };
        let scored_steps = params.score_steps.min(steps - ahead);
        Ok(Observations {
            asked: None,
            s,
            d,
            probe: whole.batch(&fitted, steps),
            // What a function says of an input is seen once, however often that is shown.
            trial: whole.batch(&shown.firsts(), 0),
            score: whole.batch(&scored, scored_steps),
            // Short trajectories settle for as large a share of the steps as long ones.
            score_settle: params.score_settle.min(2 * scored_steps / 3),
            // Nothing is fitted to follow a function: every episode counts.
            long: whole.batch(&everyone, 0),
            flips: None,
            every_window: false,
            rare: None,
            kind: None,
            shown: Some(shown),
        })
    }

    fn first_outputs(&self, s: usize) -> Vec<f32> {
        let signs = |produced: &Matrix| {
            let values = (0..produced.ncols()).flat_map(|episode| produced.col_as_slice(episode)).copied();
            values.map(|y| if y > 0.0 { 1.0 } else { -1.0 }).collect::<Vec<f32>>()
        };
        self.outputs.iter().take(s).flat_map(signs).collect()
    }

    fn check(&self, s: usize) -> Result<(), TrajectoriesError> {
        let fits = |what, found, needed| match found == needed {
            true => Ok(()),
            false => Err(TrajectoriesError::Shape { what, found, needed }),
        };
        fits("output steps", self.outputs.len(), self.states.len())?;
        for (step, (state, produced)) in self.states.iter().zip(&self.outputs).enumerate() {
            fits("units", state.nrows(), self.hidden())?;
            fits("output components", produced.nrows(), self.components())?;
            fits("episodes of states", state.ncols(), self.episodes())?;
            fits("episodes of outputs", produced.ncols(), self.episodes())?;
            for (what, values) in [("states", state), ("outputs", produced)] {
                if !values.is_all_finite() {
                    return Err(TrajectoriesError::NotFinite { what, step: step + 1 });
                }
            }
        }
        let Some(inputs) = &self.inputs else { return Ok(()) };
        fits("input values", inputs.len(), s * self.episodes() * self.components())?;
        match inputs.iter().find(|value| value.abs() != 1.0) {
            Some(&value) => Err(TrajectoriesError::NoSign { value }),
            None => Ok(()),
        }
    }
}

impl Observations {
    /// Which input each episode of a recording was shown.
    pub fn shown(&self) -> Shown {
        self.shown.clone().unwrap_or_else(|| Shown::once(self.probe.episodes + self.score.episodes))
    }

    /// Every episode of a recording in its order, with the states that were kept of all of them.
    pub fn recorded(&self, judged_every: usize) -> Batch {
        let (probe, score) = (&self.probe, &self.score);
        let episodes = probe.episodes + score.episodes;
        let shown = self.shown();
        let (mut judged, mut fitted) = (0.., 0..);
        let places: Vec<(&Batch, usize)> = (0..episodes)
            .map(|e| match shown.input(e).is_multiple_of(judged_every) {
                true => (score, judged.next().unwrap_or_default()),
                false => (probe, fitted.next().unwrap_or_default()),
            })
            .collect();
        let place = |e: usize| places[e];
        let merged = |of: &dyn Fn(&'_ Batch) -> Matrix| {
            let (ours, theirs) = (of(probe), of(score));
            let mut all = Matrix::zeros(ours.nrows(), episodes);
            for e in 0..episodes {
                let (batch, at) = place(e);
                let from = if std::ptr::eq(batch, score) { &theirs } else { &ours };
                all.col_as_slice_mut(e).copy_from_slice(from.col_as_slice(at));
            }
            all
        };
        let kept = probe.states.keys().copied().filter(|t| score.states.contains_key(t));
        let (d, s) = (self.d, self.s);
        let input = |t: usize, e: usize| {
            let (batch, at) = place(e);
            batch.inputs[(t * batch.episodes + at) * d..][..d].iter().copied()
        };
        Batch {
            inputs: (0..s).flat_map(|t| (0..episodes).flat_map(move |e| input(t, e))).collect(),
            episodes,
            states: kept.map(|t| (t, merged(&|batch: &Batch| batch.states[&t].clone()))).collect(),
            outputs: (0..probe.outputs.len()).map(|t| merged(&|batch: &Batch| batch.outputs[t].clone())).collect(),
            last_input_size: 0.0,
            mirrored: false,
        }
    }
}

/// Fewer different inputs cannot be split, even if there are no others.
const FEWEST_INPUTS: usize = 4;

/// Trajectories from the first output step that counts on.
struct Given<'a> {
    inputs: &'a [f32],
    states: &'a [Matrix],
    outputs: &'a [Matrix],
    d: usize,
}

impl Given<'_> {
    /// Some of the episodes, with the first `kept` states.
    fn batch(&self, episodes: &[usize], kept: usize) -> Batch {
        let row = self.states[0].ncols() * self.d;
        let of = |step: &'_ [f32]| -> Vec<f32> {
            episodes.iter().flat_map(|e| step[e * self.d..(e + 1) * self.d].to_vec()).collect()
        };
        let part = |matrix: &Matrix| Matrix::from_fn(matrix.nrows(), episodes.len(), |i, k| matrix[(i, episodes[k])]);
        Batch {
            inputs: self.inputs.chunks(row).flat_map(of).collect(),
            episodes: episodes.len(),
            states: self.states.iter().take(kept).map(part).enumerate().collect(),
            outputs: self.outputs.iter().map(part).collect(),
            last_input_size: 0.0,
            mirrored: false,
        }
    }
}

/// Degree of the polynomial in the number of an episode that a unit may drift by.
const DRIFT_DEGREE: usize = 3;

/// States less what drifts slowly from episode to episode: inputs are drawn anew each time, and have no trend.
fn without_drift(states: &[Matrix], params: &ObserveParams) -> Vec<Matrix> {
    let (episodes, units) = states.first().map_or((0, 0), |first| (first.ncols(), first.nrows()));
    let trends = trends(episodes);
    let mut mean = Matrix::zeros(units, episodes);
    states.iter().for_each(|state| mean += state * faer::Scale(1.0 / states.len() as f64));
    // Trends are orthonormal.
    let mut drift = (&mean * &trends) * trends.transpose();
    let by_chance = trends.ncols() as f64 / episodes.max(1) as f64;
    let least = params.drifts.max(params.drifts_beyond_chance * by_chance);
    for unit in 0..units {
        let middle = mean.row(unit).sum() / episodes.max(1) as f64;
        let size: f64 = mean.row(unit).iter().map(|x| (x - middle).powi(2)).sum();
        if drift.row(unit).squared_norm_l2() < least * size {
            drift.row_mut(unit).fill(0.0);
        }
    }
    states.iter().map(|state| state - &drift).collect()
}

/// Orthonormal polynomials over the episodes, without the constant: episodes x degrees.
fn trends(episodes: usize) -> Matrix {
    let place = |e: usize| 2.0 * e as f64 / (episodes.max(2) - 1) as f64 - 1.0;
    let degrees = DRIFT_DEGREE.min(episodes / LEAST_PER_TREND);
    let powers = Matrix::from_fn(episodes, degrees + 1, |e, degree| place(e).powi(degree as i32));
    let orthonormal = powers.qr().compute_thin_Q();
    orthonormal.subcols(1, degrees).to_owned()
}

/// Episodes that it takes to take one trend away without taking much of anything else.
const LEAST_PER_TREND: usize = 16;
