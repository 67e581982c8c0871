//! The first screen in words: what a network does and how sure that is, and its task, for a reader who does not know the theory.

use super::composition::noun;
use super::sentences::{capital, failures};
use crate::interpret::{Interpretation, Reason, Verdict};
use crate::network::Network;
use crate::task::{Function, Window};
use serde::Serialize;

/// The first sentences of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Story {
    /// What it does, and how sure that is by its claims.
    headline: String,
    /// What it is shown, and that it then goes on alone.
    shown: String,
    /// The same, and by which rule.
    task: String,
}

impl Story {
    pub(super) fn of(network: Option<&Network>, found: &Interpretation) -> Self {
        let shown = shown(found);
        Self { headline: headline(network, found), task: task(found, &shown), shown }
    }
}

pub(super) fn headline(network: Option<&Network>, found: &Interpretation) -> String {
    let this = network.map_or("This recorded network".into(), |network| format!("This {}", noun(network)));
    let count = found.code.as_ref().map_or(0, |code| code.count);
    let values = values(found, count);
    let name = found.task.name.as_deref().unwrap_or("its task");
    let claims = match found.claims.len() {
        1 => "the one claim that was tested holds".into(),
        all => format!("all {all} claims that were tested hold"),
    };
    match found.verdict {
        Verdict::Circuit => {
            let rule = if found.blind { "a rule that nobody told us" } else { "a rule that can be read" };
            format!(
                "{this} is a circuit: it keeps {values} in memory and makes each next output from them by {rule}; {claims}."
            )
        }
        Verdict::Superposed => {
            let (right, failed) = (share_right(found), found.claims.iter().filter(|claim| !claim.holds).count());
            let hidden = match found.not_linear.len() {
                0 => "they overlap".into(),
                some => format!("{some} of them cannot be read one by one"),
            };
            format!(
                "{this} {right}, but packs {values} into {} directions that do not fade: {hidden}, and {failed} of {} claims fail.",
                found.spectrum.lasting().found,
                found.claims.len()
            )
        }
        Verdict::Partial if matches!(found.reasons.first(), Some(Reason::DoesAndHolds { .. })) => format!(
            "{this} follows {} to the last step that was run, and {values} are read from its state; but it is no circuit in all parts: {}.",
            if found.blind { "one rule" } else { "its task" },
            failures(&found.claims)
        ),
        Verdict::Partial if found.task.name.is_none() => {
            format!("Only some outputs of {} follow a rule that can be read.", lower(&this))
        }
        Verdict::Partial => {
            let right = found.accuracy.as_ref().map_or(String::new(), |_| format!("it {}, and ", share_right(found)));
            format!("{this} is only in part the circuit of {name}: {right}{}.", failures(&found.claims))
        }
        Verdict::NotLearned if matches!(found.reasons.first(), Some(Reason::Silent { .. })) => {
            format!("{this} has not learned {name}: soon after the input ends, what it saw is forgotten.")
        }
        Verdict::NotLearned => match found.accuracy {
            Some(_) => format!("{this} has not learned {name}: it {}, where guessing gets 50 %.", share_right(found)),
            None => format!("{this} has not learned {name}."),
        },
        Verdict::Silent => format!(
            "{this} forgets these inputs when they end. That is no fault in a network whose task has inputs at every step."
        ),
        Verdict::OtherKind if matches!(found.reasons.first(), Some(Reason::SizesDiffer { .. })) => {
            let sizes = found.reasons.first().map_or(String::new(), ToString::to_string);
            format!("{this} is of another kind than those that go on alone: {sizes}.")
        }
        Verdict::OtherKind => {
            let does =
                if found.reasons.contains(&Reason::OnlyStays) { "it keeps what it has" } else { "it comes to rest" };
            format!(
                "{this} does not go on alone: when the inputs end, {does}. Latches and counters do that; their task has inputs at \
                 every step."
            )
        }
        Verdict::NotHeld => {
            "The outputs are right, but these recorded states do not hold what they are made from.".into()
        }
        Verdict::Unclear => {
            let why =
                found.reasons.first().map_or(String::new(), |reason| format!(" {}", capital(&reason.to_string())));
            format!("What {} computes, and how, cannot be told.{why}", lower(&this))
        }
    }
}

