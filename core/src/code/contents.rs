//! What the state of a network must hold if it computes f, and when it can be asked for it.

use super::table::{self, Drawn};
use super::{ContentKind, Less, Sample};
use crate::circuit::{CircuitError, Core, operator};
use crate::numeric::{Matrix, Svd, beside, stacked};
use crate::observe::Batch;
use crate::setting::settings;
use crate::task::{Component, Episodes, Function, Window, in_window};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Directions of the window below this share of the largest are never read by f.
const READ_CUT: f64 = 1e-9;

/// Ridge of a step on contents that are nearly independent.
pub(crate) const STEP_RIDGE: f64 = 1e-9;

/// Where the contents of a state are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentsFrom {
    /// The network's own last s outputs (their signs, where values are +-1).
    #[serde(rename = "said")]
    Outputs,
    /// What the function gives when run from the inputs.
    #[serde(rename = "meant")]
    Function,
}

settings! {
    /// How long contents are followed.
    pub struct ContentsParams {
        /// f forgets if one of its eigenvalues is smaller than this: its contents are then asked for from the first output step
        /// on, and not only where the state has settled.
        lasting: f64 = 0.944, SHARE;
        /// Contents that have shrunk below this share of their first size are gone.
        faint: f64 = 0.01, SHARE;
        /// Output steps of a truth table until it has come to where it stays.
        settled: usize = 40, SETTLING;
        /// Windows on which the step of a truth table is compared.
        columns: usize = 512, EPISODES;
        /// A component of a truth table whose rarer sign is rarer than this does not vary: it is no content.
        rare_sign: f64 = 0.02, SHARE;
        /// One of which the others leave over a smaller share of its variance follows from them, and is none either.
        of_its_own: f64 = 0.01, SHARE;
    }
}

/// What a state must hold, in coordinates on the window of f.
///
/// A lasting f: its core. A function that forgets: everything of the window that can still be read.
#[derive(Clone, Debug)]
pub struct Contents {
    pub(super) task: Window,
    /// Contents from the window, k x s*d.
    pub project: Matrix,
    /// Window from contents, s*d x k, up to what is never read.
    pub embed: Matrix,
    /// One step of the contents, k x k.
    #[doc(alias = "Phi")]
    pub step: Matrix,
    /// The newest variable from the contents, d x k.
    pub readout: Matrix,
    /// The window component of each content, where contents are components.
    pub slots: Option<Vec<usize>>,
    /// Whether f forgets.
    pub fades: bool,
    /// Output steps until nothing of the contents is left; nothing where they last.
    pub gone_after: Option<usize>,
    /// The products of window components that a truth table multiplies; none for a linear f.
    pub products: Vec<Vec<usize>>,
    /// Products that are too many to regress a step on, which is then regressed on contents alone.
    pub products_left_out: usize,
    /// What they add to the contents after a step, k x products.
    pub on_products: Matrix,
    /// Windows that a truth table comes to; nothing for a linear f.
    pub drawn: Option<Drawn>,
}

impl Contents {
    /// The contents of a task; those of a linear f need its core.
    pub fn of(task: &Window, core: Option<&Core>, params: &ContentsParams) -> Result<Self, CircuitError> {
        match (task.function(), core) {
            (Function::Table(gates), _) => Ok(Self::of_table(task, gates, params)?),
            (_, Some(core)) => Self::of_core(task, core, params),
            (_, None) => Self::of_core(task, &Core::of(task)?, params),
        }
    }

    fn of_core(task: &Window, core: &Core, params: &ContentsParams) -> Result<Self, CircuitError> {
        let smallest = core.eigenvalues().iter().map(|z| z.re.hypot(z.im)).fold(f64::INFINITY, f64::min);
        let fades = core.dimension() == 0 || smallest < params.lasting;
        let (project, embed, step) = match fades {
            true => minimal(task)?,
            false => (core.project.clone(), core.embed.clone(), core.step.clone()),
        };
        let readout = embed.subrows(task.width() - task.d(), task.d()).to_owned();
        let gone_after = if fades { gone_after(&step, params.faint) } else { None };
        let slots = core.components.clone().filter(|_| !fades);
        let on_products = Matrix::zeros(step.nrows(), 0);
        let (task, products, products_left_out, drawn) = (task.clone(), vec![], 0, None);
        Ok(Self {
            task,
            project,
            embed,
            step,
            readout,
            slots,
            fades,
            gone_after,
            products,
            products_left_out,
            on_products,
            drawn,
        })
    }

