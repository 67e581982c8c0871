//! The ways in which a network is edited, and the order in which they are tried.

use super::{EditError, EditParams};
use crate::choose::words;
use crate::network::{CellKind, Plain};
use serde::{Deserialize, Serialize};

crate::setting::leaves!(Option<Mode>);

/// How much of the network's own code an edit keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Only the difference between the new circuit and the old one is added to the weights.
    #[default]
    Least,
    /// Every content that the network holds keeps its code.
    #[serde(alias = "own")]
    SameCode,
    /// The newest variable moves to units that switch between input and feedback; the rest keeps its code.
    Gated,
    /// The gates of a GRU or an LSTM are fixed: an Elman cell inside the old one, in the old one's code.
    #[serde(alias = "elman-inside")]
    FixedGates,
    /// Every content gets a unit of its own: a new network in the old one's place.
    Transplant,
}

/// One try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Attempt {
    /// The least change: how much of the own input weights is kept, and how strongly inputs are written beside that.
    Least { inputs: (f64, f64) },
    /// New weights in a code that keeps as much of the network's own as the mode says.
    Rewrite(Mode),
}

impl Mode {
    /// The modes of plain layers, from the least change on.
    const OF_PLAIN_LAYERS: &'static [Self] = &[Self::Least, Self::SameCode, Self::Gated, Self::Transplant];
    /// The modes of cells with gates.
    const OF_GATED_CELLS: &'static [Self] = &[Self::FixedGates, Self::Transplant];

    /// The modes that a cell can be edited in, from the least change on.
    pub fn of(cell: CellKind) -> &'static [Self] {
        match cell.about().written {
            Ok(Plain::Elman(_)) => Self::OF_PLAIN_LAYERS,
            Ok(Plain::Gru | Plain::Lstm) => Self::OF_GATED_CELLS,
            Err(_) => &[],
        }
    }

    /// What this mode does to a cell, in words.
    pub fn in_words(self, cell: CellKind) -> String {
        let title = cell.title();
        match self {
            Self::Least => "the least change, added to the weights".into(),
            Self::SameCode => "written in the network's own code".into(),
            Self::Gated => "written in the network's own code, the newest variable on switching units".into(),
            Self::FixedGates => {
                format!("turns the {title} into an Elman cell inside its own code: the gates are fixed")
            }
            Self::Transplant => "a transplant: nothing of the network's own code is kept".into(),
        }
    }

    /// Whether the trained cell no longer acts as it was trained.
    pub fn replaces(self) -> bool {
        matches!(self, Self::FixedGates | Self::Transplant)
    }
}

words! {
    Mode, "mode":
    Least = "least",
    SameCode = "same-code" | "own",
    Gated = "gated",
    FixedGates = "fixed-gates" | "elman-inside",
    Transplant = "transplant",
}

impl Attempt {
    /// What it is called if it is what was done to a cell.
    pub(super) fn mode(self, cell: CellKind) -> Mode {
        match self {
            Self::Least { .. } => Mode::Least,
            Self::Rewrite(Mode::SameCode | Mode::Gated) if cell != CellKind::Elman => Mode::FixedGates,
            Self::Rewrite(mode) => mode,
        }
    }
}

/// What is tried, in order.
pub(super) fn attempts(cell: CellKind, params: &EditParams) -> Result<Vec<Attempt>, EditError> {
    let allowed = Mode::of(cell);
    if let Some(mode) = params.mode.filter(|mode| !allowed.contains(mode)) {
        return Err(EditError::Mode { mode, cell: cell.title(), allowed });
    }
    let each = |mode: &Mode| match mode {
        Mode::Least => params.least_inputs.iter().map(|&inputs| Attempt::Least { inputs }).collect(),
        Mode::FixedGates => vec![Attempt::Rewrite(Mode::SameCode), Attempt::Rewrite(Mode::Gated)],
        &mode => vec![Attempt::Rewrite(mode)],
    };
    Ok(allowed.iter().filter(|mode| params.mode.is_none_or(|asked| asked == **mode)).flat_map(each).collect())
}
