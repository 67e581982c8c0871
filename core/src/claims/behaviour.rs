//! Claims about what a network does: outputs against the function, from the zero state, on fresh inputs.

use super::{ClaimParams, Grounds, Outcome, found, unmeasured};
use crate::code::Contents;
use crate::observe::{Batch, Followed, Observations, Yardstick, follow};
use crate::recurrence::{Rivalry, rivalry};
use crate::score::differ;
use crate::task::{Component, Gate, Slot, Window};

/// What the outputs of a real-valued f are multiplied with, from the first s output steps: one positive number for all.
fn unit(batch: &Batch, task: &Window) -> f64 {
    let (d, targets) = (task.d(), batch.targets(task));
    let (mut product, mut square) = (0.0, 0.0);
    for (t, wanted) in targets.targets().chunks(batch.episodes * d).enumerate().take(task.s()) {
        for (episode, wanted) in wanted.chunks(d).enumerate() {
            for (j, &u) in wanted.iter().enumerate() {
                product += batch.outputs[t][(j, episode)] * f64::from(u);
                square += f64::from(u).powi(2);
            }
        }
    }
    let unit = product / square;
    if unit.is_finite() && unit > 0.0 { unit } else { 1.0 }
}

/// How a network's outputs follow one function.
#[derive(Clone, Debug)]
pub struct Behaviour<'a> {
    /// What the function keeps.
    pub contents: &'a Contents,
    /// Quarters of the horizon.
    pub followed: Followed,
    /// The first s output steps.
    pub first: Followed,
}

impl<'a> Behaviour<'a> {
    /// Compares outputs with those of the function; what has shrunk below the share `faint` is gone.
    pub fn measure(observed: &Observations, contents: &'a Contents, faint: f64) -> Self {
        let (task, long) = (contents.task(), &observed.long);
        let unit = if task.is_binary() { 1.0 } else { unit(&observed.trial, task) };
        let by = Yardstick { unit, faint };
        let cuts = cuts(long.outputs.len(), contents, task.s());
        let followed = follow(long, task, &cuts, by);
        let first = follow(&observed.trial, task, &[0, task.s().min(observed.trial.outputs.len())], by);
        Self { contents, followed, first }
    }

    /// Outputs that are held: over the first s output steps and better than chance at each of these, and in some quarter of a long
    /// time. Two functions may agree at a few steps by what they read of the same inputs.
    pub fn held(&self, params: &ClaimParams) -> Vec<bool> {
        let right = |value: f64| if self.first.signs { value > params.held } else { value < params.held_error };
        // The sign of what has faded away is no longer held.
        let kept = if self.first.signs { self.followed.kept() } else { vec![1.0; self.first.by_part[0].len()] };
        let later = |j: usize| self.followed.by_part.iter().any(|part| right(part[j]));
        let at_each = |j: usize| !self.first.signs || self.first.least[j] > params.held_step;
        let held = |(j, &value): (usize, &f64)| right(value) && at_each(j) && later(j) && kept[j] > params.faded;
        self.first.by_part[0].iter().enumerate().map(held).collect()
    }

    /// The least share of right signs of these outputs in any quarter.
    pub fn lasting(&self, held: &[bool]) -> f64 {
        let of_held =
            |part: &'_ Vec<f64>| part.iter().zip(held).filter(|(_, held)| **held).map(|(x, _)| *x).fold(1.0, f64::min);
        self.followed.by_part.iter().map(of_held).fold(1.0, f64::min)
    }

    /// Whether every output stays better than chance in every quarter.
    pub fn lasts(&self, params: &ClaimParams) -> bool {
        let value = self.followed.worst().0;
        if self.followed.signs { value > params.held } else { value < params.held_error }
    }
}

/// Quarters of the horizon; where f forgets, of the time until all is gone, and then the rest.
fn cuts(steps: usize, contents: &Contents, s: usize) -> Vec<usize> {
    let lasting = contents.gone_after.map_or(steps, |gone| (gone + s).min(steps));
    let mut cuts: Vec<usize> = (0..=4).map(|k| k * lasting / 4).collect();
    cuts.push(steps);
    cuts.dedup();
    cuts
}

/// Of a function that was read back: how often it is right.
pub(super) fn known(of: &Grounds<'_>) -> Outcome {
    let reading = of.reading?;
    match of.behaviour {
        Some(_) => found(reading.agreement(), "agreement of the worst output with the best function that was found"),
        None => unmeasured("no function was found"),
    }
}

pub(super) fn follows(of: &Grounds<'_>) -> Outcome {
    let followed = &of.behaviour?.followed;
    let ((worst, ..), place) = (followed.worst(), followed.place());
    let steps = followed.parts.last().copied().unwrap_or(0);
    let what = if followed.signs { "share of right signs" } else { "error of the values relative to their size" };
    found(worst, format!("{what} over {steps} steps, worst {place}"))
}

