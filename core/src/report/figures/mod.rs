//! Figures for papers: the page's pictures as SVG and PNG, the moving circuit as GIF.
//!
//! Print sizes (one or two columns), vector text, no title baked in. Names follow the paper's figures.

mod automaton;
mod colours;
mod comparison;
mod course;
mod development;
mod drawing;
mod matrix;
mod pattern;
mod portrait;
mod raster;
mod recall;
mod run;
mod spectrum;
mod training;
mod weights;
mod wheel;

pub use self::comparison::comparison_figures;
pub use self::course::course_figure;
pub use self::development::development_figure;
pub use self::portrait::phase_portrait_figure;
pub use self::recall::recall_figure;
pub use self::training::training_animation;

use self::drawing::{Anchor, Area, Drawing, INK};
use self::matrix::{Side, draw_matrix, draw_scale};
use self::run::Run;
use self::spectrum::draw_spectrum;
use super::composition::{is_plain, made_of, whole_state};
use super::{ReportError, Training, data, spectra};
use crate::interpret::{Interpretation, StateView};
use crate::network::Network;
use crate::numeric::Matrix;

/// Two columns of a paper, in points.
const WIDE: f64 = 504.0;
/// One column.
const NARROW: f64 = 246.0;
/// Output steps of the runs that are shown.
const HORIZON: usize = 40;
/// Frames of the animation: from one step to the next as many as that allows, within limits.
const FRAMES: usize = 96;
const FRAMES_A_STEP: std::ops::RangeInclusive<usize> = 2..=4;
/// Hundredths of a second from one step to the next.
const STEP_TIME: usize = 40;
/// Points across the moving circuit.
const WHEEL: f64 = 240.0;

/// A figure that can be written in several formats.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its name, also that of its file.
    pub name: &'static str,
    /// What it shows, for a caption: in what kind of network, unless it is a plain one.
    pub caption: String,
    drawing: Drawing,
}

impl Picture {
    /// The SVG file.
    pub fn svg(&self) -> String {
        self.drawing.to_svg()
    }

    /// The PNG file.
    pub fn png(&self, dots_per_inch: f64) -> Result<Vec<u8>, ReportError> {
        raster::png(self.name, &self.drawing, dots_per_inch)
    }
}

/// Every figure that this network has something to show for.
pub fn figures(
    network: &Network,
    found: &Interpretation,
    training: Option<&Training>,
) -> Result<Vec<Picture>, ReportError> {
    let run = Run::of(network, found, HORIZON)?;
    let mut pictures = vec![];
    if !run.members.is_empty() {
        pictures.push(circuit(&run));
    }
    pictures.push(hidden_state(&run));
    pictures.push(weights::weights(network, found, &run)?);
    pictures.push(spectra(found)?);
    pictures.push(summary(found, &run)?);
    pictures.extend(automaton::automaton(network, found));
    pictures.extend(training.map(training::curves));
    let about = about(network, found);
    pictures.iter_mut().for_each(|picture| picture.caption.push_str(&about));
    Ok(pictures)
}

/// What kind of network this is and which part of its state is shown; nothing of a plain one, which leaves no choice.
fn about(network: &Network, found: &Interpretation) -> String {
    let made_of = made_of(network);
    match found.state {
        _ if is_plain(network) => String::new(),
        _ if !network.has_inner_state() => format!(" Network: {made_of}."),
        StateView::Units => format!(" Network: {made_of}; contents are read from the units h."),
        StateView::Whole => {
            format!(" Network: {made_of}; contents are read from the whole state {}.", whole_state(network))
        }
    }
}

