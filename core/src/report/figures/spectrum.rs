//! Eigenvalues on the complex plane: theory black crosses, learned red, and counts where a direction has several or too few.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT, number};
use crate::spectrum::{Direction, Eigenvalue, Spectrum};

/// Half the side of the plane that is shown.
const REACH: f64 = 1.5;
/// Where counts may stand, best first: outside the circle, further out, then inside; each as long as it covers nothing.
const COUNTS: [f64; 16] = [1.12, 1.16, 1.2, 1.24, 1.28, 1.32, 1.36, 1.4, 0.88, 0.84, 0.8, 0.76, 0.72, 0.66, 0.6, 0.54];
/// Half the side of a dot, and of a cross.
const MARK: f64 = 2.2;
/// A plane narrower than this has no empty corner.
const SMALL: f64 = 150.0;
/// More directions than this have no room for their counts.
const MOST_COUNTS: usize = 36;

pub(super) fn draw_spectrum(drawing: &mut Drawing, area: Area, all: &[Eigenvalue], spectrum: &Spectrum) {
    let plane = draw_eigenvalues(drawing, area, all, &spectrum.theory);
    for (frame, text, same) in counts(&plane, all, spectrum) {
        let colour = if same { SOFT } else { LEARNED };
        drawing.rectangle(frame, &format!(r##"fill="#ffffff" stroke="{colour}" stroke-width="0.4""##));
        let middle = (frame.x + frame.width / 2.0, frame.y + frame.height / 2.0);
        drawing.text(middle, 5.5, Anchor::Middle, colour, &text);
    }
}

/// Learned eigenvalues as dots, those of theory as crosses, with axes and a legend.
pub(super) fn draw_eigenvalues(
    drawing: &mut Drawing,
    area: Area,
    learned: &[Eigenvalue],
    theory: &[Eigenvalue],
) -> Plane {
    let plane = Plane::new(area, learned);
    plane.frame(drawing);
    plane.dots(drawing, learned, &filled());
    plane.crosses(drawing, theory);
    legend(drawing, area, &[(Mark::Dot(filled()), "learned", true), (Mark::Cross, "theory", !theory.is_empty())]);
    plane.axes(drawing);
    plane
}

/// A box for each direction that has more than one eigenvalue, or not as many as theory asks for: where, what it says, and
/// whether the counts are the same. A box that would cover an eigenvalue, the legend or another box wherever it stood is
/// left out.
fn counts(plane: &Plane, all: &[Eigenvalue], spectrum: &Spectrum) -> Vec<(Area, String, bool)> {
    let told = |direction: &&Direction| direction.found > 1 || direction.found != direction.expected;
    let told: Vec<&Direction> = spectrum.directions.iter().filter(told).collect();
    if told.len() > MOST_COUNTS {
        return vec![];
    }
    let marks: Vec<(f64, f64)> =
        all.iter().chain(&spectrum.theory).map(|[re, im]| (plane.x(*re), plane.y(*im))).collect();
    let mut placed: Vec<(Area, String, bool)> = vec![];
    for direction in told {
        let same = direction.found == direction.expected;
        let text = match same {
            true => direction.found.to_string(),
            false => format!("{}/{}", direction.found, direction.expected),
        };
        let width = 4.0 + 3.2 * text.len() as f64;
        let frame = |radius: f64| {
            let (x, y) = (plane.x(radius * direction.angle.cos()), plane.y(radius * direction.angle.sin()));
            Area::new(x - width / 2.0, y - 4.0, width, 8.0)
        };
        let free = |frame: &Area| {
            let covers = |&(x, y): &(f64, f64)| {
                x > frame.x - MARK && x < frame.right() + MARK && y > frame.y - MARK && y < frame.bottom() + MARK
            };
            let inside = frame.x > plane.area.x
                && frame.right() < plane.area.right()
                && frame.y > plane.area.y
                && frame.bottom() < plane.area.bottom();
            let others = placed.iter().map(|(other, ..)| other).chain([&plane.legend]);
            inside && !marks.iter().any(covers) && !others.clone().any(|other| overlap(frame, other))
        };
        if let Some(frame) = COUNTS.into_iter().map(frame).find(free) {
            placed.push((frame, text, same));
        }
    }
    placed
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

/// The eigenvalues of the modes of a state-space layer; a complex one acts together with its conjugate.
pub(super) fn draw_modes(
    drawing: &mut Drawing,
    area: Area,
    modes: &[Eigenvalue],
    theory: &[Eigenvalue],
    complex: bool,
) {
    let plane = Plane::new(area, modes);
    plane.frame(drawing);
    if complex {
        let conjugates: Vec<Eigenvalue> = modes.iter().map(|[re, im]| [*re, -im]).collect();
        plane.dots(drawing, &conjugates, &hollow());
    }
    plane.dots(drawing, modes, &filled());
    plane.crosses(drawing, theory);
    let marks = [
        (Mark::Dot(filled()), "mode", true),
        (Mark::Dot(hollow()), "its conjugate", complex),
        (Mark::Cross, "theory", !theory.is_empty()),
    ];
    legend(drawing, area, &marks);
    plane.axes(drawing);
}

fn filled() -> String {
    format!(r#"fill="{LEARNED}" fill-opacity="0.75""#)
}

fn hollow() -> String {
    format!(r#"fill="none" stroke="{LEARNED}" stroke-width="0.6" stroke-opacity="0.75""#)
}

enum Mark {
    Dot(String),
    Cross,
}

/// What the marks that are there stand for: in the upper left corner, beside a plane that is too small for that.
fn legend(drawing: &mut Drawing, area: Area, marks: &[(Mark, &str, bool)]) {
    let (left, mut top) = (if area.width < SMALL { area.right() } else { area.x } + 7.0, area.y + 7.0);
    for (mark, name, _) in marks.iter().filter(|(.., shown)| *shown) {
        match mark {
            Mark::Dot(look) => drawing.circle((left, top), MARK, look),
            Mark::Cross => cross(drawing, (left, top)),
        }
        drawing.text((left + 5.0, top), 6.5, Anchor::Start, INK, name);
        top += 9.0;
    }
}

/// The part of the complex plane that is shown.
pub(super) struct Plane {
    area: Area,
    reach: f64,
    /// Where the legend stands.
    legend: Area,
}

impl Plane {
    fn new(area: Area, all: &[Eigenvalue]) -> Self {
        let reach = all.iter().fold(REACH, |most, z| most.max(1.05 * z[0].abs().max(z[1].abs())));
        Self { area, reach, legend: Area::new(area.x, area.y, 42.0, 22.0) }
    }

    fn x(&self, re: f64) -> f64 {
        self.area.x + self.area.width * (re + self.reach) / (2.0 * self.reach)
    }

    fn y(&self, im: f64) -> f64 {
        self.area.y + self.area.height * (self.reach - im) / (2.0 * self.reach)
    }

    /// The frame and the unit circle.
    fn frame(&self, drawing: &mut Drawing) {
        drawing.rectangle(self.area, r##"fill="none" stroke="#b8bcc4" stroke-width="0.5""##);
        drawing.circle(
            (self.x(0.0), self.y(0.0)),
            self.area.width / (2.0 * self.reach),
            r##"fill="none" stroke="#555b66" stroke-width="0.6" stroke-dasharray="3 2""##,
        );
    }

    fn dots(&self, drawing: &mut Drawing, all: &[Eigenvalue], look: &str) {
        for [re, im] in all {
            drawing.circle((self.x(*re), self.y(*im)), MARK, look);
        }
    }

    fn crosses(&self, drawing: &mut Drawing, all: &[Eigenvalue]) {
        for [re, im] in all {
            cross(drawing, (self.x(*re), self.y(*im)));
        }
    }

    fn axes(&self, drawing: &mut Drawing) {
        let area = self.area;
        for value in [-1.0, 0.0, 1.0] {
            drawing.text((self.x(value), area.bottom() + 6.0), 6.5, Anchor::Middle, SOFT, &number(value));
            drawing.text((area.x - 3.0, self.y(value)), 6.5, Anchor::End, SOFT, &number(value));
        }
        drawing.text((area.x + area.width / 2.0, area.bottom() + 15.0), 7.5, Anchor::Middle, INK, "real part");
        drawing.upward_text((area.x - 14.0, area.y + area.height / 2.0), 7.5, INK, "imaginary part");
    }
}

fn cross(drawing: &mut Drawing, (x, y): (f64, f64)) {
    drawing.line((x - MARK, y - MARK), (x + MARK, y + MARK), INK, 0.8);
    drawing.line((x - MARK, y + MARK), (x + MARK, y - MARK), INK, 0.8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::{SpectrumParams, spectrum};
    use std::f64::consts::TAU;

    /// Eigenvalues of eight directions, two in each, of which the learned ones stand out by a tenth.
    fn crowded(clutter: usize) -> (Vec<Eigenvalue>, Spectrum) {
        let at = |k: usize, radius: f64| [radius * (TAU * k as f64 / 8.0).cos(), radius * (TAU * k as f64 / 8.0).sin()];
        let theory: Vec<Eigenvalue> = (0..16).map(|k| at(k / 2, 1.0)).collect();
        let mut learned: Vec<Eigenvalue> = (0..16).map(|k| at(k / 2, 1.0 + 0.1 * (k % 2) as f64)).collect();
        let golden = |k: usize| (TAU * 0.618 * k as f64, (k as f64 / clutter as f64).sqrt());
        learned.extend((0..clutter).map(|k| [golden(k).1 * golden(k).0.cos(), golden(k).1 * golden(k).0.sin()]));
        let direction =
            |k: usize| Direction { angle: TAU * k as f64 / 8.0, found: 2, expected: if k == 3 { 1 } else { 2 } };
        let none = spectrum(&[], Some(&[]), &SpectrumParams::at_a_point()).unwrap();
        let spectrum = Spectrum { theory, directions: (0..8).map(direction).collect(), ..none };
        (learned, spectrum)
    }

    #[test]
    fn counts_cover_neither_eigenvalues_nor_each_other() {
        for clutter in [0, 40, 400] {
            let (learned, spectrum) = crowded(clutter);
            let plane = Plane::new(Area::new(26.0, 16.0, 212.0, 212.0), &learned);
            let placed = counts(&plane, &learned, &spectrum);
            assert_eq!(placed.len(), 8, "{clutter}: all of them fit outside");
            for (k, (frame, ..)) in placed.iter().enumerate() {
                for [re, im] in learned.iter().chain(&spectrum.theory) {
                    let (x, y) = (plane.x(*re), plane.y(*im));
                    assert!(x < frame.x || x > frame.right() || y < frame.y || y > frame.bottom());
                }
                assert!(!placed[..k].iter().any(|(other, ..)| overlap(frame, other)));
            }
            assert!(placed.iter().any(|(_, text, same)| text == "2/1" && !same));
        }
    }

    #[test]
    fn a_direction_with_one_eigenvalue_as_asked_needs_no_count() {
        let (learned, mut spectrum) = crowded(0);
        spectrum.directions.iter_mut().for_each(|direction| (direction.found, direction.expected) = (1, 1));
        let plane = Plane::new(Area::new(26.0, 16.0, 212.0, 212.0), &learned);
        assert!(counts(&plane, &learned, &spectrum).is_empty());
    }
}
