//! What is read of the inputs at each step of the trial, as a table that fits a terminal.

use crate::terminal::FAINT;
use ketbra::code::OverTime;

/// Time steps that are shown beside one another, at most.
const COLUMNS: usize = 10;

/// For each step of input how well its worst component is read at some steps of the trial.
pub(super) fn table(found: &OverTime) -> String {
    let steps = found.read.first().map_or(0, Vec::len);
    let each = found.contents.len() / found.input_steps.max(1);
    let shown = chosen(found.input_steps, steps);
    let by_chance = |t: usize| found.null.iter().filter_map(|row| row[t]).reduce(f64::max);
    let steps: String = shown.iter().map(|t| format!("{:>5}", t + 1)).collect();
    let mut text = format!("  {FAINT}{:<18}{steps}{FAINT:#}\n", "at step");
    for step in 0..found.input_steps {
        let worst =
            |t: usize| found.read[step * each..(step + 1) * each].iter().filter_map(|row| row[t]).reduce(f64::min);
        let cell = |t: &usize| match worst(*t) {
            None => "    .".to_string(),
            Some(share) if by_chance(*t).is_some_and(|most| share > most) => format!("{share:>5.2}"),
            Some(share) => format!("{FAINT}{share:>5.2}{FAINT:#}"),
        };
        let cells: String = shown.iter().map(cell).collect();
        text += &format!("  {:<18}{cells}\n", format!("input of step {}", step + 1));
    }
    let chance = |t: &usize| by_chance(*t).map_or("    .".to_string(), |most| format!("{most:>5.2}"));
    text + &format!("  {FAINT}{:<18}{}{FAINT:#}\n", "shuffled, at most", shown.iter().map(chance).collect::<String>())
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
