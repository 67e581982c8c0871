//! Figures for papers: the page's pictures as SVG and PNG, the moving circuit as GIF.
//!
//! Print sizes (one or two columns), vector text, no title baked in. Names follow the paper's figures.

mod automaton;
mod colours;
mod comparison;
mod development;
mod drawing;
mod matrix;
mod pattern;
mod portrait;
mod raster;
mod run;
mod spectrum;
mod weights;
mod wheel;

pub use self::comparison::comparison_figures;
pub use self::development::development_figure;
pub use self::portrait::phase_portrait_figure;

use self::drawing::{Anchor, Area, Drawing, INK, LEARNED};
use self::matrix::{Side, draw_matrix, draw_scale};
use self::run::Run;
use super::made_of::{is_plain, made_of, whole_state};
use super::{ReportError, Training, data};
use crate::interpret::{Interpretation, StateView};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::spectrum::Spectrum;

/// Two columns of a paper, in points.
const WIDE: f64 = 504.0;
/// One column.
const NARROW: f64 = 246.0;
/// Output steps of the runs that are shown.
const HORIZON: usize = 40;
/// Frames from one step to the next in the animation.
const FRAMES_A_STEP: usize = 5;
/// Points across the moving circuit.
const WHEEL: f64 = 240.0;

/// A figure that can be written in several formats.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its name, which is its file's.
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
    pictures.extend(training.map(curves));
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

/// The circuit moving, as a GIF of so many dots across; nothing where no variables are known.
pub fn animation(network: &Network, found: &Interpretation, width: u16) -> Result<Option<Vec<u8>>, ReportError> {
    let run = Run::of(network, found, HORIZON)?;
    if run.members.is_empty() {
        return Ok(None);
    }
    let frames = (0..(run.s * 2 + 8) * FRAMES_A_STEP).map(|frame| {
        let mut drawing = Drawing::new(WHEEL, 250.0);
        let moment = frame as f64 / FRAMES_A_STEP as f64;
        wheel::draw_wheel(&mut drawing, Area::new(0.0, 0.0, 240.0, 240.0), &run, moment);
        let step = moment.floor() as usize;
        let phase = if step < run.s { format!("input {}", step + 1) } else { format!("output {}", step + 1 - run.s) };
        drawing.text((120.0, 244.0), 8.0, Anchor::Middle, INK, &phase);
        drawing
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
    let all = data::spectra(found)?;
    let mut drawing = Drawing::new(if all.len() > 1 { WIDE } else { NARROW }, 250.0);
    for (panel, (name, eigenvalues, spectrum)) in all.iter().enumerate() {
        let area = Area::new(panel as f64 * (WIDE - NARROW) + 26.0, 16.0, NARROW - 34.0, NARROW - 34.0);
        draw_spectrum(&mut drawing, area, eigenvalues, spectrum);
        drawing.text((area.x + area.width / 2.0, 8.0), 7.5, Anchor::Middle, INK, name);
    }
    let caption = "Eigenvalues, learned (red) and of theory (crosses), with the count for each direction.";
    Ok(Picture { name: "appendix-spectrum", caption: caption.into(), drawing })
}

fn draw_spectrum(drawing: &mut Drawing, area: Area, all: &[[f64; 2]], spectrum: &Spectrum) {
    spectrum::draw_spectrum(drawing, area, all, spectrum);
}

/// The four panels of the paper's appendix figures.
fn summary(found: &Interpretation, run: &Run) -> Result<Picture, ReportError> {
    let mut drawing = Drawing::new(WIDE, 470.0);
    let letter = |drawing: &mut Drawing, x: f64, y: f64, letter: &str| {
        drawing.text((x, y), 10.0, Anchor::Start, INK, letter);
    };
    let side = NARROW - 40.0;
    let mut next = 'A';
    let mut place = |drawing: &mut Drawing, x: f64, y: f64| {
        letter(drawing, x, y, &next.to_string());
        next = char::from(next as u8 + 1);
    };
    if let Some(blocks) = data::circuit_blocks(found)? {
        place(&mut drawing, 2.0, 8.0);
        draw_circuit(&mut drawing, Area::new(28.0, 26.0, side, side), &blocks, run);
    }
    if let Some((_, eigenvalues, spectrum)) = data::spectra(found)?.into_iter().next_back() {
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
                   memory scaled to standard deviation 1).";
    Ok(Picture { name: "appendix-summary", caption: caption.into(), drawing })
}

/// Every memory scaled to standard deviation 1 over the output phase, as the paper's appendix does.
fn even(run: &Run) -> Matrix {
    let contents = &run.contents;
    let deviation = |i: usize| {
        let shown = contents.row(i).subcols(run.s, contents.ncols() - run.s);
        let mean = shown.iter().sum::<f64>() / shown.ncols() as f64;
        (shown.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / shown.ncols() as f64).sqrt()
    };
    let scale: Vec<f64> = (0..contents.nrows()).map(|i| deviation(i).max(1e-12)).collect();
    Matrix::from_fn(contents.nrows(), contents.ncols(), |i, j| contents[(i, j)] / scale[i])
}

fn curves(training: &Training) -> Picture {
    let mut drawing = Drawing::new(NARROW, 200.0);
    let logs: Vec<f64> = training.loss.iter().map(|loss| loss.max(1e-12).log10()).collect();
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().max(least + 1.0);
    let powers: Vec<(f64, String)> = (least as i32..=most as i32).map(|p| (f64::from(p), format!("1e{p}"))).collect();
    let shares = vec![(0.5, "0.5".into()), (1.0, "1".into())];
    let panels = [
        (10.0, training.accuracy.clone(), (0.4, 1.05), shares, "accuracy", LEARNED),
        (98.0, logs, (least, most), powers, "loss", "#3b4cc0"),
    ];
    let last = training.step.last().copied().unwrap_or(1.0).max(1.0);
    for (top, values, (low, high), ticks, name, colour) in panels {
        let area = Area::new(40.0, top, NARROW - 50.0, 74.0);
        let point = |(step, value): (&f64, &f64)| {
            let y = area.bottom() - area.height * (value - low) / (high - low);
            format!("{} {}", drawing::number(area.x + area.width * step / last), drawing::number(y))
        };
        let line: Vec<String> = training.step.iter().zip(&values).map(point).collect();
        drawing.rectangle(area, r##"fill="none" stroke="#b8bcc4" stroke-width="0.5""##);
        drawing.path(&format!("M{}", line.join("L")), &format!(r#"fill="none" stroke="{colour}" stroke-width="0.9""#));
        for (value, text) in ticks {
            let y = area.bottom() - area.height * (value - low) / (high - low);
            drawing.text((area.x - 3.0, y), 6.5, Anchor::End, INK, &text);
        }
        drawing.upward_text((10.0, top + 37.0), 7.5, INK, name);
    }
    drawing.text((40.0, 179.0), 6.5, Anchor::Middle, INK, "0");
    drawing.text((NARROW - 10.0, 179.0), 6.5, Anchor::End, INK, &drawing::number(last));
    drawing.text((NARROW / 2.0 + 15.0, 190.0), 7.5, Anchor::Middle, INK, "optimizer step");
    Picture { name: "training", caption: "Accuracy and loss over training.".into(), drawing }
}
