//! The stages in order.

use super::stages::{Case, Source};
use super::{
    Details, InterpretError, InterpretParams, Interpretation, MemoriesSummary, Note, Question, Rank, Spectra,
    TaskSummary, Verdict, Warning, limits,
};
use crate::circuit::Core;
use crate::linearize::fixed_points;
use crate::memories::Memories;
use crate::network::{Accuracy, Network};
use crate::observe::{Observations, ObserveParams, observe};
use crate::random::{Purpose, Stream};
use crate::recurrence::read_back;
use crate::spectrum::spectrum;

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
    let (s, d) = question.size(network.outputs());
    limits::check(s, d, network.hidden(), params)?;
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
                other.accuracy = found.accuracy.or_else(|| accuracy_from_zero(network, &other, params));
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

/// Accuracy from the zero state on what was read back from elsewhere.
fn accuracy_from_zero(network: &Network, found: &Interpretation, params: &InterpretParams) -> Option<Accuracy> {
    let ObserveParams { seed, accuracy_episodes, accuracy_horizon, .. } = params.observe;
    let stream = Stream::new(seed, Purpose::ScoreInputs);
    let task = found.details.task.as_ref()?;
    Some(network.accuracy(task, &stream, 1, accuracy_episodes, accuracy_horizon))
}

fn interpret_from(
    network: &Network,
    question: &Question,
    start: Option<&[f64]>,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let (s, d) = question.size(network.outputs());
    let observed = observe(network, (s, d), start, &params.observe)?;
    interpret_observed(&Source::Weights { network, start }, &observed, question, params)
}

/// Every stage once, in order, on what was observed.
pub(super) fn interpret_observed(
    source: &Source<'_>,
    observed: &Observations,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let case = Case { source, observed, question, params };
    let mut reading = read_back(observed, &params.recurrence)?;
    let theory = case.theory(&reading)?;
    let origin = case.look_at_the_origin(&theory)?;
    let orbit = case.look_at_the_orbit(&theory)?;
    let (found, mut warnings) = case.look_for_memories(&theory, origin.as_ref(), &orbit, &mut reading)?;
    let judged = case.judge(&theory, &orbit, &found);
    let superposition = case.look_for_shared_directions(&theory, &judged)?;
    warnings.extend(case.warnings(origin.as_ref(), &orbit, &reading));
    if judged.verdict == Verdict::NotLearned {
        warnings.insert(0, Warning::NotLearned);
    }
    let (s, d) = (observed.s, observed.d);
    // Only methods that were asked for are shown; `orbit` always runs, because the verdict rests on it.
    let shown: Vec<MemoriesSummary> = found.iter().map(|memories| summary(memories, params)).collect();
    let methods = (!params.methods.is_empty()).then(|| {
        let asked = shown.iter().filter(|summary| params.methods.contains(&summary.method));
        asked.map(|summary| (summary.method.name(), summary.clone())).collect()
    });
    let (at_origin, origin_eigenvalues) = origin.map_or((None, vec![]), |at| (Some(at.spectrum), at.eigenvalues));
    Ok(Interpretation {
        task: TaskSummary {
            name: theory.task.as_ref().map(|task| task.name().to_string()),
            s,
            d,
            core: theory.core.as_ref().map(Core::dimension),
        },
        blind: matches!(question, Question::Blind { .. }),
        hidden: observed.probe.states[&0].nrows(),
        accuracy: judged.accuracy,
        outputs: judged.outputs.unwrap_or_default(),
        verdict: judged.verdict,
        reasons: judged.reasons,
        not_linear: judged.not_linear,
        superposition,
        rank: orbit.linear.as_ref().map(|(visited, orbit)| Rank {
            used: orbit.rank(),
            largest_gap: visited.largest_gap,
            gap_ratio: visited.gap_ratio,
            residual: orbit.residual,
            singular_values: visited.singular_values.clone(),
        }),
        spectrum: Spectra { origin: at_origin, fixed_point: None, orbit: orbit.spectrum },
        memories: shown.iter().find(|summary| summary.method == params.method).cloned(),
        methods,
        recurrence: reading.stated(),
        recurrence_in_words: reading.task(s, d).map(|task| task.recurrence()).unwrap_or_default(),
        confidence: reading.confidence,
        readings: reading.readings,
        warnings: warnings.into_iter().map(Note::from).collect(),
        params: params.clone(),
        details: Details {
            task: theory.task,
            means: orbit.linear.as_ref().map(|(visited, _)| visited.means.clone()).unwrap_or_default(),
            orbit: orbit.linear.map(|(_, orbit)| orbit),
            origin_eigenvalues,
            memories: found,
        },
    })
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
