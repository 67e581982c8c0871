//! Fixed points in the space of their principal components, as the field draws them: stable points black, unstable ones
//! red with their unstable modes, slow points grey, thin lines where the modes lead.

use super::Picture;
use super::drawing::{Anchor, Area, Drawing, INK, SOFT, number};
use crate::linearize::{FixedPoint, LinearizeError, PhasePortrait};
use crate::numeric::{Matrix, principal_directions};
use faer::MatRef;

const WIDTH: f64 = 352.0;
const HEIGHT: f64 = 248.0;
/// Reds by the number of unstable directions; the last is for all larger ones.
const REDS: [&str; 3] = ["#b40426", "#e0654f", "#f2a58c"];
const SLOW: &str = "#8b919c";
const VISITED: &str = "#d5dae3";
const PATH: &str = "#5a78b5";
/// A third component with a larger share of the variance is drawn in depth.
const DEPTH: f64 = 0.05;
/// Half the length of a mode, as a share of the picture.
const MODE: f64 = 0.035;
/// From where a picture with depth is seen, in radians.
const AZIMUTH: f64 = 0.55;
const ELEVATION: f64 = 0.35;

/// The picture of a phase portrait, over the states that the network visits (a column each) where these are known.
pub fn phase_portrait_figure(
    found: &PhasePortrait,
    visited: Option<MatRef<'_, f64>>,
) -> Result<Picture, LinearizeError> {
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    let area = Area::new(34.0, 8.0, 212.0, 212.0);
    let size = found.points.unique.first().map(|point| point.ending.state.len());
    match size {
        None => drawing.text((WIDTH / 2.0, HEIGHT / 2.0), 9.0, Anchor::Middle, SOFT, "no fixed or slow points found"),
        Some(_) => {
            let space = Space::of(found, visited, area)?;
            space.frame(&mut drawing);
            draw_states(&mut drawing, &space, found, visited);
            draw_connections(&mut drawing, &space, found);
            draw_points(&mut drawing, &space, found)?;
            legend(&mut drawing, found, visited.is_some());
        }
    }
    let caption = "Fixed points on their principal components: stable ones black, unstable ones red with their unstable \
                   modes, slow states grey; lines follow the network from the unstable modes to where it comes to rest.";
    Ok(Picture { name: "fixed-points", caption: caption.into(), drawing })
}

/// Principal components on the page.
struct Space {
    mean: Vec<f64>,
    /// Up to three directions, with their shares of the variance.
    axes: Vec<(Vec<f64>, f64)>,
    area: Area,
    /// Points on the page for a unit of state.
    scale: f64,
    middle: (f64, f64),
}

impl Space {
    fn of(found: &PhasePortrait, visited: Option<MatRef<'_, f64>>, area: Area) -> Result<Self, LinearizeError> {
        let states = shown_states(found, visited);
        let (hidden, count) = (states[0].len(), states.len() as f64);
        let mean: Vec<f64> = (0..hidden).map(|i| states.iter().map(|s| s[i]).sum::<f64>() / count).collect();
        let centred = Matrix::from_fn(hidden, states.len(), |i, j| states[j][i] - mean[i]);
        let (values, directions) = principal_directions(&(&centred * centred.transpose()))?;
        let all = values.iter().map(|value| value * value).sum::<f64>().max(f64::MIN_POSITIVE);
        let axis = |k: usize| (directions.col_as_slice(k).to_vec(), values[k] * values[k] / all);
        let mut axes: Vec<_> = (0..hidden.min(3)).map(axis).collect();
        if axes.get(2).is_some_and(|(_, share)| *share < DEPTH) {
            axes.truncate(2);
        }
        let mut space = Self { mean, axes, area, scale: 1.0, middle: (0.0, 0.0) };
        space.fit(&states);
        Ok(space)
    }

    /// Chooses scale and middle so that all states fit.
    fn fit(&mut self, states: &[Vec<f64>]) {
        let flat: Vec<(f64, f64)> = states.iter().map(|state| self.flat(state)).collect();
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (left, right) = range(&mut flat.iter().map(|at| at.0));
        let (low, high) = range(&mut flat.iter().map(|at| at.1));
        self.middle = (0.5 * (left + right), 0.5 * (low + high));
        let room = 0.84;
        let fits = |size: f64, extent: f64| room * size / extent.max(1e-9);
        self.scale = fits(self.area.width, right - left).min(fits(self.area.height, high - low)).min(1e6);
    }

    /// Principal components as seen, before scaling.
    fn flat(&self, state: &[f64]) -> (f64, f64) {
        let from_mean = |(axis, _): &(Vec<f64>, f64)| {
            axis.iter().zip(state).zip(&self.mean).map(|((a, x), m)| a * (x - m)).sum::<f64>()
        };
        let at: Vec<f64> = self.axes.iter().map(from_mean).collect();
        match at[..] {
            [x, y, z] => seen((x, y, z)),
            [x, y] => (x, y),
            [x] => (x, 0.0),
            _ => (0.0, 0.0),
        }
    }

