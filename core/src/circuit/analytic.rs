//! The network that the theory writes down.

use super::{Basis, CircuitError, Core, operator};
use crate::network::{Activation, Network};
use crate::numeric::Matrix;
use crate::task::Window;

/// A linear network that runs a task exactly, in a basis of its hidden space.
///
/// ```
/// use ketbra::circuit::{AnalyticNetwork, Basis};
/// use ketbra::numeric::Matrix;
/// use ketbra::task::Window;
/// let task = Window::named("repeat-copy", Some(2), Some(1))?;
/// let circuit = AnalyticNetwork::of(&task, Basis::standard(2))?;
/// let trajectory = circuit.network.run(&[1.0, -1.0], 1, 4);
/// let outputs: Vec<f64> = trajectory.states[2..].iter().map(|h| circuit.network.read(h.as_ref())[(0, 0)]).collect();
/// assert_eq!(outputs, [1.0, -1.0, 1.0, -1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnalyticNetwork {
    /// Weights `W_hh = Psi Phi Psi*`, `W_uh = Psi_s`, `W_r = Psi_s*`, no nonlinearity.
    pub network: Network,
    /// The basis of variable memories.
    pub basis: Basis,
    /// Whether feeding the inputs step by step ends in the right state. That is so when f reads only the oldest variable
    /// (T1, repeat copy): otherwise f acts on half-filled variables during the input phase, no linear network that
    /// starts from zero can undo it, and the run must start from [`AnalyticNetwork::load`].
    pub exact_from_inputs: bool,
    /// Circuit components from the window.
    read_in: Matrix,
}

impl AnalyticNetwork {
    /// The circuit on the whole window, in a basis of s*d vectors.
    pub fn of(task: &Window, basis: Basis) -> Result<Self, CircuitError> {
        let n = task.width();
        let readout = Matrix::from_fn(task.d(), n, |i, j| f64::from(j == n - task.d() + i));
        Self::realize(task, basis, &operator(task)?, Matrix::identity(n, n), &readout)
    }

    /// The circuit without what it forgets, in a basis of as many vectors as the core has components.
    pub fn of_core(task: &Window, core: &Core, basis: Basis) -> Result<Self, CircuitError> {
        Self::realize(task, basis, &core.step, core.project.clone(), &core.readout)
    }

    fn realize(
        task: &Window,
        basis: Basis,
        step: &Matrix,
        read_in: Matrix,
        readout: &Matrix,
    ) -> Result<Self, CircuitError> {
        if basis.size() != step.nrows() {
            return Err(CircuitError::BasisSize { found: basis.size(), needed: step.nrows() });
        }
        let newest = read_in.subcols(task.width() - task.d(), task.d());
        let (input, readout) = (basis.vectors() * newest, readout * basis.covectors());
        let network = Network::elman(Activation::Identity, input, basis.operator_from(step), readout);
        Ok(Self { network, basis, exact_from_inputs: reads_only_the_oldest(task), read_in })
    }

    /// The hidden state that holds given windows, one a column (s*d x batch): `h(s) = sum_k Psi_k u(k)`.
    pub fn load(&self, windows: &Matrix) -> Matrix {
        self.basis.vectors() * (&self.read_in * windows)
    }
}

/// How `W_hh` acts on the components of a basis: `Psi* W_hh Psi`.
#[doc(alias = "Phi_learned")]
pub fn take_apart(recurrent_weights: &Matrix, basis: &Basis) -> Result<Matrix, CircuitError> {
    if recurrent_weights.nrows() != basis.hidden() || recurrent_weights.ncols() != basis.hidden() {
        return Err(CircuitError::BasisSize { found: basis.hidden(), needed: recurrent_weights.nrows() });
    }
    Ok(basis.components_of_operator(recurrent_weights))
}

fn reads_only_the_oldest(task: &Window) -> bool {
    match task.sources() {
        Some(sources) => sources.iter().all(|source| source.lag == task.s()),
        None => task.linear().is_some_and(|f| f.subcols(task.d(), task.width() - task.d()).norm_max() == 0.0),
    }
}
