//! The stages in order.

use super::trajectories::linear_network;
use super::verdict::{Findings, judge};
use super::{
    Details, InterpretError, InterpretParams, Interpretation, MemoriesSummary, Note, Question, Rank, Spectra,
    TaskSummary, Verdict, Warning,
};
use crate::circuit::Core;
use crate::linearize::{Linearization, LinearizeError, Place, Visited, fixed_points, orbit, origin, restrict, visit};
use crate::memories::{Component, Evidence, Memories, Method, memories};
use crate::network::{Accuracy, Network};
use crate::numeric::{Matrix, eigenvalues};
use crate::observe::{Observations, observe, output_accuracy};
use crate::recurrence::{Recurrence, confirm, read_back};
use crate::spectrum::spectrum;
use crate::superposition::{SuperpositionParams, superposition};
use crate::task::Task;

/// Memories with a larger condition number are worth a warning.
const CONDITION_LIMIT: f64 = 1e3;

/// Fixed points that are tried as starting states.
const MOST_STARTS: usize = 4;

/// Interprets a network.
///
/// Without biases the zero state is a fixed point and everything is seen from there. With them, where that fails, the
/// episodes start at a fixed point instead; accuracy is always that from the zero state.
pub fn interpret(
    network: &Network,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let mut found = interpret_from(network, question, None, params)?;
    if network.biases.is_none() {
        return Ok(found);
    }
    let points = fixed_points(network, None, None, &params.fixed_points)?;
    let mut shown = points.fixed().next();
    if found.verdict != Verdict::Circuit {
        for point in points.fixed().take(MOST_STARTS) {
            let mut other = interpret_from(network, question, Some(&point.ending.state), params)?;
            if other.verdict == Verdict::Circuit {
                other.accuracy = found.accuracy;
                other.warnings.push(Warning::StartedAtFixedPoint.into());
                (found, shown) = (other, Some(point));
                break;
            }
        }
    }
    let core = found.details.task.as_ref().map(Core::of).transpose()?;
    let theory = core.as_ref().map(Core::eigenvalues);
    found.spectrum.fixed_point =
        shown.map(|point| spectrum(&point.eigenvalues, theory, &params.origin_spectrum)).transpose()?;
    Ok(found)
}

fn interpret_from(
    network: &Network,
    question: &Question,
    start: Option<&[f64]>,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let (s, d) = match question {
        Question::Task(task) => (task.s(), task.d()),
        Question::Blind { s } => (*s, network.outputs()),
    };
    let observed = observe(network, (s, d), start, &params.observe)?;
    interpret_observed(&Source::Weights { network, start }, &observed, question, params)
}

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

