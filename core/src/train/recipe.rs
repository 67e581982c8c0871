//! Recipes: curriculum, learning rate, regularization, steps and stopping that go together, by one name.

use serde::{Deserialize, Serialize};

use super::{Curriculum, LearningRateChange, Stopping, TrainParams};
use crate::choose::words;
use crate::network::{CellKind, Family, Initialization};
use crate::task::{Program, Task, Window};

/// A way to train that has a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Recipe {
    /// Made to learn: keeps the best weights, and ends when the task is reliably solved.
    #[default]
    Steady,
    /// The protocol of the paper's Table 1.
    Table1,
    /// The protocol of the paper's appendix.
    Adaptive,
    /// One horizon throughout.
    None,
}

words!(Recipe, "recipe": Steady = "steady", Table1 = "table1", Adaptive = "adaptive", None = "none");

impl Recipe {
    /// The parameters that it gives for a task, a cell and a number of hidden units.
    pub fn params(self, task: &Task, cell: CellKind, hidden: usize) -> TrainParams {
        self.params_within(task, cell, hidden, hidden)
    }

    /// As [`Recipe::params`], where only `open` of the units can be used because strong cues shut the others.
    pub fn params_within(self, task: &Task, cell: CellKind, hidden: usize, open: usize) -> TrainParams {
        let mut params = match self {
            Self::Steady => steady(task, cell, hidden, open),
            Self::Table1 => TrainParams::with_curriculum(Curriculum::table1()),
            Self::Adaptive => TrainParams::with_curriculum(Curriculum::adaptive()),
            Self::None => TrainParams::with_curriculum(Curriculum::none()),
        };
        params.hidden = hidden;
        params.choose_cell(cell, task);
        if self == Self::Steady && carries(cell, task) {
            params.initialization = Initialization::Orthogonal;
        }
        params
    }
}

/// Steps before a change of the learning rate that comes only when the task is learned.
const ONLY_WHEN_LEARNED: u64 = u32::MAX as u64;

/// Measured on T1 to T4, 60 seeds each (docs/do/train.md): a horizon that follows the loss learns in half the steps of fixed
/// ones; with fewer than three units for two contents it ends in networks that work and share directions, where fixed horizons, a
/// weak L2 and a long while after the task is learned end in circuits.
fn steady(task: &Task, cell: CellKind, hidden: usize, open: usize) -> TrainParams {
    match task {
        Task::Window(window) => steady_window(window, cell, hidden, open),
        Task::Program(program) => steady_program(program),
    }
}

/// Programs are shown short episodes first; measured on thirty of them (docs/do/train.md).
fn steady_program(program: &Program) -> TrainParams {
    let longest = program.longest().unwrap_or(usize::MAX);
    let mut params = TrainParams::with_curriculum(Curriculum::adaptive().up_to(PROGRAM_HORIZON.min(longest)));
    params.test.horizon = params.test.horizon.min(longest);
    params.steps = 30_000;
    params.learning_rate_change = Some(LearningRateChange { after: 20_000, factor: 0.1 });
    params.stopping = Some(Stopping::default());
    params
}

/// Steps that a program is trained on at most; it is tested on more.
const PROGRAM_HORIZON: usize = 50;

fn steady_window(task: &Window, cell: CellKind, hidden: usize, open: usize) -> TrainParams {
    let window = task.width();
    let (plain, narrow) = (cell.family() == Family::Plain && task.is_linear(), 2 * open < 3 * window);
    let curriculum = if plain && !narrow { Curriculum::adaptive() } else { Curriculum::table1() };
    let mut params = TrainParams::with_curriculum(curriculum);
    let mut stopping = Stopping::default();
    // Repeat copy is learned when the learning rate falls: until then its signs are right and its amplitudes fluctuate.
    let by_content = STEPS_BY_CONTENT * (window as u64).max(64);
    let slower_after = match (plain, narrow) {
        (true, false) => by_content,
        (true, true) => ONLY_WHEN_LEARNED,
        (false, _) if carries_window(cell, task) => by_content / 2 * 3,
        (false, _) => 24_000,
    };
    params.steps = match (plain, narrow) {
        (true, false) => slower_after / 2 * 5,
        (true, true) => 40_000,
        (false, _) if carries_window(cell, task) => slower_after / 2 * 5,
        (false, _) => 30_000,
    };
    if plain {
        params.clip = 0.5;
    }
    // L2 would wear strong cues down, at the full learning rate: nothing else acts on them.
    if plain && narrow && open == hidden {
        (params.l2, stopping.good) = (1e-5, 30);
    }
    // A truth table is learned before its states are a clean code of the contents.
    if !task.is_linear() {
        stopping.good = 10;
    }
    params.learning_rate_change = Some(LearningRateChange { after: slower_after, factor: 0.1 });
    params.stopping = Some(stopping);
    params
}

