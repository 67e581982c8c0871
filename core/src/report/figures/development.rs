//! How a circuit came to be: what there is of it, step by step.

use super::drawing::{Anchor, Area, Drawing, INK, SOFT};
use super::{Picture, WIDE};
use crate::develop::{Development, Moment};

/// Name, colour, and the value at a moment.
type Curve = (&'static str, &'static str, fn(&Moment) -> f64);

const CURVES: [Curve; 5] = [
    ("explained by contents", "#7b9ff9", |m| m.explained),
    ("contents read", "#3b4cc0", |m| m.read),
    ("directions", "#6b7280", |m| m.directions.unwrap_or(0.0).min(1.2)),
    ("outputs of f read back", "#2e7d32", |m| m.recovered),
    ("accuracy", "#b40426", |m| m.accuracy),
];

/// The largest value that has room; names stand above 1.
const TOP: f64 = 1.3;

/// The development of a run, against steps on a scale of powers.
pub fn development_figure(found: &Development) -> Picture {
    let mut drawing = Drawing::new(WIDE, 216.0);
    let area = Area::new(34.0, 12.0, WIDE - 170.0, 168.0);
    let last = found.moments.last().map_or(1, |moment| moment.step).max(1);
    let across = |step: u64| area.x + area.width * (1.0 + step as f64).ln() / (1.0 + last as f64).ln();
    let up = |value: f64| area.bottom() - area.height * value / TOP;
    for (value, name) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        drawing.line((area.x, up(value)), (area.right(), up(value)), "#d9dce1", 0.6);
        drawing.text((area.x - 5.0, up(value)), 7.0, Anchor::End, INK, name);
    }
    let mut step = 0;
    while step <= last {
        drawing.line((across(step), area.bottom()), (across(step), area.bottom() + 3.0), INK, 0.6);
        drawing.text((across(step), area.bottom() + 10.0), 7.0, Anchor::Middle, INK, &step.to_string());
        step = if step == 0 { 1 } else { step * 10 };
    }
    drawing.text((area.x + area.width / 2.0, area.bottom() + 24.0), 7.5, Anchor::Middle, INK, "optimizer steps");
    for (k, (name, colour, of)) in CURVES.iter().enumerate() {
        if !found.moments.is_empty() {
            let attributes = format!("stroke=\"{colour}\" stroke-width=\"1.2\" fill=\"none\"");
            drawing.polyline(found.moments.iter().map(|moment| (across(moment.step), up(of(moment)))), &attributes);
        }
        let y = area.y + 8.0 + 13.0 * k as f64;
        drawing.line((area.right() + 14.0, y), (area.right() + 28.0, y), colour, 1.6);
        drawing.text((area.right() + 33.0, y), 7.5, Anchor::Start, INK, name);
    }
    for (k, (name, step)) in found.appeared.all().iter().enumerate() {
        let y = area.y + 92.0 + 13.0 * k as f64;
        let said = step.map_or_else(|| format!("{name}: never"), |step| format!("{name}: from step {step}"));
        drawing.text((area.right() + 14.0, y), 7.5, Anchor::Start, SOFT, &said);
        if let Some(step) = step {
            drawing.line((across(*step), area.y), (across(*step), area.bottom()), SOFT, 0.5);
            drawing.text((across(*step) + 2.0, area.y + 3.0 + 7.5 * k as f64), 6.5, Anchor::Start, SOFT, name);
        }
    }
    let Development { task, cell, hidden, seed, .. } = found;
    let caption =
        format!("How {cell} H={hidden} came to its circuit of {task} (seed {seed}): {}.", found.appeared.in_words);
    Picture { name: "development", caption, drawing }
}
