//! The cells that a network is made of. To add one: its own file here and its line in the list of `cells!`, and one in the list of
//! `core/tests/takes_every_cell.rs`; to train it a kernel in `train/cpu/cells`, to run it on its page a step in
//! `report/explorer/cells.js`. The compiler names every line that is missing.

mod elman;
mod gates;
mod gru;
mod leaky;
mod lstm;
mod scramble;
mod settings;
mod ssm;

pub use elman::Elman;
pub use gates::Biases;
pub use gru::Gru;
pub use leaky::{Leak, Leaky};
pub use lstm::Lstm;
pub use settings::{CellSetting, CellSettings, CellValues};
pub use ssm::{Modes, Ssm};

use super::dynamics::Jacobians;
use super::initialize::Draw;
use super::layers::{LayerTensors, Read};
use super::{Activation, Architecture, NetworkError, Plain};
use crate::choose::{UnknownWord, choose};
use faer::{Mat, MatMut, MatRef};
use serde::{Deserialize, Serialize};

macro_rules! cells {
    ($($(#[$doc:meta])* $Kind:ident),+ $(,)?) => {
        /// A recurrent layer of one of the kinds that can be read, trained and shown.
        ///
        /// Its state begins with its units h, which the next layer and the readout see; an LSTM's cells and the modes of a
        /// state-space layer follow.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Cell {
            $($(#[$doc])* $Kind($Kind),)+
        }

        /// The kind of a cell.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum CellKind {
            $($(#[$doc])* $Kind,)+
        }

        impl Cell {
            pub(crate) fn layer(&self) -> &dyn Layer {
                match self {
                    $(Self::$Kind(cell) => cell,)+
                }
            }

            pub(crate) fn layer_mut(&mut self) -> &mut dyn Layer {
                match self {
                    $(Self::$Kind(cell) => cell,)+
                }
            }

            /// A cell with random weights.
            pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
                match of.cell {
                    $(CellKind::$Kind => Self::$Kind($Kind::random(of, inputs, draw)),)+
                }
            }

            /// Its kind.
            pub fn kind(&self) -> CellKind {
                match self {
                    $(Self::$Kind(_) => CellKind::$Kind,)+
                }
            }
        }

        impl CellKind {
            /// All of them.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$Kind),+];

            /// Their names, in the same order.
            pub const NAMES: [&'static str; [$($Kind::ABOUT.name),+].len()] = [$($Kind::ABOUT.name),+];

            pub(crate) fn about(self) -> &'static About {
                match self {
                    $(Self::$Kind => const { &$Kind::ABOUT },)+
                }
            }
        }

        /// Every setting that a cell leaves to choose beside its nonlinearity.
        pub const CELL_SETTINGS: [CellSetting; 0 $(+ $Kind::ABOUT.settings.len())+] = {
            let lists: [&[CellSetting]; CellKind::NAMES.len()] = [$($Kind::ABOUT.settings),+];
            let unset = CellSetting { cell: CellKind::Elman, name: "", flag: "", help: "", values: CellValues::Flag };
            let (mut all, mut count, mut list) = ([unset; _], 0, 0);
            while list < lists.len() {
                let mut k = 0;
                while k < lists[list].len() {
                    all[count] = lists[list][k];
                    (count, k) = (count + 1, k + 1);
                }
                list += 1;
            }
            all
        };
    };
}

cells! {
    /// A plain layer, `torch.nn.RNN`.
    Elman,
    /// Gated recurrent units, `torch.nn.GRU`.
    Gru,
    /// Long short-term memory, `torch.nn.LSTM`.
    Lstm,
    /// A diagonal linear state-space layer.
    Ssm,
    /// Leaky integration.
    Leaky,
}

/// What is said of a kind of cell as a whole.
#[cfg_attr(not(feature = "report"), allow(dead_code, reason = "some words are those of the page"))]
pub(crate) struct About {
    /// Its name, as typed.
    pub(crate) name: &'static str,
    /// The same in a list of names, where it needs an explanation.
    pub(crate) explained: &'static str,
    /// Its name in a sentence.
    pub(crate) title: &'static str,
    /// What one of its layers is called.
    pub(crate) layer: &'static str,
    /// What a network of it is called.
    pub(crate) noun: &'static str,
    /// How its whole state is written, where it keeps more than its units.
    pub(crate) whole_state: Option<&'static str>,
    /// Its gates in the order of their rows.
    pub(crate) gates: &'static [Gate],
    /// Which cells it is like, for whoever chooses how to train it and where to look for its circuit.
    pub(crate) family: Family,
    /// Whether it has biases unless told otherwise.
    pub(crate) usually_biased: bool,
    /// Its nonlinearity unless another is chosen.
    pub(crate) usual_activation: Activation,
    /// The plain layer as which a circuit is written into it, or why none is.
    pub(crate) written: Result<Plain, &'static str>,
    /// What else it leaves to choose.
    pub(crate) settings: &'static [CellSetting],
}

/// Cells that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Units that take sums: a circuit shows at the origin.
    Plain,
    /// Units behind gates, which are half open at the origin.
    Gated,
    /// Modes that never mix.
    Modes,
}

/// A gate, whose weights are a block of rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Gate {
    /// The letter that PyTorch's documentation gives it.
    pub(crate) letter: &'static str,
    /// What it does.
    pub(crate) role: &'static str,
}

const fn gate(letter: &'static str, role: &'static str) -> Gate {
    Gate { letter, role }
}

/// What every kind of cell answers.
pub(crate) trait Layer {
    /// How many numbers it hands on.
    fn units(&self) -> usize;

    /// What it keeps beside its units, in the order of the state, and how many numbers each.
    fn beside_units(&self) -> Vec<(PartKind, usize)> {
        vec![]
    }

    /// How many numbers it keeps: its units, and whatever follows them.
    fn state_size(&self) -> usize {
        self.units() + self.beside_units().iter().map(|(_, count)| count).sum::<usize>()
    }

    /// How many numbers it takes in.
    fn inputs(&self) -> usize;

    /// One step of a batch of states; no input means zero input.
    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, next: MatMut<'_, f64>);

    /// The derivatives of a step.
    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians;

    /// Every parameter under the name that PyTorch gives it, less the number of the layer.
    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)>;

    /// The same, to be changed.
    fn parameters_mut(&mut self) -> Vec<(&'static str, ParameterMut<'_>)>;

    /// The shape of every parameter, were it to fit the first one; [`Layer::parameters`] in the same order.
    fn shapes(&self) -> Vec<Vec<usize>>;

    /// Whether opposite states and inputs lead to opposite states.
    fn is_odd(&self) -> bool;

    /// The nonlinearity that can be chosen, where there is one.
    fn activation(&self) -> Option<Activation> {
        None
    }

    /// What it was made with, of the settings of its kind.
    fn settings(&self) -> CellSettings {
        CellSettings::default()
    }

    /// The place of its two bias vectors, where it can have them.
    fn biases_mut(&mut self) -> Option<&mut Option<Biases>> {
        None
    }

    /// Makes the weights from state to state mean nothing, and leaves them as large as they are: shuffles every gate.
    fn scramble(&mut self, seed: u64) {
        let units = self.units();
        for (name, parameter) in self.parameters_mut() {
            if let (RECURRENT, ParameterMut::Matrix(weights)) = (name, parameter) {
                scramble::shuffle_gates(weights, units, seed);
            }
        }
    }
}

