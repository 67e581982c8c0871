//! What describes a function that is not linear: its tables, what it keeps, its products, its states.

use serde::Serialize;

use super::states::readable;
use super::{CircuitError, Cycle, LARGEST_LIFTED, Lifted, States};
use crate::task::{Component, PastComponent, Slot, Window};

/// Which window components make a difference.
#[derive(Clone, Debug, Serialize)]
pub struct KeptDescription {
    /// Whether each of them does; if not, they are those that can be read, and some may make no difference together.
    pub exact: bool,
    /// Those that do: the newest variable, which is the output, and what changes any later output.
    pub members: Vec<Component>,
    /// How many others there are.
    pub forgotten: usize,
}

/// The circuit on products of components.
#[derive(Clone, Debug, Serialize)]
pub struct LiftedDescription {
    /// How many products there are; nothing where there are more than the limit.
    pub size: Option<usize>,
    /// The most that are looked at.
    pub limit: usize,
    /// Whether each product comes from one other.
    pub selection: bool,
    /// How many combinations of products last, the constant not counted.
    pub lasting: Option<usize>,
    /// The products; an empty one is the constant +1.
    pub monomials: Vec<Vec<PastComponent>>,
    /// The step: row (the product after it), column (the product before it) and coefficient, both from 0.
    pub step: Vec<(usize, usize, f64)>,
    /// Cycles of products, as numbers from 0.
    pub cycles: Vec<ProductCycle>,
    /// Sizes of the parts that mix several products and are no cycles.
    pub tangles: Vec<usize>,
}

/// Products that hand one value around.
#[derive(Clone, Debug, Serialize)]
pub struct ProductCycle {
    /// Steps of one round.
    pub length: usize,
    /// +1 or -1: the sign with which a value returns.
    pub sign: i8,
    /// What a value is multiplied with on one round.
    pub weight: f64,
    /// The products that a value visits, in order.
    pub members: Vec<usize>,
}

/// Where all states of a small task end.
#[derive(Clone, Debug, Serialize)]
pub struct StatesDescription {
    /// Components that make up a state.
    pub components: usize,
    /// The cycles of states, the shorter first.
    pub cycles: Vec<StateCycles>,
    /// The most steps that a state takes to reach its cycle.
    pub longest_transient: usize,
}

/// Cycles of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StateCycles {
    /// Steps of one round.
    pub length: usize,
    /// How many such cycles there are.
    pub count: usize,
}

/// How much of the inputs is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forgets {
    /// Every state has one state before it: all can be told apart forever.
    Nothing,
    /// Some states become the same.
    InPart,
    /// All states become the same.
    Everything,
}

/// What there is to say of a truth table.
pub(super) struct TableDescription {
    pub(super) kept: KeptDescription,
    pub(super) states: Option<StatesDescription>,
    pub(super) lifted: LiftedDescription,
    pub(super) forgets: Option<Forgets>,
    pub(super) circuit: Option<Lifted>,
}

impl TableDescription {
    pub(super) fn of(task: &Window) -> Result<Self, CircuitError> {
        let (states, circuit) = (States::of(task), Lifted::of(task)?);
        Ok(Self {
            kept: kept(task, states.as_ref()),
            forgets: forgets(states.as_ref(), circuit.as_ref()),
            states: states.as_ref().map(StatesDescription::of),
            lifted: LiftedDescription::of(circuit.as_ref()),
            circuit,
        })
    }
}

fn kept(task: &Window, states: Option<&States>) -> KeptDescription {
    let place = |index: usize| Component::at(index, task.d());
    let members: Vec<Component> = match states {
        Some(states) => states.matter.iter().map(|&index| place(index)).collect(),
        None => readable(task).into_iter().map(place).collect(),
    };
    KeptDescription { exact: states.is_some(), forgotten: task.width() - members.len(), members }
}

fn forgets(states: Option<&States>, lifted: Option<&Lifted>) -> Option<Forgets> {
    match (states, lifted) {
        (Some(states), _) if states.forgets_everything() => Some(Forgets::Everything),
        (Some(states), _) if states.longest_transient > 0 => Some(Forgets::InPart),
        (Some(_), _) => Some(Forgets::Nothing),
        (None, Some(lifted)) if lifted.is_nilpotent() => Some(Forgets::Everything),
        (None, Some(lifted)) if lifted.lasting() < lifted.varying() => Some(Forgets::InPart),
        (None, Some(_)) => Some(Forgets::Nothing),
        (None, None) => None,
    }
}

impl StatesDescription {
    fn of(states: &States) -> Self {
        Self {
            components: states.components.len(),
            cycles: states.cycles.iter().map(|(&length, &count)| StateCycles { length, count }).collect(),
            longest_transient: states.longest_transient,
        }
    }
}

impl LiftedDescription {
    fn of(lifted: Option<&Lifted>) -> Self {
        let Some(lifted) = lifted else {
            let (size, lasting, selection) = (None, None, false);
            let (monomials, step, cycles, tangles) = (vec![], vec![], vec![], vec![]);
            return Self { size, limit: LARGEST_LIFTED, selection, lasting, monomials, step, cycles, tangles };
        };
        let size = lifted.monomials.len();
        let entries = (0..size).flat_map(|row| (0..size).map(move |column| (row, column, lifted.step[(row, column)])));
        let cycle = |cycle: &Cycle| ProductCycle {
            length: cycle.length(),
            sign: if cycle.is_negative() { -1 } else { 1 },
            weight: cycle.weight,
            members: cycle.members.clone(),
        };
        let inputs = |monomial: &Vec<Slot>| monomial.iter().map(|&slot| slot.into()).collect();
        Self {
            size: Some(size),
            limit: LARGEST_LIFTED,
            selection: lifted.is_selection(),
            lasting: Some(lifted.lasting()),
            monomials: lifted.monomials.iter().map(inputs).collect(),
            step: entries.filter(|entry| entry.2 != 0.0).collect(),
            cycles: lifted.structure.cycles.iter().map(cycle).collect(),
            tangles: lifted.structure.tangles.iter().map(|tangle| tangle.members.len()).collect(),
        }
    }
}
