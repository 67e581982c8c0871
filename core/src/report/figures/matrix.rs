//! A matrix as coloured cells, with lines between variables.

use super::colours::{colour_of, level};
use super::drawing::{Anchor, Area, Drawing, INK, SOFT, number};
use crate::numeric::Matrix;
use crate::report::composition::Part;
use crate::task::Component;
use std::collections::BTreeMap;
use std::fmt::Write;

/// More cells along a side than this are averaged in blocks.
const MOST_CELLS: usize = 256;
const SMALL: f64 = 6.5;
const NORMAL: f64 = 7.5;

/// The remainder: directions beside the memories. Few fonts have the sign, so it is drawn.
const REMAINDER: &str = "⊥";

/// A line across a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) at: f64,
    pub(super) strong: bool,
}

/// A label beside a matrix.
#[derive(Clone, Debug)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

/// Lines and labels along one side.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub(super) name: String,
    pub(super) lines: Vec<Line>,
    pub(super) ticks: Vec<Tick>,
}

impl Side {
    /// A side with round numbers.
    pub(super) fn counted(name: &str, length: usize, every: usize) -> Self {
        let ticks = (every..length).step_by(every.max(1)).map(|at| Tick { at: at as f64, text: at.to_string() });
        Self { name: name.into(), lines: vec![], ticks: ticks.collect() }
    }

    /// A side of the rows of a state: numbered where they are of one kind, otherwise with a name and a line for each part.
    pub(super) fn parts(parts: &[Part]) -> Self {
        let length = parts.iter().map(|part| part.count).sum();
        if parts.len() == 1 {
            return Self::counted("hidden unit", length, (length / 4).max(1));
        }
        let (mut side, mut start) = (Self::default(), 0);
        for part in parts {
            if start > 0 {
                side.lines.push(Line { at: start as f64, strong: true });
            }
            side.ticks.push(Tick { at: start as f64 + part.count as f64 / 2.0, text: part.name.clone() });
            start += part.count;
        }
        side
    }

    /// A side of window components with a line between variables, and one before the remainder.
    pub(super) fn variables(name: &str, members: &[usize], d: usize, rest: usize) -> Self {
        let mut side = Self { name: name.into(), ..Self::default() };
        let variable = |k: usize| Component::at(members[k], d).variable;
        let mut start = 0;
        for end in 1..=members.len() {
            if end < members.len() && variable(end) == variable(start) {
                continue;
            }
            side.ticks.push(Tick { at: (start + end) as f64 / 2.0, text: variable(start).to_string() });
            if end < members.len() {
                side.lines.push(Line { at: end as f64, strong: false });
            }
            start = end;
        }
        if rest > 0 {
            side.lines.push(Line { at: members.len() as f64, strong: true });
            side.ticks.push(Tick { at: members.len() as f64 + rest as f64 / 2.0, text: REMAINDER.into() });
        }
        side
    }
}

/// Draws a matrix; `across` labels its columns, on top, `down` its rows.
pub(super) fn draw_matrix(drawing: &mut Drawing, area: Area, matrix: &Matrix, limit: f64, across: &Side, down: &Side) {
    let shown = averaged(matrix);
    drawing.grid(area, shown.nrows(), shown.ncols(), &cells(&shown, limit));
    let x = |at: f64| area.x + area.width * at / matrix.ncols() as f64;
    let y = |at: f64| area.y + area.height * at / matrix.nrows() as f64;
    let look = |line: &Line| if line.strong { (INK, 0.9) } else { ("#ffffff", 0.6) };
    for line in &across.lines {
        drawing.line((x(line.at), area.y), (x(line.at), area.bottom()), look(line).0, look(line).1);
    }
    for line in &down.lines {
        drawing.line((area.x, y(line.at)), (area.right(), y(line.at)), look(line).0, look(line).1);
    }
    for tick in spread(&across.ticks, area.width / matrix.ncols() as f64, 8.0) {
        label(drawing, (x(tick.at), area.y - 5.5), Anchor::Middle, &tick.text);
    }
    for tick in spread(&down.ticks, area.height / matrix.nrows() as f64, 6.5) {
        label(drawing, (area.x - 3.0, y(tick.at)), Anchor::End, &tick.text);
    }
    drawing.text((area.x + area.width / 2.0, area.y - 14.5), NORMAL, Anchor::Middle, INK, &across.name);
    drawing.upward_text((area.x - 19.0, area.y + area.height / 2.0), NORMAL, INK, &down.name);
}

