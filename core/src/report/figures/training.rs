//! The course of training: its curves, and with weights that were kept on the way the spectrum walking to the circle.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT, number};
use super::spectrum::draw_eigenvalues;
use super::{NARROW, Picture, raster};
use crate::interpret::Interpretation;
use crate::report::{ReportError, Snapshot, Training};

/// Hundredths of a second that a moment of training stays, and the last one.
const STAYS: u16 = 30;
const LAST_STAYS: u16 = 250;
/// Points across the animation.
const ACROSS: f64 = 400.0;
const LOSS: &str = "#3b4cc0";
/// Height of one curve, and from the top of one to that of the next.
const HIGH: f64 = 62.0;
const APART: f64 = 76.0;

/// One curve: its values, its range, where it is marked and with what.
struct Curve {
    name: &'static str,
    colour: &'static str,
    values: Vec<f64>,
    range: (f64, f64),
    ticks: Vec<(f64, String)>,
}

pub(super) fn curves(training: &Training) -> Picture {
    let mut drawing = Drawing::new(NARROW, 3.0 * APART + 36.0);
    draw_curves(&mut drawing, Area::new(44.0, 10.0, NARROW - 54.0, 3.0 * APART), training, None);
    let caption = "Accuracy and loss of the batches over training, and the output steps that were asked for (horizon).";
    Picture { name: "training", caption: caption.into(), drawing }
}

/// The spectrum as it changes in training, beside the curves: a GIF `width` dots wide.
///
/// Nothing where no weights were kept ([`Training::snapshots`]).
pub fn training_animation(
    training: &Training,
    found: &Interpretation,
    width: u16,
) -> Result<Option<Vec<u8>>, ReportError> {
    let known = found.spectrum.origin.as_ref().unwrap_or(&found.spectrum.orbit);
    let all = &training.snapshots;
    let frames = all.iter().enumerate().map(|(k, moment)| {
        let stays = if k + 1 == all.len() { LAST_STAYS } else { STAYS };
        (frame(training, moment, &known.theory), stays)
    });
    match all.is_empty() {
        true => Ok(None),
        false => raster::gif("training", frames, f64::from(width) / ACROSS).map(Some),
    }
}

fn frame(training: &Training, moment: &Snapshot, theory: &[[f64; 2]]) -> Drawing {
    let mut drawing = Drawing::new(ACROSS, 3.0 * APART + 46.0);
    draw_eigenvalues(&mut drawing, Area::new(28.0, 26.0, 196.0, 196.0), &moment.eigenvalues, theory);
    let beside = Area::new(270.0, 26.0, ACROSS - 280.0, 3.0 * APART);
    draw_curves(&mut drawing, beside, training, Some(moment.step as f64));
    drawing.text((126.0, 9.0), 9.0, Anchor::Middle, INK, &format!("step {}", moment.step));
    for (k, part) in moment.note.split(", ").take(2).enumerate() {
        drawing.text((126.0, 246.0 + 10.0 * k as f64), 7.5, Anchor::Middle, SOFT, part);
    }
    drawing
}