/// What PyTorch calls the weights from state to state.
const RECURRENT: &str = "weight_hh";

/// A part of a layer's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// Units, which the layer hands on.
    H,
    /// An LSTM's cells, of which tanh c is handed on.
    C,
    /// Real parts of a state-space layer's modes.
    Real,
    /// Imaginary parts of them.
    Imaginary,
}

/// One tensor of a layer.
#[derive(Clone, Copy, Debug)]
pub enum Parameter<'a> {
    /// A matrix.
    Matrix(&'a Mat<f64>),
    /// A vector.
    Vector(&'a [f64]),
}

/// One tensor of a layer, to be changed.
#[derive(Debug)]
pub enum ParameterMut<'a> {
    /// A matrix.
    Matrix(&'a mut Mat<f64>),
    /// A vector.
    Vector(&'a mut Vec<f64>),
    /// Numbers that nothing changes: they are kept beside those that are trained.
    Constant,
}

impl ParameterMut<'_> {
    /// Changes every number.
    pub(crate) fn change(self, change: impl Fn(f64) -> f64) {
        match self {
            Self::Matrix(m) => {
                (0..m.ncols()).for_each(|j| m.col_as_slice_mut(j).iter_mut().for_each(|x| *x = change(*x)))
            }
            Self::Vector(vector) => vector.iter_mut().for_each(|x| *x = change(*x)),
            Self::Constant => {}
        }
    }

    /// Changes every number by the one in the same place of another tensor of its shape.
    fn combine(self, other: Parameter<'_>, with: &impl Fn(f64, f64) -> f64) {
        match (self, other) {
            (Self::Matrix(m), Parameter::Matrix(other)) => {
                for j in 0..m.ncols() {
                    let pairs = m.col_as_slice_mut(j).iter_mut().zip(other.col_as_slice(j));
                    pairs.for_each(|(x, y)| *x = with(*x, *y));
                }
            }
            (Self::Vector(vector), Parameter::Vector(other)) => {
                vector.iter_mut().zip(other).for_each(|(x, y)| *x = with(*x, *y));
            }
            _ => {}
        }
    }
}

impl crate::network::Network {
    /// Changes every number by the one in the same place of another network of its shapes.
    pub(crate) fn combine(&mut self, other: &Self, with: impl Fn(f64, f64) -> f64) {
        for ((_, mine), (_, theirs)) in self.parameters_mut().into_iter().zip(other.parameters()) {
            mine.combine(theirs, &with);
        }
    }
}

impl Parameter<'_> {
    /// Its dimensions.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            Self::Matrix(matrix) => vec![matrix.nrows(), matrix.ncols()],
            Self::Vector(vector) => vec![vector.len()],
        }
    }

    /// Its values, row by row.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Matrix(m) => (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)])).collect(),
            Self::Vector(vector) => vector.to_vec(),
        }
    }

    /// Whether every value is a finite number.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Matrix(matrix) => (0..matrix.ncols()).all(|j| matrix.col(j).iter().all(|x| x.is_finite())),
            Self::Vector(vector) => vector.iter().all(|x| x.is_finite()),
        }
    }
}

