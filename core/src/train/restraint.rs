//! What training may not change of the weights that it begins with.
//!
//! A matrix acts on the states or inputs that it is given, so a move M of it changes nothing of an old task if M x = 0 for
//! every x of that task: M is projected out of the space that those x span. Adam divides each weight's gradient by a number of
//! its own, which leads out of any such space; so beside the gradient every move of the weights is projected.

use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::TrainError;
use crate::choose::words;
use crate::network::{Accuracy, Network, Parameter, ParameterMut};

/// Strength of elastic weight consolidation where none is given.
pub const DEFAULT_STRENGTH: f64 = 100.0;

/// The part of a network that stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Freeze {
    /// All recurrent weights.
    Recurrent,
    /// What the recurrent weights do within the space of the memories.
    Memories,
}

words!(Freeze, "part to freeze": Recurrent = "recurrent", Memories = "memories");

/// The rule by which weights are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase", deny_unknown_fields)]
pub enum RestraintRule {
    /// A part stays as it is.
    Freeze {
        /// The part.
        part: Freeze,
    },
    /// Moves are projected out of the spaces that states and inputs of old tasks span.
    Protect {
        /// The old tasks, or contexts of the task.
        old: Vec<String>,
    },
    /// Moves are projected into those spaces, as the paper words it: old circuits are reused, and rewritten.
    Reuse {
        /// The old tasks, or contexts of the task.
        old: Vec<String>,
    },
    /// Strong cues alone: no move may act on the constant that shut units hold.
    #[serde(rename = "shut-units")]
    ShutUnits,
    /// Elastic weight consolidation: weights are pulled back to where they were, by how much old outputs depend on them.
    Ewc {
        /// The old tasks, or contexts of the task.
        old: Vec<String>,
        /// How strongly they are pulled back.
        strength: f64,
    },
}

/// What training may not change. Two are equal if they keep the same by the same rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restraint {
    /// The rule.
    pub rule: RestraintRule,
    /// Checksum of what is held: a run resumes only with the same.
    pub crc32c: u32,
    /// How well the network did the old tasks before training went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<OldAccuracy>,
    /// What is held; a run folder keeps it beside its manifest.
    #[serde(skip)]
    pub held: Option<Arc<Held>>,
}

/// How well a network does a task that it has learned before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OldAccuracy {
    /// The task, or the context of one.
    pub name: String,
    /// Accuracy on inputs that training never drew.
    pub accuracy: Accuracy,
}

impl PartialEq for Restraint {
    fn eq(&self, other: &Self) -> bool {
        (&self.rule, self.crc32c) == (&other.rule, other.crc32c)
    }
}

/// What is held of each parameter, by PyTorch's name, and what pulls weights back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    /// Parameters that are not free.
    pub holds: BTreeMap<String, Hold>,
    /// What pulls weights back, in elastic weight consolidation.
    pub penalty: Option<Penalty>,
}

/// Which moves (changes) of a matrix are allowed. The columns of each basis are orthonormal.
#[derive(Clone, Debug, PartialEq)]
pub enum Hold {
    /// No moves.
    Fixed,
    /// Moves that have no effect on vectors in this space.
    Outside(Mat<f64>),
    /// Moves that have an effect on this space alone.
    Inside(Mat<f64>),
    /// Moves that change nothing of what leads from this space into itself.
    WithinItself(Mat<f64>),
}

/// What pulls weights back to where they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Penalty {
    /// How much old outputs depend on each weight: twice the diagonal of the Fisher information, a mean over steps and components.
    pub fisher: Network,
    /// Where they were.
    pub anchor: Network,
    /// How strongly all of them are pulled.
    pub strength: f64,
}

impl Restraint {
    /// Refuses what no training can use.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        if let RestraintRule::Ewc { strength, .. } = self.rule
            && !(strength.is_finite() && strength > 0.0)
        {
            return Err(TrainError::OutOfRange { name: "ewc_strength", value: strength, limit: "a number above 0" });
        }
        match self.held {
            Some(_) => Ok(()),
            None => Err(TrainError::BadRestraint("what is held is not there; begin the run again".into())),
        }
    }
}

impl Hold {
    /// The space, where there is one.
    pub fn basis(&self) -> Option<&Mat<f64>> {
        match self {
            Self::Fixed => None,
            Self::Outside(basis) | Self::Inside(basis) | Self::WithinItself(basis) => Some(basis),
        }
    }

