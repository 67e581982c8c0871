//! One network under one question: what every stage looks at, each thing made once.

use super::trajectories::linear_readout;
use super::{InterpretError, InterpretParams, Question, Warning};
use crate::circuit::Core;
use crate::code::Contents;
use crate::linearize::{Linearization, LinearizeError, LinearizedAt, Visited, orbit, origin, restrict, visit};
use crate::memories::{Evidence, Memories, Method, memories};
use crate::network::{Dynamics, Network};
use crate::numeric::{Matrix, c64, eigenvalues};
use crate::observe::{Observations, View, Watch};
use crate::recurrence::{Recurrence, confirm};
use crate::spectrum::{Spectrum, spectrum};
use crate::task::Window;

/// A network, or recordings of one.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// Nothing where only recordings are known.
    pub(super) subject: Option<Simulated<'a>>,
    /// The states that are looked at.
    pub(super) observed: &'a Observations,
    pub(super) question: &'a Question,
    /// Nothing where the function cannot be told.
    pub(super) theory: Option<&'a Theory>,
    pub(super) params: &'a InterpretParams,
    pub(super) watch: &'a Watch<'a>,
}

/// A network that was simulated, and how it is looked at.
#[derive(Clone, Copy)]
pub(super) struct Simulated<'a> {
    pub(super) network: &'a Network,
    pub(super) view: &'a View,
    /// What was observed, with whole states.
    pub(super) whole: &'a Observations,
}

/// The task, given or read back, its core, and what a state must hold.
pub(super) struct Theory {
    pub(super) task: Window,
    /// Nothing for a truth table.
    pub(super) core: Option<Core>,
    pub(super) contents: Contents,
}

/// The network at the zero state.
pub(super) struct AtOrigin {
    pub(super) jacobian: Matrix,
    pub(super) eigenvalues: Vec<c64>,
    pub(super) spectrum: Spectrum,
}

/// The weights alone say this, so that it can be worked out while the network is simulated.
pub(super) struct LinearAtOrigin {
    jacobian: Matrix,
    eigenvalues: Vec<c64>,
}

impl LinearAtOrigin {
    pub(super) fn of(network: &Network) -> Result<Self, InterpretError> {
        let jacobian = origin(network);
        let eigenvalues = eigenvalues(&jacobian)?;
        Ok(Self { jacobian, eigenvalues })
    }
}

/// The network on the states that it visits.
pub(super) struct OnOrbit {
    /// Late activity as a share of the largest.
    pub(super) persistence: f64,
    pub(super) visited: Visited,
    /// Nothing where activity dies out.
    pub(super) linear: Option<Linearization>,
    pub(super) spectrum: Spectrum,
}

impl Theory {
    /// Nothing where the function cannot be told.
    pub(super) fn of(
        question: &Question,
        reading: &Recurrence,
        (s, d): (usize, usize),
        params: &InterpretParams,
    ) -> Result<Option<Self>, InterpretError> {
        let task = match question {
            Question::Task(task) => Some(task.clone()),
            Question::Blind { .. } => reading.task(s, d),
        };
        let Some(task) = task else { return Ok(None) };
        let core = Core::of_linear(&task)?;
        let contents = Contents::of(&task, core.as_ref(), &params.code.contents)?;
        Ok(Some(Self { task, core, contents }))
    }
}

