//! The code of a network: fitted on the probes, judged on fresh episodes, written into the network.

use super::case::{Case, OnOrbit, Simulated, Theory};
use super::recorded::Recorded;
use super::{CodeSummary, InterpretError, ProductsSummary};
use crate::circuit::Core;
use crate::claims::{Behaviour, steered};
use crate::code::{
    Code, Contents, ContentsFrom, Directions, Judged, Less, Moments, Products, Rows, Sample, Sharing, Step, Writer,
    random_contents,
};
use crate::memories::{Drive, Frame, Memories, Method, Score, remainder};
use crate::numeric::{Matrix, NumericError, eigenvalues, regress, zero_padded};
use crate::spectrum::{Spectrum, spectrum};

/// Steps after the probes have settled whose mean stands for the mean state when contents are written.
const WRITTEN_AFTER: usize = 2;

/// Earlier readings that predict one; and the ridge of that, as readings without noise determine one another.
const EARLIER: usize = 8;
const BEFORE_RIDGE: f64 = 1e-6;

/// Ridge of the map between contents that were read.
const RIDGE: f64 = 1e-9;

/// A code, with everything that was measured of it.
pub(super) struct Coded {
    pub(super) origin: ContentsFrom,
    pub(super) code: Code,
    pub(super) judged: Judged,
    /// Reading in the first output steps, while the state settles.
    pub(super) first_steps: f64,
    pub(super) fresh: Sample,
    pub(super) step: Step,
    /// The worst output after contents were written.
    pub(super) steered: Option<(f64, usize)>,
    pub(super) steps: usize,
    pub(super) episodes: usize,
    /// Products that the states of a truth table hold beside contents.
    pub(super) products: Option<Products>,
    /// What recordings say beside it.
    pub(super) recorded: Option<Recorded>,
}

impl Case<'_> {
    /// Fits and judges the code; nothing where f keeps nothing, activity dies out that should last, or states never differ.
    pub(super) fn find_code(
        &self,
        theory: &Theory,
        behaviour: &Behaviour,
        orbit: &OnOrbit,
    ) -> Result<Option<Coded>, InterpretError> {
        if theory.contents.drawn.is_some() {
            return self.find_code_of_table(theory, orbit);
        }
        let (contents, observed, params) = (&theory.contents, self.observed, &self.params.code);
        let origin = self.origin();
        // What should last and is gone holds nothing.
        if orbit.linear.is_none() && !contents.fades {
            return Ok(None);
        }
        if self.subject.is_none() && !contents.fades {
            return self.find_code_in_recordings(theory, behaviour, orbit);
        }
        let means = &orbit.visited.means;
        let steps = asked_steps(contents, orbit, observed.probe.states.keys().copied());
        let (produced, unit) = (observed.probe.mean_outputs(), behaviour.followed.unit);
        let held = contents.over(&observed.probe, origin, (&produced, unit)).at_steps(&steps);
        // The visited states are centred already.
        let (first, columns) = (steps.first().map_or(0, |t| t * observed.probe.episodes), held.ncols());
        let states = orbit.visited.deviations.subcols(first, columns);
        if held.nrows() == 0 || states.norm_max() == 0.0 || held.norm_max() == 0.0 {
            return Ok(None);
        }
        let moments = match contents.fades {
            true => Moments::with(states, &held, states * states.transpose()),
            false => Moments::with(states, &held, orbit.visited.settled_moments.clone()),
        };
        let code = Code::fit_to(&moments, Directions::Shared, params)?;
        let over = contents.over(&observed.score, origin, (&produced, unit));
        let known = |t: &usize| *t < means.len();
        let judged_steps: Vec<usize> = match contents.gone_after {
            Some(gone) => observed.score.states.keys().copied().filter(known).filter(|t| *t <= gone).collect(),
            None if contents.fades => observed.score.states.keys().copied().filter(known).collect(),
            None => observed.settled_steps().filter(known).step_by(params.judged_every.max(1)).collect(),
        };
        let sample = |steps: &[usize]| over.sample(steps, Less::Means(means));
        let fresh = sample(&judged_steps);
        let judged = code.judge(&fresh);
        let early: Vec<usize> = observed.score.states.keys().copied().filter(|t| *t < observed.s).collect();
        let first_steps = sample(&early).read_by(&code.readers).into_iter().fold(1.0, f64::min);
        let written = random_contents(contents, params.columns(contents.count()), self.params.observe.seed);
        let at = if contents.fades { 0 } else { (orbit.visited.settle + WRITTEN_AFTER).min(means.len() - 2) };
        let (next, steered) = match &self.subject {
            Some(Simulated { network, view, whole }) => {
                let writer = Writer::by_code(network, view, &code, (&whole.probe, at), (&steps, &held), params.ridge)?;
                let steered = steered(&writer, contents, &written, unit, &self.params.claims);
                (writer.next(&written, written.clone()), Some(steered))
            }
            None => {
                let pairs: Vec<usize> =
                    judged_steps.iter().copied().filter(|t| judged_steps.contains(&(t + 1))).collect();
                let after: Vec<usize> = pairs.iter().map(|t| t + 1).collect();
                (Sample { contents: over.at_steps(&pairs), ..sample(&after) }, None)
            }
        };
        let step = code.step(&next, contents.step_ridge())?;
        let (steps, episodes) = (judged_steps.len(), observed.score.episodes);
        Ok(Some(Coded {
            origin,
            code,
            judged,
            first_steps,
            fresh,
            step,
            steered,
            steps,
            episodes,
            products: None,
            recorded: None,
        }))
    }
}

