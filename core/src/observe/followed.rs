//! How far outputs follow a function: over parts of a horizon, and at its worst step and in its worst episode.
//!
//! An average hides errors that are concentrated: one step in fifty, or one input in two hundred. So the worst of each is
//! kept beside every mean.

use super::Batch;
use crate::score::{best, is_worse, same_sign};
use crate::task::{Episodes, Window};
use std::ops::Range;

/// How far outputs follow a function, in parts of the horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// First output step (from 0) of each part, and the one after the last.
    pub parts: Vec<usize>,
    /// For each part and output the share of right signs, or the error as a share of the output's size.
    pub by_part: Vec<Vec<f64>>,
    /// For each part and output the root mean square of the output.
    pub sizes: Vec<Vec<f64>>,
    /// For each output its figure at the step at which it follows least.
    pub least: Vec<f64>,
    /// The output step at which an output follows least.
    pub worst_step: Worst,
    /// The episode in which an output follows least.
    pub worst_episode: Worst,
    /// Episodes in which some output is wrong at some step; nothing where values are compared.
    pub faulty: Option<usize>,
    /// Episodes in all.
    pub episodes: usize,
    /// Whether signs were compared.
    pub signs: bool,
    /// What real values were multiplied with: the size of the network's outputs.
    pub unit: f64,
}

/// The worst place of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The share of right signs there, or the error as a share of the output's size.
    pub value: f64,
    /// The step or the episode, from 0.
    pub at: usize,
    /// The output, from 0.
    pub output: usize,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yardstick {
    /// What the outputs of a real-valued f are divided by.
    pub unit: f64,
    /// Values that f has let go below this share of their first size must be gone.
    pub faint: f64,
}

impl Followed {
    /// The worst figure, with its part and output.
    pub fn worst(&self) -> (f64, usize, usize) {
        let all = self.by_part.iter().enumerate();
        let all = all.flat_map(|(part, row)| row.iter().enumerate().map(move |(j, &value)| (value, part, j)));
        let start = (best(self.signs), 0, 0);
        all.fold(start, |worst, next| if is_worse(self.signs, next.0, worst.0) { next } else { worst })
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
pub fn follow(batch: &Batch, task: &Window, cuts: &[usize], by: Yardstick) -> Followed {
    let sums = Sums::of(batch, task, cuts.last().copied().unwrap_or(0), by);
    let parts = || cuts.windows(2).map(|part| part[0]..part[1]);
    let outputs = 0..task.d();
    let by_part = parts().map(|part| outputs.clone().map(|j| sums.over(&part, j)).collect()).collect();
    let sizes = parts().map(|part| outputs.clone().map(|j| sums.size(&part, j)).collect()).collect();
    Followed {
        parts: cuts.to_vec(),
        by_part,
        sizes,
        least: (0..task.d()).map(|j| sums.least(j)).collect(),
        worst_step: sums.worst_step(),
        worst_episode: sums.worst_episode(),
        faulty: sums.signs.then(|| sums.faulty()),
        episodes: batch.episodes,
        signs: sums.signs,
        unit: by.unit,
    }
}

/// What is right, or by how much values are missed, added up by step and by episode for every output.
struct Sums {
    signs: bool,
    d: usize,
    episodes: usize,
    steps: usize,
    /// Steps x outputs: right signs, or squared errors.
    by_step: Vec<f64>,
    /// Episodes x outputs: the same.
    by_episode: Vec<f64>,
    /// Steps x outputs: squares of what f gives, and of what the network says.
    wanted: Vec<f64>,
    produced: Vec<f64>,
    /// The least size that an error is measured against.
    floor: f64,
}

impl Sums {
    fn of(batch: &Batch, task: &Window, steps: usize, by: Yardstick) -> Self {
        let (d, targets, signs, episodes) = (task.d(), batch.targets(task), task.is_binary(), batch.episodes);
        let first = size_of(&targets, episodes * d, task.s().min(batch.outputs.len()));
        let mut sums = Self {
            signs,
            d,
            episodes,
            steps,
            by_step: vec![0.0; steps * d],
            by_episode: vec![0.0; episodes * d],
            wanted: vec![0.0; steps * d],
            produced: vec![0.0; steps * d],
            floor: (by.faint * first).max(f64::MIN_POSITIVE),
        };
        for (t, wanted) in targets.targets().chunks(episodes * d).enumerate().take(steps) {
            for (episode, wanted) in wanted.chunks(d).enumerate() {
                for (j, (&u, &y)) in wanted.iter().zip(batch.outputs[t].col_as_slice(episode)).enumerate() {
                    let u = f64::from(u);
                    let score = match signs {
                        true => f64::from(u8::from(same_sign(y, u))),
                        false => (y / by.unit - u).powi(2),
                    };
                    sums.by_step[t * d + j] += score;
                    sums.by_episode[episode * d + j] += score;
                    sums.wanted[t * d + j] += u * u;
                    sums.produced[t * d + j] += y * y;
                }
            }
        }
        sums
    }

    fn total(&self, of: &[f64], steps: &Range<usize>, j: usize) -> f64 {
        steps.clone().map(|t| of[t * self.d + j]).sum()
    }

    /// A sum of scores over so many values, beside the root mean square of what f gives.
    fn figure(&self, sum: f64, count: usize, size: f64) -> f64 {
        let count = count.max(1) as f64;
        if self.signs { sum / count } else { (sum / count).sqrt() / size.max(self.floor) }
    }

    fn over(&self, steps: &Range<usize>, j: usize) -> f64 {
        let count = steps.len() * self.episodes;
        let size = (self.total(&self.wanted, steps, j) / count.max(1) as f64).sqrt();
        self.figure(self.total(&self.by_step, steps, j), count, size)
    }

    fn size(&self, steps: &Range<usize>, j: usize) -> f64 {
        (self.total(&self.produced, steps, j) / (steps.len() * self.episodes).max(1) as f64).sqrt()
    }

    fn worst(&self, count: usize, figure: impl Fn(usize, usize) -> f64) -> Worst {
        let mut worst = Worst { value: best(self.signs), at: 0, output: 0 };
        for at in 0..count {
            for output in 0..self.d {
                let value = figure(at, output);
                if is_worse(self.signs, value, worst.value) {
                    worst = Worst { value, at, output };
                }
            }
        }
        worst
    }

    fn least(&self, j: usize) -> f64 {
        let worse = |a: f64, b: f64| if is_worse(self.signs, b, a) { b } else { a };
        (0..self.steps).map(|t| self.over(&(t..t + 1), j)).fold(best(self.signs), worse)
    }

    fn worst_step(&self) -> Worst {
        self.worst(self.steps, |t, j| self.over(&(t..t + 1), j))
    }

    /// Errors of one episode beside the size that the output has over all of them.
    fn worst_episode(&self) -> Worst {
        let all = 0..self.steps;
        let size = |j: usize| (self.total(&self.wanted, &all, j) / (self.steps * self.episodes).max(1) as f64).sqrt();
        let sizes: Vec<f64> = (0..self.d).map(size).collect();
        self.worst(self.episodes, |e, j| self.figure(self.by_episode[e * self.d + j], self.steps, sizes[j]))
    }

    fn faulty(&self) -> usize {
        self.by_episode.chunks(self.d).filter(|row| row.iter().any(|&right| right < self.steps as f64)).count()
    }
}

/// Root mean square of the targets of the first steps.
fn size_of(targets: &Episodes, row: usize, steps: usize) -> f64 {
    let values = &targets.targets()[..steps * row];
    (values.iter().map(|&u| f64::from(u).powi(2)).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
