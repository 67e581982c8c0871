//! The stages, each with what it needs from those before it.

use super::trajectories::linear_network;
use super::verdict::{Findings, judge};
use super::{InterpretError, InterpretParams, Question, Reason, Verdict, Warning};
use crate::circuit::Core;
use crate::linearize::{Linearization, LinearizeError, Place, Visited, orbit, origin, restrict, visit};
use crate::memories::{Component, Evidence, Memories, Method, memories};
use crate::network::{Accuracy, Network};
use crate::numeric::{Matrix, c64, eigenvalues};
use crate::observe::{Observations, output_accuracy};
use crate::recurrence::{Recurrence, confirm};
use crate::spectrum::{Spectrum, spectrum};
use crate::superposition::{Superposition, SuperpositionParams, superposition};
use crate::task::Task;

/// Memories with a larger condition number are worth a warning.
const CONDITION_LIMIT: f64 = 1e3;

/// Where observations come from.
pub(super) enum Source<'a> {
    /// A network, simulated from a state.
    Weights { network: &'a Network, start: Option<&'a [f64]> },
    /// Somebody else's simulation.
    Trajectories,
}

impl<'a> Source<'a> {
    fn network(&self) -> Option<&'a Network> {
        match self {
            Self::Weights { network, .. } => Some(network),
            Self::Trajectories => None,
        }
    }
}
/// One network under one question: what every stage looks at.
pub(super) struct Case<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) observed: &'a Observations,
    pub(super) question: &'a Question,
    pub(super) params: &'a InterpretParams,
}

/// The task, given or read back, and its core; nothing where the function cannot be told.
pub(super) struct Theory {
    pub(super) task: Option<Task>,
    pub(super) core: Option<Core>,
}

impl Theory {
    fn eigenvalues(&self) -> Option<&[c64]> {
        self.core.as_ref().map(Core::eigenvalues)
    }
}

/// The network at the zero state.
pub(super) struct AtOrigin {
    pub(super) jacobian: Matrix,
    pub(super) eigenvalues: Vec<c64>,
    pub(super) spectrum: Spectrum,
}

/// The network on the states that it visits.
pub(super) struct OnOrbit {
    /// Late activity as a share of the largest.
    pub(super) persistence: f64,
    /// Nothing where activity dies out.
    pub(super) linear: Option<(Visited, Linearization)>,
    pub(super) spectrum: Spectrum,
}

pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) reasons: Vec<Reason>,
    pub(super) not_linear: Vec<Component>,
    /// Accuracy of each output over the first s output steps.
    pub(super) outputs: Option<Vec<f64>>,
    /// Accuracy over a long output phase.
    pub(super) accuracy: Option<Accuracy>,
}

