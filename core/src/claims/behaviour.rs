//! Claims about what a network does: outputs against the function, from the zero state, on fresh inputs.

use super::{Bound, Claim, ClaimName, ClaimParams};
use crate::code::Contents;
use crate::observe::{Asked, Batch, Flips, Observations, window_count};
use crate::recurrence::{Rivalry, rivalry};
use crate::task::{Episodes, Gate, Slot, Task};

/// How far outputs follow a function, in parts of the horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// First output step (from 0) of each part, and the one after the last.
    pub parts: Vec<usize>,
    /// For each part and output the share of right signs, or the error as a share of the output's size.
    pub by_part: Vec<Vec<f64>>,
    /// For each part and output the root mean square of the output.
    pub sizes: Vec<Vec<f64>>,
    /// Whether signs were compared.
    pub signs: bool,
    /// What real values were multiplied with: the size of the network's outputs.
    pub unit: f64,
}

impl Followed {
    /// The worst figure, with its part and output.
    pub fn worst(&self) -> (f64, usize, usize) {
        let all = self.by_part.iter().enumerate();
        let all = all.flat_map(|(part, row)| row.iter().enumerate().map(move |(j, &value)| (value, part, j)));
        let worse = |a: f64, b: f64| if self.signs { a < b } else { a > b || a.is_nan() };
        let start = (if self.signs { 1.0 } else { 0.0 }, 0, 0);
        all.fold(start, |worst, next| if worse(next.0, worst.0) { next } else { worst })
    }

    /// For each output the smallest size of a part as a share of the largest.
    pub fn kept(&self) -> Vec<f64> {
        let outputs = self.sizes.first().map_or(0, Vec::len);
        let of = |j: usize| self.sizes.iter().map(move |part| part[j]);
        let kept = |j: usize| {
            let largest = of(j).fold(0.0, f64::max);
            if largest > 0.0 { of(j).fold(f64::INFINITY, f64::min) / largest } else { 0.0 }
        };
        (0..outputs).map(kept).collect()
    }

    /// Where the worst figure is: `u3 in steps 151-200`.
    pub fn place(&self) -> String {
        let (_, part, j) = self.worst();
        let (first, last) = (self.parts[part] + 1, self.parts[part + 1]);
        match first == last {
            true => format!("u{} in step {first}", j + 1),
            false => format!("u{} in steps {first}-{last}", j + 1),
        }
    }
}

/// Follows a function over the parts of a horizon that `cuts` separate.
pub fn follow(batch: &Batch, task: &Task, cuts: &[usize], unit: f64, faint: f64) -> Followed {
    let (d, targets, signs) = (task.d(), batch.targets(task), task.is_binary());
    let first_size = size_of(&targets, batch, d, 0..task.s().min(batch.outputs.len()));
    let one = |from: usize, to: usize, j: usize| {
        let (mut right, mut missed, mut size, mut all) = (0usize, 0.0, 0.0, 0usize);
        for t in from..to {
            let wanted = &targets.targets()[t * batch.episodes * d..];
            for episode in 0..batch.episodes {
                let (produced, wanted) = (batch.outputs[t][(j, episode)], f64::from(wanted[episode * d + j]));
                right += usize::from((wanted > 0.0) == (produced > 0.0));
                missed += (produced / unit - wanted).powi(2);
                size += wanted * wanted;
                all += 1;
            }
        }
        let all = all.max(1) as f64;
        match signs {
            true => right as f64 / all,
            // Values that f has let go must be gone; they are measured against what is faint.
            false => (missed / all).sqrt() / (size / all).sqrt().max(faint * first_size).max(f64::MIN_POSITIVE),
        }
    };
    let by_part = cuts.windows(2).map(|part| (0..d).map(|j| one(part[0], part[1], j)).collect()).collect();
    let size = |from: usize, to: usize, j: usize| {
        let all: f64 = (from..to).map(|t| batch.outputs[t].row(j).squared_norm_l2()).sum();
        (all / ((to - from) * batch.episodes).max(1) as f64).sqrt()
    };
    let sizes = cuts.windows(2).map(|part| (0..d).map(|j| size(part[0], part[1], j)).collect()).collect();
    Followed { parts: cuts.to_vec(), by_part, sizes, signs, unit }
}

