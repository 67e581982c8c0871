//! From claims to a verdict.

use super::{Claim, ClaimName, ClaimParams, Grounds, Reason, all_hold, holds};
use crate::observe::Kind;
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// What a network comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every claim holds.
    Circuit,
    /// Contents share directions.
    Superposed,
    /// Some claims hold.
    Partial,
    /// It was told a task, and the outputs do not follow it.
    NotLearned,
    /// Nobody gave a task, and activity dies out when the inputs end.
    Silent,
    /// Nobody gave a task, and it is not of the kind that sees some inputs and then goes on alone.
    OtherKind,
    /// The outputs are right, but the states do not hold the contents.
    NotHeld,
    /// Not enough to tell.
    Unclear,
}

impl Verdict {
    /// Every verdict, the best first.
    pub const ALL: [Self; 8] = [
        Self::Circuit,
        Self::Superposed,
        Self::Partial,
        Self::NotLearned,
        Self::Silent,
        Self::OtherKind,
        Self::NotHeld,
        Self::Unclear,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Circuit => "circuit",
            Self::Superposed => "superposed",
            Self::Partial => "partial",
            Self::NotLearned => "not-learned",
            Self::Silent => "silent",
            Self::OtherKind => "other-kind",
            Self::NotHeld => "not-held",
            Self::Unclear => "unclear",
        }
    }

    /// What it means, in one sentence.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Circuit => {
                "Every claim holds: driven as stated, the network does its task to the last step that was run, its state is a \
                 code of the contents that the function needs, and each step moves them as the function says."
            }
            Self::Superposed => {
                "Most outputs are right, none of those that are held falls to chance, and the state is mostly a code \
                 of the contents, but with fewer directions that do not fade than contents: some of them share directions, and are told \
                 apart as signs."
            }
            Self::Partial => "Some claims hold and others do not; the list says which.",
            Self::NotLearned => {
                "It was told a task, and no output follows it more often than chance, or activity dies out that should last."
            }
            Self::Silent => {
                "No task was given, and driven as stated the network forgets its inputs when they end. It may do another task, \
                 with inputs at every step."
            }
            Self::OtherKind => {
                "No task was given, and the network does not go on alone after some inputs: it comes to rest, or its outputs \
                 cannot be its inputs. Latches, counters and grammars are of that kind; what they do with inputs at every step \
                 was not looked at."
            }
            Self::NotHeld => {
                "The outputs are right, but these states do not hold the contents: other units, noise, or episodes that do not \
                 belong together."
            }
            Self::Unclear => "There is not enough to tell; the reasons say what would help.",
        }
    }
}

/// What the verdict is drawn from.
pub struct Findings<'a> {
    /// Late activity as a share of the largest.
    pub persistence: f64,
    /// Whether f itself forgets.
    pub fades: bool,
    /// How many contents f keeps.
    pub contents: usize,
    /// Whether they are +-1: only then can they share directions and still be read.
    pub signs: bool,
    /// Which outputs are held over the first s output steps; nothing where no function is known.
    pub held: Option<&'a [bool]>,
    /// Outputs (from 1) whose source was identified although the function as a whole is not known.
    pub identified: &'a [usize],
    /// Outputs in all.
    pub outputs: usize,
    /// The least share of right signs of an output that is held, in any quarter of a long output phase.
    pub lasting: f64,
    /// Lasting directions on the orbit, found and needed.
    pub directions: (usize, usize),
    /// Whether every content has a direction of its own in the code.
    pub independent: bool,
    /// Contents on cycles that pass through held outputs only.
    pub held_core: usize,
    /// Where there are fewer directions than contents: the share of right signs of the worst content of a held output, read as +-1.
    pub told_apart: Option<f64>,
    /// Share of the variance of fresh states that the contents explain.
    pub explained: f64,
    /// Contents below the reading threshold, and the worst share.
    pub unread: (&'a [Component], f64),
    /// Whether the network itself could be run, or only recordings of it are known.
    pub by_weights: bool,
    /// Whether contents together stand out of shuffled episodes, and whether each of them does; nothing where that was not looked at.
    pub stands_out: Option<(bool, bool)>,
    /// Where noise in recordings may hide what they do not show: the episodes, and those that would show it.
    pub hidden_by_noise: Option<(usize, Option<usize>)>,
    /// Share of all signs that are right over the whole horizon, where signs are compared.
    pub accuracy: Option<f64>,
    /// What a network shows of its kind, where no task was given.
    pub blind: Option<Alone<'a>>,
    /// Every claim that was made.
    pub claims: &'a [Claim],
}

/// What a network does after its inputs, where nobody said what it should do.
#[derive(Clone, Copy, Debug)]
pub struct Alone<'a> {
    /// Share of the inputs after which an output still changes its sign late.
    pub moving: f64,
    /// Output steps that were run for that.
    pub steps: usize,
    /// Whether the function that was read says of every output that it stays as it is, or changes its sign at every step.
    pub only_stays: bool,
    /// What it does when it is driven otherwise; nothing for recordings.
    pub kind: Option<&'a Kind>,
}

