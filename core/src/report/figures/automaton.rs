//! A cellular automaton as a network runs it, above it the rule that was read out of the network.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT};
use super::{Picture, WIDE};
use crate::interpret::Interpretation;
use crate::network::Network;
use crate::random::{Purpose, Stream};
use crate::score::differ;
use crate::task::{Episodes, Window};
use std::fmt::Write;

/// Rings up to this size are shown from several starts beside one another, larger ones from a single cell.
const SMALL_RING: usize = 16;
const STARTS: usize = 6;
/// Output steps of small and large rings.
const SHORT: usize = 40;
const LONG: usize = 100;
/// Height of the rule above, and of the words beside it.
const RULE_HEIGHT: f64 = 46.0;

/// The picture; nothing where the network's function, read back, is not one rule on a ring.
pub(super) fn automaton(network: &Network, found: &Interpretation) -> Option<Picture> {
    let task = found.read_back()?;
    let rule = task.ring_rule()?;
    let d = task.d();
    let (starts, steps) = if d <= SMALL_RING { (STARTS, SHORT) } else { (1, LONG) };
    let inputs = starting_cells(&task, starts);
    let outputs: Vec<_> = network.begin(&inputs, starts, steps).answers().collect();
    let mut truth = Episodes::new(&task, starts);
    truth.present(&task, &inputs, steps);
    let gap = if starts == 1 { 0.0 } else { 14.0 };
    let panel = (WIDE - gap * (starts as f64 - 1.0)) / starts as f64;
    let cell = (panel / d as f64).min(8.0);
    let mut drawing = Drawing::new(WIDE, RULE_HEIGHT + 14.0 + cell * (steps + 1) as f64);
    draw_rule(&mut drawing, rule);
    let mut wrong = 0;
    for start in 0..starts {
        let left = start as f64 * (panel + gap) + (panel - cell * d as f64) / 2.0;
        let area = Area::new(left, RULE_HEIGHT + 8.0, cell * d as f64, cell * (steps + 1) as f64);
        let first = |j: usize| f64::from(inputs[start * d + j]);
        let said: Vec<Vec<f64>> = std::iter::once((0..d).map(first).collect())
            .chain(outputs.iter().map(|said| said.col_as_slice(start).to_vec()))
            .collect();
        let wanted = |t: usize, j: usize| truth.target(t - 1, start, j);
        let is_wrong = |t: usize, j: usize| t > 0 && differ(wanted(t, j), said[t][j]);
        wrong += (1..=steps).map(|t| (0..d).filter(|&j| is_wrong(t, j)).count()).sum::<usize>();
        draw_run(&mut drawing, area, cell, &said, &is_wrong);
    }
    let caption = format!(
        "Rule {rule} on a ring of {d}, as the network runs it: time goes down, the first row is the input, dark is +1; {wrong} of {} \
         cells differ from the rule. Above: the rule, read out of the network.",
        starts * steps * d
    );
    Some(Picture { name: "automaton", caption, drawing })
}

/// Random cells, or one cell alone where there is room to see what comes of it.
fn starting_cells(task: &Window, starts: usize) -> Vec<f32> {
    let d = task.d();
    if starts == 1 {
        return (0..d).map(|j| if j == d / 2 { 1.0 } else { -1.0 }).collect();
    }
    let mut drawn = Episodes::new(task, starts);
    drawn.draw(task, &Stream::new(3, Purpose::TestInputs), 0, 0);
    drawn.inputs().to_vec()
}

/// The eight neighbourhoods, 111 first, and what becomes of the cell in the middle.
fn draw_rule(drawing: &mut Drawing, rule: usize) {
    let (cell, step) = (11.0, WIDE / 9.0);
    for (k, neighbours) in (0..8usize).rev().enumerate() {
        let left = step * (k as f64 + 0.5) + (step - 3.0 * cell) / 2.0;
        let mut square = |x: f64, y: f64, up: bool| {
            let fill = if up { INK } else { "#ffffff" };
            let attributes = format!("fill=\"{fill}\" stroke=\"{SOFT}\" stroke-width=\"0.6\"");
            drawing.rectangle(Area::new(x, y, cell, cell), &attributes);
        };
        for place in 0..3 {
            square(left + cell * place as f64, 2.0, neighbours >> (2 - place) & 1 == 1);
        }
        square(left + cell, 4.0 + cell, rule >> neighbours & 1 == 1);
    }
    drawing.text(
        (WIDE / 2.0, RULE_HEIGHT - 8.0),
        8.0,
        Anchor::Middle,
        INK,
        &format!("rule {rule}, read out of the network"),
    );
}

/// Cells as dark as what is said is large; those that differ from the rule are marked.
fn draw_run(drawing: &mut Drawing, area: Area, cell: f64, said: &[Vec<f64>], is_wrong: &dyn Fn(usize, usize) -> bool) {
    let mut shades = vec![String::new(); 9];
    let mut marks = String::new();
    for (t, row) in said.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            let (x, y) = (area.x + cell * j as f64, area.y + cell * t as f64);
            let shade = ((value.clamp(-1.0, 1.0) + 1.0) * 4.0).round() as usize;
            let path = if is_wrong(t, j) { &mut marks } else { &mut shades[shade] };
            let _ = write!(path, "M{x:.2} {y:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z");
        }
    }
    for (shade, path) in shades.iter().enumerate().filter(|(shade, path)| *shade > 0 && !path.is_empty()) {
        let light = 255 - 30 * shade;
        drawing.path(path, &format!("fill=\"#{light:02x}{light:02x}{light:02x}\""));
    }
    if !marks.is_empty() {
        drawing.path(&marks, &format!("fill=\"{LEARNED}\""));
    }
    drawing.rectangle(area, &format!("fill=\"none\" stroke=\"{SOFT}\" stroke-width=\"0.6\""));
}
