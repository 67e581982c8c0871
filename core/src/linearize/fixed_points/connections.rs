//! Where the unstable modes of a point lead.

use super::descent::Descent;
use super::starts::{columns, side_by_side};
use super::{FixedPoint, FixedPoints, distance, norm};
use crate::linearize::LinearizeError;
use crate::network::Dynamics;
use crate::numeric::Eigen;
use crate::random::{Purpose, Stream};
use serde::Serialize;

/// Mixtures of the modes of one point that are followed: all signs of up to four modes, random ones of more.
const MIXTURES: usize = 16;
/// A mixture starts no further than this along any mode.
const LARGEST_PUSH: f64 = 0.1;
/// Most runs: points with few unstable directions come first.
const MOST_RUNS: usize = 1024;
/// Steps between two looks at where the runs are.
const BETWEEN_LOOKS: usize = 2;
/// Most states of a path that are kept, and how far they are apart at least.
const PATH_STATES: usize = 200;
const PATH_GAP: f64 = 0.05;
/// Random directions must not be those of the random starts.
const DIRECTIONS: u32 = 1;

/// How a run along an unstable mode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// At a fixed point that is listed.
    Point,
    /// Where the network hardly moves, but at no isolated point that is listed.
    Slow,
    /// Nowhere: it still moved when it was left, as on a limit cycle.
    Moving,
}

/// A run from a point along an unstable direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Connection {
    /// The point that it leaves, by its place in the list of points.
    pub source: usize,
    /// The point that it arrives at.
    pub target: Option<usize>,
    /// How it ended.
    pub arrival: Arrival,
    /// The unstable mode that it leaves along, 0 for the fastest; nothing for a mixture of them.
    pub mode: Option<usize>,
    /// Steps until it arrived or was left.
    pub steps: usize,
    /// States on the way, the first and the last included.
    #[serde(skip)]
    pub path: Vec<Vec<f64>>,
}

/// A direction, of length 1, in which a point is unstable.
#[derive(Clone, Debug)]
pub struct UnstableMode {
    /// Which mode, 0 for the fastest; a complex pair is one mode with two directions.
    pub mode: usize,
    /// The modulus of its eigenvalue.
    pub modulus: f64,
    /// The direction.
    pub direction: Vec<f64>,
}

