//! Pictures in dots: PNG of a drawing, GIF of many. Fonts come with the program, so that dots are the same everywhere.

use super::drawing::Drawing;
use crate::report::ReportError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// Hundredths of a second that a frame of an animation stays.
const FRAME_TIME: u16 = 8;
/// From 1 (best colours) to 30 (fastest).
const QUANTIZATION: i32 = 10;

fn options() -> Options<'static> {
    let mut options = Options { font_family: "Ubuntu".into(), ..Options::default() };
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first().map(|(name, _)| name.clone()));
    fonts.set_sans_serif_family(family.unwrap_or_default());
    options
}

fn pixels(figure: &'static str, drawing: &Drawing, scale: f64, options: &Options<'_>) -> Result<Pixmap, ReportError> {
    let problem = |problem: String| ReportError::Picture { figure, problem };
    let tree = Tree::from_str(&drawing.to_svg(), options).map_err(|error| problem(error.to_string()))?;
    let [width, height] = [drawing.width, drawing.height].map(|x| (x * scale).round() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| problem(format!("{width} x {height} dots")))?;
    // usvg counts in CSS pixels, of which 96 make an inch; the drawing counts in points, of which 72 do.
    let zoom = (scale * 72.0 / 96.0) as f32;
    resvg::render(&tree, Transform::from_scale(zoom, zoom), &mut pixels.as_mut());
    Ok(pixels)
}

/// The PNG file of a drawing.
pub(super) fn png(figure: &'static str, drawing: &Drawing, dots_per_inch: f64) -> Result<Vec<u8>, ReportError> {
    let pixels = pixels(figure, drawing, dots_per_inch / 72.0, &options())?;
    pixels.encode_png().map_err(|error| ReportError::Picture { figure, problem: error.to_string() })
}

/// The GIF file of an animation that repeats for ever.
pub(super) fn gif(
    figure: &'static str,
    frames: impl Iterator<Item = Drawing>,
    scale: f64,
) -> Result<Vec<u8>, ReportError> {
    let problem = |error: gif::EncodingError| ReportError::Picture { figure, problem: error.to_string() };
    let options = options();
    let mut encoder = None;
    let mut shown = vec![];
    for drawing in frames {
        let mut pixels = pixels(figure, &drawing, scale, &options)?;
        let (width, height) = (pixels.width() as u16, pixels.height() as u16);
        keep_what_changed(pixels.data_mut(), &mut shown);
        let mut frame = gif::Frame::from_rgba_speed(width, height, pixels.data_mut(), QUANTIZATION);
        frame.delay = FRAME_TIME;
        let encoder = match &mut encoder {
            Some(encoder) => encoder,
            none => {
                let mut fresh = gif::Encoder::new(vec![], width, height, &[]).map_err(problem)?;
                fresh.set_repeat(gif::Repeat::Infinite).map_err(problem)?;
                none.insert(fresh)
            }
        };
        encoder.write_frame(&frame).map_err(problem)?;
    }
    let empty = || ReportError::Picture { figure, problem: "no frames".into() };
    encoder.ok_or_else(empty)?.into_inner().map_err(problem)
}

/// Makes transparent what the frame before shows already: the file is about half as large.
fn keep_what_changed(dots: &mut [u8], shown: &mut Vec<u8>) {
    let frame = dots.to_vec();
    for (dot, before) in dots.chunks_exact_mut(4).zip(shown.chunks_exact(4)) {
        if dot == before {
            dot.fill(0);
        }
    }
    *shown = frame;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_holds_what_the_one_before_does_not_show() {
        let mut shown = vec![];
        let mut first = vec![1, 2, 3, 255, 4, 5, 6, 255];
        keep_what_changed(&mut first, &mut shown);
        assert_eq!(first, [1, 2, 3, 255, 4, 5, 6, 255]);
        let mut second = vec![1, 2, 3, 255, 7, 5, 6, 255];
        keep_what_changed(&mut second, &mut shown);
        assert_eq!(second, [0, 0, 0, 0, 7, 5, 6, 255]);
        let mut third = vec![1, 2, 3, 255, 7, 5, 6, 255];
        keep_what_changed(&mut third, &mut shown);
        assert_eq!(third, [0; 8]);
    }
}
