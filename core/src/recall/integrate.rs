//! The continuous model over time.

use super::{RecallError, SequenceMemory, State};

/// A method for the differential equations; all are explicit, so a step must not exceed the smallest time constant.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "method")]
pub enum Integrator {
    /// Forward Euler: order 1; with a step of 1 the discrete limit.
    Euler {
        /// Step in time.
        step: f64,
    },
    /// The classical method of Runge and Kutta: order 4.
    RungeKutta {
        /// Step in time.
        step: f64,
    },
    /// Dormand and Prince's pair of orders 5 and 4, which chooses its own steps.
    Adaptive {
        /// Error allowed in one step, relative to `1 + |value|`.
        tolerance: f64,
    },
}

/// States at evenly spaced times.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The times, from 0.
    pub times: Vec<f64>,
    /// The state at each time.
    pub states: Vec<State>,
}

/// The adaptive method gives up below this share of the recording interval.
const LEAST_STEP: f64 = 1e-12;

/// Safety factor, smallest and largest change of the adaptive step (Hairer, Norsett and Wanner, II.4).
const STEP_CONTROL: (f64, f64, f64) = (0.9, 0.2, 5.0);

impl SequenceMemory {
    /// Follows a state until a time, recorded every `interval`.
    ///
    /// Equations with a time constant of zero are eliminated: their part of `start` is replaced by what they demand.
    pub fn integrate(
        &self,
        start: &State,
        until: f64,
        interval: f64,
        method: Integrator,
    ) -> Result<Recording, RecallError> {
        for (name, value) in [("the end of the recording", until), ("the recording interval", interval)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(RecallError::Parameter { name, value, range: "positive" });
            }
        }
        let mut packed = self.pack(start);
        let intervals = (until / interval).round() as usize;
        let mut recording = Recording { times: vec![0.0], states: vec![self.unpack(&packed)] };
        let mut next_step = interval;
        for k in 1..=intervals {
            let time = (k - 1) as f64 * interval;
            match method {
                Integrator::Euler { step } => self.fixed(&mut packed, interval, step, Self::euler_step)?,
                Integrator::RungeKutta { step } => self.fixed(&mut packed, interval, step, Self::runge_kutta_step)?,
                Integrator::Adaptive { tolerance } => {
                    next_step = self.adaptive(&mut packed, time, interval, next_step, tolerance)?;
                }
            }
            if packed.iter().any(|x| !x.is_finite()) {
                return Err(RecallError::Diverged { time: k as f64 * interval });
            }
            recording.times.push(k as f64 * interval);
            recording.states.push(self.unpack(&packed));
        }
        Ok(recording)
    }

    /// Only what has dynamics of its own.
    fn pack(&self, state: &State) -> Vec<f64> {
        let mut packed = state.features.clone();
        if self.parameters.hidden_time > 0.0 {
            packed.extend(&state.hidden);
        }
        if self.parameters.delay_time > 0.0 {
            packed.extend(&state.delayed);
        }
        packed
    }

    fn unpack(&self, packed: &[f64]) -> State {
        let (features, rest) = packed.split_at(self.features());
        let (hidden, delayed) = rest.split_at(if self.parameters.hidden_time > 0.0 { self.memories() } else { 0 });
        let response = self.response_of(features);
        let delayed = if self.parameters.delay_time > 0.0 { delayed.to_vec() } else { response.clone() };
        let hidden = match self.parameters.hidden_time > 0.0 {
            true => hidden.to_vec(),
            false => self.hidden_target(&response, &delayed),
        };
        State { features: features.to_vec(), hidden, delayed }
    }

    fn slope(&self, packed: &[f64]) -> Vec<f64> {
        let state = self.unpack(packed);
        let relax = |target: Vec<f64>, now: &[f64], time: f64| -> Vec<f64> {
            target.iter().zip(now).map(|(target, now)| (target - now) / time).collect()
        };
        let mut slope = relax(self.feature_target(&state.hidden), &state.features, self.parameters.feature_time);
        let response = self.response_of(&state.features);
        if self.parameters.hidden_time > 0.0 {
            let target = self.hidden_target(&response, &state.delayed);
            slope.extend(relax(target, &state.hidden, self.parameters.hidden_time));
        }
        if self.parameters.delay_time > 0.0 {
            slope.extend(relax(response, &state.delayed, self.parameters.delay_time));
        }
        slope
    }

    fn fixed(
        &self,
        packed: &mut Vec<f64>,
        interval: f64,
        step: f64,
        advance: fn(&Self, &[f64], f64) -> Vec<f64>,
    ) -> Result<(), RecallError> {
        if !(step > 0.0 && step.is_finite()) {
            return Err(RecallError::Parameter { name: "the step", value: step, range: "positive" });
        }
        let shortest = self.parameters.shortest_time();
        if step > shortest {
            return Err(RecallError::StepTooLong { step, shortest });
        }
        // Whole steps only: the last one ends exactly at the recording time.
        let steps = (interval / step).ceil().max(1.0);
        for _ in 0..steps as usize {
            *packed = advance(self, packed, interval / steps);
        }
        Ok(())
    }

    fn euler_step(&self, at: &[f64], step: f64) -> Vec<f64> {
        along(at, &[(step, &self.slope(at))])
    }

    fn runge_kutta_step(&self, at: &[f64], step: f64) -> Vec<f64> {
        let k1 = self.slope(at);
        let k2 = self.slope(&along(at, &[(step / 2.0, &k1)]));
        let k3 = self.slope(&along(at, &[(step / 2.0, &k2)]));
        let k4 = self.slope(&along(at, &[(step, &k3)]));
        let sixth = step / 6.0;
        along(at, &[(sixth, &k1), (2.0 * sixth, &k2), (2.0 * sixth, &k3), (sixth, &k4)])
    }

    /// Crosses one recording interval and returns the step to try next.
    fn adaptive(
        &self,
        packed: &mut Vec<f64>,
        start: f64,
        interval: f64,
        first_step: f64,
        tolerance: f64,
    ) -> Result<f64, RecallError> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(RecallError::Parameter { name: "the tolerance", value: tolerance, range: "positive" });
        }
        let (safety, shrink, grow) = STEP_CONTROL;
        let (mut passed, mut step) = (0.0, first_step);
        while passed < interval {
            let last = step >= interval - passed;
            let tried = if last { interval - passed } else { step };
            let (next, error) = self.dormand_prince_step(packed, tried);
            let excess = error / tolerance;
            let factor = if excess > 0.0 { safety * excess.powf(-0.2) } else { grow };
            if excess <= 1.0 {
                *packed = next;
                passed = if last { interval } else { passed + tried };
                // A short last step says nothing against a longer one.
                step = step.max(tried * factor.clamp(shrink, grow)).min(step * grow);
            } else {
                step = tried * if factor.is_finite() { factor.clamp(shrink, 1.0) } else { shrink };
            }
            if step < LEAST_STEP * interval {
                return Err(RecallError::StepUnderflow { time: start + passed, least: step, tolerance });
            }
        }
        Ok(step)
    }

    fn dormand_prince_step(&self, at: &[f64], step: f64) -> (Vec<f64>, f64) {
        let mut slopes: Vec<Vec<f64>> = Vec::with_capacity(STAGES.len() + 1);
        let mut next = at.to_vec();
        slopes.push(self.slope(at));
        for stage in STAGES {
            let terms: Vec<_> = stage.iter().zip(&slopes).map(|(a, slope)| (step * a, slope.as_slice())).collect();
            next = along(at, &terms);
            slopes.push(self.slope(&next));
        }
        let terms: Vec<_> = ERROR_WEIGHTS.iter().zip(&slopes).map(|(e, slope)| (step * e, slope.as_slice())).collect();
        let error = along(&vec![0.0; at.len()], &terms);
        let scaled = error.iter().zip(&next).map(|(error, value)| error.abs() / (1.0 + value.abs()));
        (next.clone(), scaled.fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { f64::max(most, x) }))
    }
}

/// Dormand and Prince (1980), table 2; the last stage is the solution of order 5.
const STAGES: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Order 5 minus order 4.
const ERROR_WEIGHTS: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// `at` plus a combination of slopes.
fn along(at: &[f64], terms: &[(f64, &[f64])]) -> Vec<f64> {
    let mut point = at.to_vec();
    for (factor, slope) in terms {
        point.iter_mut().zip(*slope).for_each(|(x, s)| *x += factor * s);
    }
    point
}
