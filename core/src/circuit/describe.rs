//! A task as a person would want it told, and as JSON.

use serde::Serialize;

use super::function::{Forgets, KeptDescription, LiftedDescription, StatesDescription, TableDescription};
use super::{CircuitError, Cycle, PredictedDirection, Structure};
use crate::numeric::c64;
use crate::task::{Component, TableOf, TaskId, Window};

/// Everything that the graph of a task tells about it.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// The task's name.
    pub name: String,
    /// Variables.
    pub s: usize,
    /// Components of each variable.
    pub d: usize,
    /// Whether values stay in {-1, +1}.
    pub binary: bool,
    /// The three-integer id, for a signed selection that uses no component twice.
    pub id: Option<String>,
    /// One line an output.
    pub recurrence: Vec<String>,
    /// Cycles on which values go around: the shorter first.
    pub cycles: Vec<CycleDescription>,
    /// Sizes of the parts that mix several values and are no cycles; empty for a signed selection.
    pub tangles: Vec<usize>,
    /// What has to be kept.
    pub core: CoreDescription,
    /// Eigenvalues of the core by argument.
    pub directions: Vec<DirectionDescription>,
    /// Eigenvalues of the core: from angle 0 outwards to pi, conjugates together.
    pub eigenvalues: Vec<EigenvalueDescription>,
    /// What kind of function it is, where that has a name, such as "rule 110 on a ring of 8".
    pub family: Option<String>,
    /// Every output as a truth table; nothing for a dense f.
    pub function: Option<Vec<TableOf>>,
    /// What makes a difference, where f is not linear.
    pub kept: Option<KeptDescription>,
    /// How much is lost, where f is not linear and that is known.
    pub forgets: Option<Forgets>,
    /// All states, where f is not linear and they are few.
    pub states: Option<StatesDescription>,
    /// The circuit on products, where f is not linear: `directions` and `eigenvalues` are then its own.
    pub lifted: Option<LiftedDescription>,
}

/// One cycle of the circuit.
#[derive(Clone, Debug, Serialize)]
pub struct CycleDescription {
    /// Steps of one round.
    pub length: usize,
    /// +1 or -1: the sign with which a value returns.
    pub sign: i8,
    /// What a value is multiplied with on one round.
    pub weight: f64,
    /// The places that a value visits, in order.
    pub members: Vec<Component>,
}

/// The part of the window that has to be kept.
#[derive(Clone, Debug, Serialize)]
pub struct CoreDescription {
    /// How many numbers.
    pub size: usize,
    /// Which ones, for a signed selection; a dense f keeps combinations of all.
    pub members: Option<Vec<Component>>,
}

/// Eigenvalues that point the same way.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DirectionDescription {
    /// The angle in radians, in (-pi, pi].
    pub argument: f64,
    /// The angle in degrees.
    pub degrees: f64,
    /// How many eigenvalues.
    pub count: usize,
    /// Their largest modulus.
    pub modulus: f64,
}

/// One eigenvalue.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EigenvalueDescription {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
    /// Distance from zero.
    pub modulus: f64,
    /// Angle in radians.
    pub argument: f64,
}

impl Description {
    /// Describes a task from its graph; nothing of the size of the window squared is made for a signed selection.
    pub fn of(task: &Window) -> Result<Self, CircuitError> {
        if !task.is_linear() {
            return Self::of_table(task);
        }
        let structure = Structure::of(task)?;
        let place = |index: usize| Component::at(index, task.d());
        let cycle = |cycle: &Cycle| CycleDescription {
            length: cycle.length(),
            sign: if cycle.is_negative() { -1 } else { 1 },
            weight: cycle.weight,
            members: cycle.members.iter().map(|&index| place(index)).collect(),
        };
        let mut members: Vec<Component> =
            structure.cycles.iter().flat_map(|cycle| cycle.members.iter().map(|&index| place(index))).collect();
        members.sort_unstable();
        let core = CoreDescription { size: structure.dimension(), members: task.is_binary().then_some(members) };
        Ok(Self {
            cycles: structure.cycles.iter().map(cycle).collect(),
            tangles: structure.tangles.iter().map(|tangle| tangle.members.len()).collect(),
            directions: directions(&structure),
            eigenvalues: eigenvalues(&structure),
            ..Self::bare(task, core)
        })
    }

    /// Describes a task whose outputs are truth tables: what must be kept are components, what moves are products of them.
    fn of_table(task: &Window) -> Result<Self, CircuitError> {
        let TableDescription { kept, states, lifted, forgets, circuit } = TableDescription::of(task)?;
        let core = CoreDescription { size: kept.members.len(), members: Some(kept.members.clone()) };
        let structure = circuit.map(|circuit| circuit.structure);
        Ok(Self {
            directions: structure.as_ref().map_or(vec![], directions),
            eigenvalues: structure.as_ref().map_or(vec![], eigenvalues),
            family: task.family(),
            kept: Some(kept),
            forgets,
            states,
            lifted: Some(lifted),
            ..Self::bare(task, core)
        })
    }

    fn bare(task: &Window, core: CoreDescription) -> Self {
        Self {
            name: task.name().into(),
            s: task.s(),
            d: task.d(),
            binary: task.is_binary(),
            id: TaskId::encode(task).map(|id| id.to_string()),
            recurrence: task.recurrence(),
            cycles: vec![],
            tangles: vec![],
            core,
            directions: vec![],
            eigenvalues: vec![],
            family: None,
            function: TableOf::all(task),
            kept: None,
            forgets: None,
            states: None,
            lifted: None,
        }
    }
}

fn directions(structure: &Structure) -> Vec<DirectionDescription> {
    let described = |direction: &PredictedDirection| DirectionDescription {
        argument: direction.argument,
        degrees: direction.argument.to_degrees(),
        count: direction.count,
        modulus: direction.modulus,
    };
    structure.directions().iter().map(described).collect()
}

fn eigenvalues(structure: &Structure) -> Vec<EigenvalueDescription> {
    let described = |value: &c64| EigenvalueDescription {
        re: value.re,
        im: value.im,
        modulus: value.re.hypot(value.im),
        argument: value.im.atan2(value.re),
    };
    structure.eigenvalues.iter().map(described).collect()
}
