//! The stages in order.

use super::case::{Case, OnOrbit, Subject, Theory};
use super::coding::Coded;
use super::doubts::{code_doubts, doubts, recording_doubts};
use super::recorded::recorded_runs;
use super::{
    CodeSummary, Details, InterpretError, InterpretParams, Interpretation, MemoriesSummary, NetworkSummary, Note,
    Question, Rank, Spectra, StateView, TaskSummary, Verdict, Warning, WholeState, limits,
};
use crate::circuit::Core;
use crate::claims::{Behaviour, Bound, Claim, ClaimName, Findings, StructureEvidence, holds, judge};
use crate::linearize::fixed_points;
use crate::memories::{Memories, Method};
use crate::network::{Accuracy, Cell, Network};
use crate::observe::{Asked, Look, Observations, View, Watch, observe_watched, output_accuracy};
use crate::random::{Purpose, Stream};
use crate::recurrence::{Confidence, Recurrence, read_back};
use crate::spectrum::{Spectrum, spectrum};
use crate::task::Component;
use crate::task::{MAX_GATE_INPUTS, Task};

/// Interprets a network: everything is seen and measured from the zero state, on inputs of our choosing.
pub fn interpret(
    network: &Network,
    question: &Question,
    params: &InterpretParams,
) -> Result<Interpretation, InterpretError> {
    interpret_watched(network, question, params, &|_| true)
}

/// The same, with progress told to a watcher, who may stop it.
pub fn interpret_watched(
    network: &Network,
    question: &Question,
    params: &InterpretParams,
    watcher: Look<'_>,
) -> Result<Interpretation, InterpretError> {
    let (s, d) = question.size(network.outputs());
    limits::check(s, d, network.state_size(), params)?;
    let watch = Watch::new(watcher, params.observe.work(s, d));
    let mut observed = observe_watched(network, (s, d), &params.observe, &watch)?;
    let mut reading = read_back(&observed, &params.recurrence)?;
    if wants_tables(&observed, question, &reading, params) {
        watch.stage("asking for truth tables", 0.0)?;
        let stream = Stream::new(params.observe.seed, Purpose::ScoreInputs);
        observed.asked = Asked::run(network, (s, d), &stream, &params.observe.ask, &watch)?;
        reading.look_for_tables(&observed, &params.recurrence);
    }
    let (units, whole) = (View::units(network), View::whole(network));
    let units_first = params.state == StateView::Units && network.has_inner_state();
    let view = if units_first { &units } else { &whole };
    let mut found = look(network, view, &observed, &reading, question, params, &watch)?;
    if units_first {
        let wider = look(network, &whole, &observed, &reading, question, params, &watch)?;
        found.warnings.extend(differs(&found, &wider).map(Note::from));
        let Interpretation { verdict, reasons, claims, code, hidden: size, .. } = wider;
        found.whole_state = Some(WholeState { size, verdict, reasons, claims, code });
    }
    if network.layers.iter().any(Cell::has_bias) {
        watch.stage("looking for fixed points", 0.9)?;
        let points = fixed_points(network, None, None, &params.fixed_points)?;
        let linear = found.details.task.as_ref().filter(|task| task.is_linear());
        let core = linear.map(Core::of).transpose()?;
        let theory = core.as_ref().map(Core::eigenvalues);
        let shown = points.fixed().next();
        found.spectrum.fixed_point =
            shown.map(|point| spectrum(&point.eigenvalues, theory, &params.origin_spectrum)).transpose()?;
    }
    Ok(found)
}

/// Whether truth tables are to be looked for: the task has them, or no linear function is right.
fn wants_tables(observed: &Observations, question: &Question, reading: &Recurrence, params: &InterpretParams) -> bool {
    let told = matches!(question, Question::Task(task) if !task.is_linear());
    // A table has few inputs: where every output has more, there is none.
    let too_many = observed.flips.as_ref().is_some_and(|flips| flips.all_depend_on_more_than(MAX_GATE_INPUTS));
    told || (!too_many && reading.is_open(&params.recurrence))
}