pub(super) fn every_step(of: &Grounds<'_>) -> Outcome {
    let followed = &of.behaviour?.followed;
    let (worst, episodes) = (followed.worst_step, followed.episodes);
    let place = format!("worst u{} in step {}", worst.output + 1, worst.at + 1);
    let what = right_or_error(followed.signs);
    found(worst.value, format!("{what} at one step over {episodes} inputs, {place}"))
}

/// What a figure of outputs is.
fn right_or_error(signs: bool) -> &'static str {
    if signs { "share of right signs" } else { "error of the values" }
}

pub(super) fn every_episode(of: &Grounds<'_>) -> Outcome {
    let followed = &of.behaviour?.followed;
    let (worst, episodes) = (followed.worst_episode, followed.episodes);
    let steps = followed.parts.last().copied().unwrap_or(0);
    let all = if of.observed.every_window { "all " } else { "" };
    let mut detail =
        format!("after the worst of {all}{episodes} inputs over {steps} steps, worst u{}", worst.output + 1);
    detail +=
        &followed.faulty.map_or(String::new(), |faulty| format!("; {}", rate_of(faulty, episodes, !all.is_empty())));
    found(worst.value, format!("{} {detail}", right_or_error(followed.signs)))
}

/// How many of so many inputs were wrong, and what that says of those that were not tried.
fn rate_of(wrong: usize, of: usize, all: bool) -> String {
    match wrong {
        0 if all => "none of them is ever wrong, and there are no others".into(),
        // Where the rate is 3/n, n draws show none with a probability of 0.05.
        0 => format!("none is ever wrong, which rules out rates above {:.2} %", 100.0 * 3.0 / of.max(1) as f64),
        wrong => format!("{wrong} are wrong at some step"),
    }
}

pub(super) fn keeps_size(of: &Grounds<'_>) -> Outcome {
    let followed = Some(&of.behaviour?.followed).filter(|followed| followed.signs)?;
    let kept = followed.kept().into_iter().enumerate();
    let (j, worst) = kept.fold((0, 1.0), |worst, next| if next.1 < worst.1 { next } else { worst });
    found(
        worst,
        format!(
            "size of an output in the quarter of the time in which it is smallest, as a share of that in which it is largest, worst u{}",
            j + 1
        ),
    )
}

