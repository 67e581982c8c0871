//! A circuit described from its graph: cycles, eigenvalues, directions.

use std::f64::consts::PI;

use super::CircuitError;
use super::core::lasting_range;
use super::graph::Graph;
use crate::numeric::{Matrix, ORDER_GAP, c64, eigenvalues, order_eigenvalues};
use crate::task::Window;

/// The largest tangle whose dense eigenproblem is solved: about ten seconds on one core.
pub const LARGEST_TANGLE: usize = 1024;

/// Components that hand one value around.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// Window components in the order in which a value visits them, the lowest first.
    pub members: Vec<usize>,
    /// What a value is multiplied with on one round: +1 or -1 for a signed selection.
    pub weight: f64,
}

impl Cycle {
    /// Steps of one round.
    pub fn length(&self) -> usize {
        self.members.len()
    }

    /// Whether a value comes back with its sign flipped.
    pub fn is_negative(&self) -> bool {
        self.weight < 0.0
    }

    /// The L-th roots of the weight.
    fn eigenvalues(&self) -> Vec<c64> {
        let length = self.length();
        let modulus = (self.weight.abs().ln() / length as f64).exp();
        let half_turns = |k: usize| if self.is_negative() { 2 * k + 1 } else { 2 * k };
        // Only the upper half is computed, so that pairs are exactly conjugate.
        let mut roots = Vec::with_capacity(length);
        for count in (0..length).map(half_turns).take_while(|count| *count <= length) {
            let root = root_of_unity(count, length) * modulus;
            roots.push(root);
            if root.im != 0.0 {
                roots.push(root.conj());
            }
        }
        roots
    }
}

/// `exp(i pi count / length)`, exact on the axes.
fn root_of_unity(count: usize, length: usize) -> c64 {
    match count {
        0 => c64::new(1.0, 0.0),
        _ if count == length => c64::new(-1.0, 0.0),
        _ if 2 * count == length => c64::new(0.0, 1.0),
        _ => c64::cis(PI * count as f64 / length as f64),
    }
}

/// Components that mix several values: strongly connected, but not a single cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangle {
    /// Window components, rising.
    pub members: Vec<usize>,
    /// Nonzero eigenvalues of the tangle.
    pub eigenvalues: Vec<c64>,
}

/// Eigenvalues that share an argument.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct PredictedDirection {
    /// The argument in radians, in (-pi, pi].
    pub argument: f64,
    /// How many eigenvalues point there.
    pub count: usize,
    /// Their largest modulus.
    pub modulus: f64,
}

/// What the graph of a task says about its circuit, without any matrix of the size of the window.
///
/// ```
/// use ketbra::circuit::Structure;
/// use ketbra::task::Window;
/// let structure = Structure::of(&Window::named("T4", None, None)?)?;
/// let cycles: Vec<_> = structure.cycles.iter().map(|c| (c.length(), c.is_negative())).collect();
/// assert_eq!(cycles, [(1, true), (35, false)]);
/// assert_eq!(structure.dimension(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Components of the whole window, s*d.
    pub window: usize,
    /// Simple cycles: the shorter first, then positive before negative, then by lowest member.
    pub cycles: Vec<Cycle>,
    /// Everything else that lasts; empty for a signed selection.
    pub tangles: Vec<Tangle>,
    /// Eigenvalues of the core, in the order of [`order_eigenvalues`].
    pub eigenvalues: Vec<c64>,
}

impl Structure {
    /// Reads the structure of a task. Cycles are solved by formula, only tangles as dense eigenproblems.
    pub fn of(task: &Window) -> Result<Self, CircuitError> {
        if !task.is_linear() {
            return Err(CircuitError::NotLinear { name: task.name().into() });
        }
        Self::of_graph(&Graph::of(task))
    }

    pub(super) fn of_graph(graph: &Graph) -> Result<Self, CircuitError> {
        let (mut cycles, mut tangles) = (Vec::new(), Vec::new());
        for members in graph.strong_components() {
            match as_cycle(graph, &members) {
                Some(cycle) => cycles.push(cycle),
                None => tangles.push(tangle(graph, members)?),
            }
        }
        cycles.sort_by_key(|cycle| (cycle.length(), cycle.is_negative(), cycle.members[0]));
        let mut eigenvalues: Vec<c64> = cycles.iter().flat_map(Cycle::eigenvalues).collect();
        eigenvalues.extend(tangles.iter().flat_map(|tangle| &tangle.eigenvalues));
        order_eigenvalues(&mut eigenvalues);
        Ok(Self { window: graph.size(), cycles, tangles, eigenvalues })
    }