    /// Whether it allows no move at all.
    pub fn is_total(&self) -> bool {
        match self {
            Self::Fixed => true,
            Self::Outside(basis) => basis.ncols() >= basis.nrows(),
            Self::Inside(basis) => basis.ncols() == 0,
            Self::WithinItself(_) => false,
        }
    }

    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Outside(_) => "outside",
            Self::Inside(_) => "inside",
            Self::WithinItself(_) => "between",
        }
    }

    /// Takes out of a move what is not allowed.
    fn restrict(&self, of: &mut Mat<f64>) {
        match self {
            Self::Fixed => of.fill(0.0),
            Self::Outside(basis) => *of -= product(product(of.as_ref(), basis.as_ref()).as_ref(), basis.transpose()),
            Self::Inside(basis) => *of = product(product(of.as_ref(), basis.as_ref()).as_ref(), basis.transpose()),
            Self::WithinItself(basis) => {
                // Gates lie under one another, and each of them leads to all units.
                for gate in 0..of.nrows() / basis.nrows().max(1) {
                    let own = of.as_ref().subrows(gate * basis.nrows(), basis.nrows());
                    let inner = product(basis.transpose(), product(own, basis.as_ref()).as_ref());
                    let within = product(product(basis.as_ref(), inner.as_ref()).as_ref(), basis.transpose());
                    let mut own = of.as_mut().subrows_mut(gate * basis.nrows(), basis.nrows());
                    own -= &within;
                }
            }
        }
    }
}

/// On one thread, so that the order of the sums is one.
fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

impl Held {
    /// Takes out of a gradient, or of moves, what is not allowed.
    pub(crate) fn restrict(&self, moves: &mut Network) {
        for (name, parameter) in moves.parameters_mut() {
            match (self.holds.get(&name), parameter) {
                (None, _) | (_, ParameterMut::Constant) => {}
                (Some(hold), ParameterMut::Matrix(matrix)) => hold.restrict(matrix),
                (Some(_), ParameterMut::Vector(vector)) => vector.fill(0.0),
            }
        }
    }

    /// Takes back what is not allowed of the way from one network to another.
    pub(crate) fn restrict_move(&self, before: &Network, after: &mut Network) {
        if self.holds.is_empty() {
            return;
        }
        after.combine(before, |after, before| after - before);
        self.restrict(after);
        after.combine(before, |moved, before| before + moved);
    }

