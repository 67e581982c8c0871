//! Claims about how a network does it: states, weights, eigenvalues.

use super::{Bound, Claim, ClaimName, ClaimParams};
use crate::code::{CodeParams, Contents, Judged, MAX_PRODUCTS, Noise, Null, Products, Rows, Writer};
use crate::numeric::{Matrix, NumericError, operator_norm, zero_padded};
use crate::score::{Missed, Tally, same_sign, worst};
use crate::spectrum::Spectrum;

/// What was measured of a network's states and weights.
pub struct StructureEvidence<'a> {
    /// The contents that were looked for.
    pub contents: &'a Contents,
    /// The code on fresh states.
    pub judged: &'a Judged,
    /// Products that states hold beside contents, where f is a truth table.
    pub products: Option<&'a Products>,
    /// The step matrix in its basis.
    pub step: &'a Matrix,
    /// The worst output after contents were written into the state; nothing where only recordings are known.
    pub steered: Option<(f64, usize)>,
    /// Of recordings: contents against those of other episodes, and noise where it keeps them from being read.
    pub recorded: Option<(&'a Null, Option<&'a Noise>)>,
    /// Eigenvalues on the orbit, seen in the memories where other directions lead it astray.
    pub spectrum: &'a Spectrum,
}

impl StructureEvidence<'_> {
    /// The claims.
    pub fn claims(&self, code: &CodeParams, params: &ClaimParams) -> Result<Vec<Claim>, NumericError> {
        let mut claims = vec![match self.recorded {
            // What is not there is not read, whatever the noise.
            Some((null, Some(noise))) if null.least >= code.stands_out => self.read_under_noise(noise, params),
            _ => self.read(code),
        }];
        match self.recorded {
            // Recorded units may hold anything else besides.
            Some((null, _)) => claims.push(self.present(null, code)),
            // While f forgets, the state may still be full of what f does not read.
            None => claims.extend((!self.contents.fades).then(|| self.explained(params))),
        }
        claims.push(self.step_matrix(code));
        claims.push(self.step_directions(params)?);
        claims.extend(self.steered.map(|(measured, output)| self.steering(measured, output, params)));
        claims.extend(self.angles(params));
        claims.extend(self.moduli(params));
        Ok(claims)
    }

    fn read(&self, params: &CodeParams) -> Claim {
        let read = self.judged.read.iter().copied().enumerate();
        let (at, worst) = read.fold((0, 1.0), |worst, next| if next.1 < worst.1 { next } else { worst });
        let place = self
            .contents
            .named(at)
            .map_or(String::new(), |at| format!(", worst u{} in variable {}", at.component, at.variable));
        if self.contents.are_signs() {
            let detail = format!("share of right signs, read linearly from fresh states{place}");
            return Claim::at_least(ClaimName::ContentsRead, worst, params.read, detail);
        }
        let detail = "error of contents, read linearly from fresh states, relative to their size";
        Claim::at_most(ClaimName::ContentsRead, 1.0 - worst, params.missed, detail)
    }

    /// Noise limits the reading of one state; what it does not allow is no sign of a content that is missing.
    fn read_under_noise(&self, noise: &Noise, params: &ClaimParams) -> Claim {
        let missing = self.judged.read.iter().zip(&noise.allowed).map(|(read, allowed)| allowed - read);
        let most = missing.fold(0.0, f64::max);
        let (worst, allowed) = (self.judged.worst(), noise.allowed.iter().copied().fold(1.0, f64::min));
        let detail = format!(
            "by how much a content is read less well from one fresh state than its noise allows; worst {worst:.3}, allowed {allowed:.3}"
        );
        Claim::at_most(ClaimName::ContentsRead, most, params.below_noise, detail)
    }

    fn present(&self, null: &Null, params: &CodeParams) -> Claim {
        let least = null.contents.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let place = least
            .and_then(|(k, _)| self.contents.named(k))
            .map_or(String::new(), |at| format!(" (u{} in variable {})", at.component, at.variable));
        let detail = format!(
            "standard deviations by which the content that stands out least{place} does so from episodes shuffled {} times; p = {:.2}",
            null.draws, null.p
        );
        Claim::at_least(ClaimName::ContentsPresent, null.least, params.stands_out, detail)
    }

    fn explained(&self, params: &ClaimParams) -> Claim {
        let detail = match self.products.map(|products| &products.by_degree[..]) {
            Some([alone, .., _]) => {
                let most = self.products.map_or(1, |products| products.by_degree.len());
                format!(
                    "share of the variance of fresh states, with products of up to {most} contents; contents alone {alone:.3}"
                )
            }
            _ => "share of the variance of fresh states".into(),
        };
        Claim::at_least(ClaimName::CodeExplains, self.judged.explained, params.explained, detail)
    }

    fn step_matrix(&self, params: &CodeParams) -> Claim {
        let rows = Rows::count(self.step, self.contents, params.row);
        let off = crate::code::off_by(self.step, &self.contents.whole_step()).into_iter().fold(0.0, f64::max);
        let mut detail = format!("largest error of an entry; {} of {} rows are right", rows.right(), rows.all());
        if self.contents.products_left_out > 0 {
            let (products, most) = (self.contents.products_left_out, MAX_PRODUCTS);
            detail += &format!("; on contents alone, as f has {products} products, more than {most}");
        }
        Claim::at_most(ClaimName::StepMatrix, off, params.row, detail)
    }

    /// Small errors of many entries may add up in one direction.
    fn step_directions(&self, params: &ClaimParams) -> Result<Claim, NumericError> {
        let apart = operator_norm(&(self.step - &self.contents.whole_step()))?;
        let detail = "most that one step moves a direction of the contents otherwise than the function, as a share of its length";
        Ok(Claim::at_most(ClaimName::StepDirections, apart, params.step_norm, detail))
    }

    fn steering(&self, measured: f64, output: usize, params: &ClaimParams) -> Claim {
        let (name, steps) = (ClaimName::Steered, steered_steps(self.contents, params));
        if self.contents.are_signs() {
            let detail = format!(
                "share of right signs over the {steps} steps after random contents were written, worst u{output}"
            );
            return Claim::at_least(name, measured, params.steered, detail);
        }
        let detail = format!("error over the {steps} steps after random contents were written, worst u{output}");
        Claim::at_most(name, measured, params.steered_error, detail)
    }

    /// Nothing where f keeps nothing for good.
    fn angles(&self, params: &ClaimParams) -> Option<Claim> {
        let expected = self.spectrum.expected.filter(|&expected| expected > 0)?;
        let name = ClaimName::Spectrum;
        let found = self.spectrum.found;
        if found != expected {
            return Some(Claim::unmeasured(
                name,
                params.angles,
                Bound::AtMost,
                format!("{found} last where the circuit has {expected}"),
            ));
        }
        let detail = format!("largest angle error in radians of {found} lasting eigenvalues");
        Some(Claim::at_most(name, self.spectrum.worst_error.unwrap_or(f64::NAN), params.angles, detail))
    }

    /// Nothing where the counts differ, which the claim about angles says; noise in recordings makes every modulus smaller.
    fn moduli(&self, params: &ClaimParams) -> Option<Claim> {
        let worst = self.spectrum.worst_modulus.filter(|_| self.recorded.is_none() && self.spectrum.found > 0)?;
        let detail = format!("largest difference in modulus of {} lasting eigenvalues", self.spectrum.found);
        Some(Claim::at_most(ClaimName::Moduli, worst, params.moduli, detail))
    }
}

