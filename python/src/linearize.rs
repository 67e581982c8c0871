//! Fixed points.

use crate::arrays::{complex, matrix};
use crate::called::{Called, Stoppable};
use crate::errors::Failed;
use crate::network::Network;
use crate::settings::with;
use crate::wording::in_python;
use crate::work::{Stop, interruptible};
use ketbra::linearize::{FixedPointDoubt, FixedPointParams, LinearizeError, PhasePortrait, phase_portrait};
use ketbra::numeric::Matrix;
use ketbra::train::threads_or_cores;
use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers in the Jacobians that are described: 1 GiB.
const MOST_NUMBERS: usize = 1 << 27;
/// So many points are described whatever their size.
const LEAST_POINTS: usize = 16;

/// What is stepped: a network, or a function of Python with its sizes.
#[derive(FromPyObject)]
pub enum Subject<'py> {
    Network(Bound<'py, Network>),
    Step(Step),
}

/// step, jacobian, hidden, inputs, difference.
type Step = (Py<PyAny>, Option<Py<PyAny>>, usize, usize, f64);

/// Searches for fixed points; `starts` (n, H) are tried beside random states. What was found comes as arrays.
#[pyfunction]
#[pyo3(signature = (
    subject, *, input, starts, settings, threads, progress
))]
pub fn linearize<'py>(
    py: Python<'py>,
    subject: Subject<'py>,
    input: Option<PyReadonlyArray1<'py, f64>>,
    starts: Option<PyReadonlyArray2<'py, f64>>,
    settings: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyDict>, Failed> {
    let size = match &subject {
        Subject::Network(network) => network.get().file.network.state_size(),
        Subject::Step((_, _, hidden, ..)) => *hidden,
    };
    let fitting = (MOST_NUMBERS / (size * size).max(1)).max(LEAST_POINTS);
    let mut params: FixedPointParams = with(settings, Failed::linearize)?;
    params.settled_starts = params.settled_starts.min(params.random_starts);
    params.visited_starts = starts.as_ref().map_or(0, |starts| starts.as_array().nrows());
    if !settings.contains("fixed_points.max_points") {
        params.max_points = params.max_points.min(fitting);
    }
    let input: Option<Vec<f64>> = input.map(|input| input.as_array().iter().copied().collect());
    let visited = starts.map(|starts| matrix(starts.as_array().reversed_axes()));
    // A function of Python runs on one thread at a time whatever is done.
    let threads = match &subject {
        Subject::Step(_) => 1,
        Subject::Network(_) => threads_or_cores(threads).max(1),
    };
    // A pool of this call's own: a shared one would not survive a fork, which Python's multiprocessing likes to do.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failed::linearize)?;
    let counted = Counted::default();
    let (watch, look) = (|done, of| counted.set(done, of), |py: Python<'_>| counted.show(py, progress.as_ref()));
    let visited = visited.as_ref().map(Matrix::as_ref);
    let asked = Asked { input: input.as_deref(), visited, params: &params, watch: &watch };
    let beside = match &subject {
        Subject::Network(network) => FixedPointDoubt::of_file(&network.get().file, input.as_deref()),
        Subject::Step((_, _, _, inputs, _)) if input.is_none() && *inputs > 0 => {
            vec![FixedPointDoubt::ZeroInput { inputs: *inputs, table: None }]
        }
        Subject::Step(_) => vec![],
    };
    let found = match subject {
        Subject::Network(network) => {
            let file = network.get().file.clone();
            let work = |stop: &Stop| pool.install(|| asked.of(&Stoppable { cell: &file.network, stop }));
            interruptible(py, work, look).unless_interrupted()?
        }
        Subject::Step((step, jacobian, hidden, inputs, difference)) => {
            let work = |stop: &Stop| {
                let failed = Mutex::new(None);
                let called = Called { step, jacobian, hidden, inputs, difference, failed, stop };
                let found = pool.install(|| asked.of(&called));
                called.exception().map_or(Ok(found), Err)
            };
            interruptible(py, work, look).unless_interrupted()??
        }
    };
    let mut found = found?;
    found.points.doubts.extend(beside);
    as_arrays(py, &found)
}

/// A search but for what is searched.
struct Asked<'a> {
    input: Option<&'a [f64]>,
    visited: Option<faer::MatRef<'a, f64>>,
    params: &'a FixedPointParams,
    watch: &'a (dyn Fn(usize, usize) + Sync),
}