/// The unstable modes of a point, the fastest first.
pub(super) fn unstable_modes(point: &FixedPoint) -> Result<Vec<UnstableMode>, LinearizeError> {
    if point.unstable == 0 {
        return Ok(vec![]);
    }
    let found = Eigen::of(&point.state_jacobian)?;
    let modulus = |k: usize| found.values[k].re.hypot(found.values[k].im);
    let mut order: Vec<usize> = (0..found.values.len()).filter(|k| found.values[*k].im >= 0.0).collect();
    order.sort_by(|a, b| modulus(*b).total_cmp(&modulus(*a)));
    let mut modes = vec![];
    for (mode, &k) in order.iter().enumerate() {
        if modes.len() >= point.unstable {
            break;
        }
        let vector = found.vectors.col_as_slice(k);
        let one = |direction: Vec<f64>| UnstableMode { mode, modulus: modulus(k), direction: unit(direction) };
        modes.push(one(vector.iter().map(|z| z.re).collect()));
        if found.values[k].im > 0.0 {
            modes.push(one(vector.iter().map(|z| z.im).collect()));
        }
    }
    Ok(modes)
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = norm(&vector).max(f64::MIN_POSITIVE);
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// One run that has not ended.
struct Run {
    connection: Connection,
    order: usize,
}

/// Follows the unstable modes of every isolated fixed point that has some: connections and where they ended, in the order
/// of the points.
pub(super) fn follow<C: Dynamics>(
    search: &Descent<'_, C>,
    points: &FixedPoints,
    watch: &dyn Fn(usize, usize),
) -> Result<Vec<(Connection, Vec<f64>)>, LinearizeError> {
    let (mut runs, mut states) = leaving(search, points)?;
    let mut ended: Vec<(usize, Connection, Vec<f64>)> = vec![];
    let (mut steps, all) = (0, runs.len());
    while !runs.is_empty() {
        let now =
            search.run_on(side_by_side(search.cell.state_size(), &states), &search.inputs(runs.len()), BETWEEN_LOOKS);
        steps += BETWEEN_LOOKS;
        let is_last = steps >= search.params.follow_steps;
        let mut going = (vec![], vec![]);
        for ((mut run, before), state) in runs.into_iter().zip(states).zip(columns(&now)) {
            run.connection.steps = steps;
            keep(&mut run.connection.path, &state);
            let finite = state.iter().all(|x| x.is_finite());
            // Close to a stable point it moves less than that, and elsewhere the look can be spared.
            let is_calm = distance(&before, &state) < search.params.arrival;
            let home =
                is_calm.then(|| nearest(points, &state, search.params.arrival, |point| point.is_stable)).flatten();
            if home.is_some() || is_last || !finite {
                let connection = arrive(search, points, run.connection, &state, home);
                ended.push((run.order, connection, state));
            } else {
                going.0.push(run);
                going.1.push(state);
            }
        }
        (runs, states) = going;
        watch(ended.len(), all);
    }
    ended.sort_by_key(|(order, ..)| *order);
    Ok(ended.into_iter().map(|(_, connection, state)| (connection, state)).collect())
}

/// The runs, a little way off the points that they leave.
fn leaving<C: Dynamics>(
    search: &Descent<'_, C>,
    points: &FixedPoints,
) -> Result<(Vec<Run>, Vec<Vec<f64>>), LinearizeError> {
    let params = search.params;
    let stream = Stream::new(params.seed, Purpose::Starts);
    let (mut runs, mut states) = (vec![], vec![]);
    for (source, point) in points.unique.iter().enumerate() {
        if !point.is_fixed || point.is_degenerate || point.unstable == 0 || runs.len() >= MOST_RUNS {
            continue;
        }
        let modes = unstable_modes(point)?;
        let mut pushes: Vec<(Option<usize>, Vec<f64>)> = vec![];
        for mode in &modes {
            for push in [params.push, -params.push] {
                pushes.push((Some(mode.mode), mode.direction.iter().map(|x| push * x).collect()));
            }
        }
        let mixtures = if modes.len() > 1 { MIXTURES.min(1 << modes.len().min(4)) } else { 0 };
        pushes.extend((0..mixtures).map(|k| (None, mixed(&modes, params.push, &stream, source, k))));
        for (mode, push) in pushes {
            let from = &point.ending.state;
            states.push(from.iter().zip(&push).map(|(x, v)| x + v).collect());
            let connection =
                Connection { source, target: None, arrival: Arrival::Moving, mode, steps: 0, path: vec![from.clone()] };
            runs.push(Run { connection, order: runs.len() });
        }
    }
    Ok((runs, states))
}

/// All modes together, with one choice of signs, or with random weights where there are more choices than mixtures. Slow
/// modes get a head start, so that all have grown to the same size when the fastest leaves the neighbourhood.
fn mixed(modes: &[UnstableMode], push: f64, stream: &Stream, source: usize, mixture: usize) -> Vec<f64> {
    let mut weights = vec![0.0; modes.len()];
    if 1 << modes.len().min(usize::BITS as usize - 1) <= MIXTURES {
        weights.iter_mut().enumerate().for_each(|(k, x)| *x = if mixture >> k & 1 == 0 { 1.0 } else { -1.0 });
    } else {
        stream.fill_normal((source * MIXTURES + mixture) as u32, DIRECTIONS, &mut weights);
    }
    let steps = -push.ln() / modes[0].modulus.ln();
    let mut sum = vec![0.0; modes[0].direction.len()];
    for (mode, weight) in modes.iter().zip(weights) {
        let size = mode.modulus.powf(-steps).min(LARGEST_PUSH);
        sum.iter_mut().zip(&mode.direction).for_each(|(x, v)| *x += weight * size * v);
    }
    sum
}

/// Keeps a state of the path if it is some way from the last one.
fn keep(path: &mut Vec<Vec<f64>>, state: &[f64]) {
    if path.len() < PATH_STATES && path.last().is_none_or(|last| distance(last, state) >= PATH_GAP) {
        path.push(state.to_vec());
    }
}

fn arrive<C: Dynamics>(
    search: &Descent<'_, C>,
    points: &FixedPoints,
    mut connection: Connection,
    state: &[f64],
    home: Option<usize>,
) -> Connection {
    let step = distance(&search.cell.step(state, search.input), state);
    // A saddle keeps a run only if it comes along a direction that leads nowhere else.
    let anywhere = || nearest(points, state, search.params.arrival, |point| point.is_fixed && !point.is_degenerate);
    let is_slow = 0.5 * step * step <= search.params.slow_q;
    connection.target = home.or_else(|| anywhere().filter(|_| is_slow));
    connection.arrival = match connection.target {
        Some(_) => Arrival::Point,
        None if is_slow => Arrival::Slow,
        None => Arrival::Moving,
    };
    connection.path.push(connection.target.map_or(state.to_vec(), |k| points.unique[k].ending.state.clone()));
    connection
}

/// The nearest point of a kind, if it is near enough.
fn nearest(points: &FixedPoints, state: &[f64], near: f64, kind: impl Fn(&FixedPoint) -> bool) -> Option<usize> {
    let all = points.unique.iter().enumerate().filter(|(_, point)| kind(point));
    let all = all.map(|(k, point)| (k, distance(&point.ending.state, state))).filter(|(_, away)| *away < near);
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}
