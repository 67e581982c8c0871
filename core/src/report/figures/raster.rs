//! Pictures in dots: PNG of a drawing, GIF of many. Fonts come with the program, so that dots are the same everywhere.

use super::colours::colour_of;
use super::drawing::Drawing;
use crate::report::ReportError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// Levels of the field's colours in the palette of an animation, each in these shares over white: fading cells and edges. With
/// 32 colours in all a file is two thirds of one with 256, and no cell looks different.
const LEVELS: usize = 9;
const SHARES: [f64; 2] = [1.0, 0.5];
/// Greys from black to white.
const GREYS: usize = 13;
/// The entry that shows what was there before.
const UNCHANGED: u8 = 31;

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

/// The GIF file of an animation that repeats for ever; a frame stays for so many hundredths of a second.
///
/// One palette of our own for all frames: colours do not flicker, and what did not change costs nothing.
pub(super) fn gif(
    figure: &'static str,
    frames: impl Iterator<Item = (Drawing, u16)>,
    scale: f64,
) -> Result<Vec<u8>, ReportError> {
    let problem = |error: gif::EncodingError| ReportError::Picture { figure, problem: error.to_string() };
    let (options, palette) = (options(), Palette::new());
    let mut encoder = None;
    let mut shown = vec![];
    for (drawing, stays) in frames {
        let pixels = pixels(figure, &drawing, scale, &options)?;
        let (width, height) = (pixels.width() as u16, pixels.height() as u16);
        let dots: Vec<u8> =
            pixels.data().chunks_exact(4).map(|dot| palette.nearest([dot[0], dot[1], dot[2]])).collect();
        let mut frame = changed(&dots, &shown, width);
        (frame.delay, shown) = (stays, dots);
        let encoder = match &mut encoder {
            Some(encoder) => encoder,
            none => {
                let mut fresh = gif::Encoder::new(vec![], width, height, &palette.bytes()).map_err(problem)?;
                fresh.set_repeat(gif::Repeat::Infinite).map_err(problem)?;
                none.insert(fresh)
            }
        };
        encoder.write_frame(&frame).map_err(problem)?;
    }
    let empty = || ReportError::Picture { figure, problem: "no frames".into() };
    encoder.ok_or_else(empty)?.into_inner().map_err(problem)
}

/// The colours of an animation: those of the scale, over white, and greys.
struct Palette {
    colours: Vec<[u8; 3]>,
    /// The nearest of them for the first five bits of red, green and blue.
    nearest: Vec<u8>,
}

impl Palette {
    fn new() -> Self {
        let channel = |text: &str, at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or(0);
        let over_white = |x: u8, share: f64| (255.0 - share * (255.0 - f64::from(x))).round() as u8;
        let mut colours: Vec<[u8; 3]> =
            (0..GREYS).map(|k| [(k as f64 * 255.0 / (GREYS - 1) as f64).round() as u8; 3]).collect();
        for share in SHARES {
            colours.extend((0..LEVELS).map(|k| {
                let full = colour_of(k * 256 / (LEVELS - 1));
                [1, 3, 5].map(|at| over_white(channel(&full, at), share))
            }));
        }
        let middle = |bits: usize| if bits == 31 { 255 } else { (bits * 255 / 31) as i32 };
        let nearest = (0..1usize << 15).map(|key| {
            let wanted = [key >> 10, key >> 5 & 31, key & 31].map(middle);
            let off = |colour: &[u8; 3]| -> i32 {
                colour.iter().zip(wanted).map(|(&have, wanted)| (i32::from(have) - wanted).pow(2)).sum()
            };
            (0..colours.len()).min_by_key(|&k| off(&colours[k])).unwrap_or(0) as u8
        });
        Self { nearest: nearest.collect(), colours }
    }

    fn nearest(&self, [red, green, blue]: [u8; 3]) -> u8 {
        let bits = |x: u8| (usize::from(x) * 31 + 127) / 255;
        self.nearest[bits(red) << 10 | bits(green) << 5 | bits(blue)]
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colours.concat();
        bytes.resize(3 * (usize::from(UNCHANGED) + 1), 0);
        bytes
    }
}

/// The part of a frame that differs from the one before, with what is the same in it left out; all of the first.
fn changed(dots: &[u8], shown: &[u8], width: u16) -> gif::Frame<'static> {
    let across = usize::from(width);
    let differs = |at: usize| shown.get(at) != Some(&dots[at]);
    let places: Vec<usize> = (0..dots.len()).filter(|&at| differs(at)).collect();
    let columns = places.iter().map(|at| at % across);
    let (left, right) = (columns.clone().min().unwrap_or(0), columns.max().unwrap_or(0));
    let (top, bottom) = (places.first().map_or(0, |at| at / across), places.last().map_or(0, |at| at / across));
    let rows = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * across + x));
    let buffer: Vec<u8> = rows.map(|at| if differs(at) { dots[at] } else { UNCHANGED }).collect();
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(UNCHANGED),
        buffer: buffer.into(),
        ..gif::Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_holds_what_the_one_before_does_not_show() {
        let first = changed(&[1, 2, 3, 4, 5, 6], &[], 3);
        assert_eq!(
            (first.left, first.top, first.width, first.height, &first.buffer[..]),
            (0, 0, 3, 2, &[1, 2, 3, 4, 5, 6][..])
        );
        let second = changed(&[1, 7, 3, 4, 5, 8], &[1, 2, 3, 4, 5, 6], 3);
        assert_eq!((second.left, second.top, second.width, second.height), (1, 0, 2, 2));
        assert_eq!(second.buffer[..], [7, UNCHANGED, UNCHANGED, 8]);
        let same = changed(&[1, 2, 3], &[1, 2, 3], 3);
        assert_eq!((same.width, same.height, &same.buffer[..]), (1, 1, &[UNCHANGED][..]));
    }

    #[test]
    fn the_palette_keeps_white_the_ends_of_the_scale_and_a_free_entry() {
        let palette = Palette::new();
        assert_eq!(palette.colours.len(), usize::from(UNCHANGED));
        let shown = |colour: [u8; 3]| palette.colours[usize::from(palette.nearest(colour))];
        assert_eq!(shown([255; 3]), [255; 3]);
        for end in [[59, 76, 192], [180, 4, 38], [221, 221, 221]] {
            let off = shown(end).iter().zip(end).map(|(&a, b)| a.abs_diff(b)).max();
            assert!(off <= Some(8), "{end:?}: {:?}", shown(end));
        }
    }
}
