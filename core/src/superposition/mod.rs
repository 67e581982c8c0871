//! Accurate networks with fewer linear directions than contents: how do they hold them all?
//!
//! The states of such networks are still a linear code of the contents, `h = E v`, but with dependent columns. Reading it
//! takes one more fact, that contents are +-1. Two ways of sharing are told apart: a *rider* lies on the direction of a
//! host at a smaller amplitude, so that one direction carries two bits as four levels; the rest is *spread* over several
//! directions. No labels are used beyond the function that the network computes.

mod code;
mod decode;
mod riders;

pub use riders::Rider;

use crate::circuit::Core;
use crate::memories::Component;
use crate::network::Network;
use crate::numeric::NumericError;
use crate::observe::drive;
use crate::random::{Purpose, Stream};
use crate::task::{Task, TaskError};
use serde::{Deserialize, Serialize};

/// How shared directions are looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuperpositionParams {
    /// Seed of the inputs; an interpretation has one for all its stages, and sets it.
    pub seed: u64,
    /// Episodes that the code is fitted on.
    pub episodes: usize,
    /// Output steps left out at the start.
    pub settle: usize,
    /// Every how many output steps states are taken; not s, after which repeat copy holds the same contents again.
    pub every: usize,
    /// How many output steps are taken of each episode.
    pub taken: usize,
    /// Ridge of the code.
    pub code_ridge: f64,
    /// Ridge of the linear readers it is compared with.
    pub reader_ridge: f64,
    /// Damping of the residual covariance that weighs errors, relative to its mean.
    pub noise_floor: f64,
    /// Singular values of the code above this share of their median count as directions.
    pub direction: f64,
    /// Contents whose columns have a larger cosine are also flipped together when decoding.
    pub coupled: f64,
    /// A rider's cosine with its host is at least this.
    pub rides: f64,
    /// Least gap between the four levels of a shared direction, in standard deviations of the widest.
    pub separation: f64,
    /// A content counts as read from this share of right signs on.
    pub read: f64,
    /// Most sweeps over the contents when decoding.
    pub sweeps: usize,
}

impl Default for SuperpositionParams {
    fn default() -> Self {
        Self {
            seed: 1,
            episodes: 384,
            settle: 24,
            every: 3,
            taken: 4,
            code_ridge: 1e-6,
            reader_ridge: 1e-5,
            noise_floor: 1.0,
            direction: 0.2,
            coupled: 0.3,
            rides: 0.9,
            separation: 2.5,
            read: 0.99,
            sweeps: 6,
        }
    }
}

/// What the contents of a state are taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// The signs of the network's own last s outputs.
    Said,
    /// What the function gives when run from the inputs.
    Meant,
}

/// How contents share directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Superposition {
    /// Which contents the code explains best.
    pub contents: Contents,
    /// Share of the variance of fresh states that the linear code explains.
    pub explained: f64,
    /// Directions of the code.
    pub directions: usize,
    /// Contents that it holds in them.
    pub held: usize,
    /// Contents that a linear reader reads.
    pub read_linearly: usize,
    /// Contents that are read when +-1 is taken into account.
    pub read_as_signs: usize,
    /// Share of right signs of the worst content, +-1 taken into account.
    pub worst: f64,
    /// Contents that ride on others.
    pub riders: Vec<Rider>,
    /// Contents that are not read linearly and ride on no single host.
    pub spread: Vec<Component>,
}

/// Why the code could not be found.
#[derive(Debug, thiserror::Error)]
pub enum SuperpositionError {
    /// Inputs of this size cannot be drawn.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// Looks for the code of a network, and judges it on fresh inputs.
///
/// `held` says which outputs the network holds at all. `None` for a dense f, whose contents are not +-1.
pub fn superposition(
    network: &Network,
    start: Option<&[f64]>,
    task: &Task,
    core: &Core,
    held: &[bool],
    params: &SuperpositionParams,
) -> Result<Option<Superposition>, SuperpositionError> {
    let Some(slots) = &core.components else { return Ok(None) };
    let first = params.settle.max(task.s());
    let taken: Vec<usize> = (0..params.taken).map(|k| first + k * params.every.max(1)).collect();
    let size = (task.s(), task.d());
    let fitted = Stream::new(params.seed, Purpose::ProbeInputs);
    let judged = Stream::new(params.seed, Purpose::ScoreInputs);
    let batches = [
        drive(network, size, start, &fitted, 2, params.episodes, &taken)?,
        drive(network, size, start, &judged, 1, params.episodes / 3, &taken)?,
    ];
    let code = code::fit(&batches, task, slots, params)?;
    let as_signs = decode::read_as_signs(&code, params)?;
    let named = |i: usize| Component { variable: slots[i] / task.d() + 1, component: slots[i] % task.d() + 1 };
    let unread: Vec<usize> =
        (0..slots.len()).filter(|&i| code.read_linearly[i] < params.read && held[named(i).component - 1]).collect();
    let (riders, spread) = riders::riders(&code, &unread, &named, params);
    let count = |shares: &[f64]| shares.iter().filter(|&&share| share >= params.read).count();
    Ok(Some(Superposition {
        contents: code.contents,
        explained: code.explained,
        directions: code.directions,
        held: slots.len(),
        read_linearly: count(&code.read_linearly),
        read_as_signs: count(&as_signs),
        worst: as_signs.iter().copied().fold(1.0, f64::min),
        riders,
        spread,
    }))
}

impl Superposition {
    /// What was found, a sentence a line.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "a linear code ({:.3} of the variance) with {} directions for {} contents: {} are read linearly, {} once \
             +-1 is taken into account (worst {:.3})",
            self.explained, self.directions, self.held, self.read_linearly, self.read_as_signs, self.worst
        )];
        lines.extend(self.riders.iter().map(Rider::to_string));
        if !self.spread.is_empty() {
            let mut components: Vec<usize> = self.spread.iter().map(|at| at.component).collect();
            components.sort_unstable();
            components.dedup();
            let names: Vec<String> = components.iter().map(|component| format!("u{component}")).collect();
            let count = self.spread.len();
            lines.push(format!("{count} contents of {} are spread over several directions", names.join(", ")));
        }
        lines
    }
}