impl Asked<'_> {
    fn of<C: ketbra::network::Dynamics + Sync>(&self, cell: &C) -> Result<PhasePortrait, LinearizeError> {
        phase_portrait(cell, self.input, self.visited, self.params, self.watch)
    }
}

/// How far the search is.
#[derive(Default)]
struct Counted {
    done: AtomicUsize,
    of: AtomicUsize,
}

impl Counted {
    fn set(&self, done: usize, of: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    fn show(&self, py: Python<'_>, bar: Option<&Py<PyAny>>) -> PyResult<()> {
        let now = (self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        bar.map_or(Ok(()), |bar| bar.call1(py, now).map(drop))
    }
}

fn as_arrays<'py>(py: Python<'py>, found: &PhasePortrait) -> Result<Bound<'py, PyDict>, Failed> {
    let points = &found.points.unique;
    let (count, all) = (points.len(), PyDict::new(py));
    let (hidden, inputs) = points.first().map_or((0, 0), |p| (p.ending.state.len(), p.input_jacobian.ncols()));
    let states = Array2::from_shape_fn((count, hidden), |(k, i)| points[k].ending.state[i]);
    let jacobians = Array3::from_shape_fn((count, hidden, hidden), |(k, i, j)| points[k].state_jacobian[(i, j)]);
    let by_input = Array3::from_shape_fn((count, hidden, inputs), |(k, i, j)| points[k].input_jacobian[(i, j)]);
    all.set_item("points", states.into_pyarray(py))?;
    all.set_item("jacobians", jacobians.into_pyarray(py))?;
    all.set_item("input_jacobians", by_input.into_pyarray(py))?;
    let values = complex(py, points.iter().flat_map(|point| point.eigenvalues.iter().copied()));
    all.set_item("eigenvalues", values.reshape([count, hidden])?)?;
    all.set_item("q", PyArray1::from_iter(py, points.iter().map(|point| point.ending.q)))?;
    all.set_item("fixed", PyArray1::from_iter(py, points.iter().map(|point| point.is_fixed)))?;
    all.set_item("stable", PyArray1::from_iter(py, points.iter().map(|point| point.is_stable)))?;
    all.set_item("degenerate", PyArray1::from_iter(py, points.iter().map(|point| point.is_degenerate)))?;
    all.set_item("unstable", PyArray1::from_iter(py, points.iter().map(|point| point.unstable as i64)))?;
    all.set_item("reached", PyArray1::from_iter(py, points.iter().map(|point| point.reached as i64)))?;
    let modes: Vec<_> = points.iter().map(|point| modes(py, point)).collect::<Result<_, Failed>>()?;
    all.set_item("modes", modes)?;
    all.set_item("point_doubts", points.iter().map(|point| messages(&point.doubts)).collect::<Vec<_>>())?;
    all.set_item("doubts", messages(&found.points.doubts))?;
    all.set_item("paths", found.connections.iter().map(|c| rows(&c.path).into_pyarray(py)).collect::<Vec<_>>())?;
    let slow = found.slow_manifold.as_ref().map_or(Array2::zeros((0, hidden)), |set| {
        Array2::from_shape_fn((set.states.ncols(), set.states.nrows()), |(k, i)| set.states[(i, k)])
    });
    all.set_item("slow_states", slow.into_pyarray(py))?;
    all.set_item("document", found.document(false).to_string())?;
    Ok(all)
}

fn modes<'py>(
    py: Python<'py>,
    point: &ketbra::linearize::FixedPoint,
) -> Result<Bound<'py, numpy::PyArray2<f64>>, Failed> {
    let modes = point.unstable_modes()?;
    let hidden = point.ending.state.len();
    Ok(Array2::from_shape_fn((modes.len(), hidden), |(k, i)| modes[k].direction[i]).into_pyarray(py))
}

fn rows(states: &[Vec<f64>]) -> Array2<f64> {
    let hidden = states.first().map_or(0, Vec::len);
    Array2::from_shape_fn((states.len(), hidden), |(k, i)| states[k][i])
}

/// Doubts in the words of Python, where `starts` are states and not their number.
fn messages(doubts: &[FixedPointDoubt]) -> Vec<String> {
    doubts.iter().map(in_python).collect()
}