/// Every stage on one part of the state.
fn look(
    network: &Network,
    view: &View,
    whole: &Observations,
    reading: &Recurrence,
    question: &Question,
    params: &InterpretParams,
    watch: &Watch<'_>,
) -> Result<Interpretation, InterpretError> {
    let seen;
    let observed = match view.is_plain() {
        true => whole,
        false => {
            seen = view.observations(whole);
            &seen
        }
    };
    let case = Case { subject: Some(Subject { network, view, whole }), observed, question, params, watch };
    let mut found = interpret_case(&case, reading.clone())?;
    let part = observed.probe.states.first_key_value().is_some_and(|(_, states)| states.nrows() < network.state_size());
    found.state = if part { StateView::Units } else { StateView::Whole };
    found.network = Some(NetworkSummary {
        cell: network.kind(),
        layers: network.layers.len(),
        units: network.hidden(),
        state: network.state_size(),
    });
    Ok(found)
}

/// What the whole state says against what its units say.
fn differs(units: &Interpretation, whole: &Interpretation) -> Option<Warning> {
    let (here, there) = (units.verdict, whole.verdict);
    (here != there).then_some(Warning::WholeStateDiffers { units: here, whole: there })
}

/// Every stage once, in order, on what was observed.
pub(super) fn interpret_case(case: &Case<'_>, mut reading: Recurrence) -> Result<Interpretation, InterpretError> {
    let (observed, params) = (case.observed, case.params);
    let theory = case.theory(&reading)?;
    let theory = theory.as_ref();
    case.watch.stage("linearizing", 0.1)?;
    let origin = case.look_at_the_origin(theory)?;
    let orbit = case.look_at_the_orbit(theory)?;
    let (mut found, mut warnings) = case.follow_the_dynamics(theory, origin.as_ref(), &orbit, &mut reading)?;
    case.watch.stage("fitting the code", 0.4)?;
    let behaviour =
        theory.map(|theory| Behaviour::measure(observed, &theory.contents, params.code.contents.faint, &params.claims));
    let coded = match (theory, &behaviour) {
        (Some(theory), Some(behaviour)) => case.find_code(theory, behaviour, &orbit)?,
        _ => None,
    };
    let in_memories = match (theory, &coded) {
        (Some(theory), Some(coded)) => coded.spectrum(case, theory, &orbit)?,
        _ => None,
    };
    let seen = in_memories.as_ref().unwrap_or(&orbit.spectrum);
    let claims = all_claims(case, theory, behaviour.as_ref(), coded.as_ref(), seen, &reading);
    trust(&mut reading, case.question, behaviour.as_ref(), &claims, params);
    let judged = judged(case, theory, behaviour.as_ref(), coded.as_ref(), &orbit, &reading, &claims);
    case.watch.stage("running the control", 0.6)?;
    let control = theory.map(|theory| case.control(theory)).transpose()?.flatten();
    let mut sharing = None;
    let mut code = None;
    let mut recording = None;
    if let (Some(theory), Some(coded)) = (theory, &coded) {
        let at_one_moment = case.code_at_one_moment(theory)?;
        let summary = CodeSummary { at_one_moment, ..coded.summary(case, theory) };
        recording = coded.recording(theory, &params.code);
        warnings.extend(code_doubts(&summary, &claims, params));
        // Where noise hides how contents move, the reasons say what it takes.
        let hidden = coded.recorded.as_ref().is_some_and(|recorded| recorded.hidden.is_some());
        warnings.extend(recording.as_ref().into_iter().flat_map(|recording| recording_doubts(recording, hidden)));
        code = Some(summary);
        if judged.verdict == Verdict::Superposed {
            sharing = coded.sharing(case, theory, &judged.held)?;
        }
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
    warnings.extend(doubts(case, origin.as_ref(), &orbit, &reading, behaviour.as_ref(), seen_in_memories));
    let told = matches!(case.question, Question::Task(_));
    if judged.verdict == Verdict::NotLearned && told {
        warnings.insert(0, Warning::NotLearned);
    }
    let (s, d) = (observed.s, observed.d);
    // Only methods that were asked for are shown.
    let shown: Vec<MemoriesSummary> = found.iter().map(|memories| summary(memories, params)).collect();
    let methods = (!params.methods.is_empty()).then(|| {
        let asked = shown.iter().filter(|summary| params.methods.contains(&summary.method));
        asked.map(|summary| (summary.method.name().to_string(), summary.clone())).collect()
    });
    let (at_origin, origin_eigenvalues) = origin.map_or((None, vec![]), |at| (Some(at.spectrum), at.eigenvalues));
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
        superposition: sharing,
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
            contents: theory.map(|theory| theory.contents.clone()),
            means: if linear.is_some() || !found.is_empty() { visited.means } else { vec![] },
            orbit: linear,
            origin_eigenvalues,
            memories: found,
            runs: vec![],
        },
    })
}

