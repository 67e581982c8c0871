//! The verdict in one sentence, and the figures beside it.

use crate::interpret::{Interpretation, Reason, Verdict};
use serde::Serialize;

/// A number with its name and what it means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Figure {
    name: &'static str,
    value: String,
    note: String,
}

pub(super) fn sentence(found: &Interpretation) -> String {
    let task = &found.task;
    let core = task.core.unwrap_or(0);
    let name = task.name.as_deref().unwrap_or("its task");
    let units = found.hidden;
    match found.verdict {
        Verdict::Circuit if found.blind => format!(
            "This network is a circuit: its {units} units hold {} variables in {core} memories, and what it computes \
             was read back without being told.",
            task.s
        ),
        Verdict::Circuit => format!(
            "This network is a circuit: its {units} units hold {} variables in {core} memories and compute {name}.",
            task.s
        ),
        Verdict::Superposed => format!(
            "This network holds {core} contents in {} linear directions: they are superposed, and {} of them cannot be \
             read linearly.",
            found.spectrum.orbit.found,
            found.not_linear.len()
        ),
        Verdict::Partial => {
            let held = found.outputs.iter().filter(|&&share| share > found.params.verdict.held).count();
            format!("This network does part of {name}: {held} of its {} outputs are held.", task.d)
        }
        Verdict::NotLearned if matches!(found.reasons.first(), Some(Reason::Silent { .. })) => {
            "This network falls silent when the input ends: it has learned nothing that lasts.".into()
        }
        Verdict::NotLearned if task.name.is_none() => {
            "No function could be read from this network: what it does after the input follows no rule of this kind."
                .into()
        }
        Verdict::NotLearned => format!("This network has not learned {name}."),
    }
}

pub(super) fn figures(found: &Interpretation) -> Vec<Figure> {
    let mut figures = vec![];
    if let Some(accuracy) = found.accuracy {
        let note = format!("share of right signs over {} output steps; chance is 0.5", accuracy.horizon);
        figures.push(Figure { name: "Accuracy", value: format!("{:.4}", accuracy.value), note });
    }
    let orbit = &found.spectrum.orbit;
    if found.rank.is_some() {
        let value = match orbit.expected {
            Some(expected) => format!("{} of {expected}", orbit.found),
            None => orbit.found.to_string(),
        };
        let note = "lasting eigenvalues on the orbit, of those that the circuit needs".into();
        figures.push(Figure { name: "Linear directions", value, note });
    }
    if orbit.expected.is_some() && found.rank.is_some() {
        let value = orbit.error.map_or("---".into(), |error| format!("{error:.1e} rad"));
        let note = match orbit.error {
            Some(_) => "mean difference of the angles from theory's",
            None => "indeterminate, as the counts differ",
        };
        figures.push(Figure { name: "Spectral error", value, note: note.into() });
    }
    if let Some(memories) = &found.memories {
        let place = memories
            .worst_component
            .map_or(String::new(), |at| format!(" (variable {}, component {})", at.variable, at.component));
        let note = format!("share of right signs of the content that is read worst{place}");
        figures.push(Figure { name: "Worst variable", value: format!("{:.4}", memories.worst), note });
    }
    figures
}

/// How sure the function is, in a few words; nothing where it could not be told.
pub(super) fn doubts(found: &Interpretation) -> Vec<String> {
    let reasons = found.reasons.iter().map(|reason| capital(&reason.to_string()));
    let reasons = reasons.filter(|_| found.verdict != Verdict::Circuit);
    reasons.chain(found.warnings.iter().map(|note| capital(&note.message))).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect::<String>() + ".")
}