    /// Contents that are components: these, where they are, and otherwise the whole window.
    pub fn on_components(self) -> Result<Self, CircuitError> {
        if self.slots.is_some() {
            return Ok(self);
        }
        let step = operator(&self.task)?;
        let (window, d) = (self.task.width(), self.task.d());
        let whole = Matrix::identity(window, window);
        Ok(Self {
            step,
            readout: whole.subrows(window - d, d).to_owned(),
            project: whole.clone(),
            embed: whole,
            slots: Some((0..window).collect()),
            ..self
        })
    }

    /// The task.
    pub fn task(&self) -> &Window {
        &self.task
    }

    /// A step on contents and products beside one another.
    pub fn whole_step(&self) -> Matrix {
        beside(&self.step, &self.on_products)
    }

    /// How many contents there are.
    pub fn count(&self) -> usize {
        self.step.nrows()
    }

    /// Whether every content is +-1.
    pub fn are_signs(&self) -> bool {
        self.slots.is_some()
    }

    /// What the contents are.
    pub fn kind(&self) -> ContentKind {
        if self.are_signs() { ContentKind::Sign } else { ContentKind::Number }
    }

    /// Ridge of the regression of a step on what was held before: where f comes to few windows its products depend on contents,
    /// which otherwise are nearly independent.
    pub(crate) fn step_ridge(&self) -> f64 {
        if self.drawn.is_some() { table::RIDGE } else { STEP_RIDGE }
    }

    /// The name of a content, where it is a component.
    pub fn named(&self, content: usize) -> Option<Component> {
        self.slots.as_ref().map(|slots| Component::at(slots[content], self.task.d()))
    }

    /// The contents of a batch of episodes over time. `means` are the mean outputs of the probes, which is what biases add;
    /// `unit` is what real values are multiplied with in the outputs.
    pub fn over<'a>(
        &'a self,
        batch: &'a Batch,
        origin: ContentsFrom,
        (means, unit): (&'a [Vec<f64>], f64),
    ) -> ContentsOver<'a> {
        let meant = (origin == ContentsFrom::Function).then(|| batch.targets(&self.task));
        ContentsOver { contents: self, batch, meant, means, unit }
    }
}

/// The contents of one batch over time.
pub struct ContentsOver<'a> {
    contents: &'a Contents,
    batch: &'a Batch,
    meant: Option<Episodes>,
    means: &'a [Vec<f64>],
    unit: f64,
}

impl ContentsOver<'_> {
    /// Contents after output step t (from 0), contents x episodes.
    pub fn at(&self, t: usize) -> Matrix {
        self.at_steps(&[t])
    }

    /// Contents after some output steps, beside one another.
    pub fn at_steps(&self, steps: &[usize]) -> Matrix {
        match &self.contents.slots {
            Some(slots) => self.places(slots, steps),
            None => &self.contents.project * self.windows(steps),
        }
    }

    /// The whole windows after some output steps, beside one another.
    pub fn windows(&self, steps: &[usize]) -> Matrix {
        let all: Vec<usize> = (0..self.contents.task.width()).collect();
        self.places(&all, steps)
    }

    /// The states that the batch kept at some steps, with these contents.
    pub fn sample(&self, steps: &[usize], less: Less<'_>) -> Sample {
        Sample::of(self.batch, steps, self.at_steps(steps), self.contents.kind(), less)
    }

    /// What the window holds in some of its places after some steps.
    fn places(&self, slots: &[usize], steps: &[usize]) -> Matrix {
        let episodes = self.batch.episodes;
        let mut all = Matrix::zeros(slots.len(), steps.len() * episodes);
        for (k, &t) in steps.iter().enumerate() {
            let columns = k * episodes..(k + 1) * episodes;
            match &self.meant {
                Some(meant) => write_places(meant, &self.contents.task, t, slots, &mut all, columns),
                None => columns.enumerate().for_each(|(episode, column)| {
                    let values = all.col_as_slice_mut(column).iter_mut().zip(slots);
                    values.for_each(|(value, &slot)| *value = self.produced(t, slot, episode));
                }),
            }
        }
        all
    }

    /// What the window holds in one of its places, by what the network put out.
    fn produced(&self, t: usize, slot: usize, episode: usize) -> f64 {
        let (s, d) = (self.contents.task.s(), self.contents.task.d());
        let (time, j) = (t + 1 + slot / d, slot % d);
        let value = self.batch.value((s, d), time, j, episode);
        match (time.checked_sub(s), self.contents.kind()) {
            (None, _) => value,
            (Some(_), ContentKind::Sign) if value > 0.0 => 1.0,
            (Some(_), ContentKind::Sign) => -1.0,
            (Some(step), ContentKind::Number) => (value - self.means.get(step).map_or(0.0, |mean| mean[j])) / self.unit,
        }
    }
}