/// Accuracy, loss and horizon below each other over one axis of steps, with a line at a moment.
fn draw_curves(drawing: &mut Drawing, area: Area, training: &Training, moment: Option<f64>) {
    let last = training.step.last().copied().unwrap_or(1.0).max(1.0);
    let x = |step: f64| area.x + area.width * step / last;
    let mut below = area.y;
    for (k, curve) in of(training).into_iter().enumerate() {
        let area = Area { y: area.y + k as f64 * APART, height: HIGH, ..area };
        below = area.bottom();
        let (low, high) = curve.range;
        let y = |value: f64| area.bottom() - area.height * (value.clamp(low, high) - low) / (high - low);
        for (value, text) in &curve.ticks {
            drawing.line((area.x, y(*value)), (area.right(), y(*value)), "#e6e8ec", 0.4);
            drawing.text((area.x - 3.0, y(*value)), 6.5, Anchor::End, SOFT, text);
        }
        drawing.rectangle(area, r##"fill="none" stroke="#b8bcc4" stroke-width="0.5""##);
        let points = training.step.iter().zip(&curve.values).map(|(step, value)| (x(*step), y(*value)));
        let look = format!(r#"fill="none" stroke="{}" stroke-width="0.9" stroke-linejoin="round""#, curve.colour);
        drawing.polyline(points, &look);
        drawing.upward_text((area.x - 32.0, area.y + HIGH / 2.0), 7.5, INK, curve.name);
        if let Some(step) = moment {
            drawing.line((x(step), area.y), (x(step), area.bottom()), INK, 0.8);
        }
    }
    for (step, text) in round_ticks(0.0, last, (area.width / 34.0) as usize) {
        drawing.line((x(step), below), (x(step), below + 2.5), SOFT, 0.5);
        drawing.text((x(step), below + 7.0), 6.5, Anchor::Middle, SOFT, &text);
    }
    drawing.text((area.x + area.width / 2.0, below + 17.0), 7.5, Anchor::Middle, INK, "optimizer step");
}

fn of(training: &Training) -> [Curve; 3] {
    let logs: Vec<f64> = training.loss.iter().map(|loss| loss.max(1e-12).log10()).collect();
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min).floor().min(-1.0);
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().max(least + 1.0);
    // Every power of ten, or every second or third where there are many.
    let every = ((most - least) as usize).div_ceil(4).max(1);
    let powers = (least as i32..=most as i32).rev().step_by(every).map(|p| (f64::from(p), power(p))).collect();
    let longest = training.horizon.iter().copied().fold(1.0, f64::max);
    let worst = training.accuracy.iter().copied().fold(0.45, f64::min);
    [
        Curve {
            name: "accuracy",
            colour: LEARNED,
            values: training.accuracy.clone(),
            range: (worst, 1.02),
            ticks: vec![(0.5, "0.5".into()), (0.75, "0.75".into()), (1.0, "1".into())],
        },
        Curve { name: "loss", colour: LOSS, values: logs, range: (least, most), ticks: powers },
        Curve {
            name: "horizon",
            colour: SOFT,
            values: training.horizon.clone(),
            range: (0.0, 1.05 * longest),
            ticks: round_ticks(0.0, longest, 4),
        },
    ]
}

fn power(exponent: i32) -> String {
    if exponent == 0 { "1".into() } else { format!("1e{exponent}") }
}

/// Round numbers from `low` to `high`, about `most` of them: 1, 2 or 5 times a power of ten apart.
pub(super) fn round_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let least = ((high - low) / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let unit = 10f64.powf(least.log10().floor());
    let apart = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|apart| *apart >= 0.999 * least);
    let Some(apart) = apart.filter(|apart| apart.is_normal()) else { return vec![] };
    let first = (low / apart - 1e-9).ceil() as i64;
    let last = (high / apart + 1e-9).floor() as i64;
    (first..=last).map(|k| (k as f64 * apart, short(k as f64 * apart))).collect()
}

/// Thousands as k.
fn short(value: f64) -> String {
    if value.abs() >= 10_000.0 { format!("{}k", number(value / 1000.0)) } else { number(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        let texts =
            |low, high, most| round_ticks(low, high, most).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(0.0, 20_000.0, 5), ["0", "5000", "10k", "15k", "20k"]);
        assert_eq!(texts(0.0, 100.0, 4), ["0", "50", "100"]);
        assert_eq!(texts(0.0, 24.0, 10), ["0", "5", "10", "15", "20"]);
        assert!(texts(0.0, 0.0, 5).len() <= 1);
    }

    #[test]
    fn curves_have_ticks_on_every_axis() {
        let text = "step,horizon,loss,accuracy\n100,10,0.9,0.5\n10000,60,0.0001,0.99\n";
        let svg = curves(&Training::from_csv(text, 10).unwrap()).svg();
        for name in ["accuracy", "loss", "horizon", "optimizer step", "0.75", "1e-2", "40", "8000"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}");
        }
    }
}