    /// Refuses what does not belong to a network.
    pub(super) fn check(&self, network: &Network) -> Result<(), TrainError> {
        let parameters: BTreeMap<String, Parameter<'_>> = network.parameters().into_iter().collect();
        for (name, hold) in &self.holds {
            let shape = parameters.get(name).map(Parameter::shape);
            let columns = shape.as_deref().and_then(|shape| shape.get(1)).copied();
            let fits = match (hold.basis(), shape.is_some()) {
                (Some(basis), true) => columns == Some(basis.nrows()),
                (None, known) => known,
                (Some(_), false) => false,
            };
            if !fits {
                return Err(TrainError::BadRestraint(format!("what is held of {name} belongs to another network")));
            }
        }
        for other in self.penalty.iter().flat_map(|penalty| [&penalty.fisher, &penalty.anchor]) {
            super::engine::same_shapes(network, other)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, CellKind, CellSettings, Initialization};

    /// Orthonormal columns of H coordinates.
    fn basis(units: usize, columns: &[usize]) -> Mat<f64> {
        Mat::from_fn(units, columns.len(), |i, j| f64::from(u8::from(i == columns[j])))
    }

    fn moves(cell: CellKind) -> Network {
        let architecture = Architecture {
            cell,
            layers: 1,
            hidden: 4,
            activation: Activation::Tanh,
            bias: true,
            settings: CellSettings::usual(cell),
        };
        Initialization::Uniform.network(&architecture, 3, 2, 9)
    }

    fn held(hold: Hold) -> Held {
        Held { holds: [("rnn.weight_hh_l0".to_string(), hold)].into(), penalty: None }
    }

    fn recurrent(network: &Network) -> Mat<f64> {
        let all = network.parameters();
        let (_, found) = all.into_iter().find(|(name, _)| name == "rnn.weight_hh_l0").unwrap();
        if let Parameter::Matrix(matrix) = found { matrix.clone() } else { panic!("a matrix") }
    }

    #[test]
    fn each_hold_takes_out_what_it_says_and_nothing_else() {
        for (cell, gates) in [(CellKind::Elman, 1), (CellKind::Gru, 3)] {
            let all = recurrent(&moves(cell));
            let after = |hold: Hold| {
                let mut network = moves(cell);
                held(hold).restrict(&mut network);
                recurrent(&network)
            };
            let kept = |i: usize, j: usize, of: &Mat<f64>, stays: bool| {
                let wanted = if stays { all[(i, j)] } else { 0.0 };
                assert!((of[(i, j)] - wanted).abs() < 1e-15, "{cell:?} ({i}, {j})");
            };
            let (outside, inside) = (after(Hold::Outside(basis(4, &[0, 2]))), after(Hold::Inside(basis(4, &[0, 2]))));
            let (between, fixed) = (after(Hold::WithinItself(basis(4, &[0, 2]))), after(Hold::Fixed));
            for i in 0..4 * gates {
                for j in 0..4 {
                    let (row, column) = ([0, 2].contains(&(i % 4)), [0, 2].contains(&j));
                    kept(i, j, &outside, !column);
                    kept(i, j, &inside, column);
                    kept(i, j, &between, !(row && column));
                    kept(i, j, &fixed, false);
                }
            }
        }
    }

    #[test]
    fn a_move_comes_back_without_what_is_held_and_the_rest_arrives() {
        let (before, mut after) = (moves(CellKind::Elman), moves(CellKind::Elman));
        after.change_matrices(|matrix| *matrix *= faer::Scale(3.0));
        let wanted = after.clone();
        held(Hold::Fixed).restrict_move(&before, &mut after);
        assert_eq!(recurrent(&after), recurrent(&before));
        assert_eq!(after.readout, wanted.readout);
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn the_cuda_engine_refuses_in_words() {
        use crate::task::{Task, Window};
        use crate::train::{Choices, Job, Start};
        let refused = |task: &Task, restraint| {
            let (mut params, _) = Choices { hidden: Some(8), ..Choices::default() }.params(task).unwrap();
            params.restraint = restraint;
            let start = Start::Weights(Box::new(params.network_for(task)));
            let job = Job { task: task.clone(), params, start };
            crate::train::cuda::supports(&job).unwrap_err().to_string()
        };
        let window = Window::named("repeat-copy", Some(2), Some(2)).unwrap();
        let plain = Task::from(window.clone());
        let held = Some(Arc::new(held(Hold::Fixed)));
        let restraint =
            Restraint { rule: RestraintRule::Freeze { part: Freeze::Recurrent }, crc32c: 0, before: vec![], held };
        let message = refused(&plain, Some(restraint));
        assert!(message.contains("does not train under a restraint") && message.contains("cpu"), "{message}");
        let both = vec![("a".to_string(), window.clone()), ("b".to_string(), window)];
        let message = refused(&Window::with_contexts("two", both).unwrap().into(), None);
        assert!(message.contains("does not train tasks with contexts"), "{message}");
        assert!(message.contains("does not train tasks with contexts"), "{message}");
        let message = refused(&Task::named("parity", None, None).unwrap(), None);
        assert!(message.contains("inputs at every step"), "{message}");
    }

    #[test]
    fn what_belongs_to_another_network_is_refused() {
        let network = moves(CellKind::Elman);
        assert!(held(Hold::Outside(basis(4, &[1]))).check(&network).is_ok());
        let message = held(Hold::Outside(basis(5, &[1]))).check(&network).unwrap_err().to_string();
        assert!(message.contains("rnn.weight_hh_l0 belongs to another network"), "{message}");
        let nowhere = Held { holds: [("rnn.weight_hh_l7".to_string(), Hold::Fixed)].into(), penalty: None };
        assert!(nowhere.check(&network).is_err());
        let missing = Restraint {
            rule: RestraintRule::Freeze { part: Freeze::Recurrent },
            crc32c: 0,
            before: vec![],
            held: None,
        };
        assert!(missing.check().unwrap_err().to_string().contains("not there"));
    }
}