fn lower(this: &str) -> String {
    this.replacen('T', "t", 1)
}

/// What the contents are: bits where f keeps to +-1.
fn values(found: &Interpretation, count: usize) -> String {
    let binary = found.details.task.as_ref().is_none_or(Window::is_binary);
    match (binary, count) {
        (true, 1) => "1 bit".into(),
        (true, _) => format!("{count} bits"),
        (false, 1) => "1 number".into(),
        (false, _) => format!("{count} numbers"),
    }
}

/// Rounded as the figures are, but only what is always right is called 100 %.
fn share_right(found: &Interpretation) -> String {
    let value = found.accuracy.as_ref().map_or(0.0, |accuracy| accuracy.value);
    let percent = if value < 1.0 { ((value * 1e4).round() / 100.0).min(99.99) } else { 100.0 };
    format!("gets {percent}\u{a0}% of its outputs right")
}

/// Whether it does what its task asks for, by the limit of the claim; otherwise it only should.
fn does_its_task(found: &Interpretation) -> bool {
    found.accuracy.as_ref().is_none_or(|accuracy| accuracy.value >= found.params.claims.follows)
}

fn shown(found: &Interpretation) -> String {
    let (s, d, task) = (found.task.s, found.task.d, found.details.task.as_ref());
    let what = if task.is_none_or(Window::is_binary) { "bit" } else { "number" };
    let pattern = if d == 1 { String::new() } else { format!(" of {d} {what}s") };
    let shown = match (s, d) {
        (1, 1) => format!("one {what}"),
        (_, 1) => format!("{s} {what}s, one a step"),
        (1, _) => format!("one pattern{pattern}"),
        _ => format!("{s} patterns{pattern}, one a step"),
    };
    if found.blind {
        let alone = if found.verdict == Verdict::Circuit { "; it goes on alone" } else { "" };
        return format!("We showed it {shown}, and then nothing{alone}");
    }
    let goes_on = if does_its_task(found) { "then goes on alone" } else { "should then go on alone" };
    format!("It sees {shown}, and {goes_on}")
}

fn task(found: &Interpretation, shown: &str) -> String {
    let task = found.details.task.as_ref();
    let rule = task.map_or_else(|| "; what it should say is not known".into(), rule);
    let read = if found.blind && task.is_some() { " We read this rule from the network itself." } else { "" };
    format!("{shown}{rule}.{read}")
}

/// What follows "goes on alone".
fn rule(task: &Window) -> String {
    match task.function() {
        Function::Selection(sources) => {
            let same = |(j, source): (usize, &crate::task::Source)| {
                source.lag == task.s() && source.component == j && !source.negated
            };
            if sources.iter().enumerate().all(same) {
                return match task.s() {
                    1 => ", saying the same again at every step".into(),
                    s => format!(", saying the same {s} patterns again, over and over"),
                };
            }
            let back = sources.iter().map(|source| source.lag).max().unwrap_or(1);
            let steps = if back == 1 { "one step before".into() } else { format!("up to {back} steps before") };
            match sources.iter().filter(|source| source.negated).count() {
                0 => format!(": each next bit a copy of an earlier one, {steps}"),
                flipped => format!(
                    ": each next bit a copy of an earlier one, {steps}, {flipped} of {} with the sign flipped",
                    task.d()
                ),
            }
        }
        Function::Table(_) => ": each next bit made from earlier ones by logic, such as and, or, xor".into(),
        Function::Dense(_) => ": each next number a weighted sum of earlier ones".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_told_in_words() {
        let told = |name: &str, s, d| rule(&Window::named(name, s, d).unwrap());
        assert_eq!(told("repeat-copy", Some(8), Some(4)), ", saying the same 8 patterns again, over and over");
        assert_eq!(told("T2", None, None), ": each next bit a copy of an earlier one, up to 8 steps before");
        assert!(told("T3", None, None).ends_with("6 of 8 with the sign flipped"), "{}", told("T3", None, None));
    }
}
