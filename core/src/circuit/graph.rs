//! Which component reads which: the dependency graph of one step.

use crate::task::{Function, Window};

/// The nonzero entries of the one-step operator, row by row.
pub(super) struct Graph {
    first: Vec<usize>,
    reads: Vec<(usize, f64)>,
}

impl Graph {
    pub(super) fn of(task: &Window) -> Self {
        let (n, d) = (task.width(), task.d());
        let mut graph = Self { first: vec![0], reads: Vec::with_capacity(n) };
        for k in 0..n - d {
            graph.reads.push((k + d, 1.0));
            graph.first.push(graph.reads.len());
        }
        for output in 0..d {
            match task.function() {
                Function::Selection(sources) => {
                    graph.reads.push((task.window_index(&sources[output]), sources[output].sign()));
                }
                // Weights say nothing of a table: it is asked which components it reads.
                Function::Table(gates) => {
                    let inputs = gates[output].inputs().iter();
                    graph.reads.extend(inputs.map(|slot| (slot.index(task.s(), d), 1.0)));
                }
                Function::Dense(matrix) => {
                    let row = (0..n).map(|k| (k, matrix[(output, k)]));
                    graph.reads.extend(row.filter(|(_, weight)| *weight != 0.0));
                }
            }
            graph.first.push(graph.reads.len());
        }
        graph
    }

    /// A graph by what each node reads.
    pub(super) fn of_rows(rows: &[Vec<(usize, f64)>]) -> Self {
        let mut graph = Self { first: vec![0], reads: Vec::new() };
        for row in rows {
            graph.reads.extend(row);
            graph.first.push(graph.reads.len());
        }
        graph
    }

    /// The components that `component` reads, with weights.
    pub(super) fn reads(&self, component: usize) -> &[(usize, f64)] {
        &self.reads[self.first[component]..self.first[component + 1]]
    }

    pub(super) fn size(&self) -> usize {
        self.first.len() - 1
    }

    /// Sets of components that all reach each other; each sorted, without the single ones that do not read themselves.
    ///
    /// Tarjan's algorithm with an explicit stack: a recursive one would overflow on long chains.
    pub(super) fn strong_components(&self) -> Vec<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let n = self.size();
        let (mut found_at, mut lowest) = (vec![UNSEEN; n], vec![0; n]);
        let (mut open, mut is_open) = (Vec::new(), vec![false; n]);
        let mut next = 0;
        let mut components = Vec::new();
        for root in 0..n {
            if found_at[root] != UNSEEN {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((node, edge)) = path.last_mut() {
                let node = *node;
                if *edge == 0 {
                    (found_at[node], lowest[node]) = (next, next);
                    next += 1;
                    open.push(node);
                    is_open[node] = true;
                }
                if let Some(&(to, _)) = self.reads(node).get(*edge) {
                    *edge += 1;
                    if found_at[to] == UNSEEN {
                        path.push((to, 0));
                    } else if is_open[to] {
                        lowest[node] = lowest[node].min(found_at[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    lowest[parent] = lowest[parent].min(lowest[node]);
                }
                if lowest[node] == found_at[node] {
                    let start = open.iter().rposition(|&member| member == node).unwrap_or(0);
                    let mut members = open.split_off(start);
                    members.iter().for_each(|&member| is_open[member] = false);
                    if members.len() > 1 || self.reads(node).iter().any(|&(to, _)| to == node) {
                        members.sort_unstable();
                        components.push(members);
                    }
                }
            }
        }
        components.sort();
        components
    }
}