/// Every claim that can be made.
fn all_claims(
    case: &Case<'_>,
    theory: Option<&Theory>,
    behaviour: Option<&Behaviour>,
    coded: Option<&Coded>,
    spectrum: &Spectrum,
    reading: &Recurrence,
) -> Vec<Claim> {
    let params = &case.params.claims;
    let mut claims = vec![];
    if matches!(case.question, Question::Blind { .. }) {
        let detail = "agreement of the worst output with the best function that was found";
        let known = match theory {
            Some(_) => {
                Claim::at_least(ClaimName::FunctionKnown, reading.agreement(), case.params.recurrence.agreement, detail)
            }
            None => Claim::unmeasured(
                ClaimName::FunctionKnown,
                case.params.recurrence.agreement,
                Bound::AtLeast,
                "no function was found",
            ),
        };
        claims.push(known);
    }
    claims.extend(behaviour.iter().flat_map(|behaviour| behaviour.claims.clone()));
    if let (Some(theory), Some(coded)) = (theory, coded) {
        let structure = StructureEvidence {
            contents: &theory.contents,
            judged: &coded.judged,
            products: coded.products.as_ref(),
            step: &coded.step,
            steered: coded.steered,
            recorded: coded.recorded.as_ref().map(|recorded| (&recorded.null, recorded.noise.as_ref())),
            spectrum,
        };
        claims.extend(structure.claims(&case.params.code, params));
    }
    claims
}

/// Lets the claims say how sure the function is that was read back.
fn trust(
    reading: &mut Recurrence,
    question: &Question,
    behaviour: Option<&Behaviour>,
    claims: &[Claim],
    params: &InterpretParams,
) {
    // Under a given task the claims are about the task, and the reading stands for itself.
    let about_the_reading = match question {
        Question::Blind { .. } => true,
        Question::Task(task) => reading.task(task.s(), task.d()).is_some_and(|read| read.same_function(task)),
    };
    if reading.confidence == Confidence::CannotTell {
        return;
    }
    if !about_the_reading {
        reading.confidence = Confidence::Behaviour;
        return;
    }
    let lasts = behaviour.is_none_or(|behaviour| behaviour.lasts(&params.claims));
    let sure = [ClaimName::FollowsFunction, ClaimName::EveryWindow, ClaimName::NoFurtherTerm, ClaimName::StepMatrix];
    if !lasts {
        reading.withdraw();
    } else if !sure.iter().all(|name| holds(claims, *name)) {
        reading.confidence = reading.confidence.min(Confidence::Behaviour);
    } else if reading.stated().is_none() {
        reading.confidence = Confidence::High;
    }
}

/// The verdict with what it rests on.
struct Judged {
    verdict: Verdict,
    reasons: Vec<crate::claims::Reason>,
    unread: Vec<Component>,
    held: Vec<bool>,
    /// What each output scores over the first s output steps.
    outputs: Vec<f64>,
    accuracy: Option<Accuracy>,
}

