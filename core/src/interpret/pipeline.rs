//! The stages in order.

use super::case::{AtOrigin, Case, LinearAtOrigin, OnOrbit, Simulated, Theory};
use super::doubts::{code_doubts, doubts, recording_doubts};
use super::judging::{all_claims, conclude, trust};
use super::other_kind::of_another_kind;
use super::over_time::inputs_over_time;
use super::reading::{observe_and_read, read_recordings};
use super::recorded::recorded_runs;
use super::{
    CodeSummary, Details, InterpretError, InterpretParams, Interpretation, MemoriesSummary, NetworkSummary, Note,
    Question, Rank, Spectra, StateView, Stimulus, TaskSummary, Verdict, Warning, WholeState, limits,
};
use crate::circuit::Core;
use crate::claims::Behaviour;
use crate::linearize::fixed_points;
use crate::memories::{Memories, Method};
use crate::network::{Cell, Network};
use crate::observe::{self, Observations, OnProgress, View, Watch};
use crate::recurrence::Recurrence;
use crate::spectrum::spectrum;

/// Interprets a network: everything is seen and measured from the zero state, on inputs of our choosing. The watcher is told of
/// progress, and may stop it (`&|_| true` lets it run).
pub fn interpret(
    network: &Network,
    question: &Question,
    params: &InterpretParams,
    watcher: OnProgress<'_>,
) -> Result<Interpretation, InterpretError> {
    if let Question::Blind { s } = question
        && network.inputs() != network.outputs()
    {
        return Ok(of_another_kind(network, *s, params));
    }
    let (s, d) = question.size(network.outputs());
    let watch = Watch::new(watcher, params.observe.work(s, d));
    limits::check(s, d, network.state_size(), params)?;
    observe::check(network, d)?;
    let (observed, linear) =
        rayon::join(|| observe_and_read(network, question, params, &watch), || LinearAtOrigin::of(network));
    let (observed, reading) = observed?;
    let theory = Theory::of(question, &reading, (s, d), params)?;
    let case = Case { subject: None, observed: &observed, question, theory: theory.as_ref(), params, watch: &watch };
    watch.stage("linearizing", 0.1)?;
    let origin = case.at_the_origin(linear?)?;
    let (units, whole) = (View::units(network), View::whole(network));
    let units_first = params.state == StateView::Units && network.has_inner_state();
    let view = if units_first { &units } else { &whole };
    let (found, wider) = rayon::join(
        || look(network, view, &case, &origin, &reading),
        || units_first.then(|| look(network, &whole, &case, &origin, &reading)),
    );
    let mut found = found?;
    found.over_time = inputs_over_time(network, view, question, found.verdict, params, &watch)?;
    if let Some(wider) = wider {
        let wider = wider?;
        found.warnings.extend(differs(&found, &wider).map(Note::from));
        let Interpretation { verdict, reasons, claims, code, hidden: size, .. } = wider;
        found.whole_state = Some(WholeState { size, verdict, reasons, claims, code });
    }
    if network.layers.iter().any(Cell::has_bias) {
        watch.stage("looking for fixed points", 0.9)?;
        let points = fixed_points(network, None, None, &params.fixed_points, &|_, _| ())?;
        let predicted = found.details.core.as_ref().map(Core::eigenvalues);
        let shown = points.fixed().next();
        found.spectrum.fixed_point =
            shown.map(|point| spectrum(&point.eigenvalues, predicted, &params.origin_spectrum)).transpose()?;
    }
    Ok(found)
}

/// Every stage on one part of the state.
fn look(
    network: &Network,
    view: &View,
    case: &Case<'_>,
    origin: &AtOrigin,
    reading: &Recurrence,
) -> Result<Interpretation, InterpretError> {
    let whole = case.observed;
    let seen;
    let observed = match view.is_plain() {
        true => whole,
        false => {
            seen = view.observations(whole);
            &seen
        }
    };
    let case = Case { subject: Some(Simulated { network, view, whole }), observed, ..*case };
    let mut found = interpret_case(&case, Some(origin), reading.clone())?;
    let part = observed.probe.states.first_key_value().is_some_and(|(_, states)| states.nrows() < network.state_size());
    found.state = if part { StateView::Units } else { StateView::Whole };
    found.network = Some(NetworkSummary::of(network));
    Ok(found)
}

/// What the whole state says against what its units say.
fn differs(units: &Interpretation, whole: &Interpretation) -> Option<Warning> {
    let (here, there) = (units.verdict, whole.verdict);
    (here != there).then_some(Warning::WholeStateDiffers { units: here, whole: there })
}

