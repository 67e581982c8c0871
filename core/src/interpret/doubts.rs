//! What speaks against a result.

use super::case::{AtOrigin, Case, OnOrbit};
use super::{AtOneMoment, CodeSummary, InterpretParams, Question, RecordingSummary, Warning};
use crate::claims::{Behaviour, Claim, ClaimName, fails};
use crate::linearize::LinearizedAt;
use crate::memories::Method;
use crate::network::Family;
use crate::recurrence::{Recurrence, TableReading};
use crate::task::{Source, Window};

/// What the code says against itself: memories that are nearly dependent, and a code that changes with time.
pub(super) fn code_doubts(code: &CodeSummary, claims: &[Claim], params: &InterpretParams) -> Vec<Warning> {
    let mut warnings = vec![];
    let limit = params.memories.ill_conditioned;
    if let Some(condition) = code.condition.filter(|&condition| condition > limit) {
        warnings.push(Warning::IllConditioned { method: Method::Code, condition, limit });
    }
    let structure = [ClaimName::ContentsRead, ClaimName::CodeExplains, ClaimName::StepMatrix];
    if let Some(moment) = code.at_one_moment
        && structure.into_iter().any(|name| fails(claims, name))
        && moment.worst >= params.code.read
        && moment.explained >= params.claims.explained
    {
        let AtOneMoment { step, explained, .. } = moment;
        warnings.push(Warning::CodeChangesWithTime { step, at_one_moment: explained, over_time: code.explained });
    }
    warnings
}

/// What keeps recordings from saying more.
pub(super) fn recording_doubts(recording: &RecordingSummary, hidden: bool) -> Vec<Warning> {
    let mut warnings = vec![];
    let (units, episodes, different) = (recording.units, recording.episodes, recording.stimuli);
    if different < episodes {
        warnings.push(Warning::RepeatedInputs { episodes, different });
    }
    if let Some(noise) = &recording.noise {
        warnings.push(Warning::Noise {
            share: noise.share,
            worst: recording.worst_reading.value,
            allowed: noise.allowed,
            units,
            needed: noise.units_needed,
        });
    }
    warnings
        .extend(recording.episodes_needed.filter(|_| !hidden).map(|needed| Warning::FewEpisodes { episodes, needed }));
    warnings
}

/// What the counts, the biases, the units and the reading say against the result.
pub(super) fn doubts(
    case: &Case<'_>,
    origin: Option<&AtOrigin>,
    orbit: &OnOrbit,
    reading: &Recurrence,
    behaviour: Option<&Behaviour<'_>>,
    seen_in_memories: bool,
) -> Vec<Warning> {
    let mut warnings = vec![];
    // The gates of other cells are half open at the origin: nothing of the circuit is to be seen there.
    let is_plain =
        case.subject.is_none_or(|subject| subject.network.kind().is_some_and(|kind| kind.family() == Family::Plain));
    let at_origin = origin.filter(|_| is_plain).map(|at| (LinearizedAt::Origin, &at.spectrum));
    let on_orbit = (!seen_in_memories).then_some((LinearizedAt::Orbit, &orbit.spectrum));
    for (place, spectrum) in at_origin.into_iter().chain(on_orbit) {
        if let Some(expected) = spectrum.expected.filter(|&expected| expected != spectrum.found) {
            warnings.push(Warning::CountDiffers { place, found: spectrum.found, expected });
        }
    }
    if case.subject.is_some_and(|subject| subject.network.has_bias()) {
        warnings.push(Warning::Biases);
    }
    let unit = behaviour.map_or(1.0, |behaviour| behaviour.followed.unit);
    if (unit - 1.0).abs() > case.params.claims.further {
        warnings.push(Warning::OtherUnit { unit });
    }
    match case.question {
        Question::Task(task) => warnings.extend(something_else(reading, task)),
        Question::Blind { s } => warnings.extend(shorter_relations(reading, *s)),
    }
    warnings
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

fn something_else(reading: &Recurrence, task: &Window) -> Option<Warning> {
    let Some(sources) = task.sources() else { return other_tables(reading, task) };
    let differs = |(j, source): (usize, &Source)| {
        let reading = reading.readings.get(j)?;
        let (lag, component) = (reading.step.lag, reading.step.component - 1);
        let same = (lag, component, reading.step.sign < 0) == (source.lag, source.component, source.negated);
        (reading.stated && !same).then_some(j + 1)
    };
    let outputs: Vec<usize> = sources.iter().enumerate().filter_map(differs).collect();
    (!outputs.is_empty()).then_some(Warning::ComputesSomethingElse { outputs })
}

/// Outputs whose truth table is another than the task's.
fn other_tables(reading: &Recurrence, task: &Window) -> Option<Warning> {
    let gates = task.gates()?;
    let differs = |table: &&TableReading| table.stated && table.gate != gates[table.output];
    let outputs: Vec<usize> = reading.tables.iter().filter(differs).map(|table| table.output + 1).collect();
    (!outputs.is_empty()).then_some(Warning::ComputesSomethingElse { outputs })
}
