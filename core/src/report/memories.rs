//! The memories as the page shows them: readers, one step between them, the control.

use super::composition::is_plain;
use super::input_phase::InputPhase;
use super::stored::Stored;
use super::superposed::SharingData;
use super::{LONGEST_RUN, ReportError, shown_steps};
use crate::circuit::Core;
use crate::code::Contents;
use crate::interpret::{Interpretation, Verdict};
use crate::memories::{Frame, Memories, Method, observability};
use crate::network::Network;
use crate::numeric::{Matrix, pseudo_inverse};
use serde::Serialize;

/// The largest condition number of memories that the weights are written in.
const MOST_DEPENDENT: f64 = 100.0;

#[derive(Serialize)]
pub(super) struct MemoriesData {
    method: &'static str,
    /// The window component that each memory holds.
    members: Vec<usize>,
    readers: Stored,
    /// What each adds to the state, where the weights of one plain layer can be written in them.
    columns: Option<Stored>,
    /// The learned circuit on memories and remainder.
    blocks: Stored,
    theory: Stored,
    perp: usize,
    scores: Vec<f64>,
    recovered: f64,
    /// For networks with biases: what the readers find in the mean state of each output step, which is taken off what they read. It is
    /// a number for each content, where the mean itself would be one for each unit.
    mean: Option<Stored>,
    /// The same at each input step, where that is known, and how much of what is read there is right.
    input_mean: Option<Stored>,
    input_read: Option<f64>,
    /// For superposed networks: contents from the next s outputs.
    rolled: Option<Stored>,
    /// Whether the rows that hand variables on are right whatever the network is.
    by_construction: bool,
    /// How contents share directions, where they do.
    sharing: Option<SharingData>,
    /// Relative distance of one step from the theory's.
    distance: Option<f64>,
    /// The step matrix of the control.
    control: Option<Stored>,
}

pub(super) fn memories_data(
    network: Option<&Network>,
    found: &Interpretation,
) -> Result<Option<MemoriesData>, ReportError> {
    let (Some(shown), Some(task)) = (Shown::of(found)?, &found.details.task) else { return Ok(None) };
    let rolled = match found.verdict {
        Verdict::Superposed => {
            let said = observability(&shown.readout, &shown.step, task.s());
            Some(pseudo_inverse(&said, found.params.memories.relative_cut)?)
        }
        _ => None,
    };
    let means = &found.details.means;
    let readers = shown.widened(&shown.frame.readers);
    let read = |means: Matrix| Stored::read(&(&readers * means).transpose().to_owned());
    let mean = (!network.is_some_and(Network::is_odd) && !means.is_empty()).then(|| {
        let steps = means.len().min(if network.is_some() { shown_steps(task.s()) } else { LONGEST_RUN });
        read(Matrix::from_fn(found.hidden, steps, |unit, t| means[t][unit]))
    });
    let score = &shown.memories.score;
    let input = network.and_then(|network| InputPhase::of(network, found, &shown));
    Ok(Some(MemoriesData {
        method: shown.memories.method.name(),
        by_construction: shown.memories.method.shift_by_construction(),
        columns: columns(network, &shown).map(Stored::shown),
        sharing: SharingData::of(found, &shown),
        distance: found.memories.as_ref().and_then(|memories| memories.phi_error),
        readers: Stored::read(&readers),
        theory: Stored::drawn(&shown.on_window(&shown.step)),
        perp: shown.blocks.nrows() - shown.members.len(),
        blocks: Stored::drawn(&shown.blocks),
        scores: if shown.named { score.components.clone() } else { vec![score.worst; shown.members.len()] },
        recovered: found.params.memories.recovered,
        mean,
        input_mean: input.as_ref().map(|input| read(input.means.clone())),
        input_read: input.and_then(|input| input.read),
        rolled: rolled.map(|matrix| Stored::shown(&shown.widened(&matrix))),
        control: found.control.as_ref().map(|control| Stored::drawn(&shown.on_window(&control.step))),
        members: shown.members,
    }))
}

/// A basis that is far from dependent and fits into the state: then the weights can be turned into it, little by little.
fn columns<'a>(network: Option<&Network>, shown: &Shown<'a>) -> Option<&'a Matrix> {
    let sound = shown.memories.condition.is_some_and(|condition| condition < MOST_DEPENDENT);
    (network.is_some_and(is_plain) && shown.named && sound).then_some(&shown.frame.memories)
}

/// The memories that are shown first, with everything on components: a function whose contents have no places of their own
/// is shown on the whole window.
pub(super) struct Shown<'a> {
    pub(super) memories: &'a Memories,
    pub(super) frame: &'a Frame,
    /// Whether contents are components.
    pub(super) named: bool,
    /// The window component of each memory.
    pub(super) members: Vec<usize>,
    /// The learned circuit on memories and remainder.
    pub(super) blocks: Matrix,
    step: Matrix,
    readout: Matrix,
    embed: Matrix,
    project: Matrix,
}

impl<'a> Shown<'a> {
    pub(super) fn of(found: &'a Interpretation) -> Result<Option<Self>, ReportError> {
        let memories = found.details.memories.iter().find(|memories| memories.frame.is_some());
        let (Some(task), Some(memories)) = (&found.details.task, memories) else { return Ok(None) };
        let (Some(frame), Some(remainder)) = (&memories.frame, &memories.remainder) else { return Ok(None) };
        let (embed, project, step, readout, slots) = match (&found.details.contents, memories.method) {
            (Some(contents), Method::Code) => {
                let Contents { embed, project, step, readout, slots, .. } = contents.clone();
                (embed, project, step, readout, slots)
            }
            _ => {
                let Some(core) = found.details.core.clone() else { return Ok(None) };
                let Core { embed, project, step, readout, components, .. } = core;
                (embed, project, step, readout, components)
            }
        };
        let named = slots.is_some();
        let blocks = match named {
            true => remainder.blocks.clone(),
            false => on_window(&remainder.blocks, remainder.core, &embed, &project),
        };
        let members = slots.unwrap_or_else(|| (0..task.width()).collect());
        Ok(Some(Self { memories, frame, named, members, blocks, step, readout, embed, project }))
    }

    /// Rows of contents as rows of components.
    pub(super) fn widened(&self, matrix: &Matrix) -> Matrix {
        if self.named { matrix.clone() } else { &self.embed * matrix }
    }

    /// A step of contents as a step of components.
    fn on_window(&self, step: &Matrix) -> Matrix {
        if self.named { step.clone() } else { &self.embed * step * &self.project }
    }
}

/// The learned circuit with its memories written as window components.
fn on_window(blocks: &Matrix, core: usize, embed: &Matrix, project: &Matrix) -> Matrix {
    let rest = blocks.nrows() - core;
    let widen = |matrix: &Matrix| {
        let mut wide = Matrix::zeros(matrix.nrows() + rest, matrix.ncols() + rest);
        wide.submatrix_mut(0, 0, matrix.nrows(), matrix.ncols()).copy_from(matrix);
        (0..rest).for_each(|k| wide[(matrix.nrows() + k, matrix.ncols() + k)] = 1.0);
        wide
    };
    widen(embed) * blocks * widen(project)
}
