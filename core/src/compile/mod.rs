//! The compiler: a network whose weights are made for a task, not trained.
//!
//! Every content that the function needs is held by saturating units of known place, and the circuit that moves and computes
//! contents is known too: ground truth for whatever claims to read networks. The networks correct their own errors: they are right
//! for as long as they run although noise disturbs every unit at every step.
//!
//! ```
//! use ketbra::compile::{CompileParams, check, compile};
//! use ketbra::task::Window;
//!
//! let task = Window::named("compose-copy", Some(3), Some(3))?;
//! let made = compile(&task, &CompileParams { hidden: Some(32), ..CompileParams::default() })?;
//! // Six contents: the newest value of the third component, two of the second, three of the first.
//! assert_eq!((made.contents.len(), made.memories.ncols()), (6, 6));
//! // 500 output steps with noise of 0.05 on every unit: not one mistake.
//! assert_eq!(check(&made.network, &task, 7, 4, 500, 0.05).accuracy, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod circuit;
mod code;
mod compiled;
mod error;
mod in_code;
mod memories;
mod mixing;
mod pairs;
mod redundancy;
mod threshold;
mod weights;

pub use check::{Checked, check};
pub use circuit::Role;
pub use compiled::{Compiled, CompiledFigures, CompiledSummary, HeldUnit};
pub use error::CompileError;
pub(crate) use in_code::{Given, Written, compile_in_code};
pub use pairs::SuperposedPair;

use crate::choose::words;
use crate::network::{CellKind, MAX_HIDDEN};
use crate::task::Window;
use circuit::Circuit;
use redundancy::{Drive, Readings};
use serde::{Deserialize, Serialize};
use weights::{Made, Moving, Parts};

/// What contents look like in the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitBasis {
    /// Units in random order with random signs, each with a little of every content that is moved.
    #[default]
    Random,
    /// Units in the order of the contents, each with one content or one threshold.
    Units,
}

words!(UnitBasis, "basis": Random = "random", Units = "units");

/// How a network is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompileParams {
    /// Hidden units. Default 128, or twice what is needed if that is more.
    pub hidden: Option<usize>,
    /// The cell: elman, gru or lstm.
    pub cell: CellKind,
    /// What contents look like in the units.
    pub basis: UnitBasis,
    /// Pairs of contents that share one direction for a step.
    pub superposed: usize,
    /// Standard deviation of what is added to the finished weights, as a share of each matrix's root mean square.
    pub noise: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Standard deviation of the noise on every unit that the network must bear.
    pub state_noise: f64,
    /// How many standard deviations of that noise every reading keeps from its threshold.
    pub margin: f64,
    /// Gain of the units that move contents.
    pub gain: f64,
    /// The largest share of other contents in a unit of a random basis; less is taken where more would bring readings near to
    /// their thresholds.
    pub mixing: f64,
    /// How near to its threshold a reading of a random basis may come in a trial: 1 is where it is without noise, 0 the
    /// threshold.
    pub nearest: f64,
    /// In a random basis at least this share of the variance of units that move contents stays linear in them.
    pub linear: f64,
}

impl Default for CompileParams {
    fn default() -> Self {
        Self {
            hidden: None,
            cell: CellKind::Elman,
            basis: UnitBasis::Random,
            superposed: 0,
            noise: 0.0,
            seed: 1,
            state_noise: 0.05,
            margin: 7.0,
            gain: 1.5,
            mixing: 0.5,
            nearest: 0.45,
            linear: 0.975,
        }
    }
}

/// Units if nobody says how many, and how many times more than needed.
const USUAL_HIDDEN: usize = 128;
const USUAL_REDUNDANCY: usize = 2;
/// Bias of gates that stay open or shut: within 4e-11 of 1 and 0.
const GATE: f64 = 24.0;

/// Makes a network for a task.
pub fn compile(task: &Window, params: &CompileParams) -> Result<Compiled, CompileError> {
    let name = || task.name().to_owned();
    let plain = params.cell.about().written.map_err(|_| CompileError::Cell { cell: params.cell.title() })?;
    if !params.noise.is_finite() || params.noise < 0.0 {
        return Err(CompileError::Noise { noise: params.noise });
    }
    let gates = task.gates().ok_or_else(|| CompileError::Dense { name: name() })?;
    let contents = circuit::contents(task);
    if contents.len() > MAX_HIDDEN {
        return Err(CompileError::TooLarge { name: name() });
    }
    let pairs = pairs::choose(&gates, &contents, params.superposed);
    if pairs.len() < params.superposed {
        let (wanted, possible) = (params.superposed, pairs.len());
        return Err(CompileError::TooFewPairs { name: name(), wanted, possible });
    }
    let drive = Drive::new(plain, params.gain);
    let circuit = Circuit::new(&gates, contents, pairs, drive.levels);
    let readings = Readings::of(&circuit, &drive, params.state_noise);
    let mut copies = redundancy::fewest(&readings, circuit.units.len(), params.margin, MAX_HIDDEN);
    let needed: usize = copies.iter().sum();
    let hidden = enough(task, params, needed, circuit.contents.len())?;
    redundancy::fill(&mut copies, hidden);
    let places = match params.basis {
        UnitBasis::Units => weights::in_order(&copies),
        UnitBasis::Random => weights::scattered(&copies, params.seed),
    };
    let moving = Moving::new(&circuit, &places);
    let parts = Parts { circuit: &circuit, drive: &drive, copies: &copies, places: &places, moving: &moving };
    let (code, mixing) = mixing::choose(&parts, task, params)?;
    let made = Made { parts, code: &code };
    let figures = CompiledFigures { needed, margin: made.margin(params.state_noise), mixing, linear: code.explained };
    Compiled::finish(task, &gates, &made, params, figures)
}

fn enough(task: &Window, params: &CompileParams, needed: usize, contents: usize) -> Result<usize, CompileError> {
    let name = task.name().to_owned();
    if needed > MAX_HIDDEN {
        return Err(CompileError::TooLarge { name });
    }
    let hidden = params.hidden.unwrap_or_else(|| USUAL_HIDDEN.max(USUAL_REDUNDANCY * needed).min(MAX_HIDDEN));
    if hidden > MAX_HIDDEN {
        return Err(CompileError::OverLimit { hidden });
    }
    if hidden < needed {
        return Err(CompileError::TooSmall { name, hidden, needed, contents });
    }
    Ok(hidden)
}
