//! A comparison as a person reads it.

use crate::terminal::{FAINT, GOOD, WARN, hanging, title};
use anstyle::Style;
use ketbra::compare::measures::Measures;
use ketbra::compare::{Cluster, Codes, Comparison, Effect, Pair, PairVerdict, Separation, SubjectSummary, Wire};
use ketbra::foreign_text::escaped;
use ketbra::task::Component;
use std::fmt::Write;

/// Columns for the figure of a claim and its limit.
const FIGURES: usize = 21;
/// Wires and outputs that are shown, at most.
const SHOWN: usize = 8;

/// Everything that was found: in full for two networks, as clusters and tables for more.
pub fn text(found: &Comparison, effects: &[Effect]) -> String {
    let mut text = String::new();
    match (&found.networks[..], &found.pairs[..]) {
        ([first, second], [pair]) => two(&mut text, pair, first, second),
        _ => many(&mut text, found, effects),
    }
    text
}

// Writing to a string cannot fail; the results of `write!` are dropped for that reason.
fn two(text: &mut String, pair: &Pair, first: &SubjectSummary, second: &SubjectSummary) {
    let (style, word) = verdict(pair.verdict);
    let [a, b] = [first, second].map(|of| escaped(&of.name));
    *text += &title(&format!("{a} and {b}"));
    *text += &hanging(&format!("  {style}{word}{style:#}  "), word.len() + 4, pair.verdict.definition());
    pair.reasons.iter().for_each(|reason| *text += &hanging("  ", 4, &escaped(reason)));
    if let Some(distance) = pair.distance {
        let _ = writeln!(text, "  distance of the circuits {}", number(distance));
    }
    *text += "\n";
    for of in [first, second] {
        *text += &hanging("  ", 4, &network(of));
    }
    if !pair.claims.is_empty() {
        *text += "\n";
    }
    for claim in &pair.claims {
        let (style, mark) = if claim.holds { (GOOD, "yes") } else { (WARN, "no ") };
        let before = format!("  {style}{mark}{style:#}  {:<FIGURES$}  ", claim.figure());
        *text += &hanging(&before, FIGURES + 9, claim.statement);
        if !claim.holds {
            *text += &hanging(&" ".repeat(FIGURES + 9), FIGURES + 9, &escaped(&claim.detail));
        }
    }
    differences(text, pair, &a, &b);
    if let Some(codes) = &pair.codes {
        how_codes_differ(text, codes, &a, &b);
    }
    measures(text, &pair.measures);
}

fn network(of: &SubjectSummary) -> String {
    let made = of.made_of.clone().unwrap_or_else(|| format!("recording of {} units", of.units));
    let (verdict, task) = (of.verdict.name(), of.under_its_task.map(|verdict| verdict.name()));
    let mut text = format!("{}: {made}, s={} d={}, {verdict}", escaped(&of.name), of.s, of.d);
    if let Some(task) = task {
        let _ = write!(text, " (under the task it was trained on: {task})");
    }
    if let (Some(contents), Some(directions)) = (of.contents, of.directions) {
        let _ = write!(text, ", {contents} contents in {directions} directions");
    }
    if let Some(beside) = of.beside.as_ref().filter(|beside| !beside.kept.is_empty()) {
        let _ =
            write!(text, ", and {} inputs that its function does not need: {}", beside.kept.len(), names(&beside.kept));
    }
    text
}

fn differences(text: &mut String, pair: &Pair, a: &str, b: &str) {
    for differs in pair.outputs.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "\n  output u{} differs\n    {a}: {}\n    {b}: {}",
            differs.output, differs.first, differs.second
        );
    }
    if pair.outputs.len() > SHOWN {
        let _ = writeln!(text, "  and {} more outputs", pair.outputs.len() - SHOWN);
    }
    for (name, kept) in [a, b].iter().zip(&pair.kept_by_one) {
        if !kept.is_empty() {
            let _ = writeln!(text, "  kept by {name} only: {}", names(kept));
        }
    }
    for wire in pair.wires.iter().filter(|_| pair.outputs.is_empty()).take(SHOWN) {
        let Wire { to, from, first, second } = wire;
        let from: Vec<String> = from.iter().map(component).collect();
        let _ = writeln!(text, "  {} from {}: {first:.3} in {a}, {second:.3} in {b}", component(to), from.join(" * "));
    }
}

fn how_codes_differ(text: &mut String, codes: &Codes, a: &str, b: &str) {
    *text += "\n";
    *text += &title("How the codes differ");
    let alignment = &codes.alignment;
    let rotated = format!(
        "a rotation leaves an angle of {} between the memories; cosines then {:.3} for the same content, at most {:.3} for others",
        degrees(alignment.angle),
        alignment.overlap.same,
        alignment.overlap.largest_other
    );
    *text += &hanging("  ", 4, &rotated);
    for (reader, read, shares) in [(a, b, alignment.first_reads_second), (b, a, alignment.second_reads_first)] {
        if let Some([mean, worst]) = shares {
            let _ = writeln!(
                text,
                "  readers of {reader}, rotated, read {mean:.3} of the contents of {read} (worst {worst:.3})"
            );
        }
    }
    match &codes.angles {
        Some(angles) => {
            let (least, most) = (angles.angles.first(), angles.angles.last());
            let shared = format!(
                "in the units their spaces share {:.3} (chance {:.3}); principal angles {} to {}",
                angles.shared,
                angles.by_chance,
                least.map_or_else(String::new, |angle| degrees(*angle)),
                most.map_or_else(String::new, |angle| degrees(*angle))
            );
            *text += &hanging("  ", 4, &shared);
        }
        None => *text += "  they have different numbers of units: their spaces have no angles\n",
    }
    if let Some(step) = codes.written_step {
        let _ = writeln!(text, "  steps as written into the states, not rounded to signs, differ by {}", number(step));
    }
    if let Some(spectrum) = codes.spectrum {
        let _ = writeln!(text, "  eigenvalues of the steps differ by at most {}", number(spectrum));
    }
    let [x, y] = codes.held;
    let _ = writeln!(text, "  the contents explain {:.3} and {:.3} of the states", x.explained, y.explained);
    if let Some([here, there]) = &codes.products {
        let _ = writeln!(text, "  product memories: {} in {a}, {} in {b}", here.len(), there.len());
    }
}

