//! What is present in memory, over time.

use super::{Integrator, Parameters, RecallError, Response, SequenceMemory, State, apply};
use crate::numeric::Matrix;

/// Overlap above which a memory counts as recalled.
pub const RECALLED: f64 = 0.9;

/// How strongly each memory is present at each time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Retrieval {
    /// The times, rising.
    pub times: Vec<f64>,
    /// A row for each time, in it one overlap for each memory: 1 is full recall, -1 that of its negative.
    pub overlaps: Vec<Vec<f64>>,
}

impl Retrieval {
    /// Memories in the order in which they were recalled ([`RECALLED`]), from 0; staying counts once.
    pub fn visited(&self) -> Vec<usize> {
        let mut visited = Vec::new();
        for overlaps in &self.overlaps {
            let recalled = overlaps.iter().position(|overlap| *overlap > RECALLED);
            visited.extend(recalled.filter(|memory| visited.last() != Some(memory)));
        }
        visited
    }

    /// Number of memories.
    pub fn memories(&self) -> usize {
        self.overlaps.first().map_or(0, Vec::len)
    }
}

impl SequenceMemory {
    /// A memory whose discrete limit applies `operator` to the contents of its memories: each memory is a component of a
    /// variable, and what it holds is not fixed but written. Exact with the identity as response.
    ///
    /// ```
    /// use ketbra::numeric::Matrix;
    /// use ketbra::recall::{Response, SequenceMemory};
    /// let exchange = Matrix::from_fn(2, 2, |i, j| f64::from(i != j));
    /// let memory = SequenceMemory::of_variables(Matrix::identity(3, 2), &exchange, Response::Identity)?;
    /// assert_eq!(memory.hold(&[0.5, -1.0], 1).overlaps[1], [-1.0, 0.5]);
    /// # Ok::<(), ketbra::recall::RecallError>(())
    /// ```
    pub fn of_variables(memories: Matrix, operator: &Matrix, response: Response) -> Result<Self, RecallError> {
        let transitions = (operator - Matrix::identity(operator.nrows(), operator.ncols())).transpose().to_owned();
        let parameters = Parameters { feature_response: response, ..Parameters::default() };
        Self::new(memories, transitions, parameters)
    }

    /// Overlaps over time in the continuous model.
    pub fn retrieve(
        &self,
        start: &State,
        until: f64,
        interval: f64,
        method: Integrator,
    ) -> Result<Retrieval, RecallError> {
        let recording = self.integrate(start, until, interval, method)?;
        let overlaps = recording.states.iter().map(|state| self.overlaps(&state.features)).collect();
        Ok(Retrieval { times: recording.times, overlaps })
    }

    /// Overlaps over steps of the discrete limit, starting with given contents in the memories.
    pub fn hold(&self, contents: &[f64], steps: usize) -> Retrieval {
        let mut features = apply(&self.memories, contents);
        let mut overlaps = vec![self.overlaps(&features)];
        for _ in 0..steps {
            features = self.discrete_step(&features);
            overlaps.push(self.overlaps(&features));
        }
        Retrieval { times: (0..=steps).map(|step| step as f64).collect(), overlaps }
    }

    /// The stored memories, one a column.
    pub fn stored(&self) -> &Matrix {
        &self.memories
    }
}
