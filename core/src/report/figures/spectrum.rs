//! Eigenvalues on the complex plane: theory black crosses, learned red, counts for each direction in boxes.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT, number};
use crate::spectrum::{Eigenvalue, Spectrum};

/// Half the side of the plane that is shown.
const REACH: f64 = 1.5;
/// Where the counts stand.
const COUNTS: f64 = 1.3;
/// More directions than this have no room for their counts.
const MOST_COUNTS: usize = 36;

pub(super) fn draw_spectrum(drawing: &mut Drawing, area: Area, all: &[Eigenvalue], spectrum: &Spectrum) {
    let reach = all.iter().fold(REACH, |most, z| most.max(1.05 * z[0].abs().max(z[1].abs())));
    let x = |re: f64| area.x + area.width * (re + reach) / (2.0 * reach);
    let y = |im: f64| area.y + area.height * (reach - im) / (2.0 * reach);
    let radius = area.width / (2.0 * reach);
    drawing.rectangle(area, r##"fill="none" stroke="#b8bcc4" stroke-width="0.5""##);
    drawing.circle(
        (x(0.0), y(0.0)),
        radius,
        r##"fill="none" stroke="#555b66" stroke-width="0.6" stroke-dasharray="3 2""##,
    );
    for [re, im] in all {
        drawing.circle((x(*re), y(*im)), 2.2, &format!(r#"fill="{LEARNED}" fill-opacity="0.75""#));
    }
    for [re, im] in &spectrum.theory {
        cross(drawing, (x(*re), y(*im)));
    }
    let (left, top) = (area.x + 7.0, area.y + 7.0);
    drawing.circle((left, top), 2.2, &format!(r#"fill="{LEARNED}" fill-opacity="0.75""#));
    drawing.text((left + 5.0, top), 6.5, Anchor::Start, INK, "learned");
    if !spectrum.theory.is_empty() {
        cross(drawing, (left, top + 9.0));
        drawing.text((left + 5.0, top + 9.0), 6.5, Anchor::Start, INK, "theory");
    }
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
    for value in [-1.0, 0.0, 1.0] {
        drawing.text((x(value), area.bottom() + 6.0), 6.5, Anchor::Middle, SOFT, &number(value));
        drawing.text((area.x - 3.0, y(value)), 6.5, Anchor::End, SOFT, &number(value));
    }
    drawing.text((area.x + area.width / 2.0, area.bottom() + 15.0), 7.5, Anchor::Middle, INK, "real part");
    drawing.upward_text((area.x - 14.0, area.y + area.height / 2.0), 7.5, INK, "imaginary part");
}

fn cross(drawing: &mut Drawing, (x, y): (f64, f64)) {
    drawing.line((x - 2.2, y - 2.2), (x + 2.2, y + 2.2), INK, 0.8);
    drawing.line((x - 2.2, y + 2.2), (x + 2.2, y - 2.2), INK, 0.8);
}