fn measures(text: &mut String, found: &Measures) {
    let Measures { cka, shape, dsa, dsa_wasserstein } = found;
    if [cka, shape, dsa, dsa_wasserstein].iter().all(|value| value.is_none()) {
        return;
    }
    *text += "\n";
    *text += &title("What the field's measures say of the same states");
    let mut line = |name: &str, value: &Option<f64>, meaning: &str| {
        let value = value.map_or_else(|| "---".into(), number);
        let _ = writeln!(text, "  {name:<18} {value:>8}  {FAINT}{meaning}{FAINT:#}");
    };
    line("linear CKA", cka, "1 is the same");
    line("shape distance", shape, "radians; 0 is the same, 1.571 the most");
    line("DSA", dsa, "radians; 0 is the same dynamics up to rotation");
    line("DSA, eigenvalues", dsa_wasserstein, "0 is the same spectrum");
}

fn many(text: &mut String, found: &Comparison, effects: &[Effect]) {
    *text += &title(&format!("{} networks, {} pairs", found.networks.len(), found.pairs.len()));
    for kind in PairVerdict::ALL {
        let count = found.pairs.iter().filter(|pair| pair.verdict == kind).count();
        if count > 0 {
            let (style, word) = verdict(kind);
            let _ = writeln!(text, "  {style}{word:<16}{style:#} {count:>6}  {FAINT}{}{FAINT:#}", kind.definition());
        }
    }
    *text += "\n";
    for (k, Cluster { members, complete }) in found.clusters.iter().enumerate() {
        let shown: Vec<String> = members.iter().take(SHOWN).map(|&i| escaped(&found.networks[i].name)).collect();
        let more = members.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let chained = if *complete { "" } else { " (by way of each other, not every two)" };
        let _ = writeln!(text, "  circuit {}: {}{chained}: {}{more}", k + 1, counted(members.len()), shown.join(", "));
        let first = &found.networks[members[0]];
        match first.function.first() {
            Some(f) => {
                let _ = writeln!(text, "    {FAINT}{f}, ...; {}{FAINT:#}", first.verdict.name());
            }
            None => {
                let reason = first.reasons.first().map_or("", String::as_str);
                let _ = writeln!(text, "    {FAINT}{}: {}{FAINT:#}", first.verdict.name(), escaped(reason));
            }
        }
    }
    separations(text, &found.separations);
    if !effects.is_empty() {
        *text += "\n";
        *text += &title("What each setting does (pairs that differ in it and in nothing else but the seed)");
        for Effect { setting, pairs, same, distance, codes, shape } in effects {
            let shown = |value: &Option<f64>| value.map_or_else(|| "---".into(), number);
            let _ = writeln!(
                text,
                "  {setting:<12} {pairs:>5} pairs  same circuit {same:.3}  circuits {:>8}  codes {:>8}  shape {:>8}",
                shown(distance),
                shown(codes),
                shown(shape)
            );
        }
    }
}

fn counted(networks: usize) -> String {
    if networks == 1 { "1 network".into() } else { format!("{networks} networks") }
}

fn separations(text: &mut String, all: &[Separation]) {
    *text += "\n";
    *text += &title("What tells the circuits apart");
    let range = |of: &Option<[f64; 3]>| {
        of.map_or_else(|| "---".into(), |[least, _, most]| format!("{} to {}", number(least), number(most)))
    };
    for Separation { measure, same, different, told_apart } in all {
        let told = told_apart.map_or_else(|| "---".into(), |share| format!("{share:.3}"));
        let _ = writeln!(
            text,
            "  {measure:<18} same {:<22} different {:<22} told apart {told}",
            range(same),
            range(different)
        );
    }
}

fn verdict(verdict: PairVerdict) -> (Style, &'static str) {
    match verdict {
        PairVerdict::SameCircuit => (GOOD, "same circuit"),
        PairVerdict::SameFunction => (WARN, "same function"),
        PairVerdict::Different => (WARN, "different"),
        PairVerdict::Unclear => (WARN, "unclear"),
        PairVerdict::NotComparable => (WARN, "not comparable"),
    }
}

fn component(of: &Component) -> String {
    format!("u{} of variable {}", of.component, of.variable)
}

fn names(all: &[Component]) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(component).collect();
    let more = all.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn degrees(radians: f64) -> String {
    format!("{:.1} degrees", radians.to_degrees())
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-3 => format!("{value:.0e}"),
        _ => format!("{value:.4}"),
    }
}