fn judged(
    case: &Case<'_>,
    theory: Option<&Theory>,
    behaviour: Option<&Behaviour>,
    coded: Option<&Coded>,
    orbit: &OnOrbit,
    reading: &Recurrence,
    claims: &[Claim],
) -> Judged {
    let (params, observed) = (&case.params.claims, case.observed);
    let held = behaviour.map(|behaviour| behaviour.held(params));
    let accuracy = theory.map(|theory| accuracy(case, &theory.task));
    let unread: Vec<Component> = match (theory, coded) {
        (Some(theory), Some(coded)) => {
            let missed = coded.unread(&case.params.code, params);
            missed.into_iter().filter_map(|i| theory.contents.named(i)).collect()
        }
        _ => vec![],
    };
    let identified: Vec<usize> = reading.function().iter().map(|table| table.output).collect();
    let findings = Findings {
        persistence: orbit.persistence,
        fades: theory.is_some_and(|theory| theory.contents.fades),
        contents: theory.map_or(0, |theory| theory.contents.count()),
        signs: theory.is_some_and(|theory| theory.contents.are_signs()),
        held: held.as_deref(),
        identified: &identified,
        outputs: observed.d,
        lasting_accuracy: accuracy.map_or(0.0, |accuracy| accuracy.value),
        directions: (orbit.spectrum.found, orbit.spectrum.expected.unwrap_or(0)),
        independent: coded.is_some_and(|coded| coded.code.is_independent()),
        held_core: theory
            .and_then(|theory| theory.core.as_ref())
            .map_or(0, |core| held_core(core, held.as_deref().unwrap_or_default())),
        explained: coded.map_or(0.0, |coded| coded.judged.explained),
        unread: (&unread, coded.map_or(0.0, |coded| coded.judged.worst())),
        by_weights: case.subject.is_some(),
        stands_out: coded
            .and_then(|coded| coded.recorded.as_ref())
            .map(|recorded| [recorded.null.stands_out, recorded.null.least].map(|by| by >= case.params.code.stands_out))
            .map(|[together, each]| (together, each)),
        hidden_by_noise: coded.and_then(|coded| coded.recorded.as_ref()).and_then(|recorded| {
            recorded.hidden.map(|needed| (observed.probe.episodes + observed.score.episodes, needed))
        }),
        claims,
    };
    let (verdict, reasons) = judge(&findings, params);
    let outputs = theory.map_or(vec![], |theory| output_accuracy(&observed.trial, &theory.task, observed.s));
    Judged { verdict, reasons, unread, held: held.unwrap_or_default(), outputs, accuracy }
}

fn accuracy(case: &Case<'_>, task: &Task) -> Accuracy {
    let long = &case.observed.long;
    let horizon = case.params.observe.accuracy_horizon.min(long.outputs.len());
    let by_output = output_accuracy(long, task, horizon);
    Accuracy { horizon, value: by_output.iter().sum::<f64>() / by_output.len() as f64 }
}

/// How much of the core lies on cycles that pass through held outputs only; a dense f is held as a whole or not.
fn held_core(core: &Core, held: &[bool]) -> usize {
    if held.iter().all(|&held| held) {
        return core.dimension();
    }
    let holds = |member: &usize| held[member % held.len()];
    core.structure.cycles.iter().filter(|cycle| cycle.members.iter().all(holds)).map(|cycle| cycle.length()).sum()
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
    let mut reading = read_back(observed, &params.recurrence)?;
    if wants_tables(observed, question, &reading, params) {
        reading.look_for_tables(observed, &params.recurrence);
    }
    let case = Case { subject: None, observed, question, params, watch: &Watch::nobody() };
    let mut found = interpret_case(&case, reading)?;
    found.details.runs = recorded_runs(observed);
    Ok(found)
}
