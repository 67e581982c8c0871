//! Eigenvalues on the complex plane: theory black crosses, learned red, counts for each direction in boxes.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT, number};
use crate::spectrum::{Eigenvalue, Spectrum};

/// Half the side of the plane that is shown.
const REACH: f64 = 1.5;
/// Where the counts stand.
const COUNTS: f64 = 1.3;
/// A plane narrower than this has no empty corner.
const SMALL: f64 = 150.0;
/// More directions than this have no room for their counts.
const MOST_COUNTS: usize = 36;

pub(super) fn draw_spectrum(drawing: &mut Drawing, area: Area, all: &[Eigenvalue], spectrum: &Spectrum) {
    let plane = Plane::new(area, all);
    plane.frame(drawing);
    plane.dots(drawing, all, &filled());
    plane.crosses(drawing, &spectrum.theory);
    let theory = !spectrum.theory.is_empty();
    legend(drawing, area, &[(Mark::Dot(filled()), "learned", true), (Mark::Cross, "theory", theory)]);
    let (x, y) = (|re: f64| plane.x(re), |im: f64| plane.y(im));
    if spectrum.directions.len() <= MOST_COUNTS {
        for direction in &spectrum.directions {
            let at = (x(COUNTS * direction.angle.cos()), y(COUNTS * direction.angle.sin()));
            let same = direction.found == direction.expected;
            let text =
                if same { direction.found.to_string() } else { format!("{}/{}", direction.found, direction.expected) };
            let (width, colour) = (4.0 + 3.2 * text.len() as f64, if same { SOFT } else { LEARNED });
            let frame = Area::new(at.0 - width / 2.0, at.1 - 4.0, width, 8.0);
            drawing.rectangle(frame, &format!(r##"fill="#ffffff" stroke="{colour}" stroke-width="0.4""##));
            drawing.text(at, 5.5, Anchor::Middle, colour, &text);
        }
    }
    plane.axes(drawing);
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
            Mark::Dot(look) => drawing.circle((left, top), 2.2, look),
            Mark::Cross => cross(drawing, (left, top)),
        }
        drawing.text((left + 5.0, top), 6.5, Anchor::Start, INK, name);
        top += 9.0;
    }
}

/// The part of the complex plane that is shown.
struct Plane {
    area: Area,
    reach: f64,
}

impl Plane {
    fn new(area: Area, all: &[Eigenvalue]) -> Self {
        Self { area, reach: all.iter().fold(REACH, |most, z| most.max(1.05 * z[0].abs().max(z[1].abs()))) }
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
            drawing.circle((self.x(*re), self.y(*im)), 2.2, look);
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
    drawing.line((x - 2.2, y - 2.2), (x + 2.2, y + 2.2), INK, 0.8);
    drawing.line((x - 2.2, y + 2.2), (x + 2.2, y - 2.2), INK, 0.8);
}
