//! Overlaps as a picture: one row a memory, time to the right.

use super::{RecallError, Retrieval, glyphs};

/// One heat map of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Said above it.
    pub title: &'a str,
    /// What a row is, e.g. `memory`.
    pub row: &'a str,
    /// What runs to the right, e.g. `time`.
    pub time: &'a str,
    /// The overlaps.
    pub retrieval: &'a Retrieval,
}

type Colour = [u8; 3];

const PAPER: Colour = [255, 255, 255];
const INK: Colour = [34, 34, 34];

/// Blue through grey to red (after Moreland, 2009): safe for colour-blind readers, symmetric about zero.
const SCALE: [Colour; 5] = [[59, 76, 192], [141, 176, 254], [232, 232, 232], [244, 152, 122], [180, 4, 38]];

/// Sizes in pixels.
const WIDTH: usize = 1280;
const MAP_LEFT: usize = 130;
const MAP_WIDTH: usize = 1000;
const MAP_HEIGHT: usize = 272;
const PANEL_HEIGHT: usize = 452;
const MAP_TOP: usize = 92;
const TITLE_BASELINE: usize = 46;
const BAR_LEFT: usize = MAP_LEFT + MAP_WIDTH + 36;
const BAR_WIDTH: usize = 22;
const TICK: usize = 7;
/// Pixels of the picture for one pixel of a glyph: titles, labels.
const TITLE: usize = 3;
const LABEL: usize = 2;
/// Rows are numbered unless there are more than this; a wider map gets this many ticks at most.
const MOST_NUMBERED: usize = 16;

/// The panels one below the other, as PNG.
///
/// No font or locale of the machine is used: the same overlaps give the same bytes.
pub fn figure_png(panels: &[Panel<'_>]) -> Result<Vec<u8>, RecallError> {
    let mut canvas = Canvas::new(WIDTH, PANEL_HEIGHT * panels.len());
    for (k, panel) in panels.iter().enumerate() {
        draw_panel(&mut canvas, panel, k * PANEL_HEIGHT);
    }
    canvas.into_png()
}

fn draw_panel(canvas: &mut Canvas, panel: &Panel<'_>, top: usize) {
    let retrieval = panel.retrieval;
    let (columns, rows) = (retrieval.times.len(), retrieval.memories());
    let (map_top, bottom) = (top + MAP_TOP, top + MAP_TOP + MAP_HEIGHT);
    canvas.text(MAP_LEFT, top + TITLE_BASELINE, panel.title, TITLE, Align::Left);
    let (row_edge, column_edge) = (edges(MAP_HEIGHT, rows), edges(MAP_WIDTH, columns));
    for (column, overlaps) in retrieval.overlaps.iter().enumerate() {
        for (row, overlap) in overlaps.iter().enumerate() {
            let (x, y) = (MAP_LEFT + column_edge(column), map_top + row_edge(row));
            let (width, height) = (column_edge(column + 1) - column_edge(column), row_edge(row + 1) - row_edge(row));
            // A white line between rows, as is the habit for variables.
            let gap = usize::from(rows <= MOST_NUMBERED) * 2;
            canvas.fill(x, y, width, height.saturating_sub(gap), colour(*overlap));
        }
    }
    canvas.text(MAP_LEFT - 14, map_top - 12, panel.row, LABEL, Align::Right);
    let stride = rows.div_ceil(MOST_NUMBERED).max(1);
    for row in (0..rows).step_by(stride) {
        let middle = map_top + (row_edge(row) + row_edge(row + 1)) / 2;
        canvas.text(MAP_LEFT - 14, middle + 6, &(row + 1).to_string(), LABEL, Align::Right);
    }
    draw_time_axis(canvas, panel, bottom);
    draw_colour_bar(canvas, map_top);
}

fn draw_time_axis(canvas: &mut Canvas, panel: &Panel<'_>, bottom: usize) {
    let times = &panel.retrieval.times;
    let column_edge = edges(MAP_WIDTH, times.len());
    let stride = tick_stride(times);
    for (column, time) in times.iter().enumerate() {
        if (time / stride - (time / stride).round()).abs() > 1e-9 {
            continue;
        }
        let x = MAP_LEFT + (column_edge(column) + column_edge(column + 1)) / 2;
        canvas.fill(x, bottom, 2, TICK, INK);
        canvas.text(x + 1, bottom + TICK + 24, &format!("{time}"), LABEL, Align::Centre);
    }
    canvas.text(MAP_LEFT + MAP_WIDTH / 2, bottom + TICK + 52, panel.time, LABEL, Align::Centre);
}

/// A round distance of ticks: 1, 2 or 5 times a power of ten.
fn tick_stride(times: &[f64]) -> f64 {
    let span = times.last().copied().unwrap_or(0.0);
    let least = (span / MOST_NUMBERED as f64).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|stride| *stride >= least).unwrap_or(least)
}

