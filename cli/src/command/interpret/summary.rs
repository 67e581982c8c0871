//! What a person reads in ten seconds.

use super::{drawing, over_time};
use crate::arguments::in_options;
use crate::subject::name;
use crate::terminal::{FAINT, TITLE, WARN, hanging, title};
use ketbra::foreign_text::{escaped, escaped_name};
use ketbra::interpret::{Interpretation, MemoriesSummary, ProductsSummary, Reason, Verdict};
use ketbra::ranges;
use ketbra::recurrence::Confidence;
use ketbra::spectrum::Spectrum;
use std::fmt::Write;
use std::path::Path;

/// First output steps are worth a word if they are read worse than settled ones by this.
const FIRST_STEPS: f64 = 0.005;

/// Columns for the figure of a claim and its limit.
const FIGURES: usize = 21;

/// Products that are listed.
const PRODUCTS: usize = 3;

/// One network in full.
pub fn summary(path: &Path, found: &Interpretation) -> String {
    let mut text = String::new();
    let style = if found.verdict == Verdict::Circuit { TITLE } else { WARN };
    let from = escaped(&path.to_string_lossy());
    let _ = writeln!(text, "{style}{}{style:#}  {}  {from}", verdict(found), heading(found));
    if let Some(stimulus) = &found.stimulus {
        text.push_str(&hanging("  ", 2, &stimulus.to_string()));
    }
    // What casts doubt on the verdict comes before what speaks for it.
    for note in &found.warnings {
        text.push_str(&hanging(&format!("{WARN}warning:{WARN:#} "), 9, &in_options(&note.warning)));
    }
    // Claims that fail are listed below.
    for reason in found.reasons.iter().filter(|reason| !matches!(reason, Reason::ClaimFails { .. })) {
        text.push_str(&hanging("  ", 2, &reason.to_string()));
    }
    for line in found.superposition.iter().flat_map(|superposition| superposition.in_words()) {
        text.push_str(&hanging("  ", 2, &line));
    }
    text.push_str(&claims(found));
    if let Some(whole) = &found.whole_state {
        text.push_str(&hanging("  ", 2, &whole.to_string()));
    }
    if let Some(readings) = &found.over_time {
        let _ = write!(
            text,
            "\n{}",
            title("What each step's states hold of the inputs: share of signs read, worst component")
        );
        text.push_str(&over_time::table(readings));
    }
    if found.stimulus.is_none() {
        return text;
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
        text.push_str(&memories_line(memories, found.task.s));
        for other in found.methods.iter().flat_map(|methods| methods.values()) {
            if other.method != memories.method {
                text.push_str(&memories_line(other, found.task.s));
            }
        }
        text.extend(found.code.iter().filter_map(|code| code.products.as_ref()).map(products));
    }
    let _ = write!(text, "\n{}", title("Function, read back without the task"));
    text.push_str(&function(found));
    text
}

/// The verdict, and in the same breath how many claims fail.
fn verdict(found: &Interpretation) -> String {
    let failed = found.claims.iter().filter(|claim| !claim.holds).count();
    match failed {
        0 => found.verdict.name().into(),
        failed => format!("{}, {failed} of {} claims fail", found.verdict.name(), found.claims.len()),
    }
}

/// Every claim with its figure, and the control.
fn claims(found: &Interpretation) -> String {
    let mut text = format!("\n{}", title("Claims, on fresh inputs from the zero state"));
    for claim in &found.claims {
        let (style, word) = if claim.holds { (FAINT, "holds") } else { (WARN, "FAILS") };
        let before = format!("  {style}{word}{style:#}  {:<FIGURES$}  ", claim.figure());
        text.push_str(&hanging(&before, FIGURES + 11, claim.statement));
        if !claim.holds {
            text.push_str(&hanging(&" ".repeat(FIGURES + 11), FIGURES + 11, &claim.detail));
        }
    }
    if let Some(control) = &found.control {
        text.push_str(&hanging("  control  ", 11, &control.to_string()));
    }
    if found.claims.is_empty() { String::new() } else { text }
}