impl Case<'_> {
    /// Nothing for a truth table, or a function that cannot be told.
    fn core(&self) -> Option<&Core> {
        self.theory?.core.as_ref()
    }

    /// The same whichever part of the state is looked at.
    pub(super) fn at_the_origin(&self, linear: LinearAtOrigin) -> Result<AtOrigin, InterpretError> {
        let LinearAtOrigin { jacobian, eigenvalues } = linear;
        let predicted = self.core().map(Core::eigenvalues);
        let spectrum = spectrum(&eigenvalues, predicted, &self.params.origin_spectrum)?;
        Ok(AtOrigin { jacobian, eigenvalues, spectrum })
    }

    pub(super) fn look_at_the_orbit(&self) -> Result<OnOrbit, InterpretError> {
        let (observed, params) = (self.observed, self.params);
        let persistence = observed.probe.persistence(params.visited.settle);
        let visited = visit(&observed.probe, &params.visited)?;
        let rank = self.core().map_or(visited.largest_gap, Core::dimension);
        let linear = match persistence > params.claims.alive {
            true => match orbit(&visited, rank, &params.orbit) {
                // Outputs differ but states do not, to working precision.
                Err(LinearizeError::Silent) => None,
                linear => Some(linear?),
            },
            false => None,
        };
        let found = linear.as_ref().map(|orbit| eigenvalues(&orbit.operator)).transpose()?.unwrap_or_default();
        let predicted = self.core().map(Core::eigenvalues);
        let spectrum = spectrum(&found, predicted, &params.orbit_spectrum)?;
        Ok(OnOrbit { persistence, visited, linear, spectrum })
    }

    /// Memories by every method of the dynamics that was asked for, and the reading of the function confirmed on the orbit.
    pub(super) fn follow_the_dynamics(
        &self,
        origin: Option<&AtOrigin>,
        orbit: &OnOrbit,
        reading: &mut Recurrence,
    ) -> Result<(Vec<Memories>, Vec<Warning>), InterpretError> {
        let Some(linear) = &orbit.linear else { return Ok((vec![], vec![])) };
        let readout = match self.subject {
            Some(Simulated { network, view, .. }) => view.of_readout(&network.readout_of_state()),
            None => linear_readout(&orbit.visited, linear, self.observed),
        };
        confirm(reading, &readout, &orbit.visited, linear, &self.params.recurrence)?;
        let mut warnings: Vec<Warning> = linear.doubts.iter().cloned().map(Warning::Orbit).collect();
        let Some(theory) = self.theory else { return Ok((vec![], warnings)) };
        // The other methods follow a linear circuit.
        let Some(core) = &theory.core else { return Ok((vec![], warnings)) };
        let subject = self.subject.filter(|subject| subject.view.is_plain());
        let input = subject.map(|subject| input_map(subject.network));
        let evidence = Evidence {
            readout: &readout,
            input: input.as_ref(),
            task: &theory.task,
            core,
            observed: self.observed,
            visited: &orbit.visited,
            orbit: linear,
            jacobian: subject.and(origin).map(|at| &at.jacobian),
            origin: None,
        };
        let found = find_memories(&evidence, self.params, &mut warnings)?;
        Ok((found, warnings))
    }
}

/// What an input adds to the state: the input weights of a plain layer, as the paper takes them; the derivative of other networks.
fn input_map(network: &Network) -> Matrix {
    match network.as_elman() {
        Some(cell) => cell.input_weights.clone(),
        None => network.jacobians(&vec![0.0; network.state_size()], &vec![0.0; network.inputs()]).input,
    }
}

/// The method to show first, and those to compare with; each once.
fn find_memories(
    evidence: &Evidence<'_>,
    params: &InterpretParams,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Memories>, InterpretError> {
    let mut wanted: Vec<Method> = vec![];
    for method in [params.method].into_iter().chain(params.methods.iter().copied()) {
        if method != Method::Code && !wanted.contains(&method) {
            wanted.push(method);
        }
    }
    let needs_origin = wanted.iter().any(|method| matches!(method, Method::Power | Method::Dual));
    let threshold = params.origin_spectrum.threshold;
    let lasting = |jacobian: &Matrix| restrict(jacobian, threshold, LinearizedAt::Origin);
    let origin = evidence.jacobian.filter(|_| needs_origin).map(lasting).transpose()?;
    let evidence = Evidence { origin: origin.as_ref(), ..*evidence };
    let mut found = vec![];
    for method in wanted {
        match memories(&evidence, method, &params.memories) {
            Ok(memories) => {
                let limit = params.memories.ill_conditioned;
                if let Some(condition) = memories.condition.filter(|&condition| condition > limit) {
                    warnings.push(Warning::IllConditioned { method, condition, limit });
                }
                found.push(memories);
            }
            Err(error) => warnings.push(Warning::MethodFailed { method, why: error.to_string() }),
        }
    }
    Ok(found)
}
