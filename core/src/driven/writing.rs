//! Contents of another episode put in place of these, and what the network makes of them: interchange interventions.

use super::code::{Code, Means};
use super::contents::Contents;
use super::episodes::{Episodes, seen};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::Stream;
use crate::task::{Frame, Machine, Program};
use serde::{Deserialize, Serialize};

/// Where futures begin in the address of random numbers.
const FUTURES: u32 = 1 << 16;

/// What came of contents that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    /// Outputs that the written contents make other than the old ones would ...
    pub differ: usize,
    /// ... and those of them that are as the written contents say: interchange accuracy is the share of these.
    pub followed: usize,
    /// Outputs that are the same under both ...
    pub same: usize,
    /// ... and those of them that are right.
    pub kept: usize,
}

impl Followed {
    /// Interchange accuracy; nothing where nothing was to follow.
    pub fn interchange(&self) -> Option<f64> {
        (self.differ > 0).then(|| self.followed as f64 / self.differ as f64)
    }

    /// The share of the other outputs that stay right.
    pub fn others_kept(&self) -> Option<f64> {
        (self.same > 0).then(|| self.kept as f64 / self.same as f64)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            differ: self.differ + other.differ,
            followed: self.followed + other.followed,
            same: self.same + other.same,
            kept: self.kept + other.kept,
        }
    }

    /// Counts the outputs of one step; those that the old contents leave open are neither.
    fn count(&mut self, program: &Program, new: &Frame, old: &Frame, said: &[f64]) {
        let (mut wanted, mut counts) = (vec![0.0; program.outputs()], vec![false; new.outputs.len()]);
        program.write_outputs(new, &mut wanted, &mut counts);
        for (k, columns) in program.output_columns().iter().enumerate() {
            if !counts[k] || old.outputs[k].is_nan() {
                continue;
            }
            let right = usize::from(columns.is_right(said, &wanted));
            match old.outputs[k] == new.outputs[k] {
                true => (self.same, self.kept) = (self.same + 1, self.kept + right),
                false => (self.differ, self.followed) = (self.differ + 1, self.followed + right),
            }
        }
    }
}

/// What is written into, and by which code.
pub(super) struct Writer<'a, 'p> {
    pub(super) network: &'a Network,
    pub(super) contents: &'a Contents,
    pub(super) episodes: &'a Episodes<'p>,
    pub(super) states: &'a [Matrix],
    pub(super) features: &'a [Matrix],
    pub(super) means: &'a Means,
    pub(super) stream: &'a Stream,
    /// Steps that the network then runs on for.
    pub(super) follow: usize,
}

impl Writer<'_, '_> {
    /// Writes at several steps what the next episode holds there: one variable, or all of them.
    pub(super) fn follow(&self, code: &Code, strength: f64, steps: &[usize], only: Option<usize>) -> Followed {
        let all = steps.iter().map(|&t| self.at(code, strength, t, only));
        all.fold(Followed::default(), Followed::and)
    }

    fn at(&self, code: &Code, strength: f64, t: usize, only: Option<usize>) -> Followed {
        let (program, count) = (self.episodes.program, self.episodes.count());
        let machines = &self.episodes.machines[t];
        let holding = |e: usize| {
            let (own, other) = (&machines[e].frame().variables, &machines[(e + 1) % count].frame().variables);
            let mut written = if only.is_some() { own.clone() } else { other.clone() };
            only.into_iter().for_each(|variable| written[variable] = other[variable]);
            written
        };
        let written: Vec<Vec<f64>> = (0..count).map(holding).collect();
        let mut change = Matrix::zeros(self.contents.features(), count);
        for (e, written) in written.iter().enumerate() {
            self.contents.write(written, change.col_as_slice_mut(e));
        }
        change -= &self.features[t];
        let inputs = self.means.off_inputs(t, &self.episodes.inputs[t]);
        let states = &self.states[t] + code.written(&change, &inputs) * faer::Scale(strength);
        let mut new: Vec<Machine<'_>> = machines.iter().zip(&written).map(|(of, held)| of.holding(held)).collect();
        let mut old: Vec<Option<Machine<'_>>> = machines.iter().cloned().map(Some).collect();
        let (mut run, mut found) = (self.network.begin_at(states, &[], 0), Followed::default());
        // An episode that has an end is not run beyond it.
        let left = program.longest().map_or(self.follow, |longest| longest.saturating_sub(t + 1).min(self.follow));
        for _ in 0..left {
            for (e, (new, old)) in new.iter_mut().zip(&mut old).enumerate() {
                new.step_drawn(self.stream, FUTURES + t as u32, e as u32);
                // What cannot go on from one of the two, under these inputs, says nothing of them from there on.
                let sound = new.is_sound();
                *old = old.take().and_then(|mut old| (sound && old.step(&new.frame().inputs).is_ok()).then_some(old));
            }
            run.step_on(Some(seen(program, new.iter().map(Machine::frame))));
            let said = run.said();
            for (e, old) in old.iter().enumerate() {
                if let Some(old) = old {
                    found.count(program, new[e].frame(), old.frame(), said.col_as_slice(e));
                }
            }
        }
        found
    }
}