impl Cell {
    /// A layer among named tensors, and the names that it goes by.
    pub(super) fn read<'a>(from: &LayerTensors<'a>, activation: Activation) -> Result<Read<'a>, NetworkError> {
        if Ssm::is_in(from)? { Ssm::read(from, activation) } else { Leaky::read(from, activation) }
    }

    /// The nonlinearity that can be chosen, where there is one.
    pub fn activation(&self) -> Option<Activation> {
        self.layer().activation()
    }

    /// The weights from state to state, gate under gate; nothing where there are none but eigenvalues.
    #[doc(alias = "W_hh")]
    pub fn recurrent_weights(&self) -> Option<&Mat<f64>> {
        self.layer().parameters().into_iter().find_map(|(name, of)| match of {
            Parameter::Matrix(weights) if name == RECURRENT => Some(weights),
            _ => None,
        })
    }

    /// Makes the weights from state to state mean nothing, and leaves them as large as they are.
    pub fn scramble(&mut self, seed: u64) {
        self.layer_mut().scramble(seed);
    }

    /// How many numbers it hands on.
    pub fn units(&self) -> usize {
        self.layer().units()
    }

    /// How many numbers it keeps.
    pub fn state_size(&self) -> usize {
        self.layer().state_size()
    }

    /// How many numbers it takes in.
    pub fn inputs(&self) -> usize {
        self.layer().inputs()
    }

    /// Whether a layer of its kind can have biases.
    pub(super) fn can_have_bias(&self) -> bool {
        self.recurrent_weights().is_some()
    }

    /// Whether it has biases.
    pub fn has_bias(&self) -> bool {
        self.layer().parameters().iter().any(|(name, _)| name.starts_with("bias"))
    }
}

impl CellKind {
    /// The name, as typed.
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// Their names as a list in a sentence, explained where they need it.
    pub fn listed() -> String {
        let [rest @ .., last] = Self::ALL.map(|kind| kind.about().explained);
        format!("{} or {last}", rest.join(", "))
    }

    /// Whether PyTorch's layer has biases unless told otherwise; a plain layer has none in the paper.
    pub fn usually_biased(self) -> bool {
        self.about().usually_biased
    }

    /// The nonlinearity unless another is chosen: a state-space layer stays linear.
    pub fn usual_activation(self) -> Activation {
        self.about().usual_activation
    }

    /// The name in a sentence.
    pub fn title(self) -> &'static str {
        self.about().title
    }

    pub(crate) fn family(self) -> Family {
        self.about().family
    }
}

#[expect(clippy::derivable_impls, reason = "all kinds stand in one list, of which none is marked")]
impl Default for CellKind {
    fn default() -> Self {
        Self::Elman
    }
}

impl std::str::FromStr for CellKind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        choose("cell", word, &Self::ALL.map(|kind| (kind.name(), kind)))
    }
}