impl Alone<'_> {
    /// Why a network is not of the kind that goes on alone, with what was seen beside that; nothing where it may be.
    fn other_kind(&self, params: &ClaimParams, circuit: bool) -> Option<Vec<Reason>> {
        let rests = self.moving <= params.rests && !circuit;
        let mut reasons = vec![];
        reasons.extend(rests.then_some(Reason::ComesToRest { moving: self.moving, steps: self.steps }));
        reasons.extend(self.only_stays.then_some(Reason::OnlyStays));
        if reasons.is_empty() {
            return None;
        }
        let Some(kind) = self.kind else { return Some(reasons) };
        let lengths = kind.lengths.iter().filter(|other| other.agreement >= params.follows).map(|other| other.steps);
        let lengths: Vec<usize> = lengths.collect();
        reasons.extend((!lengths.is_empty()).then_some(Reason::SameForOtherLengths { lengths }));
        reasons.push(Reason::TakesLaterInputs { later: kind.later });
        Some(reasons)
    }
}

impl Findings<'_> {
    /// Whether fewer directions do not fade than there are contents, which +-1 alone could make up for.
    pub fn may_share(&self) -> bool {
        self.signs && !self.independent && self.directions.0 < self.held_core
    }
}

/// Draws the verdict, and gives the reasons.
pub fn judge(findings: &Findings<'_>, params: &ClaimParams) -> (Verdict, Vec<Reason>) {
    let silent = findings.persistence.is_nan() || findings.persistence <= params.alive;
    let dies_out = || vec![Reason::Silent { persistence: findings.persistence }];
    let not_learned = if findings.blind.is_some() { Verdict::Silent } else { Verdict::NotLearned };
    let circuit = findings.held.is_some() && all_hold(findings.claims);
    let other_kind = findings.blind.filter(|_| !silent).and_then(|alone| alone.other_kind(params, circuit));
    if let Some(reasons) = other_kind {
        return (Verdict::OtherKind, reasons);
    }
    let Some(held) = findings.held else {
        if silent {
            return (not_learned, dies_out());
        }
        let identified = findings.identified.to_vec();
        let verdict = if identified.is_empty() { Verdict::Unclear } else { Verdict::Partial };
        let mut reasons = vec![Reason::FunctionUnknown { identified, outputs: findings.outputs }];
        reasons.extend(
            findings.blind.and_then(|alone| alone.kind).map(|kind| Reason::TakesLaterInputs { later: kind.later }),
        );
        return (verdict, reasons);
    };
    if silent && !findings.fades {
        return (not_learned, dies_out());
    }
    let dropped: Vec<usize> = (1..=held.len()).filter(|j| !held[j - 1]).collect();
    if dropped.len() == held.len() {
        // What was read is not what the network goes on doing: without a task nothing more is known.
        let verdict = if findings.blind.is_some() { Verdict::Unclear } else { Verdict::NotLearned };
        return (verdict, vec![Reason::OutputsNotHeld { outputs: dropped }]);
    }
    if findings.contents == 0 {
        return (Verdict::Unclear, vec![Reason::NothingToHold]);
    }
    if circuit {
        return (Verdict::Circuit, vec![Reason::EveryClaim { claims: findings.claims.len() }]);
    }
    let mut reasons = vec![];
    if !dropped.is_empty() {
        reasons.push(Reason::OutputsNotHeld { outputs: dropped });
    }
    let (verdict, why) = short_of_a_circuit(findings, params);
    let does_and_holds = verdict == Verdict::Partial && reasons.is_empty() && does_and_holds(findings);
    reasons.extend(does_and_holds.then_some(Reason::DoesAndHolds { contents: findings.contents }));
    reasons.extend(why);
    let (found, needed) = findings.directions;
    if found < needed && !findings.independent {
        reasons.push(Reason::TooFewDirections { found, needed });
    }
    let (components, worst) = findings.unread;
    if !components.is_empty() {
        reasons.push(Reason::ComponentsNotLinear { components: components.to_vec(), worst });
    }
    let told = |claim: &&Claim| !claim.holds && !matches!(claim.name, ClaimName::ContentsRead | ClaimName::Spectrum);
    reasons.extend(findings.claims.iter().filter(told).map(fails));
    if reasons.is_empty() {
        reasons.extend(findings.claims.iter().filter(|claim| !claim.holds).map(fails));
    }
    (verdict, reasons)
}