fn label(drawing: &mut Drawing, (x, y): (f64, f64), anchor: Anchor, text: &str) {
    if text != REMAINDER {
        return drawing.text((x, y), SMALL, anchor, SOFT, text);
    }
    let x = if matches!(anchor, Anchor::End) { x - 2.4 } else { x };
    drawing.line((x - 2.4, y + 2.2), (x + 2.4, y + 2.2), SOFT, 0.6);
    drawing.line((x, y + 2.2), (x, y - 2.2), SOFT, 0.6);
}

/// A scale below an area.
pub(super) fn draw_scale(drawing: &mut Drawing, area: Area, limit: f64) {
    let scale = Area::new(area.x + area.width / 2.0 - 36.0, area.bottom() + 6.0, 72.0, 4.0);
    let ramp = Matrix::from_fn(1, 64, |_, j| (j as f64 + 0.5) / 32.0 - 1.0);
    drawing.grid(scale, 1, 64, &cells(&ramp, 1.0));
    let end = number(limit);
    drawing.text((scale.x - 3.0, scale.y + 2.0), SMALL, Anchor::End, SOFT, &format!("-{end}"));
    drawing.text((scale.right() + 3.0, scale.y + 2.0), SMALL, Anchor::Start, SOFT, &format!("+{end}"));
}

/// One path a colour: short files, and no order but that of the levels.
fn cells(matrix: &Matrix, limit: f64) -> String {
    let mut by_level: BTreeMap<usize, String> = BTreeMap::new();
    for i in 0..matrix.nrows() {
        let mut j = 0;
        while j < matrix.ncols() {
            let this = level(matrix[(i, j)], limit);
            let run = (j..matrix.ncols()).take_while(|&k| level(matrix[(i, k)], limit) == this).count();
            let _ = write!(by_level.entry(this).or_default(), "M{j} {i}h{run}v1h-{run}z");
            j += run;
        }
    }
    let paths = by_level.iter().map(|(level, d)| format!("<path fill=\"{}\" d=\"{d}\"/>\n", colour_of(*level)));
    paths.collect()
}

fn averaged(matrix: &Matrix) -> Matrix {
    let block = |length: usize| length.div_ceil(MOST_CELLS).max(1);
    let (tall, wide) = (block(matrix.nrows()), block(matrix.ncols()));
    if tall == 1 && wide == 1 {
        return matrix.clone();
    }
    Matrix::from_fn(matrix.nrows() / tall, matrix.ncols() / wide, |i, j| {
        let inside = matrix.submatrix(i * tall, j * wide, tall, wide);
        // The entry farthest from zero: an average would make noise look like nothing.
        let mut most = 0.0f64;
        for column in 0..wide {
            inside.col(column).iter().for_each(|&x| most = if x.abs() > most.abs() { x } else { most });
        }
        most
    })
}

/// Ticks that would run into the one before are left out.
fn spread(ticks: &[Tick], unit: f64, room: f64) -> Vec<&Tick> {
    let mut last = f64::NEG_INFINITY;
    let mut kept = vec![];
    for tick in ticks.iter().filter(|tick| tick.at.is_finite()) {
        if tick.at * unit - last >= room {
            last = tick.at * unit;
            kept.push(tick);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_keep_their_distance_and_wide_ones_stay() {
        let ticks = [0.5, 2.0, 4.5, 8.0, 12.5].map(|at| Tick { at, text: at.to_string() });
        let kept: Vec<f64> = spread(&ticks, 2.0, 8.0).iter().map(|tick| tick.at).collect();
        assert_eq!(kept, [0.5, 4.5, 12.5]);
    }
}
