//! The circuit as a wheel: a sector a variable, the newest at the top, a ring a component.

use super::colours::colour;
use super::drawing::{Anchor, Area, Drawing, INK, SOFT, number};
use super::run::Run;
use crate::task::Slot;
use std::f64::consts::{PI, TAU};

/// Draws the wheel at a moment: `moment` counts steps, its fraction is the way to the next.
pub(super) fn draw_wheel(drawing: &mut Drawing, area: Area, run: &Run, moment: f64) {
    let wheel = Wheel::new(area, run);
    let step = moment.floor() as usize;
    let part = moment.fract() * moment.fract() * (3.0 - 2.0 * moment.fract());
    let (now, next) = (run.contents_after(step), run.contents_after(step + 1));
    let stored = |slot: usize| run.members.binary_search(&slot).is_ok();
    for slot in (0..run.s * run.d).filter(|&slot| !stored(slot)) {
        wheel.cell(drawing, slot, 0.0, r##"fill="none" stroke="#d5d5d0" stroke-width="0.5""##);
    }
    let filled = |value: f64, alpha: f64| {
        format!(r#"fill="{}" fill-opacity="{}" shape-rendering="auto""#, colour(value, 1.0), number(alpha))
    };
    for &slot in &run.members {
        wheel.cell(drawing, slot, 0.0, &filled(0.0, 1.0));
    }
    for (k, &slot) in run.members.iter().enumerate() {
        let goes_on = slot >= run.d && stored(slot - run.d);
        let alpha = if goes_on { 1.0 } else { 1.0 - part };
        wheel.cell(drawing, slot, part * wheel.sector, &filled(now[k], alpha));
        if part > 0.0 && slot >= (run.s - 1) * run.d {
            wheel.cell(drawing, slot, 0.0, &filled(next[k], part));
        }
    }
    wheel.wires(drawing, run, stored);
    if part > 0.0 {
        wheel.tokens(drawing, run, step, part, &now);
    }
    for variable in 1..=run.s {
        let (angle, r) = (wheel.angle((variable - 1) * run.d), wheel.radius + 7.0);
        let at = (wheel.centre.0 + r * angle.cos(), wheel.centre.1 + r * angle.sin());
        drawing.text(at, 7.0, Anchor::Middle, SOFT, &variable.to_string());
    }
    drawing.circle(wheel.centre, 7.0, r##"fill="#ffffff""##);
    drawing.text(wheel.centre, 9.0, Anchor::Middle, INK, "f");
}

struct Wheel {
    centre: (f64, f64),
    radius: f64,
    ring: f64,
    sector: f64,
    s: usize,
    d: usize,
}

impl Wheel {
    fn new(area: Area, run: &Run) -> Self {
        let radius = area.width.min(area.height) / 2.0 - 12.0;
        let hub = radius * if run.d > 12 { 0.3 } else { 0.4 };
        let centre = (area.x + area.width / 2.0, area.y + area.height / 2.0);
        Self { centre, radius, ring: (radius - hub) / run.d as f64, sector: TAU / run.s as f64, s: run.s, d: run.d }
    }

    fn angle(&self, slot: usize) -> f64 {
        (self.slot(slot).lag - 1) as f64 * self.sector - PI / 2.0
    }

    fn slot(&self, index: usize) -> Slot {
        Slot::at(index, self.s, self.d)
    }

    /// Where the newest value of an output stands.
    fn newest(&self, component: usize) -> usize {
        Slot { lag: 1, component }.index(self.s, self.d)
    }

    fn middle(&self, slot: usize) -> (f64, f64) {
        let (angle, r) = (self.angle(slot), self.radius - (self.slot(slot).component as f64 + 0.5) * self.ring);
        (self.centre.0 + r * angle.cos(), self.centre.1 + r * angle.sin())
    }

    fn cell(&self, drawing: &mut Drawing, slot: usize, shift: f64, attributes: &str) {
        let (angle, half) = (self.angle(slot) + shift, 0.465 * self.sector);
        let outer = self.radius - self.slot(slot).component as f64 * self.ring - 0.3;
        let inner = outer - self.ring + 0.6;
        let point =
            |r: f64, a: f64| format!("{} {}", number(self.centre.0 + r * a.cos()), number(self.centre.1 + r * a.sin()));
        // A sector that is (almost) the whole circle would be an arc between equal points.
        let large = u8::from(2.0 * half > PI);
        let (ro, ri) = (number(outer), number(inner));
        let d = format!(
            "M{} A{ro} {ro} 0 {large} 1 {} L{} A{ri} {ri} 0 {large} 0 {}Z",
            point(outer, angle - half),
            point(outer, angle + half),
            point(inner, angle + half),
            point(inner, angle - half)
        );
        drawing.path(&d, attributes);
    }

    /// A curve from cell to cell through the middle, as four control points.
    fn curve(&self, from: usize, to: usize) -> [(f64, f64); 4] {
        let (from, to) = (self.middle(from), self.middle(to));
        let bend = |p: (f64, f64)| (p.0 + (self.centre.0 - p.0) * 0.85, p.1 + (self.centre.1 - p.1) * 0.85);
        [from, bend(from), bend(to), to]
    }

    fn wires(&self, drawing: &mut Drawing, run: &Run, stored: impl Fn(usize) -> bool) {
        for (j, wire) in run.wires.iter().enumerate() {
            let points = self.curve(wire.0, self.newest(j));
            let d: Vec<String> = points.iter().map(|p| format!("{} {}", number(p.0), number(p.1))).collect();
            let (dashes, alpha) = (if wire.1 < 0.0 { "2 2" } else { "none" }, if stored(wire.0) { 0.6 } else { 0.2 });
            let look = format!(
                r#"fill="none" stroke="{SOFT}" stroke-width="0.7" stroke-opacity="{alpha}" stroke-dasharray="{dashes}""#
            );
            drawing.path(&format!("M{} C{} {} {}", d[0], d[1], d[2], d[3]), &look);
        }
    }

    fn tokens(&self, drawing: &mut Drawing, run: &Run, step: usize, part: f64, now: &[f64]) {
        let size = (self.ring * 0.36).clamp(1.4, 3.0);
        let look = |value: f64| format!(r#"fill="{}" stroke="{INK}" stroke-width="0.5""#, colour(value, 1.0));
        for j in 0..self.d {
            let to = self.newest(j);
            if step < self.s {
                let target = self.middle(to);
                let from = (target.0 - self.radius * 0.9, target.1);
                let at = (from.0 + (target.0 - from.0) * part, target.1);
                drawing.circle(at, size, &look(run.inputs[(j, step)]));
            } else if let Some(&(from, sign)) = run.wires.get(j) {
                let [p, q, r, t] = self.curve(from, to);
                let rest = 1.0 - part;
                let weights = [rest.powi(3), 3.0 * rest * rest * part, 3.0 * rest * part * part, part.powi(3)];
                let along = |c: fn(&(f64, f64)) -> f64| {
                    [p, q, r, t].iter().zip(weights).map(|(point, weight)| c(point) * weight).sum::<f64>()
                };
                let value = run.members.binary_search(&from).map_or(0.0, |k| now[k]);
                let value = if part < 0.5 { value } else { sign * value };
                drawing.circle((along(|p| p.0), along(|p| p.1)), size, &look(value));
            }
        }
    }
}