    /// Size of the core: how many numbers are remembered for good.
    pub fn dimension(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The eigenvalues by argument, in the order of [`order_eigenvalues`]: 0, then each pair, pi last.
    pub fn directions(&self) -> Vec<PredictedDirection> {
        let mut directions: Vec<PredictedDirection> = Vec::new();
        for value in &self.eigenvalues {
            let (argument, modulus) = (value.im.atan2(value.re), value.re.hypot(value.im));
            let known =
                directions.iter_mut().rev().take(2).find(|known| (known.argument - argument).abs() <= ORDER_GAP);
            match known {
                Some(known) => {
                    known.count += 1;
                    known.modulus = known.modulus.max(modulus);
                }
                None => directions.push(PredictedDirection { argument, count: 1, modulus }),
            }
        }
        directions
    }
}

/// Follows the values of a strongly connected set if each member reads exactly one other.
fn as_cycle(graph: &Graph, members: &[usize]) -> Option<Cycle> {
    let inside = |component: usize| {
        let mut reads = graph.reads(component).iter().filter(|(from, _)| members.binary_search(from).is_ok());
        let only = reads.next()?;
        reads.next().is_none().then_some(*only)
    };
    let start = *members.first()?;
    let (mut against_the_flow, mut weight, mut at) = (vec![start], 1.0, start);
    loop {
        let (from, factor) = inside(at)?;
        weight *= factor;
        if from == start {
            break;
        }
        against_the_flow.push(from);
        at = from;
    }
    against_the_flow[1..].reverse();
    Some(Cycle { members: against_the_flow, weight })
}

fn tangle(graph: &Graph, members: Vec<usize>) -> Result<Tangle, CircuitError> {
    if members.len() > LARGEST_TANGLE {
        return Err(CircuitError::TangleTooLarge { size: members.len(), limit: LARGEST_TANGLE });
    }
    let mut operator = Matrix::zeros(members.len(), members.len());
    for (row, &component) in members.iter().enumerate() {
        for (from, weight) in graph.reads(component) {
            if let Ok(column) = members.binary_search(from) {
                operator[(row, column)] = *weight;
            }
        }
    }
    let lasting = lasting_range(&operator)?;
    let restricted = lasting.transpose() * &operator * &lasting;
    Ok(Tangle { members, eigenvalues: eigenvalues(&restricted)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::operator;
    use crate::numeric::{Matching, match_angles, tolerance::Tolerance};

    #[test]
    fn values_move_along_the_members_of_a_cycle() {
        let task = Window::named("T3", None, None).unwrap();
        let phi = operator(&task).unwrap();
        for cycle in Structure::of(&task).unwrap().cycles {
            let next = cycle.members.iter().cycle().skip(1);
            let steps = cycle.members.iter().zip(next).map(|(&from, &to)| phi[(to, from)]);
            assert_eq!(steps.product::<f64>(), cycle.weight);
        }
    }

    #[test]
    fn weighted_cycles_and_tangles_have_the_eigenvalues_of_the_dense_operator() {
        // u1 = 0.5 u1[t-3] is a weighted cycle; u2 mixes two lags; u3 only listens.
        let mut f = Matrix::zeros(3, 9);
        (f[(0, 0)], f[(1, 1)], f[(1, 7)], f[(2, 4)]) = (-0.5, 0.3, -0.8, 2.0);
        let task = Window::from_matrix("mixed", 3, 3, f).unwrap();
        let structure = Structure::of(&task).unwrap();
        assert_eq!((structure.cycles.len(), structure.tangles.len(), structure.dimension()), (1, 1, 6));
        let mut lasting = eigenvalues(&operator(&task).unwrap()).unwrap();
        lasting.retain(|z| z.norm_sqr() > 1e-6);
        Tolerance::absolute(1e-12).assert_close(structure.eigenvalues.as_slice(), &lasting);
    }

    #[test]
    fn a_tangle_leaves_out_what_it_forgets() {
        // Both components copy the sum of the last values: rank one.
        let task = Window::from_matrix("sum", 1, 2, Matrix::from_fn(2, 2, |_, _| 0.5)).unwrap();
        let structure = Structure::of(&task).unwrap();
        assert_eq!(structure.dimension(), 1);
        Tolerance::absolute(1e-14).assert_close(structure.eigenvalues.as_slice(), &[c64::new(1.0, 0.0)]);
    }

    #[test]
    fn directions_count_every_eigenvalue_once() {
        for name in ["T1", "T2", "T3", "T4"] {
            let structure = Structure::of(&Window::named(name, None, None).unwrap()).unwrap();
            let directions = structure.directions();
            assert_eq!(directions.iter().map(|direction| direction.count).sum::<usize>(), structure.dimension());
            let arguments = || structure.eigenvalues.iter().map(|z| z.im.atan2(z.re)).collect::<Vec<_>>();
            let expanded: Vec<f64> = directions.iter().flat_map(|d| vec![d.argument; d.count]).collect();
            assert_eq!(match_angles(&arguments(), &expanded, Matching::Optimal).unwrap().mean_error, 0.0, "{name}");
        }
    }
}