pub(super) fn interpret_observed(
    source: &Source<'_>,
    observed: &Observations,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let (s, d, hidden) = (observed.s, observed.d, observed.probe.states[&0].nrows());
    let mut reading = read_back(observed, &params.recurrence)?;
    let (task, blind) = match question {
        Question::Task(task) => (Some(task.clone()), false),
        Question::Blind { .. } => (reading.task(s, d), true),
    };
    let core = task.as_ref().map(Core::of).transpose()?;
    let theory = core.as_ref().map(Core::eigenvalues);
    let jacobian = source.network().map(origin);
    let origin_eigenvalues = jacobian.as_ref().map(eigenvalues).transpose()?;
    let at_origin =
        origin_eigenvalues.as_ref().map(|all| spectrum(all, theory, &params.origin_spectrum)).transpose()?;
    let persistence = observed.probe.persistence(params.visited.settle);
    let orbit = match persistence > params.verdict.alive {
        true => linearize_orbit(observed, core.as_ref(), params)?,
        false => None,
    };
    let on_orbit = match &orbit {
        Some((_, orbit)) => eigenvalues(&orbit.operator)?,
        None => vec![],
    };
    let on_orbit = spectrum(&on_orbit, theory, &params.orbit_spectrum)?;
    let mut warnings: Vec<Warning> = vec![];
    let mut found = vec![];
    if let Some((visited, orbit)) = &orbit {
        let shown;
        let network = match source.network() {
            Some(network) => network,
            None => {
                shown = linear_network(visited, orbit, observed);
                &shown
            }
        };
        confirm(&mut reading, network, visited, orbit, &params.recurrence)?;
        warnings.extend(orbit.doubts.iter().cloned().map(Warning::Orbit));
        if let (Some(task), Some(core)) = (&task, &core) {
            let evidence = Evidence {
                network,
                task,
                core,
                observed,
                visited,
                orbit,
                jacobian: jacobian.as_ref().unwrap_or(&network.recurrent_weights),
                origin: None,
            };
            found = find_memories(&evidence, params, &mut warnings)?;
        }
    }
    let by_orbit = found.iter().find(|memories| memories.method == Method::Orbit).map(|memories| &memories.score);
    let not_linear = not_recovered(&core, by_orbit.map(|score| score.components.as_slice()), d, params);
    let means = observed.probe.mean_outputs();
    let outputs = task.as_ref().map(|task| output_accuracy(&observed.trial, task, s, Some(&means)));
    let (verdict, reasons) = judge(
        &Findings {
            persistence,
            outputs: outputs.as_deref(),
            directions: (on_orbit.found, core.as_ref().map_or(0, Core::dimension)),
            held_core: held_core(core.as_ref(), outputs.as_deref().unwrap_or_default(), params.verdict.held),
            score: by_orbit,
            not_linear: &not_linear,
            recovered: params.memories.recovered,
        },
        &params.verdict,
    );
    let superposition = match (&task, &core, &outputs, source) {
        (Some(task), Some(core), Some(outputs), Source::Weights { network, start })
            if verdict == Verdict::Superposed =>
        {
            let held: Vec<bool> = outputs.iter().map(|&share| share > params.verdict.held).collect();
            let params = SuperpositionParams { seed: params.observe.seed, ..params.superposition.clone() };
            superposition(network, *start, task, core, &held, &params)?
        }
        _ => None,
    };
    if verdict == Verdict::NotLearned {
        warnings.insert(0, Warning::NotLearned);
    }
    let placed = at_origin.iter().map(|spectrum| (Place::Origin, spectrum)).chain([(Place::Orbit, &on_orbit)]);
    for (place, spectrum) in placed {
        if let Some(expected) = spectrum.expected.filter(|&expected| expected != spectrum.found) {
            warnings.push(Warning::CountDiffers { place, found: spectrum.found, expected });
        }
    }
    if source.network().is_some_and(Network::has_bias) {
        warnings.push(Warning::Biases);
    }
    if let Question::Task(task) = question {
        warnings.extend(something_else(&reading, task));
    }
    let horizon = params.observe.accuracy_horizon.min(observed.long.outputs.len());
    let accuracy = task.as_ref().map(|task| {
        let by_output = output_accuracy(&observed.long, task, horizon, None);
        Accuracy { horizon, value: by_output.iter().sum::<f64>() / d as f64 }
    });
    // Only methods that were asked for are shown; `orbit` always runs, because the verdict rests on it.
    let shown: Vec<MemoriesSummary> = found.iter().map(|memories| summary(memories, params)).collect();
    let methods = (!params.methods.is_empty()).then(|| {
        let asked = shown.iter().filter(|summary| params.methods.contains(&summary.method));
        asked.map(|summary| (summary.method.name(), summary.clone())).collect()
    });
    Ok(Interpretation {
        task: TaskSummary {
            name: task.as_ref().map(|task| task.name().to_string()),
            s,
            d,
            core: core.as_ref().map(Core::dimension),
        },
        blind,
        hidden,
        accuracy,
        outputs: outputs.unwrap_or_default(),
        verdict,
        reasons,
        not_linear,
        spectrum: Spectra { origin: at_origin, fixed_point: None, orbit: on_orbit },
        superposition,
        rank: orbit.as_ref().map(|(visited, orbit)| Rank {
            used: orbit.rank(),
            largest_gap: visited.largest_gap,
            gap_ratio: visited.gap_ratio,
            residual: orbit.residual,
            singular_values: visited.singular_values.clone(),
        }),
        memories: shown.iter().find(|summary| summary.method == params.method).cloned(),
        methods,
        recurrence: reading.stated(),
        recurrence_in_words: reading.task(s, d).map(|task| task.recurrence()).unwrap_or_default(),
        confidence: reading.confidence,
        readings: reading.readings,
        warnings: warnings.into_iter().map(Note::from).collect(),
        params: params.clone(),
        details: Details {
            task,
            means: orbit.as_ref().map(|(visited, _)| visited.means.clone()).unwrap_or_default(),
            orbit: orbit.map(|(_, orbit)| orbit),
            origin_eigenvalues: origin_eigenvalues.unwrap_or_default(),
            memories: found,
        },
    })
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
    core: &Option<Core>,
    components: Option<&[f64]>,
    d: usize,
    params: &InterpretParams,
) -> Vec<Component> {
    let (Some(at), Some(scores)) = (core.as_ref().and_then(|core| core.components.as_ref()), components) else {
        return vec![];
    };
    let missed = at.iter().zip(scores).filter(|(_, score)| **score < params.memories.recovered);
    missed.map(|(index, _)| Component { variable: index / d + 1, component: index % d + 1 }).collect()
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

fn summary(memories: &Memories, params: &InterpretParams) -> MemoriesSummary {
    MemoriesSummary {
        method: memories.method,
        mean: memories.score.mean,
        worst: memories.score.worst,
        worst_component: memories.score.worst_component,
        first_steps: memories.score.first_steps,
        recovered: memories.score.worst >= params.memories.recovered,
        // JSON has no infinity; a singular basis has no condition number worth a number.
        condition: memories.condition.filter(|condition| condition.is_finite()),
        phi_error: memories.phi_error.filter(|error| error.is_finite()),
    }
}