    fn at(&self, state: &[f64]) -> (f64, f64) {
        let (x, y) = self.flat(state);
        let centre = (self.area.x + self.area.width / 2.0, self.area.y + self.area.height / 2.0);
        (centre.0 + self.scale * (x - self.middle.0), centre.1 - self.scale * (y - self.middle.1))
    }

    fn name(&self, k: usize) -> String {
        format!("PC {} ({:.0} %)", k + 1, 100.0 * self.axes[k].1)
    }

    /// A frame for two components, arrows for three.
    fn frame(&self, drawing: &mut Drawing) {
        drawing.rectangle(self.area, r##"fill="none" stroke="#c9cdd5" stroke-width="0.5""##);
        if self.axes.len() < 3 {
            let below = (self.area.x + self.area.width / 2.0, self.area.bottom() + 18.0);
            drawing.text(below, 7.5, Anchor::Middle, INK, &self.name(0));
            if self.axes.len() > 1 {
                let beside = (self.area.x - 24.0, self.area.y + self.area.height / 2.0);
                drawing.upward_text(beside, 7.5, INK, &self.name(1));
            }
            return self.ticks(drawing);
        }
        let corner = (self.area.x + 34.0, self.area.bottom() - 26.0);
        for (k, unit) in [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)].into_iter().enumerate() {
            let (x, y) = seen(unit);
            let end = (corner.0 + 24.0 * x, corner.1 - 24.0 * y);
            drawing.line(corner, end, SOFT, 0.8);
            let (name, anchor) = (format!("PC {}", k + 1), if x < -0.1 { Anchor::End } else { Anchor::Start });
            drawing.text((end.0 + 3.0 * x.signum(), end.1 - 3.0 * y), 6.5, anchor, SOFT, &name);
        }
        let shares: Vec<String> = (0..3).map(|k| self.name(k)).collect();
        let below = (self.area.x + self.area.width / 2.0, self.area.bottom() + 10.0);
        drawing.text(below, 7.0, Anchor::Middle, INK, &format!("{}, of the variance", shares.join(", ")));
    }

    /// The values at the ends of the frame.
    fn ticks(&self, drawing: &mut Drawing) {
        let half = (self.area.width / 2.0 / self.scale, self.area.height / 2.0 / self.scale);
        for side in [-1.0, 1.0] {
            let x = self.area.x + self.area.width * (0.5 + 0.46 * side);
            let text = number(self.middle.0 + 0.92 * side * half.0);
            drawing.text((x, self.area.bottom() + 7.0), 6.5, Anchor::Middle, SOFT, &text);
            if self.axes.len() > 1 {
                let y = self.area.y + self.area.height * (0.5 - 0.46 * side);
                let text = number(self.middle.1 + 0.92 * side * half.1);
                drawing.text((self.area.x - 3.0, y), 6.5, Anchor::End, SOFT, &text);
            }
        }
    }
}

/// A point in depth as seen from the side and a little above.
fn seen((x, y, z): (f64, f64, f64)) -> (f64, f64) {
    let (side, away) = (x * AZIMUTH.cos() - y * AZIMUTH.sin(), x * AZIMUTH.sin() + y * AZIMUTH.cos());
    (side, z * ELEVATION.cos() + away * ELEVATION.sin())
}

fn shown_states(found: &PhasePortrait, visited: Option<MatRef<'_, f64>>) -> Vec<Vec<f64>> {
    let mut states: Vec<Vec<f64>> = found.points.unique.iter().map(|point| point.ending.state.clone()).collect();
    if let Some(set) = &found.slow_manifold {
        states.extend((0..set.states.ncols()).map(|j| set.states.col_as_slice(j).to_vec()));
    }
    if let Some(visited) = visited {
        states.extend((0..visited.ncols()).map(|j| visited.col(j).iter().copied().collect()));
    }
    states
}

