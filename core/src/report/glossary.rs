//! The words of the page that are ours, each with one definition: wherever a word stands, this is what it means.

use serde::Serialize;

/// A word and what it means.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Term {
    /// The word as its definition begins.
    name: &'static str,
    /// The forms in which it stands in sentences, lower case.
    forms: &'static [&'static str],
    means: &'static str,
}

const fn term(name: &'static str, forms: &'static [&'static str], means: &'static str) -> Term {
    Term { name, forms, means }
}

/// Longer forms are found before shorter ones, whatever their order here.
pub(super) const TERMS: &[Term] = &[
    term(
        "circuit",
        &["circuit"],
        "A network whose state is a set of memories that hand their contents on as the rule f says. The verdict, where every claim holds.",
    ),
    term(
        "superposed",
        &["superposed", "superposition"],
        "More contents than directions: several contents share a direction, and only their being +1 or −1 tells them apart.",
    ),
    term("partial", &["only in part", "partial"], "A verdict: some claims hold and others do not."),
    term(
        "claim",
        &["claim", "claims"],
        "A statement about the network that was measured on fresh inputs and could have failed.",
    ),
    term(
        "control",
        &["control"],
        "The same procedure where there is nothing to find, such as the same weights in shuffled order. What it finds there means nothing.",
    ),
    term(
        "variable",
        &["variable", "variables"],
        "A place in memory for one pattern. Variable 1 holds the oldest pattern that is kept, the last one the newest.",
    ),
    term("component", &["component", "components"], "One bit (or number) of a pattern; u3 is the third."),
    term(
        "contents",
        &["content", "contents"],
        "What a variable holds now: past outputs of the network that the rule f still needs.",
    ),
    term(
        "memory",
        &["memory", "memories", "variable memories"],
        "A direction in the state that stands for one content: more of it, and that content is +1; less, and it is −1.",
    ),
    term("code", &["code"], "Which state stands for which contents: the mean state plus one memory for each content."),
    term(
        "rule f",
        &["rule", "f"],
        "How each next output follows from earlier ones. u3 = −u5[t−4] says: output 3 is output 5 of four steps before, with its sign flipped.",
    ),
    term("hidden unit", &["hidden unit", "hidden units", "units"], "One number of the network's state."),
    term(
        "accuracy",
        &["accuracy"],
        "Share of outputs whose sign is right, over the steps after the input has ended. Guessing gets 0.5.",
    ),
    term(
        "explained",
        &["explained"],
        "Share of the variance of fresh states that the contents account for. 1 means that the state holds nothing else.",
    ),
    term(
        "read linearly",
        &["read linearly", "linear reading", "linear reader"],
        "Got from the state by a weighted sum of its units, and its sign.",
    ),
    term(
        "eigenvalue",
        &["eigenvalue", "eigenvalues"],
        "One way in which the state can turn from step to step: its angle says how fast, its size whether it grows, lasts or fades.",
    ),
    term("spectrum", &["spectrum"], "All eigenvalues of one step."),
    term(
        "angle error",
        &["spectral error", "angle error", "angle errors"],
        "How far the angles of the learned eigenvalues lie from those that the rule asks for, in radians; undefined where their numbers differ.",
    ),
    term("lasting", &["lasting", "lasts"], "Neither fading nor growing: an eigenvalue on the circle of radius 1."),
    term("on the orbit", &["orbit"], "The states that the network really runs through after the input has ended."),
    term("at the origin", &["origin"], "Around the state in which every unit is 0."),
    term(
        "step matrix",
        &["step matrix", "one step"],
        "What one step of the network does to the contents: row by row, where each content comes from.",
    ),
    term("remainder ⊥", &["remainder", "⊥"], "Directions of the state beside the memories."),
    term(
        "cycle",
        &["cycle", "cycles"],
        "Contents that go round: after so many steps each is back where it was, perhaps with its sign flipped. A cycle of n contents has n eigenvalues, evenly spread.",
    ),
    term(
        "product memory",
        &["product memory", "product memories"],
        "A direction that stands for the product of contents. Networks with logic in their rule have them beside the memories.",
    ),
    term(
        "rider",
        &["rider", "riders", "rides"],
        "A content that shares the direction of another one, its host, at a smaller size: four levels on one line.",
    ),
    term(
        "gate",
        &["gate", "gates"],
        "A number between 0 and 1 for each unit of a GRU or LSTM that decides what passes.",
    ),
    term(
        "truth table",
        &["truth table", "truth tables"],
        "The output for every combination of the bits that it depends on.",
    ),
    term("horizon", &["horizon"], "Output steps that the network is asked for in training or test."),
    term(
        "fresh inputs",
        &["fresh inputs", "fresh input", "fresh states"],
        "Random inputs that nothing was fitted on, and the states that follow.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_one_meaning() {
        let mut forms: Vec<&str> = TERMS.iter().flat_map(|term| term.forms).copied().collect();
        let all = forms.len();
        forms.sort_unstable();
        forms.dedup();
        assert_eq!(forms.len(), all);
        assert!(TERMS.iter().all(|term| term.means.ends_with('.') && term.means.len() < 220));
    }
}
