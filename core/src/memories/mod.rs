//! Variable memories: where in the state of a network each variable of its task is kept.
//!
//! Every method returns the memories (Psi), a basis of states in which each column holds one component of one variable,
//! and the readers (Psi*), which give the contents back. Each is judged on fresh inputs, by its worst component.

mod angles;
mod dual;
mod observability;
mod orbit;
mod power;
mod remainder;
mod rollout;
mod score;

pub use crate::task::Component;
pub use angles::Angles;
pub use observability::observability;
pub use remainder::Remainder;
pub(crate) use remainder::{Drive, remainder};
pub use score::Score;

use crate::choose::{self, UnknownWord};
use crate::circuit::Core;
use crate::linearize::{Linearization, LinearizeError, Visited};
use crate::numeric::{Matrix, NumericError, condition, zero_padded};
use crate::observe::{Batch, Observations};
use crate::setting::limits::{ANY, Limits};
use crate::setting::{Leaf, settings};
use crate::task::Window;
use serde::{Deserialize, Serialize};

crate::setting::leaves!(Method, Vec<Method>);
/// Several methods.
pub(crate) const METHODS: Limits = Limits { words: Some(|typed| Method::list(typed).map(|list| list.value())), ..ANY };

/// How the memories are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Regression of the visited states on their contents: knows nothing of the dynamics.
    #[default]
    Code,
    /// Two realizations of one linear system, the orbit's and the theory's, differ by a change of basis.
    Orbit,
    /// Variable k holds the output of s-k steps ago: powers of the inverse operator at the origin.
    Dual,
    /// The same with the operator on the orbit.
    DualOrbit,
    /// The paper's Algorithm 1: powers of `W_hh` on the inverse of the readout, transients removed.
    Power,
    /// Algorithm 1 as the authors' code runs it: transients stay.
    PowerReference,
    /// What the network itself will say, run on. No linear basis.
    Rollout,
}

// In the order in which they are shown.
choose::words! {
    Method, "method":
    Code = "code",
    Orbit = "orbit",
    Dual = "dual",
    DualOrbit = "dual-orbit",
    Power = "power",
    PowerReference = "power-reference",
    Rollout = "rollout",
}

impl Method {
    /// Whether the rows of the learned circuit that hand variables on are right by construction: such a basis follows the
    /// dynamics, and shows a shift whatever the network is.
    pub fn shift_by_construction(self) -> bool {
        matches!(self, Self::Orbit | Self::Dual | Self::DualOrbit)
    }

    /// The methods of a list separated by commas; `all` is all of them.
    pub fn list(words: &str) -> Result<Vec<Self>, UnknownWord> {
        let each = words.split(',').map(|word| match word.trim() {
            // All of them, and some of them again.
            "all" => Ok(Self::ALL.to_vec()),
            word => word.parse::<Self>().map(|method| vec![method]),
        });
        let lists = each.collect::<Result<Vec<_>, _>>();
        let lists = lists.map_err(|error| UnknownWord { known: format!("{}, or all", error.known), ..error })?;
        let mut methods: Vec<Self> = vec![];
        lists.concat().into_iter().for_each(|method| {
            if !methods.contains(&method) {
                methods.push(method);
            }
        });
        Ok(methods)
    }
}

settings! {
    /// How memories are found and judged.
    pub struct MemoriesParams {
        /// `power`: 1 grounds the newest variable in the inverse of the readout, 0 in the input weights.
        #[doc(alias = "alpha")]
        grounding: f64 = 1.0, SHARE;
        /// Principal components of the remainder that are kept.
        remainder_components: usize = 10, COUNT;
        /// Singular values below this share of the largest are cut in pseudo-inverses.
        relative_cut: f64 = 1e-6, SHARE;
        /// A variable component counts as recovered from this share of right signs on.
        recovered: f64 = 0.99, SHARE;
        /// Contents that are not +-1 are read rightly where they are missed by less than this share of their root mean square.
        real_tolerance: f64 = 0.5, SIZE;
        /// Memories with a larger condition number are worth a warning.
        ill_conditioned: f64 = 1e3, SIZE;
    }
}

/// What the methods start from.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// outputs x units: the readout.
    pub readout: &'a Matrix,
    /// units x inputs: what an input adds to a state; nothing where that is not known.
    pub input: Option<&'a Matrix>,
    /// The task that says what the variables are.
    pub task: &'a Window,
    /// Its core.
    pub core: &'a Core,
    /// What was simulated.
    pub observed: &'a Observations,
    /// The visited states.
    pub visited: &'a Visited,
    /// The linearized orbit.
    pub orbit: &'a Linearization,
    /// The Jacobian at the origin; nothing where that is not known, or not a map on the states that are looked at.
    pub jacobian: Option<&'a Matrix>,
    /// The same restricted to what lasts; needed by `power` and `dual` only.
    pub origin: Option<&'a Linearization>,
}