/// Root mean square of the targets of some steps.
fn size_of(targets: &Episodes, batch: &Batch, d: usize, steps: std::ops::Range<usize>) -> f64 {
    let row = batch.episodes * d;
    let values = &targets.targets()[steps.start * row..steps.end * row];
    (values.iter().map(|&u| f64::from(u).powi(2)).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

/// What the outputs of a real-valued f are multiplied with, from the first s output steps: one positive number for all.
fn unit(batch: &Batch, task: &Task) -> f64 {
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
    pub fn measure(observed: &Observations, contents: &Contents, faint: f64, params: &ClaimParams) -> Self {
        let (task, long) = (contents.task(), &observed.long);
        let unit = if task.is_binary() { 1.0 } else { unit(&observed.trial, task) };
        let cuts = cuts(long.outputs.len(), contents, task.s());
        let followed = follow(long, task, &cuts, unit, faint);
        let first = follow(&observed.trial, task, &[0, task.s().min(observed.trial.outputs.len())], unit, faint);
        let mut claims = vec![follows(&followed, params)];
        claims.extend(followed.signs.then(|| keeps_size(&followed, params)));
        claims.extend(observed.flips.as_ref().map(|flips| depends(flips, task, unit, params)));
        claims.push(every_window(observed, task, unit, faint, params));
        match task.gates().filter(|_| !task.is_linear()) {
            None => claims.push(no_further_term(&rivalry(observed, task, params.better, &params.rival), params)),
            Some(gates) => {
                claims.extend(observed.asked.as_ref().map(|asked| no_further_input(asked, &gates, task, params)))
            }
        }
        Self { claims, followed, first }
    }

    /// Outputs that are held over the first s output steps.
    pub fn held(&self, params: &ClaimParams) -> Vec<bool> {
        let right = |value: f64| if self.first.signs { value > params.held } else { value < params.held_error };
        // The sign of what has faded away is no longer held.
        let kept = if self.first.signs { self.followed.kept() } else { vec![1.0; self.first.by_part[0].len()] };
        self.first.by_part[0].iter().zip(kept).map(|(&value, kept)| right(value) && kept > params.faded).collect()
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

fn keeps_size(followed: &Followed, params: &ClaimParams) -> Claim {
    let kept = followed.kept().into_iter().enumerate();
    let (j, worst) = kept.fold((0, 1.0), |worst, next| if next.1 < worst.1 { next } else { worst });
    let detail = format!("smallest quarter of an output as a share of its largest, worst u{}", j + 1);
    Claim::at_least(ClaimName::KeepsSize, worst, params.keeps, detail)
}

/// Runs f on the flipped inputs, and asks whether the network's outputs change where and as f's do.
fn depends(flips: &Flips, task: &Task, unit: f64, params: &ClaimParams) -> Claim {
    let (batch, d, targets) = (&flips.batch, task.d(), flips.batch.targets(task));
    let wanted =
        |t: usize, j: usize, episode: usize| f64::from(targets.targets()[t * batch.episodes * d + episode * d + j]);
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
                        happened += usize::from((after > 0.0) != (before > 0.0));
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
        let slot = flips.inputs[k];
        format!("u{} of input step {}", slot % d + 1, slot / d + 1)
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
fn every_window(observed: &Observations, task: &Task, unit: f64, faint: f64, params: &ClaimParams) -> Claim {
    let batches = [&observed.trial, &observed.score, &observed.long];
    let windows: usize = batches.iter().map(|batch| batch.episodes).sum();
    // A network of few windows was asked for each of them; recordings hold what they hold.
    let all = window_count((task.s(), task.d()), observed.trial.episodes).filter(|_| observed.flips.is_some());
    let fresh = match all {
        Some(all) => format!("{windows} inputs, all {all} windows among them"),
        None => format!("{windows} fresh inputs"),
    };
    let first_steps = |batch: &Batch| task.s().min(batch.outputs.len());
    let firsts: Vec<(Followed, usize)> = batches
        .iter()
        .map(|batch| (follow(batch, task, &[0, first_steps(batch)], unit, faint), batch.episodes))
        .collect();
    let mean = |j: usize| {
        let weighted = firsts.iter().map(|(first, episodes)| {
            let value = first.by_part[0][j];
            *episodes as f64 * if first.signs { value } else { value * value }
        });
        let mean = weighted.sum::<f64>() / windows.max(1) as f64;
        if task.is_binary() { mean } else { mean.sqrt() }
    };
    let outputs = (0..task.d()).map(|j| (mean(j), j));
    let name = ClaimName::EveryWindow;
    if task.is_binary() {
        let (worst, j) = outputs.fold((1.0, 0), |a, b| if b.0 < a.0 { b } else { a });
        let detail = format!("share of right signs in the first {} steps after {fresh}, worst u{}", task.s(), j + 1);
        return Claim::at_least(name, worst, params.windows, detail);
    }
    let (worst, j) = outputs.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    let detail = format!("error in the first {} steps after {fresh}, worst u{}", task.s(), j + 1);
    Claim::at_most(name, worst, params.windows_error, detail)
}

/// The largest share of inputs in which flipping one that f does not read changes the first output.
fn no_further_input(asked: &Asked, gates: &[Gate], task: &Task, params: &ClaimParams) -> Claim {
    let (s, d) = (task.s(), task.d());
    let (mut worst, mut place) = (0.0, (0, 0));
    for (output, gate) in gates.iter().enumerate() {
        for at in (0..task.window()).filter(|at| !gate.inputs().contains(&Slot::at(*at, s, d))) {
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
    Claim::at_most(ClaimName::NoFurtherTerm, worst, params.further_input, detail)
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
