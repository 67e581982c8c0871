//! The lasting part of a circuit.

use faer::prelude::Solve;

use super::graph::Graph;
use super::{CircuitError, Structure, operator};
use crate::numeric::{Matrix, NumericError, Svd, c64};
use crate::task::Window;

/// Directions that one step shrinks below this share of the largest singular value count as forgotten.
pub const RANK_CUT: f64 = 1e-10;

/// What a task remembers for good: the smallest set of components that keeps every eigenvalue away from zero.
///
/// With n window components and k core components, `embed` (n x k) writes the whole window from the core, `project`
/// (k x n) reads the core from a window, and
/// `project embed = I`, `operator embed = embed step`, `project operator = step project`.
///
/// For a signed selection the core is a set of window components: those on cycles. The others are delayed copies, so
/// `embed` holds only 0 and +-1. For a dense f it is the range of a high power of the operator (Fitting decomposition)
/// in orthonormal coordinates.
#[derive(Clone, Debug)]
pub struct Core {
    /// Cycles, directions and the eigenvalues.
    pub structure: Structure,
    /// One step of the core, k x k.
    #[doc(alias = "Phi")]
    pub step: Matrix,
    /// Window from core, n x k.
    pub embed: Matrix,
    /// Core from window, k x n.
    pub project: Matrix,
    /// Variable s (the newest) from the core, d x k.
    #[doc(alias = "R")]
    pub readout: Matrix,
    /// For a signed selection the window components of the core, rising.
    pub components: Option<Vec<usize>>,
}

impl Core {
    /// The core of a linear f; a truth table has none.
    pub fn of_linear(task: &Window) -> Result<Option<Self>, CircuitError> {
        task.is_linear().then(|| Self::of(task)).transpose()
    }

    /// The core of a task.
    pub fn of(task: &Window) -> Result<Self, CircuitError> {
        let structure = Structure::of(task)?;
        let (components, step, embed, project) = if task.sources().is_some() {
            let components = on_cycles(&structure);
            let embed = embed_cycles(task, &structure, &components);
            let mut project = Matrix::zeros(components.len(), task.width());
            components.iter().enumerate().for_each(|(row, &component)| project[(row, component)] = 1.0);
            let graph = Graph::of(task);
            let mut step = Matrix::zeros(components.len(), components.len());
            for (row, &component) in components.iter().enumerate() {
                for (from, sign) in graph.reads(component) {
                    if let Ok(column) = components.binary_search(from) {
                        step[(row, column)] = *sign;
                    }
                }
            }
            (Some(components), step, embed, project)
        } else {
            let (step, embed, project) = split_off_transients(&operator(task)?)?;
            (None, step, embed, project)
        };
        let readout = embed.subrows(task.width() - task.d(), task.d()).to_owned();
        Ok(Self { structure, step, embed, project, readout, components })
    }

    /// Number of core components.
    pub fn dimension(&self) -> usize {
        self.step.nrows()
    }

    /// Eigenvalues of the core, in the order of [`order_eigenvalues`](crate::numeric::order_eigenvalues).
    pub fn eigenvalues(&self) -> &[c64] {
        &self.structure.eigenvalues
    }
}

fn on_cycles(structure: &Structure) -> Vec<usize> {
    let mut components: Vec<usize> = structure.cycles.iter().flat_map(|cycle| cycle.members.clone()).collect();
    components.sort_unstable();
    components
}

/// A component off the cycles holds what some cycle component held m steps ago; that value now sits m places further
/// along the cycle, perhaps with its sign flipped on the way.
fn embed_cycles(task: &Window, structure: &Structure, components: &[usize]) -> Matrix {
    let graph = Graph::of(task);
    let mut place = vec![None; task.width()];
    for cycle in &structure.cycles {
        for (at, &member) in cycle.members.iter().enumerate() {
            place[member] = Some((cycle, at));
        }
    }
    // Sign of the step into each component, and where its value came from.
    let came_from = |component: usize| graph.reads(component).first().copied().unwrap_or((component, 1.0));
    let mut embed = Matrix::zeros(task.width(), components.len());
    for component in 0..task.width() {
        let (mut at, mut delay, mut sign) = (component, 0, 1.0);
        while place[at].is_none() {
            let (from, factor) = came_from(at);
            (at, delay, sign) = (from, delay + 1, sign * factor);
        }
        let Some((cycle, start)) = place[at] else { continue };
        for step in 1..=delay {
            sign *= came_from(cycle.members[(start + step) % cycle.length()]).1;
        }
        let now = cycle.members[(start + delay) % cycle.length()];
        if let Ok(column) = components.binary_search(&now) {
            embed[(component, column)] = sign;
        }
    }
    embed
}