/// A basis of memories with its readers.
#[derive(Clone, Debug)]
pub struct Frame {
    /// H x core: the state that holds one component and nothing else.
    #[doc(alias = "Psi")]
    pub memories: Matrix,
    /// core x H: reads the contents from a state.
    #[doc(alias = "Psi*")]
    pub readers: Matrix,
}

/// The variable memories of a network, found by one method.
#[derive(Clone, Debug)]
pub struct Memories {
    /// How they were found.
    pub method: Method,
    /// Psi and Psi*; `rollout` has none.
    pub frame: Option<Frame>,
    /// What the memories leave out, and the learned circuit with all its cross blocks.
    pub remainder: Option<Remainder>,
    /// Condition number of Psi.
    pub condition: Option<f64>,
    /// Relative distance (Frobenius) of the learned circuit from Phi.
    pub phi_error: Option<f64>,
    /// How well the contents are read on fresh inputs.
    pub score: Score,
}

/// Why memories could not be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoriesError {
    /// The code is no method of the dynamics.
    #[error("the code is fitted on contents and not on the dynamics; see code::Code::fit")]
    NeedsContents,
    /// The method needs the restricted Jacobian.
    #[error("{method} needs the Jacobian at the origin restricted to what lasts; call linearize::restrict first")]
    NoOrigin {
        /// The method.
        method: &'static str,
    },
    /// The method needs weights, and all of the state.
    #[error(
        "{method} follows the Jacobian at the origin, a map of whole states, and this state is looked at in part; use code, \
         orbit, dual-orbit or rollout"
    )]
    NeedsJacobian {
        /// The method.
        method: &'static str,
    },
    /// Nothing lasts at the origin.
    #[error("no eigenvalue at the origin exceeds the threshold: there is nothing to look for memories in")]
    NothingLasts,
    /// The orbit could not be linearized.
    #[error(transparent)]
    Linearize(#[from] LinearizeError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// Finds the memories by one method and scores them on fresh inputs.
pub fn memories(evidence: &Evidence<'_>, method: Method, params: &MemoriesParams) -> Result<Memories, MemoriesError> {
    let lasting = || match evidence.origin {
        Some(origin) if origin.rank() == 0 => Err(MemoriesError::NothingLasts),
        Some(origin) => Ok(origin),
        None => Err(MemoriesError::NoOrigin { method: method.name() }),
    };
    let jacobian = || evidence.jacobian.ok_or(MemoriesError::NeedsJacobian { method: method.name() });
    let frame = match method {
        Method::Code => return Err(MemoriesError::NeedsContents),
        Method::Rollout => {
            let score = rollout::rollout(evidence, params)?;
            return Ok(Memories { method, frame: None, remainder: None, condition: None, phi_error: None, score });
        }
        Method::Orbit => orbit::orbit(evidence, params)?,
        Method::Dual => dual::dual(evidence, lasting()?, params)?,
        Method::DualOrbit => dual::dual(evidence, evidence.orbit, params)?,
        Method::Power => power::power(evidence, jacobian()?, Some(lasting()?), params)?,
        Method::PowerReference => power::power(evidence, jacobian()?, None, params)?,
    };
    let drive = match method {
        // The orbit says nothing about directions it does not visit.
        Method::Orbit | Method::DualOrbit => {
            Drive::Images(&evidence.orbit.image * (evidence.orbit.basis.transpose() * &frame.memories))
        }
        _ => Drive::Jacobian(jacobian()?),
    };
    let remainder = remainder(evidence.visited, &frame, &drive, params)?;
    let learned = remainder.phi_learned();
    let phi = &evidence.core.step;
    let phi_error = (&learned - phi).norm_l2() / phi.norm_l2().max(f64::MIN_POSITIVE);
    let readers = zero_padded(&frame.readers);
    let score = score::score(evidence, params, |t| &readers * deviation(&evidence.observed.score, evidence.visited, t));
    Ok(Memories {
        method,
        condition: Some(condition(&frame.memories)?),
        phi_error: Some(phi_error),
        score,
        remainder: Some(remainder),
        frame: Some(frame),
    })
}

/// States of a batch at output step t, less the mean of the probes at that step.
pub(crate) fn deviation(batch: &Batch, visited: &Visited, t: usize) -> Matrix {
    let (state, mean) = (&batch.states[&t], &visited.means[t]);
    Matrix::from_fn(state.nrows(), state.ncols(), |i, j| state[(i, j)] - mean[i])
}