fn draw_colour_bar(canvas: &mut Canvas, map_top: usize) {
    for y in 0..MAP_HEIGHT {
        let value = 1.0 - 2.0 * y as f64 / (MAP_HEIGHT - 1) as f64;
        canvas.fill(BAR_LEFT, map_top + y, BAR_WIDTH, 1, colour(value));
    }
    for (label, y) in [("+1", 0), ("0", MAP_HEIGHT / 2), ("-1", MAP_HEIGHT)] {
        canvas.fill(BAR_LEFT + BAR_WIDTH, (map_top + y).saturating_sub(1), TICK, 2, INK);
        canvas.text(BAR_LEFT + BAR_WIDTH + TICK + 8, map_top + y + 6, label, LABEL, Align::Left);
    }
    canvas.text(BAR_LEFT + BAR_WIDTH / 2, map_top - 12, "overlap", LABEL, Align::Centre);
}

/// Where the k-th of `count` equal parts of a length begins.
fn edges(length: usize, count: usize) -> impl Fn(usize) -> usize {
    move |k| k * length / count.max(1)
}

fn colour(overlap: f64) -> Colour {
    let place = (overlap.clamp(-1.0, 1.0) + 1.0) / 2.0 * (SCALE.len() - 1) as f64;
    let below = (place as usize).min(SCALE.len() - 2);
    let share = place - below as f64;
    std::array::from_fn(|channel| {
        let (low, high) = (f64::from(SCALE[below][channel]), f64::from(SCALE[below + 1][channel]));
        (low + share * (high - low)).round() as u8
    })
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Centre,
    Right,
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: PAPER.repeat(width * height) }
    }

    fn fill(&mut self, left: usize, top: usize, width: usize, height: usize, colour: Colour) {
        let right = (left + width).min(self.width);
        for y in top..(top + height).min(self.height) {
            for x in left..right {
                self.pixels[3 * (y * self.width + x)..][..3].copy_from_slice(&colour);
            }
        }
    }

    /// Writes on a baseline.
    fn text(&mut self, x: usize, baseline: usize, text: &str, scale: usize, align: Align) {
        let advance = (glyphs::SIZE.0 + 1) * scale;
        let length = (text.chars().count() * advance).saturating_sub(scale);
        let left = match align {
            Align::Left => x,
            Align::Centre => x.saturating_sub(length / 2),
            Align::Right => x.saturating_sub(length),
        };
        let top = baseline.saturating_sub(glyphs::BASELINE * scale);
        for (k, character) in text.chars().enumerate() {
            for (row, bits) in glyphs::rows(character).into_iter().enumerate() {
                for column in (0..glyphs::SIZE.0).filter(|column| bits >> (glyphs::SIZE.0 - 1 - column) & 1 == 1) {
                    self.fill(left + k * advance + column * scale, top + row * scale, scale, scale, INK);
                }
            }
        }
    }

    fn into_png(self) -> Result<Vec<u8>, RecallError> {
        let failed = |error: png::EncodingError| RecallError::Picture(error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_symmetric_and_never_leaves_its_ends() {
        assert_eq!(colour(0.0), SCALE[2]);
        assert_eq!((colour(7.0), colour(-7.0)), (SCALE[4], SCALE[0]));
    }

    #[test]
    fn every_word_of_a_figure_can_be_drawn() {
        for character in "memory variable time step overlap +1 0 -1 (t) 23.456,789:".chars().filter(|c| *c != ' ') {
            assert_ne!(glyphs::rows(character), [0; 9], "no glyph for {character}");
        }
    }

    #[test]
    fn the_same_overlaps_give_the_same_bytes_and_empty_ones_a_picture() {
        let retrieval = Retrieval { times: vec![0.0, 1.0], overlaps: vec![vec![1.0, -0.5], vec![0.0, 0.2]] };
        let panel = Panel { title: "a", row: "memory", time: "step", retrieval: &retrieval };
        assert_eq!(figure_png(&[panel, panel]).unwrap(), figure_png(&[panel, panel]).unwrap());
        let nothing = Retrieval { times: vec![], overlaps: vec![] };
        assert!(figure_png(&[Panel { retrieval: &nothing, ..panel }]).unwrap().starts_with(b"\x89PNG"));
    }
}
