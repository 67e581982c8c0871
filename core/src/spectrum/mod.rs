//! Eigenvalues of a linearized network against those that the theory's circuit must have.

use crate::numeric::{Matching, NumericError, arc, c64, match_angles};
use crate::setting::settings;
use serde::{Deserialize, Serialize};

settings! {
    /// How eigenvalues are compared.
    pub struct SpectrumParams {
        /// Eigenvalues with a larger modulus are kept, those of the theory too.
        threshold: f64 = 0.9, SIZE;
        /// How found eigenvalues are paired with expected ones.
        matching: Matching = Matching::default(), words::<Matching>();
        /// Directions of the theory nearer than this are one.
        same_direction: f64 = 1e-6, RADIANS;
    }
}

impl SpectrumParams {
    /// At the origin and at fixed points.
    pub fn at_a_point() -> Self {
        Self::default()
    }

    /// On the orbit.
    pub fn on_the_orbit() -> Self {
        Self { threshold: 0.8, ..Self::at_a_point() }
    }
}

/// An eigenvalue as real and imaginary part.
pub type Eigenvalue = [f64; 2];

/// How many eigenvalues point one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// Argument that the theory asks for, radians from -pi to pi.
    pub angle: f64,
    /// Kept eigenvalues nearest to this direction.
    pub found: usize,
    /// Eigenvalues of the theory.
    pub expected: usize,
}

/// A spectrum against the theory's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Kept eigenvalues.
    pub found: usize,
    /// Eigenvalues that the theory asks for; unknown without a task.
    pub expected: Option<usize>,
    /// Mean difference of the arguments (radians); indeterminate where the counts differ.
    pub error: Option<f64>,
    /// Largest difference of the arguments (radians).
    pub worst_error: Option<f64>,
    /// Largest difference of the moduli, both in falling order; indeterminate where the counts differ.
    #[serde(default)]
    pub worst_modulus: Option<f64>,
    /// Mean modulus of the kept eigenvalues.
    pub mean_modulus: Option<f64>,
    /// Modulus above which eigenvalues are kept.
    pub threshold: f64,
    /// How they were paired.
    pub matching: Matching,
    /// Counts for each direction that the theory asks for, by angle.
    pub directions: Vec<Direction>,
    /// Kept eigenvalues.
    pub eigenvalues: Vec<Eigenvalue>,
    /// The theory's eigenvalues.
    pub theory: Vec<Eigenvalue>,
}

impl Spectrum {
    /// That of a network that was not run.
    pub(crate) fn unknown(params: &SpectrumParams) -> Self {
        Self {
            found: 0,
            expected: None,
            error: None,
            worst_error: None,
            worst_modulus: None,
            mean_modulus: None,
            threshold: params.threshold,
            matching: params.matching,
            directions: vec![],
            eigenvalues: vec![],
            theory: vec![],
        }
    }
}

/// Compares eigenvalues with the theory's; `None` where no task is known.
pub fn spectrum(found: &[c64], theory: Option<&[c64]>, params: &SpectrumParams) -> Result<Spectrum, NumericError> {
    let kept = |values: &[c64]| -> Vec<c64> {
        values.iter().copied().filter(|z| z.re.hypot(z.im) > params.threshold).collect()
    };
    let angles = |values: &[c64]| -> Vec<f64> { values.iter().map(|z| z.im.atan2(z.re)).collect() };
    let pairs = |values: &[c64]| -> Vec<Eigenvalue> { values.iter().map(|z| [z.re, z.im]).collect() };
    let found = kept(found);
    let expected = theory.map(kept);
    let matched = match &expected {
        Some(expected) if expected.len() == found.len() && !found.is_empty() => {
            Some(match_angles(&angles(&found), &angles(expected), params.matching)?)
        }
        _ => None,
    };
    let moduli: f64 = found.iter().map(|z| z.re.hypot(z.im)).sum();
    Ok(Spectrum {
        found: found.len(),
        expected: expected.as_ref().map(Vec::len),
        error: matched.as_ref().map(|matched| matched.mean_error),
        worst_error: matched.as_ref().map(|matched| matched.worst_error),
        worst_modulus: matched.as_ref().and(expected.as_deref()).map(|expected| moduli_apart(&found, expected)),
        mean_modulus: (!found.is_empty()).then(|| moduli / found.len() as f64),
        threshold: params.threshold,
        matching: params.matching,
        directions: expected
            .as_deref()
            .map(|expected| count(&angles(&found), &angles(expected), params.same_direction))
            .unwrap_or_default(),
        eigenvalues: pairs(&found),
        theory: expected.as_deref().map(pairs).unwrap_or_default(),
    })
}

