//! Claims about what a network does: outputs against the function, from the zero state, on fresh inputs.

use super::kept::Kept;
use super::{Bound, Claim, ClaimName, ClaimParams};
use crate::code::Contents;
use crate::numeric::NumericError;
use crate::observe::{Asked, Batch, Flips, Followed, Observations, Rare, Yardstick, follow};
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

/// What was measured of a network's behaviour under one function.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The claims.
    pub claims: Vec<Claim>,
    /// Quarters of the horizon.
    pub followed: Followed,
    /// The first s output steps.
    pub first: Followed,
}

impl Behaviour {
    /// Measures everything that needs no states.
    pub fn measure(
        observed: &Observations,
        contents: &Contents,
        faint: f64,
        params: &ClaimParams,
    ) -> Result<Self, NumericError> {
        let (task, long) = (contents.task(), &observed.long);
        let unit = if task.is_binary() { 1.0 } else { unit(&observed.trial, task) };
        let by = Yardstick { unit, faint };
        let cuts = cuts(long.outputs.len(), contents, task.s());
        let followed = follow(long, task, &cuts, by);
        let first = follow(&observed.trial, task, &[0, task.s().min(observed.trial.outputs.len())], by);
        let mut claims = vec![follows(&followed, params), every_step(&followed, params)];
        claims.push(every_episode(&followed, observed, params));
        claims.extend(followed.signs.then(|| keeps_size(&followed, params)));
        claims.extend(Kept::measure(long, contents, unit, faint)?.map(|kept| kept.claim(params)));
        claims.extend(observed.flips.as_ref().map(|flips| depends(flips, task, unit, params)));
        claims.push(every_window(observed, task, by, params));
        match task.gates().filter(|_| !task.is_linear()) {
            None => claims.push(no_further_term(&rivalry(observed, task, params.better, &params.rival), params)),
            Some(gates) => {
                claims.extend(observed.asked.as_ref().map(|asked| no_further_input(asked, &gates, task, params)))
            }
        }
        claims.extend(observed.rare.as_ref().map(|rare| no_rare_rule(rare, params)));
        Ok(Self { claims, followed, first })
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

fn follows(followed: &Followed, params: &ClaimParams) -> Claim {
    let (name, (worst, ..), place) = (ClaimName::FollowsFunction, followed.worst(), followed.place());
    let steps = followed.parts.last().copied().unwrap_or(0);
    if followed.signs {
        let detail = format!("share of right signs over {steps} steps, worst {place}");
        return Claim::at_least(name, worst, params.follows, detail);
    }
    let detail = format!("error of the values relative to their size over {steps} steps, worst {place}");
    Claim::at_most(name, worst, params.follows_error, detail)
}

fn every_step(followed: &Followed, params: &ClaimParams) -> Claim {
    let (worst, episodes) = (followed.worst_step, followed.episodes);
    let place = format!("worst u{} in step {}", worst.output + 1, worst.at + 1);
    if followed.signs {
        let detail = format!("share of right signs at one step over {episodes} inputs, {place}");
        return Claim::at_least(ClaimName::EveryStep, worst.value, params.step, detail);
    }
    let detail = format!("error of the values at one step over {episodes} inputs, {place}");
    Claim::at_most(ClaimName::EveryStep, worst.value, params.step_error, detail)
}

fn every_episode(followed: &Followed, observed: &Observations, params: &ClaimParams) -> Claim {
    let (worst, episodes) = (followed.worst_episode, followed.episodes);
    let steps = followed.parts.last().copied().unwrap_or(0);
    let all = if observed.every_window { "all " } else { "" };
    let mut detail =
        format!("after the worst of {all}{episodes} inputs over {steps} steps, worst u{}", worst.output + 1);
    detail +=
        &followed.faulty.map_or(String::new(), |faulty| format!("; {}", rate_of(faulty, episodes, !all.is_empty())));
    if followed.signs {
        let detail = format!("share of right signs {detail}");
        return Claim::at_least(ClaimName::EveryEpisode, worst.value, params.episode, detail);
    }
    Claim::at_most(ClaimName::EveryEpisode, worst.value, params.episode_error, format!("error of the values {detail}"))
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

fn keeps_size(followed: &Followed, params: &ClaimParams) -> Claim {
    let kept = followed.kept().into_iter().enumerate();
    let (j, worst) = kept.fold((0, 1.0), |worst, next| if next.1 < worst.1 { next } else { worst });
    let detail = format!("smallest quarter of an output as a share of its largest, worst u{}", j + 1);
    Claim::at_least(ClaimName::KeepsSize, worst, params.keeps, detail)
}

/// Runs f on the flipped inputs, and asks whether the network's outputs change where and as f's do.
fn depends(flips: &Flips, task: &Window, unit: f64, params: &ClaimParams) -> Claim {
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
    let name = ClaimName::DependsOnInputs;
    let named = |k: usize| {
        let Component { variable, component } = Component::at(flips.inputs[k], d);
        format!("u{component} of input step {variable}")
    };
    if task.is_binary() {
        let detail =
            format!("share of the changes that follow when one of {seen} inputs is flipped, worst {}", named(worst.1));
        return Claim::at_least(name, worst.0, params.inputs, detail);
    }
    let average = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
    let error = |k: usize| (errors[k] / sizes[k].max(average).max(f64::MIN_POSITIVE)).sqrt();
    let worst = (0..errors.len()).map(|k| (error(k), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    let detail =
        format!("error of what changes when one of {} inputs is flipped, worst {}", errors.len(), named(worst.1));
    Claim::at_most(name, worst.0, params.inputs_error, detail)
}

/// The first s outputs after fresh inputs: their windows still hold inputs that are independent of one another.
fn every_window(observed: &Observations, task: &Window, by: Yardstick, params: &ClaimParams) -> Claim {
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
    let name = ClaimName::EveryWindow;
    if task.is_binary() {
        let (worst, j) = outputs.fold((1.0, 0), |a, b| if b.0 < a.0 { b } else { a });
        let faulty: usize = firsts.iter().filter_map(|first| first.faulty).sum();
        let rate = rate_of(faulty, windows, all);
        let detail =
            format!("share of right signs in the first {} steps after {fresh}, worst u{}; {rate}", task.s(), j + 1);
        return Claim::at_least(name, worst, params.windows, detail);
    }
    let (worst, j) = outputs.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    let detail = format!("error in the first {} steps after {fresh}, worst u{}", task.s(), j + 1);
    Claim::at_most(name, worst, params.windows_error, detail)
}

/// The largest share of inputs in which flipping one that f does not read changes the first output.
fn no_further_input(asked: &Asked, gates: &[Gate], task: &Window, params: &ClaimParams) -> Claim {
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
    Claim::at_most(ClaimName::NoFurtherInput, worst, params.further_input, detail)
}

fn no_further_term(rivalry: &Rivalry, params: &ClaimParams) -> Claim {
    let (name, limit) = (ClaimName::NoFurtherTerm, params.further);
    match rivalry {
        Rivalry::Unrivalled => {
            Claim::at_most(name, 0.0, limit, "no other linear function predicts the outputs clearly better")
        }
        Rivalry::Rivalled(rival) => {
            let (missing, place) = (rival.missing, rival.place());
            let detail =
                format!("another linear function predicts better: it differs by {missing:.3}, most in {place}");
            Claim::at_most(name, missing, limit, detail)
        }
        Rivalry::NotPredicted { .. } => {
            Claim::unmeasured(name, limit, Bound::AtMost, "the function does not predict the first outputs")
        }
    }
}

/// Looks where outputs were not f's: does another rule hold there?
fn no_rare_rule(rare: &Rare, params: &ClaimParams) -> Claim {
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
    Claim::at_most(ClaimName::NoRareRule, worst.map_or(0.0, |rule| rule.share), params.rare, detail)
}
