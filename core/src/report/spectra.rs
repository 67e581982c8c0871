//! The spectra of a page and of its figures.

use super::ReportError;
use crate::interpret::Interpretation;
use crate::numeric::{c64, eigenvalues};
use crate::spectrum::{Direction, Eigenvalue, Spectrum};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct SpectraData {
    origin: Option<SpectrumData>,
    orbit: Option<SpectrumData>,
    /// Whether it is what is read from the memories that turns, and not the whole state.
    in_memories: bool,
    theory: Option<Vec<Eigenvalue>>,
}

#[derive(Serialize)]
struct SpectrumData {
    threshold: f64,
    found: usize,
    expected: Option<usize>,
    error: Option<f64>,
    worst_error: Option<f64>,
    eigenvalues: Vec<Eigenvalue>,
    directions: Vec<Direction>,
}

impl SpectraData {
    pub(super) fn of(found: &Interpretation) -> Result<Self, ReportError> {
        let (mut origin, mut orbit) = (None, None);
        for (place, eigenvalues, spectrum) in spectra(found)? {
            let data = SpectrumData {
                threshold: spectrum.threshold,
                found: spectrum.found,
                expected: spectrum.expected,
                error: spectrum.error,
                worst_error: spectrum.worst_error,
                eigenvalues,
                directions: spectrum.directions.clone(),
            };
            *(if place == AT_ORIGIN { &mut origin } else { &mut orbit }) = Some(data);
        }
        let known = found.spectrum.origin.as_ref().unwrap_or(&found.spectrum.orbit);
        let theory = known.expected.is_some().then(|| known.theory.clone());
        Ok(SpectraData { origin, orbit, in_memories: found.spectrum.memories.is_some(), theory })
    }
}

/// Where, every eigenvalue there, and how they compare with theory.
pub(super) type PlacedSpectrum<'a> = (&'static str, Vec<Eigenvalue>, &'a Spectrum);

const AT_ORIGIN: &str = "at the origin";

/// Every eigenvalue at the origin and, where activity lasts, on the orbit.
pub(super) fn spectra(found: &Interpretation) -> Result<Vec<PlacedSpectrum<'_>>, ReportError> {
    let pairs = |values: &[c64]| -> Vec<Eigenvalue> { values.iter().map(|z| [z.re, z.im]).collect() };
    let at_origin = |spectrum| (AT_ORIGIN, pairs(&found.details.origin_eigenvalues), spectrum);
    let mut spectra: Vec<_> = found.spectrum.origin.iter().map(at_origin).collect();
    if let Some(memories) = &found.spectrum.memories {
        spectra.push(("in the memories", memories.eigenvalues.clone(), memories));
    } else if let Some(orbit) = &found.details.orbit {
        spectra.push(("on the orbit", pairs(&eigenvalues(&orbit.operator)?), &found.spectrum.orbit));
    }
    Ok(spectra)
}