/// What the window of f holds in some of its places after output step t: a column for each of the first episodes.
pub(super) fn write_places(
    episodes: &Episodes,
    task: &Window,
    t: usize,
    slots: &[usize],
    into: &mut Matrix,
    columns: Range<usize>,
) {
    let (window, all, d) = (episodes.contents(task.s() + t), episodes.batch(), task.d());
    for (episode, column) in columns.enumerate() {
        for (value, &slot) in into.col_as_slice_mut(column).iter_mut().zip(slots) {
            *value = in_window(window, (all, d), slot, episode);
        }
    }
}

/// The smallest linear system that says what the window says from the first output step on: what is reached then, without
/// what is never read.
fn minimal(task: &Window) -> Result<(Matrix, Matrix, Matrix), CircuitError> {
    let (phi, window, d) = (operator(task)?, task.width(), task.d());
    let reached = Svd::of(&phi)?;
    let reached = reached.left.subcols(0, reached.rank(READ_CUT)).to_owned();
    let mut block = Matrix::zeros(d, window);
    (0..d).for_each(|j| block[(j, window - d + j)] = 1.0);
    // Orthonormal rows of what is read now or later; it grows until another step adds nothing.
    let mut read = Matrix::zeros(0, reached.ncols());
    loop {
        let found = Svd::of(&stacked(&read, &(&block * &reached)))?;
        let rank = found.values.iter().filter(|&&value| value > READ_CUT).count();
        if rank == read.nrows() {
            break;
        }
        read = found.right.subcols(0, rank).transpose().to_owned();
        block = &block * &phi;
    }
    let project = &read * reached.transpose();
    let embed = &reached * read.transpose();
    let step = &project * &phi * &embed;
    Ok((project, embed, step))
}

/// The first step after which one step, applied again and again, has shrunk everything below `faint`.
fn gone_after(step: &Matrix, faint: f64) -> Option<usize> {
    const LONGEST: usize = 1000;
    let mut power = Matrix::identity(step.nrows(), step.nrows());
    (0..LONGEST).find(|_| {
        let gone = power.norm_max() < faint;
        power = step * &power;
        gone
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::tolerance::Tolerance;

    fn contents(text: &str) -> Contents {
        let task = Window::from_toml(text, "x", "x").unwrap();
        Contents::of(&task, None, &ContentsParams::default()).unwrap()
    }

    #[test]
    fn a_lasting_function_keeps_its_core() {
        let task = Window::named("T3", None, None).unwrap();
        let core = Core::of(&task).unwrap();
        let contents = Contents::of(&task, Some(&core), &ContentsParams::default()).unwrap();
        assert!(!contents.fades && contents.gone_after.is_none());
        assert_eq!((contents.count(), contents.slots), (36, core.components));
    }

    #[test]
    fn a_nilpotent_function_keeps_what_can_still_be_read_and_then_nothing() {
        // u1 repeats u2 of two steps ago, u2 falls silent.
        let contents = contents("s = 3\nd = 2\nrecurrence = [\"u1 = 0.5*u2[t-2]\", \"u2 = 0*u1[t-1]\"]");
        assert!(contents.fades);
        // After the first output step: what u1 says now and next, and nothing behind that.
        assert_eq!((contents.count(), contents.gone_after), (2, Some(2)));
    }

    #[test]
    fn the_contents_of_a_function_that_fades_say_what_the_window_says() {
        let contents =
            contents("s = 2\nd = 2\nrecurrence = [\"u1 = 0.5*u2[t-2]\", \"u2 = 0.3*u1[t-1] - 0.2*u1[t-2]\"]");
        let phi = operator(contents.task()).unwrap();
        let mut window = &phi * Matrix::from_fn(4, 3, |i, j| ((3 * i + j) as f64).sin());
        let mut held = &contents.project * &window;
        for _ in 0..6 {
            Tolerance::absolute(1e-12).assert_close(&(&contents.readout * &held), &window.subrows(2, 2).to_owned());
            (window, held) = (&phi * window, &contents.step * held);
        }
    }
}