/// The verdict on a network that holds something and of which some claim fails.
fn short_of_a_circuit(findings: &Findings<'_>, params: &ClaimParams) -> (Verdict, Option<Reason>) {
    let explained = findings.explained;
    let mostly = if findings.by_weights { params.superposed } else { params.superposed_in_recordings };
    let (stands_out, each) = findings.stands_out.unwrap_or((explained >= params.present, true));
    let follows = holds(findings.claims, ClaimName::FollowsFunction);
    // Noise hides what is in states, and excuses nothing else.
    if let Some((episodes, needed)) = findings.hidden_by_noise.filter(|_| follows && behaves(findings)) {
        return (Verdict::Unclear, Some(Reason::HiddenByNoise { episodes, needed }));
    }
    let mut absent = None;
    let mostly_right = findings.accuracy.is_some_and(|accuracy| accuracy >= params.superposed_accuracy);
    // Where noise may hide directions, fewer of them are no evidence that contents share them.
    let counted = findings.directions.0 > 0 && findings.hidden_by_noise.is_none();
    let shares = findings.may_share() && counted && mostly_right;
    if shares && each && findings.lasting > params.lasts && explained >= mostly {
        // Nor is it superposition if a content is in no direction at all.
        match findings.told_apart.filter(|worst| worst.is_nan() || *worst <= params.held) {
            None => return (Verdict::Superposed, None),
            Some(worst) => absent = Some(Reason::NotToldApart { worst }),
        }
    }
    if !findings.by_weights && follows && !stands_out {
        return (Verdict::NotHeld, Some(Reason::StatesElsewhere { explained }));
    }
    if !follows || explained >= params.explained || holds(findings.claims, ClaimName::ContentsRead) {
        return (Verdict::Partial, absent);
    }
    match findings.by_weights {
        // The state of a network that does its task holds what it needs, if not linearly.
        true => (Verdict::Unclear, Some(Reason::NoLinearCode { explained })),
        false => (Verdict::Partial, absent),
    }
}

/// Whether every claim about behaviour holds.
fn behaves(findings: &Findings<'_>) -> bool {
    let of_states = |claim: &Claim| Grounds::OF_STATES.iter().any(|row| row.name == claim.name);
    findings.claims.iter().all(|claim| claim.holds || of_states(claim))
}

/// Whether the outputs are right to the end and every content is in the state.
fn does_and_holds(findings: &Findings<'_>) -> bool {
    holds(findings.claims, ClaimName::FollowsFunction)
        && behaves(findings)
        && holds(findings.claims, ClaimName::ContentsRead)
}

fn fails(claim: &Claim) -> Reason {
    let words = format!("fails: {} ({}; {})", claim.statement, claim.figure(), claim.detail);
    Reason::ClaimFails { claim: claim.name, words }
}

#[cfg(test)]
mod tests {
    use super::super::{Limit, Measured};
    use super::*;

    /// Claims of a network of 64 contents of which one fails.
    fn verdict(held: &[bool], lasting: f64, found: usize, held_core: usize, explained: f64) -> Verdict {
        judged(held, lasting, found, held_core, explained, 1.0)
    }

    fn judged(held: &[bool], lasting: f64, found: usize, held_core: usize, explained: f64, told_apart: f64) -> Verdict {
        let claims = [Claim::new((ClaimName::ContentsRead, ""), Limit::at_least(0.99), Measured::new(0.7, ""))];
        let findings = Findings {
            persistence: 1.0,
            fades: false,
            contents: 64,
            signs: true,
            held: Some(held),
            identified: &[],
            outputs: held.len(),
            lasting,
            directions: (found, 64),
            independent: false,
            held_core,
            told_apart: Some(told_apart),
            explained,
            unread: (&[], 0.7),
            by_weights: true,
            stands_out: None,
            hidden_by_noise: None,
            accuracy: Some(0.95),
            blind: None,
            claims: &claims,
        };
        judge(&findings, &ClaimParams::default()).0
    }

    #[test]
    fn a_dropped_output_does_not_hide_that_the_others_are_superposed() {
        assert_eq!(verdict(&[true, false], 0.7, 28, 56, 0.9), Verdict::Superposed);
    }

    #[test]
    fn what_is_soon_forgotten_or_not_in_the_states_is_not_superposed() {
        assert_eq!(verdict(&[true, true], 0.5, 28, 56, 0.9), Verdict::Partial);
        assert_ne!(verdict(&[true, true], 0.9, 28, 56, 0.4), Verdict::Superposed);
    }

    #[test]
    fn contents_that_are_at_chance_even_as_signs_are_absent_and_not_superposed() {
        assert_eq!(judged(&[true, true], 0.9, 28, 56, 0.9, 0.97), Verdict::Superposed);
        assert_eq!(judged(&[true, true], 0.9, 28, 56, 0.9, 0.48), Verdict::Partial);
        assert_eq!(judged(&[true, true], 0.9, 28, 56, 0.9, f64::NAN), Verdict::Partial);
    }

    #[test]
    fn what_is_held_in_directions_enough_is_partial_when_an_output_is_dropped() {
        assert_eq!(verdict(&[true, false], 0.7, 15, 15, 0.9), Verdict::Partial);
        assert_eq!(verdict(&[false, false], 0.5, 15, 0, 0.9), Verdict::NotLearned);
    }
}
