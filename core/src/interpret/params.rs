//! Every number that decides something, in one place.

use super::InterpretError;
use crate::choose;
use crate::claims::ClaimParams;
use crate::code::{CodeParams, OverTimeParams};
use crate::linearize::{FixedPointParams, OrbitParams, VisitedParams};
use crate::memories::{METHODS, MemoriesParams, Method};
use crate::observe::ObserveParams;
use crate::recurrence::RecurrenceParams;
use crate::setting::{Adjustable, settings};
use crate::spectrum::SpectrumParams;
use serde::{Deserialize, Serialize};

crate::setting::leaves!(StateView);

/// Which part of the state is looked at: both hold for a circuit, and what is found in the other is told beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateView {
    /// The units h of every layer; an LSTM's cells and a state-space layer's modes are left out.
    #[default]
    Units,
    /// All of it.
    Whole,
}

choose::words!(StateView, "state": Units = "units", Whole = "whole");

settings! {
    /// How a network is interpreted.
    pub struct InterpretParams {
        /// The method whose memories are shown.
        method: Method = Method::default(), words::<Method>();
        /// Further methods to compare with.
        methods: Vec<Method> = vec![], METHODS;
        /// Which part of the state is looked at first.
        state: StateView = StateView::default(), words::<StateView>();
        /// How much is simulated.
        observe: ObserveParams;
        /// Which states count as the orbit.
        visited: VisitedParams;
        /// How the orbit is linearized.
        orbit: OrbitParams;
        // A few starts find the point that a circuit turns around; a full search has a command of its own.
        /// How fixed points are searched for, in networks with biases.
        fixed_points: FixedPointParams =
            FixedPointParams { random_starts: 8, settled_starts: 4, max_rounds: 0, ..FixedPointParams::default() };
        /// How eigenvalues at the origin and at fixed points are compared.
        origin_spectrum: SpectrumParams = SpectrumParams::at_a_point();
        /// How eigenvalues on the orbit are compared.
        orbit_spectrum: SpectrumParams = SpectrumParams::on_the_orbit();
        /// How memories are found and judged.
        memories: MemoriesParams;
        /// When a reading is stated.
        recurrence: RecurrenceParams;
        /// How the code is fitted and judged.
        code: CodeParams;
        /// Where claims begin to hold.
        claims: ClaimParams;
        /// How the inputs are read at each step of the trial.
        over_time: OverTimeParams;
        /// Whether they are read of a circuit too, which says what it holds by itself.
        readings: bool;
    }
}

/// Output steps of a trial, at least: a step of the contents has a before and an after, and both must be seen twice.
pub const LEAST_STEPS: usize = 3;

impl Adjustable for InterpretParams {
    const NAME: &'static str = "";
    type Error = InterpretError;

    fn complete(self) -> Result<Self, InterpretError> {
        match self.observe.ends_after {
            Some(steps) => self.ending_after(steps),
            None => Ok(self),
        }
    }
}

impl InterpretParams {
    /// For trials that end after so many output steps: nothing is run or said beyond, and what waits until the state has settled
    /// waits for a share of them. Inputs are read at every step.
    pub fn ending_after(mut self, steps: usize) -> Result<Self, InterpretError> {
        if steps < LEAST_STEPS {
            return Err(InterpretError::TooFewSteps(steps));
        }
        let Self { observe, visited, orbit, code, claims, .. } = &mut self;
        observe.accuracy_horizon = steps;
        observe.ends_after = Some(steps);
        observe.score_settle = observe.score_settle.min(2 * steps / 3);
        observe.kind.silence = observe.kind.silence.min((steps / 2).max(1));
        visited.settle = visited.settle.min(steps / 3);
        let settling = &mut orbit.settling;
        settling.early_steps = settling.early_steps.min((steps / 3).max(1));
        settling.later = settling.later.min(steps - settling.early_steps);
        code.moment = code.moment.min(steps - 1);
        code.control_steps = code.control_steps.min(steps - visited.settle);
        code.contents.settled = code.contents.settled.min(steps / 2);
        code.table_steps = code.table_steps.min(steps - code.contents.settled);
        claims.steered_most =
            claims.steered_most.min(steps - code.contents.settled.min(visited.settle + 2).min(steps - 1));
        self.over_time.steps = steps;
        self.readings = true;
        Ok(self)
    }
}
