//! What is recalled over time: one row a memory or variable, time to the right.

use super::drawing::{Anchor, Area, Drawing, INK};
use super::matrix::{Line, Side, Tick, draw_matrix, draw_scale};
use super::training::round_ticks;
use super::{Picture, WIDE};
use crate::numeric::Matrix;
use crate::recall::Retrieval;

/// Rows are set off from each other unless there are more than this.
const MOST_SET_OFF: usize = 16;
/// Ticks along the time.
const TICKS: usize = 10;
const HEIGHT: f64 = 108.0;
const TOP: f64 = 38.0;
const LEFT: f64 = 34.0;
/// From the top of one panel to that of the next.
const PANEL: f64 = 178.0;

/// Memories recalled one after another (above), and the same memories as variables that hold what was written (below).
pub fn recall_figure(episodes: &Retrieval, variables: &Retrieval) -> Picture {
    let panels = [
        (episodes, "stored memories, recalled one after another", "time (feature time constants)", "memory"),
        (variables, "the same memories as variables, holding what was written", "step", "variable"),
    ];
    let mut drawing = Drawing::new(WIDE, PANEL * 2.0 - 8.0);
    for (k, (retrieval, title, time, row)) in panels.into_iter().enumerate() {
        let area = Area::new(LEFT, k as f64 * PANEL + TOP, WIDE - LEFT - 8.0, HEIGHT);
        drawing.text((area.x + area.width / 2.0, area.y - 29.0), 8.0, Anchor::Middle, INK, title);
        draw_panel(&mut drawing, area, retrieval, time, row);
    }
    let caption = "The overlap of the state with each stored memory over time in the continuous memory model (above), and \
                   the same memories as variables that hand on what was written into them (below).";
    Picture { name: "recall", caption: caption.into(), drawing }
}

fn draw_panel(drawing: &mut Drawing, area: Area, retrieval: &Retrieval, time: &str, row: &str) {
    let (steps, rows) = (retrieval.times.len(), retrieval.memories());
    if steps == 0 || rows == 0 {
        return;
    }
    let overlaps = Matrix::from_fn(rows, steps, |i, t| retrieval.overlaps[t][i]);
    let last = retrieval.times[steps - 1];
    // A sample stands for its own cell: its time is the middle of it.
    let place = |at: f64| if last > 0.0 { at / last * (steps - 1) as f64 + 0.5 } else { 0.5 };
    let ticks = round_ticks(0.0, last, TICKS).into_iter().map(|(at, text)| Tick { at: place(at), text });
    let across = Side { name: time.into(), lines: vec![], ticks: ticks.collect() };
    let lines = (1..rows).filter(|_| rows <= MOST_SET_OFF).map(|at| Line { at: at as f64, strong: false });
    let numbers = (0..rows).map(|k| Tick { at: k as f64 + 0.5, text: (k + 1).to_string() });
    let down = Side { name: row.into(), lines: lines.collect(), ticks: numbers.collect() };
    draw_matrix(drawing, area, &overlaps, 1.0, &across, &down);
    draw_scale(drawing, area, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_numbered_and_nothing_to_show_is_a_picture_too() {
        let retrieval = Retrieval { times: vec![0.0, 1.0], overlaps: vec![vec![1.0, -0.5], vec![0.0, 0.2]] };
        let svg = recall_figure(&retrieval, &retrieval).svg();
        for text in [">memory</text>", ">variable</text>", ">1</text>", ">2</text>", ">step</text>"] {
            assert!(svg.contains(text), "{text}");
        }
        let nothing = Retrieval { times: vec![], overlaps: vec![] };
        assert!(recall_figure(&nothing, &nothing).png(72.0).unwrap().starts_with(b"\x89PNG"));
    }
}