/// The largest difference between two lists of moduli in falling order.
fn moduli_apart(found: &[c64], expected: &[c64]) -> f64 {
    let falling = |values: &[c64]| {
        let mut moduli: Vec<f64> = values.iter().map(|z| z.re.hypot(z.im)).collect();
        moduli.sort_by(|a, b| b.total_cmp(a));
        moduli
    };
    falling(found).into_iter().zip(falling(expected)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn count(found: &[f64], expected: &[f64], same: f64) -> Vec<Direction> {
    let mut directions: Vec<Direction> = vec![];
    for &angle in expected {
        match directions.iter_mut().find(|direction| arc(direction.angle, angle) < same) {
            Some(direction) => direction.expected += 1,
            None => directions.push(Direction { angle, found: 0, expected: 1 }),
        }
    }
    directions.sort_by(|a, b| a.angle.total_cmp(&b.angle));
    for &angle in found {
        let nearest = directions.iter_mut().min_by(|a, b| arc(a.angle, angle).total_cmp(&arc(b.angle, angle)));
        if let Some(direction) = nearest {
            direction.found += 1;
        }
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn roots(count: usize, turn: f64, radius: f64) -> Vec<c64> {
        (0..count)
            .map(|k| {
                let angle = TAU * k as f64 / count as f64 + turn;
                c64::new(radius * angle.cos(), radius * angle.sin())
            })
            .collect()
    }

    #[test]
    fn a_spectrum_turned_by_a_small_angle_is_off_by_that_angle() {
        let (found, theory) = (roots(9, 0.01, 0.97), roots(9, 0.0, 1.0));
        let compared = spectrum(&found, Some(&theory), &SpectrumParams::at_a_point()).unwrap();
        assert!((compared.error.unwrap() - 0.01).abs() < 1e-12);
        assert!((compared.mean_modulus.unwrap() - 0.97).abs() < 1e-12);
        assert!((compared.worst_modulus.unwrap() - 0.03).abs() < 1e-12);
        assert!(compared.directions.iter().all(|d| (d.found, d.expected) == (1, 1)));
    }

    #[test]
    fn the_error_is_indeterminate_where_counts_differ_and_directions_tell_where() {
        let theory = [roots(4, 0.0, 1.0), roots(2, 0.0, 1.0)].concat();
        let compared = spectrum(&roots(4, 0.0, 1.0), Some(&theory), &SpectrumParams::at_a_point()).unwrap();
        assert_eq!((compared.found, compared.expected, compared.error), (4, Some(6), None));
        let counts: Vec<_> = compared.directions.iter().map(|d| (d.found, d.expected)).collect();
        assert_eq!(counts, [(1, 1), (1, 2), (1, 1), (1, 2)]);
    }

    #[test]
    fn eigenvalues_under_the_threshold_do_not_count_on_either_side() {
        let values = [roots(3, 0.0, 1.0), roots(5, 0.0, 0.5)].concat();
        let compared = spectrum(&values, Some(&values), &SpectrumParams::on_the_orbit()).unwrap();
        assert_eq!((compared.found, compared.expected, compared.error), (3, Some(3), Some(0.0)));
    }
}
