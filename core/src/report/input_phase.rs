//! The states while inputs still come in: contents are read from them as from later ones, less the mean state of the step.

use super::composition::{is_plain, view};
use super::data::Shown;
use crate::interpret::Interpretation;
use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::score::{Tally, same_sign};
use crate::task::{Episodes, Window};

/// Random inputs that the means are taken over.
const EPISODES: usize = 512;
/// The batch of inputs, which no other stage draws.
const BATCH: u32 = 11;

/// What is known of the states while inputs come in.
#[derive(Clone, Debug)]
pub(super) struct InputPhase {
    /// Seen x s: the mean of what is seen after each input.
    pub(super) means: Matrix,
    /// Share of right signs among the contents that are there already; nothing where contents are no components.
    pub(super) read: Option<f64>,
}

impl InputPhase {
    /// Nothing where the means are zero, and for plain layers: their pages take means off in the output phase alone.
    pub(super) fn of(network: &Network, found: &Interpretation, shown: &Shown<'_>) -> Option<Self> {
        let task = found.details.task.as_ref().filter(|_| !network.is_odd() && !is_plain(network))?;
        let mut episodes = Episodes::new(task, EPISODES);
        episodes.draw(task, &Stream::new(found.params.observe.seed, Purpose::ScoreInputs), BATCH, 0);
        let view = view(network, found);
        let states = network.run(episodes.inputs(), EPISODES, 0).states;
        let seen: Vec<Matrix> = states.iter().map(|state| view.of(state)).collect();
        let mean = |unit: usize, t: usize| seen[t].row(unit).iter().sum::<f64>() / EPISODES as f64;
        let means = Matrix::from_fn(found.hidden, task.s(), mean);
        let read = shown.named.then(|| share_read(task, shown, &seen, &means, episodes.inputs()));
        Some(Self { means, read })
    }
}

/// Of the contents that inputs have put in place, those whose sign is read rightly.
fn share_read(task: &Window, shown: &Shown<'_>, seen: &[Matrix], means: &Matrix, inputs: &[f32]) -> f64 {
    let (s, d) = (task.s(), task.d());
    let mut tally = Tally::new(1);
    for (t, state) in seen.iter().enumerate() {
        let centred = Matrix::from_fn(state.nrows(), state.ncols(), |i, k| state[(i, k)] - means[(i, t)]);
        let contents = &shown.frame.readers * centred;
        for (row, slot) in shown.members.iter().enumerate() {
            // Variable s holds the input of this step, the one before it that of the step before.
            let Some(step) = (t + 1 + slot / d).checked_sub(s) else { continue };
            for episode in 0..EPISODES {
                let meant = inputs[(step * EPISODES + episode) * d + slot % d];
                tally.add(&[contents[(row, episode)]], &[meant], same_sign);
            }
        }
    }
    tally.share()
}