/// The circuit in motion, as a GIF `width` dots wide; nothing where no variables are known.
pub fn animation(network: &Network, found: &Interpretation, width: u16) -> Result<Option<Vec<u8>>, ReportError> {
    let run = Run::of(network, found, HORIZON)?;
    if run.members.is_empty() {
        return Ok(None);
    }
    let steps = run.s * 2 + 8;
    let each = (FRAMES / steps).clamp(*FRAMES_A_STEP.start(), *FRAMES_A_STEP.end());
    let frames = (0..steps * each).map(|frame| {
        let mut drawing = Drawing::new(WHEEL, 250.0);
        let moment = frame as f64 / each as f64;
        wheel::draw_wheel(&mut drawing, Area::new(0.0, 0.0, 240.0, 240.0), &run, moment);
        let step = moment.floor() as usize;
        let phase = if step < run.s { format!("input {}", step + 1) } else { format!("output {}", step + 1 - run.s) };
        drawing.text((120.0, 244.0), 8.0, Anchor::Middle, INK, &phase);
        (drawing, (STEP_TIME / each) as u16)
    });
    raster::gif("circuit", frames, f64::from(width) / WHEEL).map(Some)
}

fn circuit(run: &Run) -> Picture {
    let mut drawing = Drawing::new(WIDE, 180.0);
    for (panel, steps) in [run.s, run.s + 1, run.s + 2].into_iter().enumerate() {
        let area = Area::new(panel as f64 * WIDE / 3.0, 12.0, WIDE / 3.0, WIDE / 3.0);
        wheel::draw_wheel(&mut drawing, area, run, steps as f64);
        let name = if steps == run.s { "after the input".into() } else { format!("output step {}", steps - run.s) };
        drawing.text((area.x + area.width / 2.0, 7.0), 7.5, Anchor::Middle, INK, &name);
    }
    let caption = "The circuit of variable binding: contents move from variable to variable, f writes the newest.";
    Picture { name: "figure2-circuit", caption: caption.into(), drawing }
}

fn time(run: &Run) -> Side {
    let mut side = Side::counted("time step", run.states.ncols(), run.s);
    side.lines.push(matrix::Line { at: run.s as f64, strong: true });
    side
}

/// The largest value that colours tell apart: 1, or what all but a few values of a cell without bound stay below.
fn reach(run: &Run) -> f64 {
    if run.bounded { 1.0 } else { weights::strongest(&run.states).max(1.0) }
}

fn hidden_state(run: &Run) -> Picture {
    let mut drawing = Drawing::new(if run.members.is_empty() { NARROW } else { WIDE }, 190.0);
    let area = Area::new(28.0, 24.0, NARROW - 32.0, 145.0);
    draw_matrix(&mut drawing, area, &run.states, reach(run), &time(run), &Side::parts(&run.parts));
    draw_scale(&mut drawing, area, reach(run));
    if !run.members.is_empty() {
        let area = Area { x: WIDE - NARROW + 28.0, ..area };
        let down = Side::variables("variable", &run.members, run.d, 0);
        draw_matrix(&mut drawing, area, &run.contents, 1.0, &time(run), &down);
        draw_scale(&mut drawing, area, 1.0);
    }
    let caption = match run.members[..] {
        [] => "The hidden state over time.",
        _ => "The hidden state over time, in the units (left) and in the variable memories (right).",
    };
    Picture { name: "figure3-hidden-state", caption: caption.into(), drawing }
}

fn draw_circuit(drawing: &mut Drawing, area: Area, blocks: &Matrix, run: &Run) {
    let rest = blocks.nrows() - run.members.len();
    let side = |name: &str| Side::variables(name, &run.members, run.d, rest);
    draw_matrix(drawing, area, blocks, CIRCUIT_LIMIT, &side("from variable"), &side("to variable"));
    draw_scale(drawing, area, CIRCUIT_LIMIT);
}

/// The field's limit for circuits.
const CIRCUIT_LIMIT: f64 = 1.7;

