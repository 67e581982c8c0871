//! Observations from trajectories that somebody else simulated: a cell of any kind, written anywhere.

use super::{Batch, Observations, ObserveParams};
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
    #[error("there are {found} episodes, but {needed} are needed; run the network on more inputs")]
    TooFew {
        /// Episodes given.
        found: usize,
        /// Episodes needed.
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
            None => (self.said_first(s), s),
        };
        let steps = self.states.len().saturating_sub(first);
        let needed = settle + s + 2;
        if steps < needed {
            return Err(TrajectoriesError::TooShort { found: self.states.len(), needed: needed + first });
        }
        // Fewer episodes than components cannot fill the directions of an eigenvalue that f repeats d times.
        let scored = ((episodes as f64 * params.scored_share) as usize).max(1);
        let needed = (2 * d).max(8);
        if episodes < needed + scored {
            return Err(TrajectoriesError::TooFew { found: episodes, needed: needed + scored });
        }
        let shown = episodes - scored;
        let whole = Given { inputs: &inputs, states: &self.states[first..], outputs: &self.outputs[first..], d };
        let scored_steps = params.score_steps.min(steps - s);
        Ok(Observations {
            asked: None,
            s,
            d,
            probe: whole.batch(0, shown, steps),
            trial: whole.batch(0, episodes, 0),
            score: whole.batch(shown, scored, scored_steps),
            // Short trajectories settle for as large a share of the steps as long ones.
            score_settle: params.score_settle.min(2 * scored_steps / 3),
            long: whole.batch(shown, scored, 0),
            flips: None,
        })
    }

    fn said_first(&self, s: usize) -> Vec<f32> {
        let signs = |said: &Matrix| {
            let values = (0..said.ncols()).flat_map(|episode| said.col_as_slice(episode)).copied();
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
        for (step, (state, said)) in self.states.iter().zip(&self.outputs).enumerate() {
            fits("units", state.nrows(), self.hidden())?;
            fits("output components", said.nrows(), self.components())?;
            fits("episodes of states", state.ncols(), self.episodes())?;
            fits("episodes of outputs", said.ncols(), self.episodes())?;
            for (what, values) in [("states", state), ("outputs", said)] {
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

/// Trajectories from the first output step that counts on.
struct Given<'a> {
    inputs: &'a [f32],
    states: &'a [Matrix],
    outputs: &'a [Matrix],
    d: usize,
}

impl Given<'_> {
    /// Some of the episodes, with the first `kept` states.
    fn batch(&self, first: usize, episodes: usize, kept: usize) -> Batch {
        let row = self.states[0].ncols() * self.d;
        let inputs = self.inputs.chunks(row).flat_map(|step| &step[first * self.d..(first + episodes) * self.d]);
        let part = |matrix: &Matrix| matrix.subcols(first, episodes).to_owned();
        Batch {
            inputs: inputs.copied().collect(),
            episodes,
            states: self.states.iter().take(kept).map(part).enumerate().collect(),
            outputs: self.outputs.iter().map(part).collect(),
            last_input_size: 0.0,
            mirrored: false,
        }
    }
}
