//! Fixed points in JSON and in words.

use crate::terminal::{FAINT, WARN, title};
use ketbra::linearize::{FixedPoint, FixedPoints};
use ketbra::numeric::{Matrix, c64};
use ketbra::spectrum::Spectrum;
use serde_json::{Value, json};

/// Points that fit on a screen.
const MOST_ROWS: usize = 12;

/// Everything about every point, with the words of fixed-point-finder.
pub fn document(found: &FixedPoints, spectra: &[Spectrum], jacobians: bool) -> Value {
    let point = |(point, spectrum): (&FixedPoint, &Spectrum)| {
        let pairs: Vec<[f64; 2]> = point.eigenvalues.iter().map(|z| [z.re, z.im]).collect();
        let mut line = json!({
            "xstar": point.ending.state,
            "q": point.ending.q,
            "n_iters": point.ending.n_iters,
            "reached": point.reached,
            "distance": distance(point),
            "is_fixed": point.is_fixed,
            "is_stable": point.is_stable,
            "unstable": unstable(point),
            "spectral_radius": point.spectral_radius(),
            "spectrum": spectrum,
            "eigenvalues": pairs,
            "doubts": said(&point.doubts),
        });
        if jacobians {
            line["J_xstar"] = json!(rows(&point.state_jacobian));
            line["dFdu"] = json!(rows(&point.input_jacobian));
        }
        line
    };
    json!({
        "starts": found.all.len(),
        "fixed": found.fixed().count(),
        "slow": found.slow().count(),
        "points": found.unique.iter().zip(spectra).map(point).collect::<Vec<_>>(),
        "doubts": said(&found.doubts),
    })
}

/// A line a point, as far as they fit.
pub fn in_words(found: &FixedPoints, spectra: &[Spectrum]) -> String {
    let (fixed, slow) = (found.fixed().count(), found.slow().count());
    let slow = if slow > 0 { format!(", {slow} slow") } else { String::new() };
    let mut text = format!("\n{}", title(&format!("Fixed points: {fixed}{slow}, from {} starts", found.all.len())));
    if !found.unique.is_empty() {
        text.push_str("          q  distance  stable  unstable  largest     lasting     error  reached\n");
    }
    for (point, spectrum) in found.unique.iter().zip(spectra).take(MOST_ROWS) {
        let expected = spectrum.expected.map_or(String::new(), |expected| format!(" of {expected}"));
        let stable = match (point.is_fixed, point.is_stable) {
            (false, _) => "slow",
            (true, true) => "yes",
            (true, false) => "no",
        };
        text.push_str(&format!(
            "  {:>9.1e}  {:>8.4}  {stable:>6}  {:>8}  {:>7.4}  {:>10}  {:>8}  {:>7}\n",
            point.ending.q,
            distance(point),
            unstable(point),
            point.spectral_radius(),
            format!("{}{expected}", spectrum.found),
            spectrum.error.map_or("---".into(), |error| format!("{error:.4}")),
            point.reached,
        ));
        for doubt in &point.doubts {
            text.push_str(&format!("    {FAINT}{doubt}{FAINT:#}\n"));
        }
    }
    if found.unique.len() > MOST_ROWS {
        text.push_str(&format!("  {FAINT}and {} more: --json has them{FAINT:#}\n", found.unique.len() - MOST_ROWS));
    }
    for doubt in &found.doubts {
        text.push_str(&format!("{WARN}warning:{WARN:#} {doubt}\n"));
    }
    text
}

fn said(doubts: &[ketbra::linearize::FixedPointDoubt]) -> Vec<Value> {
    let with_message = |doubt: &ketbra::linearize::FixedPointDoubt| {
        let mut line = json!(doubt);
        line["message"] = json!(doubt.to_string());
        line
    };
    doubts.iter().map(with_message).collect()
}

fn distance(point: &FixedPoint) -> f64 {
    point.ending.state.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn unstable(point: &FixedPoint) -> usize {
    point.eigenvalues.iter().filter(|z: &&c64| z.re.hypot(z.im) > 1.0).count()
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.nrows()).map(|i| (0..matrix.ncols()).map(|j| matrix[(i, j)]).collect()).collect()
}
