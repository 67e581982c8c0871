//! Truth tables from recordings: nobody can be asked, but every combination may have been seen.

use super::{RecurrenceParams, TableReading, table::follow};
use crate::numeric::{for_each_subset, subset_count};
use crate::observe::{Batch, Observations};
use crate::task::{Gate, Slot};

/// Windows that are looked at, at most.
const MOST_WINDOWS: usize = 8192;
/// Choices of inputs that are tried for one output, at most.
const MOST_CHOICES: usize = 200_000;
/// Inputs of one output that are looked for.
const MOST_INPUTS: usize = 4;
/// Every combination must have been seen this often.
const SEEN: usize = 8;

/// Signs of many windows and of what followed, 64 to a word.
struct Seen {
    window: Vec<Vec<u64>>,
    next: Vec<Vec<u64>>,
    count: usize,
}

/// Finds for each output the fewest past components that determine it, where these are the only ones that do.
pub(super) fn tables_seen(observed: &Observations, params: &RecurrenceParams) -> Vec<TableReading> {
    let (s, d) = (observed.s, observed.d);
    let seen = Seen::of(&observed.probe, s, d);
    let read = |output: usize| {
        let (members, table, agreement) = seen.determines(output, params.table_agreement)?;
        let inputs: Vec<Slot> = members.iter().map(|&at| Slot::at(at, s, d)).collect();
        let gate = Gate::new(&inputs, &table).ok()?;
        Some(TableReading {
            output,
            gate,
            stated: true,
            agreement,
            mean_agreement: agreement,
            own_past: 0.0,
            free_running: None,
            first_steps: None,
            runs: false,
            rests_on_others: false,
        })
    };
    let mut readings: Vec<TableReading> = (0..d).filter_map(read).collect();
    follow(&mut readings, observed, params);
    readings
}

impl Seen {
    /// The windows of the first output steps of every episode, then of later ones: early windows differ most.
    fn of(batch: &Batch, s: usize, d: usize) -> Self {
        let steps =
            (MOST_WINDOWS / batch.episodes.max(1)).clamp(1, batch.outputs.len().max(1)).min(batch.outputs.len());
        let count = steps * batch.episodes;
        let words = count.div_ceil(64);
        let mut seen = Self { window: vec![vec![0; words]; s * d], next: vec![vec![0; words]; d], count };
        let up = |time: usize, j: usize, episode: usize| batch.value((s, d), time, j, episode) > 0.0;
        for t in 0..steps {
            for episode in 0..batch.episodes {
                let k = t * batch.episodes + episode;
                let (word, bit) = (k / 64, k % 64);
                for j in 0..d {
                    (0..s).for_each(|v| seen.window[v * d + j][word] |= u64::from(up(t + v, j, episode)) << bit);
                    seen.next[j][word] |= u64::from(up(s + t, j, episode)) << bit;
                }
            }
        }
        seen
    }

    /// The fewest components that determine an output, their table and its agreement; nothing where none do, others do as
    /// well, or a combination was not seen.
    fn determines(&self, output: usize, least: f64) -> Option<(Vec<usize>, Vec<bool>, f64)> {
        let all = self.window.len();
        for size in 1..=MOST_INPUTS.min(all) {
            if subset_count(all, size) > MOST_CHOICES as f64 {
                return None;
            }
            let mut best: Option<(Vec<usize>, f64)> = None;
            let mut rivals = 0;
            for_each_subset(all, size, |members| {
                let agreement = self.agreement(output, members);
                if agreement >= least {
                    rivals += 1;
                    if best.as_ref().is_none_or(|best| agreement > best.1) {
                        best = Some((members.to_vec(), agreement));
                    }
                }
            });
            if let Some((members, agreement)) = best {
                let counts = self.counts(output, &members);
                let enough = counts.iter().all(|(seen, _)| *seen >= SEEN);
                let table = counts.iter().map(|(seen, up)| 2 * up > *seen).collect();
                return (rivals == 1 && enough).then_some((members, table, agreement));
            }
        }
        None
    }

    fn agreement(&self, output: usize, members: &[usize]) -> f64 {
        let right: usize = self.counts(output, members).iter().map(|&(seen, up)| up.max(seen - up)).sum();
        right as f64 / self.count.max(1) as f64
    }

    /// For each combination how often it was seen, and how often the output was +1 then.
    fn counts(&self, output: usize, members: &[usize]) -> Vec<(usize, usize)> {
        let mut counts = vec![(0, 0); 1 << members.len()];
        for (word, next) in self.next[output].iter().enumerate() {
            let valid = match self.count - word * 64 {
                left if left < 64 => (1u64 << left) - 1,
                _ => u64::MAX,
            };
            for (m, (seen, up)) in counts.iter_mut().enumerate() {
                let agree = members.iter().enumerate().fold(valid, |all, (q, &at)| {
                    let bits = self.window[at][word];
                    all & if m >> q & 1 == 1 { bits } else { !bits }
                });
                *seen += agree.count_ones() as usize;
                *up += (agree & next).count_ones() as usize;
            }
        }
        counts
    }
}