/// One network in one line.
pub fn row(path: &Path, found: &Interpretation) -> String {
    let name = escaped(&name(path));
    let read = match found.confidence {
        Confidence::High => "f read back",
        Confidence::Behaviour => "f from behaviour",
        Confidence::CannotTell => "f unknown",
    };
    let held = found.claims.iter().filter(|claim| claim.holds).count();
    let claims = format!("{held} of {} claims", found.claims.len());
    format!("{name:<40} {:<11} {claims:<15} {}  {read}\n", found.verdict.name(), heading(found))
}

fn heading(found: &Interpretation) -> String {
    let name = match (&found.task.name, found.blind) {
        (Some(_), true) => "blind",
        (Some(name), false) => &escaped_name(name),
        (None, _) => "function unknown",
    };
    let accuracy = match &found.accuracy {
        Some(accuracy) => format!(", accuracy {:.4} over {} steps", accuracy.value, accuracy.horizon),
        None => String::new(),
    };
    let made_of = found.network.as_ref().map_or(format!("H={}", found.hidden), ToString::to_string);
    format!("{name}, s={} d={} {made_of}{accuracy}", found.task.s, found.task.d)
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
    let mut line = format!("mean {:.4}, worst {:.4}{at}", memories.mean, memories.worst);
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
    hanging(&format!("  {:<16}", memories.method.name()), 18, &line)
}

/// A selection as a table, a dense f in its own words.
fn recurrence(found: &Interpretation) -> String {
    match found.recurrence {
        Some(_) => drawing::recurrence(found),
        None => {
            let family = found.details.task.as_ref().filter(|_| found.blind).and_then(|task| task.family());
            let family = family.map(|family| format!("  {TITLE}{family}{TITLE:#}\n"));
            let lines = found.recurrence_in_words.iter().map(|line| format!("  {line}\n"));
            family.into_iter().chain(lines).collect()
        }
    }
}

/// What states hold beside contents.
fn products(products: &ProductsSummary) -> String {
    let degree = |(k, explained): (usize, &f64)| match k {
        0 => format!("contents alone explain {explained:.3}"),
        k => format!("with products of {} {explained:.3}", k + 1),
    };
    let shares: Vec<String> = products.by_degree.iter().enumerate().map(degree).collect();
    let mut text = format!("  {}\n", shares.join(", "));
    for product in products.largest.iter().take(PRODUCTS) {
        let of: Vec<String> =
            product.of.iter().map(|at| format!("u{} in variable {}", at.component, at.variable)).collect();
        let (share, read) = (100.0 * product.share, product.read);
        let _ = writeln!(text, "  {FAINT}{share:>4.1} %  {}, read {read:.3}{FAINT:#}", of.join(" * "));
    }
    text
}

fn function(found: &Interpretation) -> String {
    match found.confidence {
        Confidence::High => {
            format!("{}  {FAINT}behaviour and linear structure agree{FAINT:#}\n", recurrence(found))
        }
        Confidence::Behaviour if found.recurrence.is_none() => {
            let what = if found.function.is_empty() { "a dense f" } else { "truth tables" };
            format!("{}  {FAINT}{what}, from behaviour{FAINT:#}\n", recurrence(found))
        }
        Confidence::Behaviour => format!(
            "{}  {FAINT}from behaviour; the linearized orbit does not show all of it{FAINT:#}\n",
            drawing::recurrence(found)
        ),
        Confidence::CannotTell => {
            let known: Vec<usize> = found.function.iter().map(|table| table.output).collect();
            let unsure: Vec<usize> = (1..=found.task.d).filter(|output| !known.contains(output)).collect();
            let tables: String = found.function.iter().map(|table| format!("  {}\n", table.in_words())).collect();
            let readings = found.readings.iter().any(|reading| reading.stated) || tables.is_empty();
            let shown = if readings { drawing::recurrence(found) } else { tables };
            format!("{shown}  no source identified for output {}\n", ranges(&unsure))
        }
    }
}
