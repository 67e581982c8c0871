//! A drawing in points (1/72 inch), written as SVG: vector text, fixed decimals, no title of its own.

use std::fmt::Write;

/// The fonts that are asked for, in that order; the last word is what [`png`](super::raster) has.
const FONTS: &str = "Helvetica, Arial, Liberation Sans, sans-serif";
pub(super) const INK: &str = "#111111";
pub(super) const SOFT: &str = "#555b66";
pub(super) const LEARNED: &str = "#b40426";

/// A rectangle on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// How a text sits at its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture that grows shape by shape.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    body: String,
}

// Writing to a string cannot fail; the results of `write!` are dropped for that reason.
impl Drawing {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let width = number(width);
        let _ = writeln!(
            self.body,
            r#"<path d="M{x1} {y1}L{x2} {y2}" stroke="{colour}" stroke-width="{width}" fill="none"/>"#
        );
    }

    /// A path with any attributes, given as SVG writes them.
    pub(super) fn path(&mut self, d: &str, attributes: &str) {
        let _ = writeln!(self.body, r#"<path d="{d}" {attributes}/>"#);
    }

    /// Straight lines from point to point.
    pub(super) fn polyline(&mut self, points: impl IntoIterator<Item = (f64, f64)>, attributes: &str) {
        let points: Vec<String> = points.into_iter().map(|(x, y)| format!("{} {}", number(x), number(y))).collect();
        self.path(&format!("M{}", points.join("L")), attributes);
    }

    pub(super) fn rectangle(&mut self, area: Area, attributes: &str) {
        let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(number);
        let _ = writeln!(self.body, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {attributes}/>"#);
    }

    pub(super) fn circle(&mut self, centre: (f64, f64), radius: f64, attributes: &str) {
        let [x, y, r] = [centre.0, centre.1, radius].map(number);
        let _ = writeln!(self.body, r#"<circle cx="{x}" cy="{y}" r="{r}" {attributes}/>"#);
    }

    pub(super) fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, colour: &str, text: &str) {
        let [x, y, size] = [at.0, at.1 + 0.35 * size, size].map(number);
        let anchor = anchor_name(anchor);
        let text = super::super::escape(text);
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{text}</text>"#
        );
    }

    /// Text that runs upwards, centred at a point.
    pub(super) fn upward_text(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        let [x, y, size] = [at.0 + 0.35 * size, at.1, size].map(number);
        let text = super::super::escape(text);
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x} {y}) rotate(-90)" font-size="{size}" text-anchor="middle" fill="{colour}">{text}</text>"#
        );
    }

    /// Shapes in the coordinates of a grid whose cells are one unit wide.
    pub(super) fn grid(&mut self, area: Area, rows: usize, columns: usize, shapes: &str) {
        let [x, y] = [area.x, area.y].map(number);
        let (across, down) = (area.width / columns as f64, area.height / rows as f64);
        let _ = writeln!(
            self.body,
            r#"<g transform="translate({x} {y}) scale({across:.5} {down:.5})" shape-rendering="crispEdges">"#
        );
        self.body.push_str(shapes);
        self.body.push_str("</g>\n");
    }

    /// The SVG file, sized for print.
    pub(super) fn to_svg(&self) -> String {
        let [width, height] = [self.width, self.height].map(number);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}pt\" height=\"{height}pt\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

fn anchor_name(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// At most two decimals, no trailing zeros, no negative zero.
pub(super) fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_one_zero() {
        assert_eq!([0.0, -0.001, 2.5, -12.345, 100.0].map(number), ["0", "0", "2.5", "-12.35", "100"]);
    }

    #[test]
    fn text_cannot_break_the_file() {
        let mut drawing = Drawing::new(10.0, 10.0);
        drawing.text((0.0, 0.0), 8.0, Anchor::Start, INK, "a<b & \"c\"");
        assert!(drawing.to_svg().contains("a&lt;b &amp; &quot;c&quot;"));
    }
}
