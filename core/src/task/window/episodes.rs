//! Batches of episodes: seeded inputs and the targets that follow from them.

use super::{Window, check_size};
use crate::random::Stream;
use crate::task::TaskError;

/// Random inputs of s steps and d components, (s, batch, d), as every task draws them: they do not depend on f.
pub(crate) fn draw_inputs(
    (s, d): (usize, usize),
    batch: usize,
    stream: &Stream,
    index: u32,
) -> Result<Vec<f32>, TaskError> {
    check_size(s, d)?;
    let mut inputs = vec![0.0; s * batch * d];
    write_inputs(&mut inputs, (batch, d), stream, index);
    Ok(inputs)
}

/// Input component j of step t is sign t*d + j of its sample.
fn write_inputs(inputs: &mut [f32], (batch, d): (usize, usize), stream: &Stream, index: u32) {
    let bits = inputs.len() / batch.max(1);
    for sample in 0..batch {
        for (bit, sign) in stream.signs(index, sample as u32, 0).take(bits).enumerate() {
            inputs[(bit / d * batch + sample) * d + bit % d] = sign;
        }
    }
}

/// What stands at an index of the window (variables from the oldest, components within) of a sample, in values laid out (time,
/// sample, component) that begin with the window's oldest variable.
pub(crate) fn in_window(values: &[f32], (batch, d): (usize, usize), index: usize, sample: usize) -> f64 {
    f64::from(values[(index / d * batch + sample) * d + index % d])
}

/// A batch of episodes in one reusable buffer, laid out (time, sample, component).
///
/// The first s time steps are the inputs, the rest are the targets. Filling it again allocates nothing as long as the
/// horizon does not exceed the largest one so far.
#[derive(Clone, Debug)]
pub struct Episodes {
    batch: usize,
    s: usize,
    d: usize,
    values: Vec<f32>,
}

impl Episodes {
    /// Room for a batch, empty.
    pub fn new(task: &Window, batch: usize) -> Self {
        Self { batch, s: task.s(), d: task.d(), values: Vec::new() }
    }

    /// Draws the inputs at `index` of a stream and computes `horizon` steps of targets.
    pub fn draw(&mut self, task: &Window, stream: &Stream, index: u32, horizon: usize) {
        self.values.resize((self.s + horizon) * self.batch * self.d, 0.0);
        write_inputs(&mut self.values[..self.s * self.batch * self.d], (self.batch, self.d), stream, index);
        self.continue_sequences(task);
    }

    /// Takes given inputs, laid out (s, batch, d), and computes `horizon` steps of targets.
    ///
    /// # Panics
    /// If `inputs` does not hold s * batch * d numbers.
    pub fn present(&mut self, task: &Window, inputs: &[f32], horizon: usize) {
        assert_eq!(inputs.len(), self.s * self.batch * self.d, "inputs must be laid out (s, batch, d)");
        self.values.resize((self.s + horizon) * self.batch * self.d, 0.0);
        self.values[..inputs.len()].copy_from_slice(inputs);
        self.continue_sequences(task);
    }

    fn continue_sequences(&mut self, task: &Window) {
        let row = self.batch * self.d;
        let steps = self.values.len() / row.max(1);
        for t in self.s..steps {
            let (past, now) = self.values.split_at_mut(t * row);
            let d = self.d;
            task.step_with(
                self.batch,
                |slot, sample| f64::from(past[(t - slot.lag) * row + sample * d + slot.component]),
                |output, sample, value| now[sample * d + output] = value as f32,
            );
        }
    }

    /// The number of samples.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The number of target steps.
    pub fn horizon(&self) -> usize {
        (self.values.len() / (self.batch * self.d).max(1)).saturating_sub(self.s)
    }

    /// The inputs, (s, batch, d).
    pub fn inputs(&self) -> &[f32] {
        &self.values[..self.s * self.batch * self.d]
    }

    /// The targets, (horizon, batch, d).
    pub fn targets(&self) -> &[f32] {
        &self.values[self.s * self.batch * self.d..]
    }

    /// The target of an output (from 0) at a target step.
    pub fn target(&self, t: usize, sample: usize, output: usize) -> f64 {
        f64::from(self.targets()[(t * self.batch + sample) * self.d + output])
    }

    /// What the s variables hold after time step t (t >= s - 1, from 0): s time steps of (batch, d), the oldest first.
    pub fn contents(&self, t: usize) -> &[f32] {
        let row = self.batch * self.d;
        &self.values[(t + 1 - self.s) * row..(t + 1) * row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn repeat_copy_repeats_its_inputs() {
        let task = Window::named("repeat-copy", Some(5), Some(3)).unwrap();
        let mut episodes = Episodes::new(&task, 4);
        episodes.draw(&task, &Stream::new(3, Purpose::TestInputs), 0, 12);
        let period = episodes.inputs().len();
        assert_eq!(&episodes.targets()[..period], episodes.inputs());
        assert_eq!(episodes.targets()[period..2 * period], *episodes.inputs());
        assert_eq!(episodes.targets()[2 * period..], episodes.inputs()[..2 * 4 * 3]);
        assert!(episodes.inputs().iter().all(|&u| u.abs() == 1.0));
    }

    #[test]
    fn selection_and_matrix_give_the_same_targets() {
        let t4 = Window::named("T4", None, None).unwrap();
        let dense = Window { function: crate::task::Function::Dense(t4.linear().unwrap()), ..t4.clone() };
        let stream = Stream::new(1, Purpose::TestInputs);
        let (mut a, mut b) = (Episodes::new(&t4, 3), Episodes::new(&dense, 3));
        a.draw(&t4, &stream, 5, 40);
        b.draw(&dense, &stream, 5, 40);
        assert_eq!(a.targets(), b.targets());
    }

    #[test]
    fn inputs_past_128_bits_keep_changing_and_a_redraw_does_not_allocate() {
        let task = Window::named("repeat-copy", Some(40), Some(7)).unwrap();
        let mut episodes = Episodes::new(&task, 2);
        let stream = Stream::new(1, Purpose::TestInputs);
        episodes.draw(&task, &stream, 0, 10);
        let (address, first) = (episodes.values.as_ptr(), episodes.inputs().to_vec());
        assert_ne!(first[..128 * 2], first[128 * 2..256 * 2]);
        episodes.draw(&task, &stream, 1, 10);
        assert_ne!(first, episodes.inputs());
        assert_eq!(address, episodes.values.as_ptr());
    }

    #[test]
    fn contents_slide_over_inputs_and_targets() {
        let task = Window::named("T2", None, None).unwrap();
        let mut episodes = Episodes::new(&task, 1);
        episodes.draw(&task, &Stream::new(1, Purpose::TestInputs), 0, 3);
        assert_eq!(episodes.contents(7), episodes.inputs());
        assert_eq!(episodes.contents(9)[..48], episodes.inputs()[16..]);
        assert_eq!(episodes.contents(9)[48..], episodes.targets()[..16]);
    }
}
