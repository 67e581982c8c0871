//! A network with several functions: each context, what they share, where the cue acts.

use super::summary;
use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::{FAINT, GOOD, WARN, answer, title};
use ketbra::interpret::{
    Cue, InContexts, InterpretParams, Interpretation, Shared, interpret_context, interpret_contexts,
};
use ketbra::network::NetworkFile;
use ketbra::task::Window;
use std::fmt::Write;
use std::path::Path;

fn no_page() -> Failure {
    Failure::bad_input("a page shows a network with one function; leave --out out, and use --json for the numbers")
}

/// One context.
pub fn one(
    file: &NetworkFile,
    task: &Window,
    name: &str,
    params: &InterpretParams,
    page: bool,
) -> Result<Interpretation, Failure> {
    if page {
        return Err(no_page());
    }
    let context = task.context(name)?;
    Ok(interpret_context(&file.network, task, context, params, &|_| !interrupt::asked())?)
}

/// All of them.
pub fn run(
    path: &Path,
    file: &NetworkFile,
    task: &Window,
    params: &InterpretParams,
    json: bool,
    page: bool,
) -> Result<(), Failure> {
    if page {
        return Err(no_page());
    }
    let found = interpret_contexts(&file.network, task, params, &|_| !interrupt::asked())?;
    answer(json, &found, || in_words(path, &found));
    Ok(())
}

fn in_words(path: &Path, found: &InContexts) -> String {
    let mut text = title(&format!("{}: {} functions in one network", path.display(), found.contexts.len()));
    for of in &found.contexts {
        text += &summary::row(Path::new(&of.context), &of.found);
        let _ = writeln!(text, "    {FAINT}{}{FAINT:#}", cue(&of.cue));
    }
    for pair in &found.pairs {
        text += &shared(pair);
    }
    match found.conclusion() {
        Some(conclusion) => {
            let _ = writeln!(text, "{GOOD}{conclusion}{GOOD:#}");
        }
        None => found.failing.iter().for_each(|why| {
            let _ = writeln!(text, "{WARN}fails:{WARN:#} {why}");
        }),
    }
    text
}

fn cue(cue: &Cue) -> String {
    let mut text =
        format!("cue: {:.1} times an input, saturates {:.0} % of the units", cue.size, 100.0 * cue.saturated);
    if let (Some(inside), Some(chance)) = (cue.in_memories, cue.by_chance) {
        let _ = write!(
            text,
            "; {:.0} % of it in the space of the memories (by chance {:.0} %)",
            100.0 * inside,
            100.0 * chance
        );
    }
    let written: Vec<String> = cue
        .written
        .iter()
        .take(2)
        .map(|(into, by)| format!("variable {} component {} by {by:+.2}", into.variable, into.component))
        .collect();
    if !written.is_empty() {
        let _ = write!(text, "; most into {}", written.join(", "));
    }
    text
}

fn shared(pair: &Shared) -> String {
    let [a, b] = &pair.contexts;
    let mut text = format!("{a} and {b}: ");
    match &pair.angles {
        Some(angles) => {
            let _ = write!(
                text,
                "share {:.0} % of the space of their memories (by chance {:.0} %); {} memories of {a} lie in that of {b}, {} do not",
                100.0 * angles.shared,
                100.0 * angles.by_chance,
                pair.shared.len(),
                pair.apart.len()
            );
        }
        None => text.push_str("no memories to compare"),
    }
    if let Some(obeyed) = pair.cue_obeyed {
        let _ = write!(text, "; the cue decides {:.1} % of the outputs that differ", 100.0 * obeyed);
    }
    text + "\n"
}
