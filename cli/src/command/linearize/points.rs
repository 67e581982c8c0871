//! Fixed points in JSON and in words.

use crate::arguments::in_options;
use crate::terminal::{FAINT, WARN, hanging, title};
use ketbra::linearize::{Arrival, FixedPoint, PhasePortrait};
use ketbra::spectrum::Spectrum;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Stable points that are shown.
const MOST_STABLE: usize = 64;
/// Other points that are shown.
const MOST_OTHERS: usize = 24;

/// Everything about every point, with its spectrum against the theory.
pub fn document(found: &PhasePortrait, spectra: &[Spectrum], jacobians: bool) -> Value {
    let mut document = found.document(jacobians);
    if let Some(points) = document["points"].as_array_mut() {
        points.iter_mut().zip(spectra).for_each(|(point, spectrum)| point["spectrum"] = json!(spectrum));
    }
    document
}

/// A line a point, stable ones first, as far as they fit.
pub fn in_words(found: &PhasePortrait, spectra: &[Spectrum]) -> String {
    let points = &found.points;
    let mut text = format!("\n{}", title(&format!("Fixed points, from {} starts", points.all.len())));
    text.push_str(&hanging("  ", 2, &counted(found)));
    if !points.unique.is_empty() {
        text.push_str("    #       q distance stable unstable largest  lasting  error reached leads to\n");
    }
    let (mut shown, mut others) = (0, 0);
    for (k, (point, spectrum)) in points.unique.iter().zip(spectra).enumerate() {
        others += usize::from(!point.is_stable);
        if others > MOST_OTHERS || (point.is_stable && k >= MOST_STABLE) {
            continue;
        }
        shown += 1;
        text.push_str(&line(k, point, spectrum, &leads_to(found, k)));
        for doubt in &point.doubts {
            text.push_str(&format!("      {FAINT}{doubt}{FAINT:#}\n"));
        }
    }
    if points.unique.len() > shown {
        text.push_str(&format!("  {FAINT}and {} more: --json has them{FAINT:#}\n", points.unique.len() - shown));
    }
    if let Some(set) = &found.slow_manifold {
        text.push_str(&format!("  slow manifold: {set}\n"));
    }
    for doubt in &points.doubts {
        text.push_str(&format!("{WARN}warning:{WARN:#} {}\n", in_options(doubt)));
    }
    text
}

/// "8 stable, 12 with 1 unstable direction, 6 with 2, 3 slow".
fn counted(found: &PhasePortrait) -> String {
    let counts = &found.points.counts;
    let mut parts = vec![format!("{} stable", counts.stable)];
    for (k, (unstable, count)) in counts.unstable.iter().enumerate() {
        let word = match (k, unstable) {
            (0, 1) => " unstable direction",
            (0, _) => " unstable directions",
            _ => "",
        };
        parts.push(format!("{count} with {unstable}{word}"));
    }
    for (count, word) in [(counts.marginal, "marginal"), (counts.slow, "slow")] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    parts.join(", ")
}

fn line(k: usize, point: &FixedPoint, spectrum: &Spectrum, leads_to: &str) -> String {
    let expected = spectrum.expected.map_or(String::new(), |expected| format!(" of {expected}"));
    let stable = match (point.is_fixed, point.is_stable, point.unstable) {
        (false, ..) => "slow",
        (_, true, _) => "yes",
        (_, false, 0) => "?",
        _ => "no",
    };
    let line = format!(
        "  {k:>3} {:>7.0e} {:>8.4} {stable:>6} {:>8} {:>7.4} {:>8} {:>6} {:>7} {leads_to}",
        point.ending.q,
        point.distance(),
        point.unstable,
        point.spectral_radius(),
        format!("{}{expected}", spectrum.found),
        spectrum.error.map_or("---".into(), |error| format!("{error:.4}")),
        point.reached,
    );
    format!("{}\n", line.trim_end())
}

/// The points that the unstable modes of one lead to.
fn leads_to(found: &PhasePortrait, source: usize) -> String {
    let mine = || found.connections.iter().filter(move |connection| connection.source == source);
    let targets: BTreeSet<usize> = mine().filter_map(|connection| connection.target).collect();
    let mut words: Vec<String> = targets.iter().map(ToString::to_string).collect();
    for (arrival, word) in [(Arrival::Slow, "slow states"), (Arrival::Moving, "no rest")] {
        if mine().any(|connection| connection.arrival == arrival) {
            words.push(word.into());
        }
    }
    words.join(" ")
}