fn spectra(found: &Interpretation) -> Result<Picture, ReportError> {
    let all = spectra::spectra(found)?;
    let mut drawing = Drawing::new(if all.len() > 1 { WIDE } else { NARROW }, 250.0);
    for (panel, (name, eigenvalues, spectrum)) in all.iter().enumerate() {
        let area = Area::new(panel as f64 * (WIDE - NARROW) + 26.0, 16.0, NARROW - 34.0, NARROW - 34.0);
        draw_spectrum(&mut drawing, area, eigenvalues, spectrum);
        drawing.text((area.x + area.width / 2.0, 8.0), 7.5, Anchor::Middle, INK, name);
    }
    let caption = "Eigenvalues, learned (red) and of theory (crosses), with their count where a direction has several, or \
                   fewer or more than theory asks for (found/expected).";
    Ok(Picture { name: "appendix-spectrum", caption: caption.into(), drawing })
}

/// The four panels of the paper's appendix figures.
fn summary(found: &Interpretation, run: &Run) -> Result<Picture, ReportError> {
    let mut drawing = Drawing::new(WIDE, 470.0);
    let side = NARROW - 40.0;
    let mut next = 'A';
    let mut place = |drawing: &mut Drawing, x: f64, y: f64| {
        drawing.text((x, y), 10.0, Anchor::Start, INK, &next.to_string());
        next = char::from(next as u8 + 1);
    };
    if let Some(blocks) = data::circuit_blocks(found)? {
        place(&mut drawing, 2.0, 8.0);
        draw_circuit(&mut drawing, Area::new(28.0, 26.0, side, side), &blocks, run);
    }
    if let Some((_, eigenvalues, spectrum)) = spectra::spectra(found)?.into_iter().next_back() {
        place(&mut drawing, WIDE - NARROW + 2.0, 8.0);
        draw_spectrum(&mut drawing, Area::new(WIDE - NARROW + 30.0, 16.0, side, side), &eigenvalues, spectrum);
    }
    place(&mut drawing, 2.0, 270.0);
    let below = Area::new(28.0, 290.0, NARROW - 34.0, 155.0);
    draw_matrix(&mut drawing, below, &run.states, reach(run), &time(run), &Side::parts(&run.parts));
    draw_scale(&mut drawing, below, reach(run));
    if !run.members.is_empty() {
        place(&mut drawing, WIDE - NARROW + 2.0, 270.0);
        let area = Area { x: WIDE - NARROW + 28.0, ..below };
        let down = Side::variables("variable", &run.members, run.d, 0);
        draw_matrix(&mut drawing, area, &even(run), 2.0, &time(run), &down);
        draw_scale(&mut drawing, area, 2.0);
    }
    let caption = "The circuit, the spectrum, and the hidden state in the units and in the variable memories (each \
                   content that changes scaled to standard deviation 1). ⊥ is the remainder: directions beside the memories.";
    Ok(Picture { name: "appendix-summary", caption: caption.into(), drawing })
}

/// Every content that changes scaled to standard deviation 1 over the output phase, as the paper's appendix does.
///
/// One that stays as it is has no deviation to be scaled by, and is left as it is.
fn even(run: &Run) -> Matrix {
    let contents = &run.contents;
    let shown = |i: usize| (run.s..contents.ncols()).map(|t| contents[(i, t)]).collect::<Vec<f64>>();
    let scale: Vec<f64> = (0..contents.nrows()).map(|i| deviation(&shown(i)).unwrap_or(1.0)).collect();
    Matrix::from_fn(contents.nrows(), contents.ncols(), |i, j| contents[(i, j)] / scale[i])
}

/// A content whose deviation is less than this share of its size is taken as constant: what is left is noise of the reading.
const CONSTANT: f64 = 0.2;

/// The standard deviation of values that change.
fn deviation(values: &[f64]) -> Option<f64> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    let size = (variance + mean * mean).sqrt();
    (variance.sqrt() > CONSTANT * size).then(|| variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_is_not_scaled() {
        assert_eq!(deviation(&[1.0, -1.0, 1.0, -1.0]), Some(1.0));
        assert_eq!(
            [deviation(&[1.0; 4]), deviation(&[1.01, 0.99, 1.0, 1.0]), deviation(&[0.0; 4]), deviation(&[])],
            [None; 4]
        );
    }
}