/// One step of what was read, free of the noise in it (two-stage least squares): what earlier readings predict of a reading
/// holds none of its own noise, and is followed to the next one.
fn map_of_noisy(read: &Matrix, episodes: usize) -> Result<Matrix, NumericError> {
    let (count, steps) = (read.nrows(), read.ncols() / episodes.max(1));
    let earlier = EARLIER.min(steps.saturating_sub(2) / 2).max(1);
    let columns = (steps - 1 - earlier) * episodes;
    let from = |step: usize| read.subcols(step * episodes, columns);
    let mut before = Matrix::zeros(count * earlier, columns);
    (0..earlier).for_each(|k| before.subrows_mut(k * count, count).copy_from(from(k)));
    let now = regress(from(earlier), before.as_ref(), BEFORE_RIDGE)? * &before;
    regress(from(earlier + 1), now.as_ref(), RIDGE)
}

/// The steps whose states the code is fitted on: settled ones, or where f forgets those in which something is left.
fn asked_steps(contents: &Contents, orbit: &OnOrbit, kept: impl Iterator<Item = usize>) -> Vec<usize> {
    let last = orbit.visited.means.len().saturating_sub(1);
    match (contents.fades, contents.gone_after) {
        (true, Some(gone)) => kept.filter(|t| *t <= gone).collect(),
        (true, None) => kept.filter(|t| *t < last).collect(),
        (false, _) => kept.filter(|t| (orbit.visited.settle..last).contains(t)).collect(),
    }
}

impl Coded {
    /// The code as memories, beside those of other methods.
    pub(super) fn memories(
        &self,
        case: &Case<'_>,
        theory: &Theory,
        orbit: &OnOrbit,
    ) -> Result<Memories, InterpretError> {
        let contents = &theory.contents;
        let frame = Frame { memories: self.code.memories.clone(), readers: self.code.readers.clone() };
        let drive = Drive::Images(self.step.images.clone());
        let remainder = remainder(&orbit.visited, &frame, &drive, &case.params.memories)?;
        let read = &self.judged.read;
        let worst = self.judged.worst();
        let at = read.iter().position(|&share| share == worst).unwrap_or(0);
        let score = Score {
            mean: read.iter().sum::<f64>() / read.len().max(1) as f64,
            worst,
            worst_component: contents.named(at),
            components: read.clone(),
            first_steps: self.first_steps,
            steps: self.steps,
            episodes: self.episodes,
        };
        let of_f = contents.whole_step();
        let distance = (&self.step.matrix - &of_f).norm_l2() / of_f.norm_l2().max(f64::MIN_POSITIVE);
        Ok(Memories {
            method: Method::Code,
            condition: Some(self.code.condition),
            phi_error: Some(distance),
            score,
            remainder: Some(remainder),
            frame: Some(frame),
        })
    }

    /// Eigenvalues of the best linear map on what is read from the visited states, against the theory's: where units that
    /// hold nothing vary more than the memories do, the leading directions of the orbit are theirs.
    pub(super) fn spectrum(
        &self,
        case: &Case<'_>,
        theory: &Theory,
        orbit: &OnOrbit,
    ) -> Result<Option<Spectrum>, InterpretError> {
        let Some(predicted) = theory.core.as_ref().map(Core::eigenvalues) else { return Ok(None) };
        let close = orbit.spectrum.worst_error.is_some_and(|error| error <= case.params.claims.angles);
        if close || !self.code.is_independent() || theory.contents.fades {
            return Ok(None);
        }
        let (first, pairs) = orbit.visited.settled_pairs();
        let episodes = orbit.visited.episodes;
        let read = zero_padded(&self.code.readers) * orbit.visited.deviations.subcols(first, pairs + episodes);
        let map = match &self.recorded {
            Some(_) => map_of_noisy(&read, episodes)?,
            None => regress(read.subcols(episodes, pairs), read.subcols(0, pairs), RIDGE)?,
        };
        if !map.is_all_finite() {
            return Ok(None);
        }
        Ok(Some(spectrum(&eigenvalues(&map)?, Some(predicted), &case.params.orbit_spectrum)?))
    }

    /// How contents share directions.
    pub(super) fn sharing(
        &self,
        case: &Case<'_>,
        theory: &Theory,
        held: &[bool],
    ) -> Result<Option<Sharing>, InterpretError> {
        let explained = (self.origin, self.judged.explained);
        Ok(Sharing::of(&self.code, &theory.contents, explained, &self.fresh, held, &case.params.code)?)
    }

    /// The code in a few numbers.
    pub(super) fn summary(&self, case: &Case<'_>, theory: &Theory) -> CodeSummary {
        let (contents, params) = (&theory.contents, &case.params.code);
        let enough = params.enough(contents.kind());
        CodeSummary {
            contents: self.origin,
            count: contents.count(),
            explained: self.judged.explained,
            directions: self.code.directions,
            condition: Some(self.code.condition).filter(|condition| condition.is_finite()),
            read: self.judged.read.iter().filter(|&&share| share >= enough).count(),
            worst: self.judged.worst(),
            rows: Rows::count(&self.step.matrix, contents, params.row),
            products: self
                .products
                .as_ref()
                .map(|found| ProductsSummary { by_degree: found.by_degree.clone(), largest: found.largest.clone() }),
            at_one_moment: None,
        }
    }
}