/// Gated cells that have to carry contents along. PyTorch's gates begin half closed and halve what passes: repeat copy of 8 x 8 is
/// not learned so in 30,000 steps by any of 40 networks; with open gates and a rotation it is by ten of ten.
fn carries_window(cell: CellKind, task: &Window) -> bool {
    cell.family() == Family::Gated && task.is_linear()
}

fn carries(cell: CellKind, task: &Task) -> bool {
    task.window().is_ok_and(|window| carries_window(cell, window))
}

/// Steps at the full learning rate for each component of the window: 8,000 for 8 x 8.
const STEPS_BY_CONTENT: u64 = 125;

impl TrainParams {
    /// The recipe that these parameters come from.
    pub fn recipe(&self) -> Recipe {
        match (&self.stopping, &self.curriculum) {
            (Some(_), _) => Recipe::Steady,
            (None, Curriculum::Table1 { .. }) => Recipe::Table1,
            (None, Curriculum::Adaptive { .. }) => Recipe::Adaptive,
            (None, Curriculum::None { .. }) => Recipe::None,
        }
    }

    /// Lowers the learning rate for the last fifth of the steps, where the loss of gated cells and of nonlinear
    /// functions may still leap up; to be called once the number of steps is settled. Elman networks on linear
    /// functions go on as the paper's do, unless the recipe is `steady`.
    pub fn lower_learning_rate_at_the_end(&mut self, task: &Task) {
        let last_fifth = self.steps / 5 * 4;
        let leaps = self.cell.family() == Family::Gated || !task.is_linear();
        match &mut self.learning_rate_change {
            Some(change) if self.stopping.is_some() && change.after != ONLY_WHEN_LEARNED => {
                change.after = change.after.min(last_fifth);
            }
            None if leaps => self.learning_rate_change = Some(LearningRateChange { after: last_fifth, factor: 0.1 }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parameters_lead_back_to_the_recipe() {
        let task = Task::named("T1", None, None).unwrap();
        for recipe in Recipe::ALL {
            assert_eq!(recipe.name().parse::<Recipe>().unwrap(), recipe);
            for (cell, hidden) in [(CellKind::Elman, 128), (CellKind::Elman, 64), (CellKind::Gru, 128)] {
                let params = recipe.params(&task, cell, hidden);
                params.check().unwrap();
                assert_eq!((params.recipe(), params.cell, params.hidden), (recipe, cell, hidden));
            }
        }
        assert!("stedy".parse::<Recipe>().unwrap_err().to_string().contains("steady"));
    }

    #[test]
    fn the_papers_recipes_are_untouched() {
        let task = Task::named("T2", None, None).unwrap();
        let table1 = Recipe::Table1.params(&task, CellKind::Elman, 128);
        assert_eq!(table1, TrainParams::with_curriculum(Curriculum::table1()));
        assert_eq!((table1.steps, table1.learning_rate, table1.l2, table1.clip), (20_000, 1e-3, 0.0, 1.0));
        assert_eq!(table1.stopping, None);
        let adaptive = Recipe::Adaptive.params(&task, CellKind::Elman, 128);
        assert_eq!(adaptive, TrainParams::with_curriculum(Curriculum::adaptive()));
    }
}