/// Orthonormal basis of the range of a high power of a square matrix; the identity if nothing is ever lost.
///
/// Powers are never formed: the range is made orthonormal after every step ([`RANK_CUT`] decides its rank).
pub(super) fn lasting_range(matrix: &Matrix) -> Result<Matrix, NumericError> {
    let mut basis = Matrix::identity(matrix.nrows(), matrix.nrows());
    while basis.ncols() > 0 {
        let image = Svd::of(&(matrix * &basis))?;
        let rank = image.rank(RANK_CUT);
        if rank == basis.ncols() {
            break;
        }
        basis = image.left.subcols(0, rank).to_owned();
    }
    Ok(basis)
}

/// The matrix on its lasting range, the range, and the dual that vanishes on what is forgotten.
fn split_off_transients(matrix: &Matrix) -> Result<(Matrix, Matrix, Matrix), NumericError> {
    let range = lasting_range(matrix)?;
    let left = lasting_range(&matrix.transpose().to_owned())?;
    if left.ncols() != range.ncols() {
        return Err(NumericError::Size { what: "left core of f", found: left.ncols(), needed: range.ncols() });
    }
    let dual = (left.transpose() * &range).partial_piv_lu().solve(left.transpose());
    let step = &dual * matrix * &range;
    Ok((step, range, dual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{draw, eigenvalues, tolerance::Tolerance};
    use crate::random::{Purpose, Stream};

    const EXACT: Tolerance = Tolerance::relative(1e-12);

    fn tasks() -> Vec<Window> {
        let mut tasks: Vec<Window> =
            ["T1", "T2", "T3", "T4"].map(|name| Window::named(name, None, None).unwrap()).into();
        for (s, d) in [(1, 1), (1, 5), (5, 1), (3, 7), (16, 5)] {
            tasks.push(Window::named("compose-copy", Some(s), Some(d)).unwrap());
        }
        for (s, d, lost) in [(2, 3, 0), (4, 4, 2), (8, 3, 1)] {
            let mut f = draw::normal(d, s * d, &Stream::new(31, Purpose::Matrices), s as u32);
            for j in 0..s * d {
                // A repeated row and an unread variable: something is forgotten.
                for row in 0..lost {
                    f[(row, j)] = f[(d - 1, j)];
                }
                if lost > 0 && j < d {
                    f.col_as_slice_mut(j).fill(0.0);
                }
            }
            tasks.push(Window::from_matrix(format!("dense {s} {d}"), s, d, f).unwrap());
        }
        tasks
    }

    #[test]
    fn the_core_commutes_with_one_step_of_the_window() {
        for task in tasks() {
            let (phi, core) = (operator(&task).unwrap(), Core::of(&task).unwrap());
            EXACT.assert_close(&(&core.project * &core.embed), &Matrix::identity(core.dimension(), core.dimension()));
            EXACT.assert_close(&(&phi * &core.embed), &(&core.embed * &core.step));
            EXACT.assert_close(&(&core.project * &phi), &(&core.step * &core.project));
        }
    }

    #[test]
    fn the_core_has_the_eigenvalues_of_its_structure() {
        for task in tasks() {
            let core = Core::of(&task).unwrap();
            assert_eq!(core.dimension(), core.structure.dimension(), "{}", task.name());
            let dense = eigenvalues(&core.step).unwrap();
            Tolerance::relative(1e-11).assert_close(dense.as_slice(), core.eigenvalues());
        }
    }

    #[test]
    fn what_is_outside_the_core_is_gone_after_as_many_steps_as_there_are_variables() {
        for task in tasks() {
            let (phi, core) = (operator(&task).unwrap(), Core::of(&task).unwrap());
            let n = task.width();
            let mut rest = Matrix::identity(n, n) - &core.embed * &core.project;
            for _ in 0..n {
                rest = &phi * rest;
            }
            let scale = core.step.norm_l2().powi(n as i32).max(1.0);
            assert!(rest.norm_max() <= 1e-9 * scale, "{}: {:e}", task.name(), rest.norm_max());
        }
    }
}
