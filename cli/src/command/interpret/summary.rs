//! What a person reads in ten seconds.

use super::drawing;
use crate::subject::name;
use crate::terminal::{FAINT, TITLE, WARN, title};
use ketbra::foreign_text::{harmless, shown};
use ketbra::interpret::{Interpretation, MemoriesSummary, Verdict};
use ketbra::recurrence::Confidence;
use ketbra::spectrum::Spectrum;
use std::fmt::Write;
use std::path::Path;

/// First output steps are worth a word if they are read worse than settled ones by this.
const FIRST_STEPS: f64 = 0.005;

/// One network in full.
pub fn summary(path: &Path, found: &Interpretation) -> String {
    let mut text = String::new();
    let style = if found.verdict == Verdict::Circuit { TITLE } else { WARN };
    let from = harmless(&path.to_string_lossy());
    let _ = writeln!(text, "{style}{}{style:#}  {}  {from}", found.verdict.name(), heading(found));
    for reason in &found.reasons {
        let _ = writeln!(text, "  {reason}");
    }
    for line in found.superposition.iter().flat_map(|superposition| superposition.in_words()) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = write!(text, "\n{}", title("Spectrum"));
    let spectra = &found.spectrum;
    let origin = spectra.origin.as_ref().map(|spectrum| ("origin", spectrum));
    let fixed_point = spectra.fixed_point.as_ref().map(|spectrum| ("fixed point", spectrum));
    for (place, spectrum) in origin.into_iter().chain(fixed_point).chain([("orbit", &spectra.orbit)]) {
        let _ = writeln!(text, "  {place:<12}{}", spectrum_line(spectrum));
    }
    text.push_str(&drawing::spectrum(&found.spectrum.orbit));
    if let Some(memories) = &found.memories {
        let _ = write!(text, "\n{}", title("Memories"));
        let _ = writeln!(text, "  {}", memories_line(memories, found.task.s));
        for other in found.methods.iter().flat_map(|methods| methods.values()) {
            if other.method != memories.method {
                let _ = writeln!(text, "  {}", memories_line(other, found.task.s));
            }
        }
    }
    let _ = write!(text, "\n{}", title("Function, read back without the task"));
    text.push_str(&function(found));
    for note in &found.warnings {
        let _ = writeln!(text, "{WARN}warning:{WARN:#} {}", note.message);
    }
    text
}

/// One network in one line.
pub fn row(path: &Path, found: &Interpretation) -> String {
    let worst = found.memories.as_ref().map_or("  ---  ".into(), |memories| format!("{:.4}", memories.worst));
    let name = harmless(&name(path));
    let read = match found.confidence {
        Confidence::High => "f read back",
        Confidence::Behaviour => "f from behaviour",
        Confidence::CannotTell => "f unknown",
    };
    format!("{name:<40} {:<11} {}  worst {worst}  {read}\n", found.verdict.name(), heading(found))
}

fn heading(found: &Interpretation) -> String {
    let name = match (&found.task.name, found.blind) {
        (Some(_), true) => "blind",
        (Some(name), false) => &shown(name),
        (None, _) => "function unknown",
    };
    let accuracy = match &found.accuracy {
        Some(accuracy) => format!(", accuracy {:.4} over {} steps", accuracy.value, accuracy.horizon),
        None => String::new(),
    };
    format!("{name}, s={} d={} H={}{accuracy}", found.task.s, found.task.d, found.hidden)
}

pub(in crate::command) fn spectrum_line(spectrum: &Spectrum) -> String {
    let expected = spectrum.expected.map_or("?".into(), |expected| expected.to_string());
    let error = spectrum.error.map_or("---".into(), |error| format!("{error:.6} rad"));
    format!("{:>3} of {expected:>3} eigenvalues above {}, error {error}", spectrum.found, spectrum.threshold)
}

fn memories_line(memories: &MemoriesSummary, s: usize) -> String {
    let at = match (memories.worst_component, memories.recovered) {
        (Some(at), false) => format!(" (u{} in variable {})", at.component, at.variable),
        _ => String::new(),
    };
    let mut line = format!("{:<16}mean {:.4}, worst {:.4}{at}", memories.method.name(), memories.mean, memories.worst);
    if memories.first_steps < memories.worst - FIRST_STEPS {
        let _ = write!(line, " ({:.3} in the first {s} steps)", memories.first_steps);
    }
    if let Some(condition) = memories.condition {
        let _ = match condition > 1e4 {
            true => write!(line, ", condition {condition:.0e}"),
            false => write!(line, ", condition {condition:.1}"),
        };
    }
    if let Some(error) = memories.phi_error {
        let _ = write!(line, ", distance from Phi {error:.4}");
    }
    line
}

fn function(found: &Interpretation) -> String {
    match found.confidence {
        Confidence::High => {
            format!("{}  {FAINT}behaviour and linear structure agree{FAINT:#}\n", drawing::recurrence(found))
        }
        Confidence::Behaviour if found.recurrence.is_none() => {
            let lines: Vec<String> = found.recurrence_in_words.iter().map(|line| format!("  {line}\n")).collect();
            format!("{}  {FAINT}a dense f, from behaviour{FAINT:#}\n", lines.concat())
        }
        Confidence::Behaviour => format!(
            "{}  {FAINT}from behaviour; the linearized orbit does not show all of it{FAINT:#}\n",
            drawing::recurrence(found)
        ),
        Confidence::CannotTell => {
            let unsure = found.readings.iter().filter(|reading| !reading.stated);
            let unsure: Vec<String> = unsure.map(|reading| reading.step.output.to_string()).collect();
            format!("{}  I can't tell what drives output {}\n", drawing::recurrence(found), unsure.join(", "))
        }
    }
}