/// Output steps over which written contents are followed: two turns of the window, or until they are gone.
pub(crate) fn steered_steps(contents: &Contents, params: &ClaimParams) -> usize {
    let least = if contents.drawn.is_some() { params.steered_steps } else { 0 };
    let turns = (2 * contents.task().s()).max(least).min(params.steered_most);
    contents.gone_after.map_or(turns, |gone| turns.min(gone.max(1)))
}

/// Writes contents into states through the code, lets the network run on, and compares its outputs with those of f.
/// Gives the worst output, counted from 1.
pub fn steered(
    writer: &Writer<'_>,
    contents: &Contents,
    written: &Matrix,
    unit: f64,
    params: &ClaimParams,
) -> (f64, usize) {
    let (d, steps) = (contents.task().d(), steered_steps(contents, params));
    let network = writer.network.padded();
    let (step, readout) = (zero_padded(&contents.step), zero_padded(&contents.readout));
    let mut held = written.clone();
    let (mut tally, mut missed) = (Tally::new(d), Missed::new(d));
    // What is written is said at once, and then as f says.
    for said in network.says_on(writer.states(written), steps) {
        let wanted = &readout * &held;
        tally.add_columns(&said, &wanted, same_sign);
        missed.add(&(faer::Scale(1.0 / unit) * said), &wanted, |_, u| u * u);
        held = &step * held;
    }
    match contents.are_signs() {
        true => worst(true, &tally.shares()),
        // An output that f keeps silent must be silent beside the others.
        false => worst(false, &missed.errors(params.silent * missed.largest())),
    }
}