/// Runs f on the flipped inputs, and asks whether the network's outputs change where and as f's do.
pub(super) fn depends(of: &Grounds<'_>) -> Outcome {
    let Behaviour { contents, followed, .. } = of.behaviour?;
    let (flips, task, unit) = (of.observed.flips.as_ref()?, contents.task(), followed.unit);
    let (batch, d, targets) = (&flips.batch, task.d(), flips.batch.targets(task));
    let wanted = |t: usize, j: usize, episode: usize| targets.target(t, episode, j);
    let mut worst = (if task.is_binary() { 1.0 } else { 0.0 }, 0);
    let mut seen = 0usize;
    // Real changes are measured against the size of an average one: an input that f ignores must change nothing.
    let mut sizes: Vec<f64> = vec![];
    let mut errors: Vec<f64> = vec![];
    for k in 0..flips.inputs.len() {
        let (mut predicted, mut happened, mut missed, mut size) = (0usize, 0usize, 0.0, 0.0);
        for t in 0..batch.outputs.len() {
            for base in 0..flips.bases {
                let there = flips.episode(k, base);
                for j in 0..d {
                    let (before, after) = (batch.outputs[t][(j, base)], batch.outputs[t][(j, there)]);
                    let change = wanted(t, j, there) - wanted(t, j, base);
                    if change != 0.0 {
                        predicted += 1;
                        happened += usize::from(differ(before, after));
                    }
                    missed += ((after - before) / unit - change).powi(2);
                    size += change * change;
                }
            }
        }
        if task.is_binary() && predicted > 0 {
            seen += 1;
            let share = happened as f64 / predicted as f64;
            worst = if share < worst.0 { (share, k) } else { worst };
        }
        sizes.push(size);
        errors.push(missed);
    }
    let named = |k: usize| {
        let Component { variable, component } = Component::at(flips.inputs[k], d);
        format!("u{component} of input step {variable}")
    };
    if task.is_binary() {
        let detail =
            format!("share of the changes that follow when one of {seen} inputs is flipped, worst {}", named(worst.1));
        return found(worst.0, detail);
    }
    let average = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
    let error = |k: usize| (errors[k] / sizes[k].max(average).max(f64::MIN_POSITIVE)).sqrt();
    let worst = (0..errors.len()).map(|k| (error(k), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    let detail =
        format!("error of what changes when one of {} inputs is flipped, worst {}", errors.len(), named(worst.1));
    found(worst.0, detail)
}

/// The first s outputs after fresh inputs: their windows still hold inputs that are independent of one another.
pub(super) fn every_window(of: &Grounds<'_>) -> Outcome {
    let Behaviour { contents, followed, .. } = of.behaviour?;
    let (observed, task) = (of.observed, contents.task());
    let by = Yardstick { unit: followed.unit, faint: of.code.contents.faint };
    let batches = observed.drawn();
    let windows: usize = batches.iter().map(|batch| batch.episodes).sum();
    let all = observed.every_window;
    let fresh = if all {
        format!("{windows} inputs, all that there are among them")
    } else {
        format!("{windows} fresh inputs")
    };
    let first_steps = |batch: &Batch| task.s().min(batch.outputs.len());
    let firsts: Vec<Followed> =
        batches.into_iter().map(|batch| follow(batch, task, &[0, first_steps(batch)], by)).collect();
    let mean = |j: usize| {
        let weighted = firsts.iter().map(|first| {
            let value = first.by_part[0][j];
            first.episodes as f64 * if first.signs { value } else { value * value }
        });
        let mean = weighted.sum::<f64>() / windows.max(1) as f64;
        if task.is_binary() { mean } else { mean.sqrt() }
    };
    let outputs = (0..task.d()).map(|j| (mean(j), j));
    let steps = if task.s() == 1 { "step".into() } else { format!("{} steps", task.s()) };
    if task.is_binary() {
        let (worst, j) = outputs.fold((1.0, 0), |a, b| if b.0 < a.0 { b } else { a });
        let faulty: usize = firsts.iter().filter_map(|first| first.faulty).sum();
        let rate = rate_of(faulty, windows, all);
        return found(
            worst,
            format!("share of right signs in the first {steps} after {fresh}, worst u{}; {rate}", j + 1),
        );
    }
    let (worst, j) = outputs.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    found(worst, format!("error in the first {steps} after {fresh}, worst u{}", j + 1))
}

/// The largest share of inputs in which flipping one that f does not read changes the first output.
pub(super) fn no_further_input(of: &Grounds<'_>) -> Outcome {
    let task = of.contents()?.task();
    let (gates, asked) = (tables(task)?, of.observed.asked.as_ref()?);
    let (s, d) = (task.s(), task.d());
    let (mut worst, mut place) = (0.0, (0, 0));
    for (output, gate) in gates.iter().enumerate() {
        for at in (0..task.width()).filter(|at| !gate.inputs().contains(&Slot::at(*at, s, d))) {
            if asked.influence[(output, at)] > worst {
                (worst, place) = (asked.influence[(output, at)], (output, at));
            }
        }
    }
    let slot = Slot::at(place.1, s, d);
    let detail = match worst > 0.0 {
        true => {
            format!("share of inputs in which another than f reads changes an output, most u{} by {slot}", place.0 + 1)
        }
        false => "no input that f does not read changes an output".into(),
    };
    found(worst, detail)
}

/// The truth tables of f; nothing where it is linear.
fn tables(task: &Window) -> Option<Vec<Gate>> {
    task.gates().filter(|_| !task.is_linear())
}

pub(super) fn no_further_term(of: &Grounds<'_>) -> Outcome {
    let task = of.contents()?.task();
    if tables(task).is_some() {
        return None;
    }
    match rivalry(of.observed, task, of.claims.better, &of.claims.rival) {
        Rivalry::Unrivalled => found(0.0, "no other linear function predicts the outputs clearly better"),
        Rivalry::Rivalled(rival) => {
            let (missing, place) = (rival.missing, rival.place());
            found(
                missing,
                format!("another linear function predicts better: it differs by {missing:.3}, most in {place}"),
            )
        }
        Rivalry::NotPredicted { .. } => unmeasured("the function does not predict the first outputs"),
    }
}

/// Looks where outputs were not f's: does another rule hold there?
pub(super) fn no_rare_rule(of: &Grounds<'_>) -> Outcome {
    let rare = of.behaviour.and(of.observed.rare.as_ref())?;
    let (windows, exceptions) = (rare.windows, rare.exceptions);
    let worst = rare.rules.iter().max_by(|a, b| a.share.total_cmp(&b.share));
    let detail = match worst {
        None if exceptions == 0 => format!("the first outputs after {windows} inputs are all f's"),
        None => format!(
            "{exceptions} of {windows} first outputs are not f's, and nothing that these inputs share was found"
        ),
        Some(rule) => format!(
            "where {} the first output u{} is not f's in this share of the inputs; {exceptions} of {windows} first outputs are not",
            rule.condition(),
            rule.output + 1
        ),
    };
    found(worst.map_or(0.0, |rule| rule.share), detail)
}