/// Every stage once, in order, on what was observed.
pub(super) fn interpret_case(
    case: &Case<'_>,
    origin: Option<&AtOrigin>,
    mut reading: Recurrence,
) -> Result<Interpretation, InterpretError> {
    let Case { observed, params, theory, .. } = *case;
    let orbit = case.look_at_the_orbit()?;
    let (mut found, mut warnings) = case.follow_the_dynamics(origin, &orbit, &mut reading)?;
    case.watch.stage("fitting the code and running the control", 0.4)?;
    let faint = params.code.contents.faint;
    let behaviour = theory.map(|theory| Behaviour::measure(observed, &theory.contents, faint));
    let (coded, control) = rayon::join(
        || match (theory, &behaviour) {
            (Some(theory), Some(behaviour)) => case.find_code(theory, behaviour, &orbit),
            _ => Ok(None),
        },
        || theory.map(|theory| case.control(theory)).transpose(),
    );
    let coded = coded?;
    let in_memories = match (theory, &coded) {
        (Some(theory), Some(coded)) => coded.spectrum(case, theory, &orbit)?,
        _ => None,
    };
    let seen = in_memories.as_ref().unwrap_or(&orbit.spectrum);
    let claims = all_claims(case, behaviour.as_ref(), coded.as_ref(), seen, &reading)?;
    trust(&mut reading, case.question, behaviour.as_ref(), &claims, params);
    let judged = conclude(case, behaviour.as_ref(), coded.as_ref(), &orbit, &reading, &claims)?;
    let control = control?.flatten();
    let mut code = None;
    let mut recording = None;
    if let (Some(theory), Some(coded)) = (theory, &coded) {
        let at_one_moment = case.code_at_one_moment(theory)?;
        let summary = CodeSummary { at_one_moment, ..coded.summary(case, theory) };
        let circuit = judged.verdict == Verdict::Circuit;
        recording = coded.recording(theory, &params.code);
        // A circuit was seen: nothing more is needed.
        recording.iter_mut().filter(|_| circuit).for_each(|recording| recording.episodes_needed = None);
        warnings.extend(code_doubts(&summary, &claims, params));
        // Where noise hides how contents move, the reasons say what it takes.
        let hidden = coded.recorded.as_ref().is_some_and(|recorded| recorded.hidden.is_some());
        warnings.extend(recording.as_ref().into_iter().flat_map(|recording| recording_doubts(recording, hidden)));
        code = Some(summary);
        let memories = coded.memories(case, theory, &orbit)?;
        let at = if params.method == Method::Code { 0 } else { found.len().min(1) };
        found.insert(at, memories);
    }
    // Noise and recorded units that hold nothing say nothing against what is read from the memories.
    let seen_in_memories =
        case.subject.is_none() && in_memories.as_ref().is_some_and(|seen| seen.expected == Some(seen.found));
    if seen_in_memories {
        warnings.retain(|warning| !matches!(warning, Warning::Orbit(_)));
    }
    warnings.extend(doubts(case, origin, &orbit, &reading, behaviour.as_ref(), seen_in_memories));
    let blind = matches!(case.question, Question::Blind { .. });
    if blind && !matches!(judged.verdict, Verdict::Circuit | Verdict::Superposed) {
        warnings.insert(0, Warning::InputsAtEveryStep);
    }
    if judged.verdict == Verdict::NotLearned {
        warnings.insert(0, Warning::NotLearned);
    }
    let (s, d) = (observed.s, observed.d);
    // Only methods that were asked for are shown.
    let shown: Vec<MemoriesSummary> = found.iter().map(|memories| summary(memories, params)).collect();
    let methods = (!params.methods.is_empty()).then(|| {
        let asked = shown.iter().filter(|summary| params.methods.contains(&summary.method));
        asked.map(|summary| (summary.method.name().to_string(), summary.clone())).collect()
    });
    let (at_origin, origin_eigenvalues) =
        origin.map_or((None, vec![]), |at| (Some(at.spectrum.clone()), at.eigenvalues.clone()));
    let OnOrbit { visited, linear, spectrum: on_orbit, .. } = orbit;
    Ok(Interpretation {
        task: TaskSummary {
            name: theory.map(|theory| theory.task.name().to_string()),
            s,
            d,
            core: theory.map(|theory| theory.core.as_ref().map_or(theory.contents.count(), Core::dimension)),
        },
        blind: matches!(case.question, Question::Blind { .. }),
        hidden: observed.probe.states[&0].nrows(),
        network: None,
        stimulus: Some(Stimulus::of(observed)),
        kind: observed.kind.clone(),
        state: StateView::default(),
        whole_state: None,
        accuracy: judged.accuracy,
        outputs: judged.outputs,
        verdict: judged.verdict,
        reasons: judged.reasons,
        claims,
        control,
        code,
        not_linear: judged.unread,
        recording,
        over_time: None,
        superposition: judged.sharing,
        rank: linear.as_ref().map(|orbit| Rank {
            used: orbit.rank(),
            largest_gap: visited.largest_gap,
            gap_ratio: visited.gap_ratio,
            residual: orbit.residual,
            singular_values: visited.singular_values.clone(),
        }),
        spectrum: Spectra { origin: at_origin, fixed_point: None, orbit: on_orbit, memories: in_memories },
        memories: shown.iter().find(|summary| summary.method == params.method).cloned(),
        methods,
        recurrence: reading.stated(),
        function: reading.function(),
        recurrence_in_words: reading.in_words(s, d, &params.recurrence),
        confidence: reading.confidence,
        readings: reading.readings,
        warnings: warnings.into_iter().map(Note::from).collect(),
        params: params.clone(),
        details: Details {
            task: theory.map(|theory| theory.task.clone()),
            core: theory.and_then(|theory| theory.core.clone()),
            contents: theory.map(|theory| theory.contents.clone()),
            means: if linear.is_some() || !found.is_empty() { visited.means } else { vec![] },
            orbit: linear,
            origin_eigenvalues,
            memories: found,
            runs: vec![],
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

/// The same for recordings.
pub(super) fn interpret_recordings(
    observed: &Observations,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    let reading = read_recordings(observed, question, params)?;
    let theory = Theory::of(question, &reading, (observed.s, observed.d), params)?;
    let case = Case { subject: None, observed, question, theory: theory.as_ref(), params, watch: &Watch::nobody() };
    let mut found = interpret_case(&case, None, reading)?;
    found.details.runs = recorded_runs(observed);
    Ok(found)
}
