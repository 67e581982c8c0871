//! What came of a course: a dot for each arm and seed.

use super::drawing::{Anchor, Area, Drawing, INK, LEARNED, SOFT};
use super::{Picture, WIDE};
use crate::reproduce::course::CourseRow;

/// Points between two arms, and room for what stands above and below them.
const ROW: f64 = 17.0;
const ABOVE: f64 = 20.0;
const BELOW: f64 = 26.0;
/// Room for the names of arms, and between two panels.
const NAMES: f64 = 138.0;
const GAP: f64 = 22.0;

/// Where a row lies in a panel, if anywhere.
type Place = Box<dyn Fn(&CourseRow) -> Option<f64>>;

/// What a panel shows: its title, its ticks, and where each row lies.
struct Panel {
    title: String,
    ticks: Vec<(f64, String)>,
    value: Place,
}

/// Accuracy in each context after the last stage; without contexts the steps to 0.99.
pub fn course_figure(rows: &[CourseRow]) -> Picture {
    let mut arms: Vec<&str> = vec![];
    rows.iter().for_each(|row| {
        if arms.last().is_none_or(|last| *last != row.arm) {
            arms.push(&row.arm);
        }
    });
    let panels = panels(rows);
    let height = ROW * arms.len() as f64;
    let mut drawing = Drawing::new(WIDE, ABOVE + height + BELOW);
    let width = (WIDE - NAMES - 10.0) / panels.len().max(1) as f64 - GAP;
    let level = |arm: usize| ABOVE + ROW * (arm as f64 + 0.5);
    for (k, name) in arms.iter().enumerate() {
        drawing.text((NAMES - 10.0, level(k)), 7.5, Anchor::End, INK, name);
    }
    for (k, panel) in panels.iter().enumerate() {
        let area = Area::new(NAMES + k as f64 * (width + GAP), ABOVE, width, height);
        let (low, high) = match (panel.ticks.first(), panel.ticks.last()) {
            (Some((low, _)), Some((high, _))) if high > low => (*low, *high),
            _ => continue,
        };
        let across = |value: f64| area.x + area.width * (value.clamp(low, high) - low) / (high - low);
        for (value, name) in &panel.ticks {
            drawing.line((across(*value), area.y), (across(*value), area.bottom()), "#d9dce1", 0.6);
            drawing.text((across(*value), area.bottom() + 9.0), 6.5, Anchor::Middle, INK, name);
        }
        drawing.text((area.x + area.width / 2.0, area.y - 9.0), 7.5, Anchor::Middle, SOFT, &panel.title);
        for row in rows {
            let Some(arm) = arms.iter().position(|arm| *arm == row.arm) else { continue };
            if let Some(value) = (panel.value)(row) {
                let attributes = format!(r#"fill="{LEARNED}" fill-opacity="0.55""#);
                drawing.circle((across(value), level(arm)), 2.6, &attributes);
            }
        }
    }
    let seeds = rows.iter().map(|row| row.seed).max().unwrap_or(0);
    let caption = match rows.first().is_some_and(|row| row.contexts.is_empty()) {
        true => format!("Steps to 0.99 of the signs, {seeds} seeds; an arm without dots never gets there."),
        false => format!("Accuracy in each context after the last stage, {seeds} seeds."),
    };
    Picture { name: "course", caption, drawing }
}

fn panels(rows: &[CourseRow]) -> Vec<Panel> {
    let contexts: Vec<String> = rows.first().map_or(vec![], |row| row.contexts.keys().cloned().collect());
    if contexts.is_empty() {
        let most = rows.iter().filter_map(|row| row.steps_to_99).max().unwrap_or(1);
        let every = most.div_ceil(5).next_multiple_of(100);
        let ticks = (0..=5).map(|k| ((k * every) as f64, (k * every).to_string())).collect();
        let value = Box::new(|row: &CourseRow| row.steps_to_99.map(|steps| steps as f64));
        return vec![Panel { title: "steps to 0.99".into(), ticks, value }];
    }
    let panel = |context: String| {
        let title = format!("accuracy on {context}");
        let value = Box::new(move |row: &CourseRow| row.contexts.get(&context).copied());
        Panel { title, ticks: [0.4, 0.6, 0.8, 1.0].map(|at| (at, at.to_string())).into(), value }
    };
    contexts.into_iter().map(panel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(arm: &str, seed: u64, steps_to_99: Option<u64>, contexts: &[(&str, f64)]) -> CourseRow {
        let contexts = contexts.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let (run, arm) = (String::new(), arm.to_string());
        CourseRow { arm, seed, run, steps: 10, steps_to_99, accuracy: 1.0, learned: true, contexts }
    }

    fn dots(picture: &Picture) -> usize {
        picture.svg().matches("<circle").count()
    }

    #[test]
    fn every_network_is_a_dot_in_every_context() {
        let both = [("a", 1.0), ("b", 0.5)];
        let rows = [row("plain", 1, None, &both), row("plain", 2, None, &both), row("protected", 1, None, &both)];
        let picture = course_figure(&rows);
        assert_eq!(dots(&picture), 6);
        assert!(
            ["accuracy on a", "accuracy on b", ">plain<", ">protected<"].iter().all(|of| picture.svg().contains(of))
        );
    }

    #[test]
    fn a_network_that_never_gets_there_has_no_dot() {
        let rows = [row("free", 1, Some(700), &[]), row("free", 2, Some(900), &[]), row("frozen", 1, None, &[])];
        let picture = course_figure(&rows);
        assert_eq!(dots(&picture), 2);
        assert!(picture.svg().contains(">1000<") && picture.svg().contains(">frozen<"), "{}", picture.svg());
        assert_eq!(dots(&course_figure(&[])), 0);
    }
}
