//! Are these networks the same circuit?
//!
//! In the basis of the code the question is exact: the same function, the same contents kept, the same step between them. Two
//! networks whose units have nothing to do with each other can be held against each other there, entry by entry; and what one
//! holds can be handed to the other, which must go on as the first would have. How the codes themselves differ is told beside
//! it, and so is what the field's measures make of the same states.
//!
//! ```
//! use ketbra::compare::{CompareParams, Subject, PairVerdict, compare};
//! use ketbra::compile::{UnitBasis, CompileParams, compile};
//! use ketbra::task::Window;
//!
//! let task = Window::named("compose-copy", Some(3), Some(3))?;
//! let made = |hidden, basis, seed| {
//!     compile(&task, &CompileParams { hidden: Some(hidden), basis, seed, ..CompileParams::default() })
//! };
//! let first = Subject::network("first", made(40, UnitBasis::Random, 1)?.file(), None)?;
//! let second = Subject::network("second", made(32, UnitBasis::Units, 2)?.file(), None)?;
//! let found = compare(&[first, second], &CompareParams::default())?;
//! assert_eq!(found.pairs[0].verdict, PairVerdict::SameCircuit);
//! assert!(found.pairs[0].distance.unwrap() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod beside;
mod circuit;
mod codes;
mod examine;
mod exchange;
mod many;
pub mod measures;
mod pair;
mod params;
mod renamed;
mod subject;
mod verdict;

pub use agreement::{PairClaim, PairClaimName};
pub use beside::Beside;
pub use circuit::{Circuit, Wire};
pub use codes::{Alignment, Codes, HeldContents, Overlap};
pub use examine::{Examined, SubjectSummary, examine};
#[cfg(feature = "report")]
pub(crate) use many::MEASURES;
pub use many::{Cluster, Effect, Separation, clusters, effects, separations};
pub use pair::{OutputDiffers, Pair, compare_pair};
pub use params::CompareParams;
pub use renamed::{Renaming, renaming};
pub use subject::{Inputs, NetworkOrRecording, Subject, shared_inputs};
pub use verdict::PairVerdict;

use crate::interpret::InterpretError;
use crate::numeric::NumericError;
use crate::observe::{ObserveError, OnProgress};
use rayon::prelude::*;
use serde::Serialize;

/// What came of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Each network by itself.
    pub networks: Vec<SubjectSummary>,
    /// Every two of them, in the order of the networks.
    pub pairs: Vec<Pair>,
    /// Networks that hold the same circuit.
    pub clusters: Vec<Cluster>,
    /// How well each measure tells same from different circuits; nothing for two networks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub separations: Vec<Separation>,
    /// Every number that decided something.
    pub params: CompareParams,
}

impl Comparison {
    /// The pair of two networks, by their numbers.
    pub fn pair(&self, first: usize, second: usize) -> Option<&Pair> {
        let (first, second) = (first.min(second), first.max(second));
        self.pairs.iter().find(|pair| (pair.first, pair.second) == (first, second))
    }
}

/// Why networks could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Nothing to compare with.
    #[error("{found} network to compare, but it takes two; name another one")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// More than make sense.
    #[error("{found} networks make {pairs} pairs, over the limit of {limit} networks; compare fewer")]
    TooMany {
        /// How many there are.
        found: usize,
        /// Pairs of them.
        pairs: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing says for how many steps inputs are presented.
    #[error("nothing says for how many steps {name} gets inputs; say how many, or name its task")]
    NoInputSteps {
        /// The network.
        name: String,
    },
    /// Units that are no numbers.
    #[error("{name}: {source}")]
    Interpret {
        /// The network.
        name: String,
        /// What is wrong with it.
        source: InterpretError,
    },
    /// The network cannot be run.
    #[error("{name}: {source}")]
    Observe {
        /// The network.
        name: String,
        /// What is wrong with it.
        source: ObserveError,
    },
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

impl CompareError {
    /// Whether somebody asked for an end.
    pub fn is_stop(&self) -> bool {
        match self {
            Self::Interpret { source, .. } => source.is_stop(),
            Self::Observe { source, .. } => matches!(source, ObserveError::Stopped(_)),
            _ => false,
        }
    }
}

/// The most networks that are compared at once: 32,000 pairs.
pub const MAX_NETWORKS: usize = 256;

/// Compares networks, each with each.
pub fn compare(subjects: &[Subject], params: &CompareParams) -> Result<Comparison, CompareError> {
    compare_examined(&examine_all(subjects, params, &|_| true, &|| {})?, params)
}

/// Looks at every network, all on the same inputs. `look` may stop it; `one` is told of each network that has been read.
pub fn examine_all(
    subjects: &[Subject],
    params: &CompareParams,
    look: OnProgress<'_>,
    one: &(dyn Fn() + Sync),
) -> Result<Vec<Examined>, CompareError> {
    check_count(subjects.len())?;
    let examined = subjects.par_iter().map(|subject| {
        let inputs = shared_inputs(subjects, subject.size(), params)?;
        let found = examine(subject, &inputs, params, look)?;
        one();
        Ok(found)
    });
    examined.collect()
}

fn check_count(found: usize) -> Result<(), CompareError> {
    match found {
        0 | 1 => Err(CompareError::TooFew { found }),
        _ if found > MAX_NETWORKS => {
            Err(CompareError::TooMany { found, pairs: found * (found - 1) / 2, limit: MAX_NETWORKS })
        }
        _ => Ok(()),
    }
}

/// Compares networks that have been looked at.
pub fn compare_examined(examined: &[Examined], params: &CompareParams) -> Result<Comparison, CompareError> {
    check_count(examined.len())?;
    let all: Vec<(usize, usize)> =
        (0..examined.len()).flat_map(|i| (i + 1..examined.len()).map(move |j| (i, j))).collect();
    let pairs = all
        .par_iter()
        .map(|&(i, j)| compare_pair((i, &examined[i]), (j, &examined[j]), params))
        .collect::<Result<Vec<Pair>, CompareError>>()?;
    let several = examined.len() > 2;
    Ok(Comparison {
        networks: examined.iter().map(Examined::summary).collect(),
        clusters: clusters(examined.len(), &pairs),
        separations: if several { separations(&pairs) } else { vec![] },
        pairs,
        params: params.clone(),
    })
}