impl Case<'_> {
    pub(super) fn theory(&self, reading: &Recurrence) -> Result<Theory, InterpretError> {
        let task = match self.question {
            Question::Task(task) => Some(task.clone()),
            Question::Blind { .. } => reading.task(self.observed.s, self.observed.d),
        };
        let core = task.as_ref().map(Core::of).transpose()?;
        Ok(Theory { task, core })
    }

    /// Nothing where only trajectories are known.
    pub(super) fn look_at_the_origin(&self, theory: &Theory) -> Result<Option<AtOrigin>, InterpretError> {
        let Some(network) = self.source.network() else { return Ok(None) };
        let jacobian = origin(network);
        let eigenvalues = eigenvalues(&jacobian)?;
        let spectrum = spectrum(&eigenvalues, theory.eigenvalues(), &self.params.origin_spectrum)?;
        Ok(Some(AtOrigin { jacobian, eigenvalues, spectrum }))
    }

    pub(super) fn look_at_the_orbit(&self, theory: &Theory) -> Result<OnOrbit, InterpretError> {
        let (observed, params) = (self.observed, self.params);
        let persistence = observed.probe.persistence(params.visited.settle);
        let linear = match persistence > params.verdict.alive {
            true => linearize_orbit(observed, theory.core.as_ref(), params)?,
            false => None,
        };
        let found = linear.as_ref().map(|(_, orbit)| eigenvalues(&orbit.operator)).transpose()?.unwrap_or_default();
        let spectrum = spectrum(&found, theory.eigenvalues(), &params.orbit_spectrum)?;
        Ok(OnOrbit { persistence, linear, spectrum })
    }

    /// Memories by every method, and the reading of the function confirmed on the orbit.
    pub(super) fn look_for_memories(
        &self,
        theory: &Theory,
        origin: Option<&AtOrigin>,
        orbit: &OnOrbit,
        reading: &mut Recurrence,
    ) -> Result<(Vec<Memories>, Vec<Warning>), InterpretError> {
        let Some((visited, orbit)) = &orbit.linear else { return Ok((vec![], vec![])) };
        let shown;
        let network = match self.source.network() {
            Some(network) => network,
            None => {
                shown = linear_network(visited, orbit, self.observed);
                &shown
            }
        };
        confirm(reading, network, visited, orbit, &self.params.recurrence)?;
        let mut warnings: Vec<Warning> = orbit.doubts.iter().cloned().map(Warning::Orbit).collect();
        let (Some(task), Some(core)) = (&theory.task, &theory.core) else { return Ok((vec![], warnings)) };
        let jacobian = origin.map_or(&network.recurrent_weights, |at| &at.jacobian);
        let evidence =
            Evidence { network, task, core, observed: self.observed, visited, orbit, jacobian, origin: None };
        let found = find_memories(&evidence, self.params, &mut warnings)?;
        Ok((found, warnings))
    }

    pub(super) fn judge(&self, theory: &Theory, orbit: &OnOrbit, found: &[Memories]) -> Judged {
        let (observed, params, core) = (self.observed, self.params, theory.core.as_ref());
        let by_orbit = found.iter().find(|memories| memories.method == Method::Orbit).map(|memories| &memories.score);
        let not_linear = not_recovered(core, by_orbit.map(|score| score.components.as_slice()), observed.d, params);
        let means = observed.probe.mean_outputs();
        let outputs = theory.task.as_ref().map(|task| output_accuracy(&observed.trial, task, observed.s, Some(&means)));
        let accuracy = theory.task.as_ref().map(|task| self.accuracy(task));
        let (verdict, reasons) = judge(
            &Findings {
                persistence: orbit.persistence,
                outputs: outputs.as_deref(),
                lasting_accuracy: accuracy.map_or(0.0, |accuracy| accuracy.value),
                directions: (orbit.spectrum.found, core.map_or(0, Core::dimension)),
                held_core: held_core(core, outputs.as_deref().unwrap_or_default(), params.verdict.held),
                score: by_orbit,
                not_linear: &not_linear,
                recovered: params.memories.recovered,
            },
            &params.verdict,
        );
        Judged { verdict, reasons, not_linear, outputs, accuracy }
    }

    pub(super) fn look_for_shared_directions(
        &self,
        theory: &Theory,
        judged: &Judged,
    ) -> Result<Option<Superposition>, InterpretError> {
        let (Some(task), Some(core), Some(outputs), Source::Weights { network, start }) =
            (&theory.task, &theory.core, &judged.outputs, self.source)
        else {
            return Ok(None);
        };
        if judged.verdict != Verdict::Superposed {
            return Ok(None);
        }
        let held: Vec<bool> = outputs.iter().map(|&share| share > self.params.verdict.held).collect();
        let params = SuperpositionParams { seed: self.params.observe.seed, ..self.params.superposition.clone() };
        Ok(superposition(network, *start, task, core, &held, &params)?)
    }

    fn accuracy(&self, task: &Task) -> Accuracy {
        let long = &self.observed.long;
        let horizon = self.params.observe.accuracy_horizon.min(long.outputs.len());
        let by_output = output_accuracy(long, task, horizon, None);
        Accuracy { horizon, value: by_output.iter().sum::<f64>() / by_output.len() as f64 }
    }

    /// What the counts, the biases and the reading say against the result.
    pub(super) fn warnings(&self, origin: Option<&AtOrigin>, orbit: &OnOrbit, reading: &Recurrence) -> Vec<Warning> {
        let mut warnings = vec![];
        let at_origin = origin.map(|at| (Place::Origin, &at.spectrum));
        for (place, spectrum) in at_origin.into_iter().chain([(Place::Orbit, &orbit.spectrum)]) {
            if let Some(expected) = spectrum.expected.filter(|&expected| expected != spectrum.found) {
                warnings.push(Warning::CountDiffers { place, found: spectrum.found, expected });
            }
        }
        if self.source.network().is_some_and(Network::has_bias) {
            warnings.push(Warning::Biases);
        }
        match self.question {
            Question::Task(task) => warnings.extend(something_else(reading, task)),
            Question::Blind { s } => warnings.extend(shorter_relations(reading, *s)),
        }
        warnings
    }
}