fn draw_states(drawing: &mut Drawing, space: &Space, found: &PhasePortrait, visited: Option<MatRef<'_, f64>>) {
    for j in 0..visited.map_or(0, |visited| visited.ncols()) {
        let state: Vec<f64> = visited.into_iter().flat_map(|visited| visited.col(j).iter().copied()).collect();
        drawing.circle(space.at(&state), 1.2, &format!(r#"fill="{VISITED}""#));
    }
    if let Some(set) = &found.slow_manifold {
        for j in 0..set.states.ncols() {
            let look = format!(r#"fill="{SLOW}" fill-opacity="0.55""#);
            drawing.circle(space.at(set.states.col_as_slice(j)), 1.3, &look);
        }
    }
}

/// Paths along pure modes; mixtures would hide them. One that leaves the picture is not drawn.
fn draw_connections(drawing: &mut Drawing, space: &Space, found: &PhasePortrait) {
    let area = space.area;
    for connection in found.connections.iter().filter(|connection| connection.mode.is_some()) {
        let at: Vec<(f64, f64)> = connection.path.iter().map(|state| space.at(state)).collect();
        let inside =
            |at: &(f64, f64)| (area.x..area.right()).contains(&at.0) && (area.y..area.bottom()).contains(&at.1);
        if at.iter().all(inside) {
            let look = format!(r#"fill="none" stroke="{PATH}" stroke-width="0.5" stroke-opacity="0.6""#);
            drawing.polyline(at, &look);
        }
    }
}

/// Stable points last, so that nothing hides them.
fn draw_points(drawing: &mut Drawing, space: &Space, found: &PhasePortrait) -> Result<(), LinearizeError> {
    for point in found.points.unique.iter().rev() {
        let centre = space.at(&point.ending.state);
        match kind(point) {
            Kind::Stable => {
                drawing.circle(centre, 3.6, &format!(r##"fill="{INK}" stroke="#ffffff" stroke-width="0.5""##))
            }
            Kind::Slow => drawing.circle(centre, 2.0, &format!(r#"fill="{SLOW}""#)),
            Kind::Unstable(red) => {
                let reach = MODE * space.area.width / space.scale;
                for mode in point.unstable_modes()? {
                    let end = |sign: f64| -> Vec<f64> {
                        point.ending.state.iter().zip(&mode.direction).map(|(x, v)| x + sign * reach * v).collect()
                    };
                    drawing.line(space.at(&end(-1.0)), space.at(&end(1.0)), red, 1.1);
                }
                drawing.circle(centre, 2.5, &format!(r##"fill="{red}" stroke="#ffffff" stroke-width="0.4""##));
            }
        }
    }
    Ok(())
}

enum Kind {
    Stable,
    Unstable(&'static str),
    Slow,
}

/// How a point is drawn; one that goes on in some direction is part of a slow set.
fn kind(point: &FixedPoint) -> Kind {
    match point.unstable {
        _ if point.is_stable => Kind::Stable,
        0 => Kind::Slow,
        _ if !point.is_fixed || point.is_degenerate => Kind::Slow,
        unstable => Kind::Unstable(REDS[unstable.min(REDS.len()) - 1]),
    }
}

fn legend(drawing: &mut Drawing, found: &PhasePortrait, visited: bool) {
    let (left, mut top) = (258.0, 16.0);
    let most = found.points.unique.iter().map(|point| point.unstable).max().unwrap_or(0);
    let drawn: Vec<Kind> = found.points.unique.iter().map(kind).collect();
    let stable = drawn.iter().filter(|kind| matches!(kind, Kind::Stable)).count();
    let mut row = |mark: &dyn Fn(&mut Drawing, (f64, f64)), text: String| {
        mark(drawing, (left, top));
        drawing.text((left + 8.0, top), 7.0, Anchor::Start, INK, &text);
        top += 12.0;
    };
    let dot = |radius: f64, colour: &'static str| {
        move |drawing: &mut Drawing, at: (f64, f64)| drawing.circle(at, radius, &format!(r#"fill="{colour}""#))
    };
    row(&dot(3.6, INK), format!("stable ({stable})"));
    for (k, red) in REDS.into_iter().enumerate() {
        let count = drawn.iter().filter(|kind| matches!(kind, Kind::Unstable(colour) if *colour == red)).count();
        if count > 0 {
            let mark = |drawing: &mut Drawing, at: (f64, f64)| {
                drawing.line((at.0 - 5.0, at.1), (at.0 + 5.0, at.1), red, 1.1);
                drawing.circle(at, 2.5, &format!(r#"fill="{red}""#));
            };
            let more = if k + 1 == REDS.len() && most > REDS.len() { " or more" } else { "" };
            let plural = if k == 0 { "" } else { "s" };
            row(&mark, format!("{}{more} unstable mode{plural} ({count})", k + 1));
        }
    }
    if let Some(set) = &found.slow_manifold {
        row(&dot(1.6, SLOW), format!("slow: {}", set.shape));
    } else if found.points.counts.slow > 0 {
        row(&dot(2.0, SLOW), format!("slow ({})", found.points.counts.slow));
    }
    if found.connections.iter().any(|connection| connection.mode.is_some()) {
        row(&|drawing, at| drawing.line((at.0 - 5.0, at.1), (at.0 + 5.0, at.1), PATH, 0.6), "where modes lead".into());
    }
    if visited {
        row(&dot(1.4, VISITED), "visited".into());
    }
}
