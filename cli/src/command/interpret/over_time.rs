//! What is read of the inputs at each step of the trial, as a table that fits a terminal.

use crate::terminal::{FAINT, WARN};
use ketbra::code::OverTime;
use std::fmt::Write;

/// Time steps that are shown beside one another, at most.
const COLUMNS: usize = 10;

/// For each step of input how well its worst component is read at some steps of the trial.
pub(super) fn table(found: &OverTime) -> String {
    let steps = found.read.first().map_or(0, Vec::len);
    let each = found.contents.len() / found.input_steps.max(1);
    let shown = chosen(found.input_steps, steps);
    let mut text = format!("  {FAINT}{:<18}", "at step");
    shown.iter().for_each(|t| drop(write!(text, "{:>5}", t + 1)));
    let _ = writeln!(text, "{FAINT:#}");
    let worst = |rows: std::ops::Range<usize>, of: &[Vec<Option<f64>>], t: usize, null: bool| {
        let values = rows.filter_map(|k| of[k][t]);
        if null { values.fold(None, |most: Option<f64>, x| Some(most.map_or(x, |most| most.max(x)))) } else { values.reduce(f64::min) }
    };
    for step in 0..found.input_steps {
        let _ = write!(text, "  {:<18}", format!("input of step {}", step + 1));
        for &t in &shown {
            let rows = step * each..(step + 1) * each;
            let by_chance = worst(0..found.contents.len(), &found.null, t, true).unwrap_or(1.0);
            let _ = match worst(rows, &found.read, t, false) {
                None => write!(text, "    ."),
                Some(share) if share > by_chance => write!(text, "{share:>5.2}"),
                Some(share) => write!(text, "{WARN}{share:>5.2}{WARN:#}"),
            };
        }
        text.push('\n');
    }
    let _ = write!(text, "  {FAINT}{:<18}", "shuffled, at most");
    for &t in &shown {
        let by_chance = worst(0..found.contents.len(), &found.null, t, true);
        let _ = by_chance.map_or_else(|| write!(text, "    ."), |share| write!(text, "{share:>5.2}"));
    }
    let _ = writeln!(text, "{FAINT:#}");
    text
}

/// Steps that are shown: the last of the inputs, the first after it, the last of all, and some between, more of them early on.
fn chosen(input_steps: usize, steps: usize) -> Vec<usize> {
    if steps <= COLUMNS {
        return (0..steps).collect();
    }
    let mut shown: Vec<usize> = vec![input_steps.saturating_sub(1), input_steps.min(steps - 1), steps - 1];
    let mut after = 2;
    while shown.len() < COLUMNS && input_steps + after < steps {
        shown.push(input_steps + after - 1);
        after += after.div_ceil(2);
    }
    shown.sort_unstable();
    shown.dedup();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_where_inputs_end_and_the_last_one_are_shown() {
        assert_eq!(chosen(4, 8), (0..8).collect::<Vec<_>>());
        let shown = chosen(8, 32);
        assert!(shown.len() <= COLUMNS && shown.contains(&7) && shown.contains(&8) && shown.contains(&31), "{shown:?}");
    }
}