/// How much of the core lies on cycles that pass through held outputs only; a dense f is held as a whole or not.
fn held_core(core: Option<&Core>, outputs: &[f64], held: f64) -> usize {
    let Some(core) = core else { return 0 };
    if outputs.iter().all(|&share| share > held) {
        return core.dimension();
    }
    let holds = |member: &usize| outputs[member % outputs.len()] > held;
    core.structure.cycles.iter().filter(|cycle| cycle.members.iter().all(holds)).map(|cycle| cycle.length()).sum()
}

/// Nothing where no direction is visited: outputs differ but states do not, to working precision.
fn linearize_orbit(
    observed: &Observations,
    core: Option<&Core>,
    params: &InterpretParams,
) -> Result<Option<(Visited, Linearization)>, InterpretError> {
    let visited = visit(&observed.probe, &params.visited)?;
    let rank = core.map_or(visited.largest_gap, Core::dimension);
    match orbit(&visited, rank, &params.orbit) {
        Ok(orbit) => Ok(Some((visited, orbit))),
        Err(LinearizeError::Silent) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The method to show first, `orbit` for the verdict, and those to compare with; each once.
fn find_memories(
    evidence: &Evidence<'_>,
    params: &InterpretParams,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Memories>, InterpretError> {
    let mut wanted = vec![params.method];
    for method in params.methods.iter().copied().chain([Method::Orbit]) {
        if !wanted.contains(&method) {
            wanted.push(method);
        }
    }
    let needs_origin = wanted.iter().any(|method| matches!(method, Method::Power | Method::Dual));
    let threshold = params.origin_spectrum.threshold;
    let lasting = |jacobian: &Matrix| restrict(jacobian, threshold, Place::Origin);
    let origin = needs_origin.then(|| lasting(evidence.jacobian)).transpose()?;
    let evidence = Evidence { origin: origin.as_ref(), ..*evidence };
    let mut found = vec![];
    for method in wanted {
        match memories(&evidence, method, &params.memories) {
            Ok(memories) => {
                if let Some(condition) = memories.condition.filter(|&condition| condition > CONDITION_LIMIT) {
                    warnings.push(Warning::IllConditioned { method, condition, limit: CONDITION_LIMIT });
                }
                found.push(memories);
            }
            Err(error) => warnings.push(Warning::MethodFailed { method, why: error.to_string() }),
        }
    }
    Ok(found)
}

fn not_recovered(
    core: Option<&Core>,
    components: Option<&[f64]>,
    d: usize,
    params: &InterpretParams,
) -> Vec<Component> {
    let (Some(at), Some(scores)) = (core.and_then(|core| core.components.as_ref()), components) else {
        return vec![];
    };
    let missed = at.iter().zip(scores).filter(|(_, score)| **score < params.memories.recovered);
    missed.map(|(index, _)| Component { variable: index / d + 1, component: index % d + 1 }).collect()
}

fn shorter_relations(reading: &Recurrence, s: usize) -> Option<Warning> {
    let outputs: Vec<usize> = reading
        .readings
        .iter()
        .filter(|reading| reading.shorter.is_some())
        .map(|reading| reading.step.output)
        .collect();
    let lags = reading.readings.iter().map(|reading| reading.shorter.unwrap_or(reading.step).lag);
    let needed = lags.max().unwrap_or(s);
    (!outputs.is_empty() && needed < s).then_some(Warning::ShorterRelations { outputs, s, needed })
}

fn something_else(reading: &Recurrence, task: &Task) -> Option<Warning> {
    let sources = task.sources()?;
    let differs = |(j, source): (usize, &crate::task::Source)| {
        let reading = reading.readings.get(j)?;
        let (lag, component) = (reading.step.lag, reading.step.component - 1);
        let same = (lag, component, reading.step.sign < 0) == (source.lag, source.component, source.negated);
        (reading.stated && !same).then_some(j + 1)
    };
    let outputs: Vec<usize> = sources.iter().enumerate().filter_map(differs).collect();
    (!outputs.is_empty()).then_some(Warning::ComputesSomethingElse { outputs })
}
