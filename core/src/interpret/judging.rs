//! Claims from what the stages found, and the verdict from the claims.

use super::case::{Case, OnOrbit};
use super::coding::Coded;
use super::{InterpretError, InterpretParams, Question, Verdict};
use crate::circuit::Core;
use crate::claims::{Alone, Behaviour, Claim, ClaimName, Findings, Grounds, InStates, Reason, holds, judge};
use crate::code::Sharing;
use crate::network::Accuracy;
use crate::observe::{output_accuracy, still_moving};
use crate::recurrence::{Confidence, Recurrence};
use crate::spectrum::Spectrum;
use crate::task::{Component, Source, Window};

/// Every claim that can be made.
pub(super) fn all_claims(
    case: &Case<'_>,
    behaviour: Option<&Behaviour<'_>>,
    coded: Option<&Coded>,
    spectrum: &Spectrum,
    reading: &Recurrence,
) -> Result<Vec<Claim>, InterpretError> {
    let states = coded.map(|coded| InStates {
        judged: &coded.judged,
        products: coded.products.as_ref(),
        step: &coded.step.matrix,
        steered: coded.steered,
        recorded: coded.recorded.as_ref().map(|recorded| (&recorded.null, recorded.noise.as_ref())),
        spectrum,
    });
    let (observed, params) = (case.observed, case.params);
    let reading = matches!(case.question, Question::Blind { .. }).then_some(reading);
    let (claims, code, recurrence) = (&params.claims, &params.code, &params.recurrence);
    Ok(Grounds { observed, reading, behaviour, states, claims, code, recurrence }.all_claims()?)
}

/// Lets the claims say how sure the function is that was read back.
pub(super) fn trust(
    reading: &mut Recurrence,
    question: &Question,
    behaviour: Option<&Behaviour<'_>>,
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
pub(super) struct Conclusion {
    pub(super) verdict: Verdict,
    pub(super) reasons: Vec<Reason>,
    pub(super) unread: Vec<Component>,
    /// How contents share directions, where the verdict says that they do.
    pub(super) sharing: Option<Sharing>,
    /// What each output scores over the first s output steps.
    pub(super) outputs: Vec<f64>,
    pub(super) accuracy: Option<Accuracy>,
}

pub(super) fn conclude(
    case: &Case<'_>,
    behaviour: Option<&Behaviour<'_>>,
    coded: Option<&Coded>,
    orbit: &OnOrbit,
    reading: &Recurrence,
    claims: &[Claim],
) -> Result<Conclusion, InterpretError> {
    let (theory, params, observed) = (case.theory, &case.params.claims, case.observed);
    let held = behaviour.map(|behaviour| behaviour.held(params));
    let accuracy = theory.map(|theory| accuracy(case, &theory.task));
    let signs = theory.is_some_and(|theory| theory.task.is_binary());
    let blind = matches!(case.question, Question::Blind { .. }).then(|| Alone {
        moving: still_moving(&observed.probe),
        steps: observed.probe.outputs.len(),
        only_stays: theory.is_some_and(|theory| only_stays(&theory.task)),
        kind: observed.kind.as_ref(),
    });
    let unread: Vec<Component> = match (theory, coded) {
        (Some(theory), Some(coded)) => {
            let missed = coded.unread(&case.params.code, params);
            missed.into_iter().filter_map(|i| theory.contents.named(i)).collect()
        }
        _ => vec![],
    };
    let identified: Vec<usize> = reading.function().iter().map(|table| table.output).collect();
    let mut findings = Findings {
        persistence: orbit.persistence,
        fades: theory.is_some_and(|theory| theory.contents.fades),
        contents: theory.map_or(0, |theory| theory.contents.count()),
        signs: theory.is_some_and(|theory| theory.contents.are_signs()),
        held: held.as_deref(),
        identified: &identified,
        outputs: observed.d,
        lasting: behaviour.zip(held.as_deref()).map_or(0.0, |(behaviour, held)| behaviour.lasting(held)),
        directions: (orbit.spectrum.found, orbit.spectrum.expected.unwrap_or(0)),
        independent: coded.is_some_and(|coded| coded.code.is_independent()),
        held_core: theory
            .and_then(|theory| theory.core.as_ref())
            .map_or(0, |core| held_core(core, held.as_deref().unwrap_or_default())),
        told_apart: None,
        explained: coded.map_or(0.0, |coded| coded.judged.explained),
        unread: (&unread, coded.map_or(0.0, |coded| coded.judged.worst())),
        by_weights: case.subject.is_some(),
        stands_out: coded
            .and_then(|coded| coded.recorded.as_ref())
            .map(|recorded| [recorded.null.stands_out, recorded.null.least].map(|by| by >= case.params.code.stands_out))
            .map(|[together, each]| (together, each)),
        hidden_by_noise: coded.and_then(|coded| coded.recorded.as_ref()).and_then(|recorded| {
            let count = recorded.null.contents.len().max(1) as f64;
            let seen = recorded.null.contents.iter().filter(|&&by| by >= case.params.code.stands_out).count() as f64;
            let episodes = observed.probe.episodes + observed.score.episodes;
            let hides = recorded.noise.is_some() && seen >= params.seen_through_noise * count;
            hides.then_some((episodes, recorded.hidden.flatten()))
        }),
        accuracy: accuracy.filter(|_| signs).map(|accuracy| accuracy.value),
        blind,
        claims,
    };
    let sharing = match (theory, coded, held.as_deref()) {
        (Some(theory), Some(coded), Some(held)) if findings.may_share() => coded.sharing(case, theory, held)?,
        _ => None,
    };
    findings.told_apart = sharing.as_ref().map(|sharing| sharing.worst);
    let (verdict, reasons) = judge(&findings, params);
    let sharing = sharing.filter(|_| verdict == Verdict::Superposed);
    let outputs = theory.map_or(vec![], |theory| output_accuracy(&observed.trial, &theory.task, observed.s));
    Ok(Conclusion { verdict, reasons, unread, sharing, outputs, accuracy })
}

/// Whether every output is what it was one step ago, or the opposite.
fn only_stays(task: &Window) -> bool {
    let stays = |(j, source): (usize, &Source)| (source.lag, source.component) == (1, j);
    task.sources().is_some_and(|sources| sources.iter().enumerate().all(stays))
}

fn accuracy(case: &Case<'_>, task: &Window) -> Accuracy {
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
