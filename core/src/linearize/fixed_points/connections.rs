//! Where the unstable modes of a point lead.

use super::descent::Descent;
use super::starts::{columns, side_by_side};
use super::{FixedPoint, FixedPoints, distance, norm};
use crate::linearize::LinearizeError;
use crate::network::Dynamics;
use crate::numeric::Eigen;
use crate::random::{Purpose, Stream};
use serde::Serialize;

/// Random directions for each unstable direction, where there is more than one.
const SAMPLES_A_DIRECTION: usize = 4;
/// Most random directions of one point.
const MOST_SAMPLES: usize = 16;
/// Most runs: points with few unstable directions come first.
const MOST_RUNS: usize = 1024;
/// Steps between two looks at where the runs are.
const BETWEEN_LOOKS: usize = 10;
/// States of a path that are kept.
const PATH_STATES: usize = 40;
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

/// The unstable modes of a point: real directions of length 1, those of the fastest mode first, two for a complex pair.
pub(super) fn unstable_directions(point: &FixedPoint) -> Result<Vec<(usize, Vec<f64>)>, LinearizeError> {
    let found = Eigen::of(&point.state_jacobian)?;
    let modulus = |k: usize| found.values[k].re.hypot(found.values[k].im);
    let mut modes: Vec<usize> = (0..found.values.len()).filter(|k| found.values[*k].im >= 0.0).collect();
    modes.sort_by(|a, b| modulus(*b).total_cmp(&modulus(*a)));
    let mut directions = vec![];
    for (mode, &k) in modes.iter().enumerate() {
        if directions.len() >= point.unstable {
            break;
        }
        let vector = found.vectors.col_as_slice(k);
        directions.push((mode, unit(vector.iter().map(|z| z.re).collect())));
        if found.values[k].im > 0.0 {
            directions.push((mode, unit(vector.iter().map(|z| z.im).collect())));
        }
    }
    Ok(directions)
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
) -> Result<Vec<(Connection, Vec<f64>)>, LinearizeError> {
    let (mut runs, mut states) = leaving(search, points)?;
    let mut ended: Vec<(usize, Connection, Vec<f64>)> = vec![];
    let mut steps = 0;
    while !runs.is_empty() {
        let now =
            search.run_on(side_by_side(search.cell.state_size(), &states), &search.inputs(runs.len()), BETWEEN_LOOKS);
        steps += BETWEEN_LOOKS;
        let is_last = steps >= search.params.follow_steps;
        let mut going = (vec![], vec![]);
        for (mut run, state) in runs.into_iter().zip(columns(&now)) {
            run.connection.steps = steps;
            keep(&mut run.connection.path, &state, steps);
            let finite = state.iter().all(|x| x.is_finite());
            let home = nearest(points, &state, search.params.arrival, |point| point.is_stable);
            if home.is_some() || is_last || !finite {
                let connection = arrive(search, points, run.connection, &state, home);
                ended.push((run.order, connection, state));
            } else {
                going.0.push(run);
                going.1.push(state);
            }
        }
        (runs, states) = going;
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
        let modes = unstable_directions(point)?;
        let mut directions: Vec<(Option<usize>, Vec<f64>)> = vec![];
        for (mode, direction) in &modes {
            directions.push((Some(*mode), direction.clone()));
            directions.push((Some(*mode), direction.iter().map(|x| -x).collect()));
        }
        if modes.len() > 1 {
            let samples = (SAMPLES_A_DIRECTION * modes.len()).min(MOST_SAMPLES);
            directions.extend((0..samples).map(|k| (None, mixed(&modes, &stream, (source * MOST_SAMPLES + k) as u32))));
        }
        for (mode, direction) in directions {
            let from = &point.ending.state;
            states.push(from.iter().zip(&direction).map(|(x, v)| x + params.push * v).collect());
            let connection =
                Connection { source, target: None, arrival: Arrival::Moving, mode, steps: 0, path: vec![from.clone()] };
            runs.push(Run { connection, order: runs.len() });
        }
    }
    Ok((runs, states))
}

fn mixed(modes: &[(usize, Vec<f64>)], stream: &Stream, sample: u32) -> Vec<f64> {
    let mut weights = vec![0.0; modes.len()];
    stream.fill_normal(sample, DIRECTIONS, &mut weights);
    let mut sum = vec![0.0; modes[0].1.len()];
    for ((_, direction), weight) in modes.iter().zip(weights) {
        sum.iter_mut().zip(direction).for_each(|(x, v)| *x += weight * v);
    }
    unit(sum)
}

/// Keeps a state of the path: every one at first, and fewer the longer it takes.
fn keep(path: &mut Vec<Vec<f64>>, state: &[f64], steps: usize) {
    let looks = steps / BETWEEN_LOOKS;
    if path.len() < PATH_STATES / 2 || looks.is_power_of_two() || looks % (PATH_STATES / 2) == 0 {
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
    if let Some(target) = connection.target {
        connection.path.push(points.unique[target].ending.state.clone());
    }
    connection
}

/// The nearest point of a kind, if it is near enough.
fn nearest(points: &FixedPoints, state: &[f64], near: f64, kind: impl Fn(&FixedPoint) -> bool) -> Option<usize> {
    let all = points.unique.iter().enumerate().filter(|(_, point)| kind(point));
    let all = all.map(|(k, point)| (k, distance(&point.ending.state, state))).filter(|(_, away)| *away < near);
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}
