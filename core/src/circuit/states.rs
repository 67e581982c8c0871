//! A small task as a map of all its states: the cycles on which they end, and which components ever matter.

use std::collections::{BTreeMap, HashMap};

use super::graph::Graph;
use crate::task::{Gate, Window};

/// The most components whose combinations are all visited: 65,536 states.
pub const LARGEST_STATE: usize = 16;

/// Every state of a task of few components.
#[derive(Clone, Debug)]
pub struct States {
    /// The window components that make up a state, rising: the newest variable, and all that can be read from it backwards.
    pub components: Vec<usize>,
    /// Lengths of the cycles, each with the number of cycles.
    pub cycles: BTreeMap<usize, usize>,
    /// The most steps that a state takes to reach its cycle.
    pub longest_transient: usize,
    /// The window components whose value ever changes an output, rising.
    pub matter: Vec<usize>,
}

impl States {
    /// The states of a task, nothing where there are too many or values are real numbers.
    pub fn of(task: &Window) -> Option<Self> {
        let components = readable(task);
        if components.len() > LARGEST_STATE {
            return None;
        }
        let next = Map::of(task, &components)?.table();
        let (cycles, longest_transient) = follow(&next);
        let matter = matter(task, &components, &next);
        Some(Self { components, cycles, longest_transient, matter })
    }

    /// The window components that make a difference to the outputs, now or later; rising. Where there are too many states to
    /// tell, those that can be read.
    pub fn kept(task: &Window) -> Vec<usize> {
        Self::of(task).map_or_else(|| readable(task), |states| states.matter)
    }

    /// Whether all states end as one, so that nothing of the inputs is left.
    pub fn forgets_everything(&self) -> bool {
        self.cycles.len() == 1 && self.cycles.get(&1) == Some(&1)
    }
}

/// The newest variable, and every component that is read for it now or later; rising: of each component all from the newest to the
/// largest lag at which f reads it.
pub(crate) fn readable(task: &Window) -> Vec<usize> {
    let graph = Graph::of(task);
    let (n, d) = (task.width(), task.d());
    let mut seen = vec![false; n];
    let mut waiting: Vec<usize> = (n - d..n).collect();
    waiting.iter().for_each(|&k| seen[k] = true);
    while let Some(component) = waiting.pop() {
        for &(from, _) in graph.reads(component) {
            if !std::mem::replace(&mut seen[from], true) {
                waiting.push(from);
            }
        }
    }
    (0..n).filter(|&k| seen[k]).collect()
}

/// Where the bits of the next state come from.
struct Map {
    gates: Vec<Gate>,
    /// For each bit of a state the bit that moves into it, or the output that is written into it.
    from: Vec<Result<usize, usize>>,
    /// For each output the bits that it reads.
    reads: Vec<Vec<usize>>,
}

impl Map {
    fn of(task: &Window, components: &[usize]) -> Option<Self> {
        let gates = task.gates()?;
        let (s, d) = (task.s(), task.d());
        let bit = |component: usize| components.binary_search(&component).unwrap_or(0);
        let newest = task.width() - d;
        let from = components.iter().map(|&k| if k < newest { Ok(bit(k + d)) } else { Err(k - newest) }).collect();
        let reads = gates.iter().map(|gate| gate.inputs().iter().map(|slot| bit(slot.index(s, d))).collect()).collect();
        Some(Self { gates, from, reads })
    }

    fn next(&self, state: usize) -> u32 {
        let output = |output: usize| {
            let bits = self.reads[output].iter().enumerate();
            self.gates[output].table()[bits.fold(0, |m, (q, &bit)| m | (state >> bit & 1) << q)]
        };
        let bits = self.from.iter().enumerate().map(|(at, from)| match from {
            Ok(bit) => (state >> bit & 1) << at,
            Err(written) => usize::from(output(*written)) << at,
        });
        bits.sum::<usize>() as u32
    }

    fn table(&self) -> Vec<u32> {
        (0..1usize << self.from.len()).map(|state| self.next(state)).collect()
    }
}

/// The cycles by length, and the longest way to one.
fn follow(next: &[u32]) -> (BTreeMap<usize, usize>, usize) {
    let mut arrivals = vec![0u32; next.len()];
    next.iter().for_each(|&to| arrivals[to as usize] += 1);
    // States that nothing leads to are taken away until only cycles are left.
    let mut behind = vec![0usize; next.len()];
    let mut ends: Vec<usize> = (0..next.len()).filter(|&state| arrivals[state] == 0).collect();
    while let Some(state) = ends.pop() {
        let to = next[state] as usize;
        behind[to] = behind[to].max(behind[state] + 1);
        arrivals[to] -= 1;
        if arrivals[to] == 0 {
            ends.push(to);
        }
    }
    let (mut cycles, mut seen) = (BTreeMap::new(), vec![false; next.len()]);
    for start in (0..next.len()).filter(|&state| arrivals[state] > 0) {
        let (mut state, mut length) = (start, 0);
        while !std::mem::replace(&mut seen[state], true) {
            (state, length) = (next[state] as usize, length + 1);
        }
        if length > 0 {
            *cycles.entry(length).or_default() += 1;
        }
    }
    let longest = (0..next.len()).filter(|&state| arrivals[state] > 0).map(|state| behind[state]).max();
    (cycles, longest.unwrap_or(0))
}

/// The components that make a difference: states are told apart by the outputs from there on.
fn matter(task: &Window, components: &[usize], next: &[u32]) -> Vec<usize> {
    let newest = task.width() - task.d();
    let newest_at = components.iter().position(|&k| k >= newest).unwrap_or(0);
    let mut kind: Vec<u32> = (0..next.len()).map(|state| (state >> newest_at) as u32).collect();
    // After s steps the window holds nothing but what was said, so that states alike until then are alike forever.
    for _ in 0..task.s().min(components.len()) {
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        kind = (0..next.len())
            .map(|state| {
                let fresh = numbers.len() as u32;
                *numbers.entry((kind[state], kind[next[state] as usize])).or_insert(fresh)
            })
            .collect();
    }
    let differs = |bit: usize| (0..next.len()).any(|state| kind[state] != kind[state ^ 1 << bit]);
    (0..components.len()).filter(|&bit| differs(bit)).map(|bit| components[bit]).collect()
}
