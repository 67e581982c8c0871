//! What is claimed of a network: statements that were measured on fresh inputs and could have failed.
//!
//! Every claim carries its figure, its limit and whether it holds. A verdict is drawn from them and from nothing else. Each is
//! defined once, by a row of the tables below; the function that measures it leaves it out where it has no meaning.

mod behaviour;
mod claim;
mod grounds;
mod kept;
mod reason;
mod structure;
mod verdict;

pub use behaviour::Behaviour;
pub use claim::{Bound, Claim, ClaimKind, Limit, Measured, Outcome, all_hold, fails, holds};
pub(crate) use claim::{claim_tables, found, unmeasured};
pub use grounds::{Grounds, InStates};
pub use reason::Reason;
pub use structure::steered;
pub(crate) use structure::steered_steps;
pub use verdict::{Alone, Findings, Verdict, judge};

use crate::recurrence::RivalParams;
use crate::setting::settings;

settings! {
    /// Where claims begin to hold.
    pub struct ClaimParams {
        /// Least share of right signs of every output in every quarter of the horizon.
        follows: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest error of an output in any quarter, as a share of its size.
        follows_error: f64 = 0.1, SIZE;
        /// Least share of right signs of every output at every single step, over all episodes.
        step: f64 = 0.9, SHARE;
        /// For a real-valued f: the largest error of an output at any single step, as a share of its size there.
        step_error: f64 = 0.2, SIZE;
        /// Least share of right signs of every output in every single episode, over all steps; chance is 0.5.
        episode: f64 = 0.75, SHARE;
        /// For a real-valued f: the largest error of an output in any single episode, as a share of its size over all of them.
        episode_error: f64 = 0.3, SIZE;
        /// Least size of an output of +-1 in any quarter, as a share of its largest.
        keeps: f64 = 0.5, SHARE;
        /// An output below this share of its size has faded away.
        faded: f64 = 0.01, SHARE;
        /// Of all directions of the contents, the one that has shrunk most by the end of the horizon keeps at least this share of what
        /// the middle one keeps.
        kept: f64 = 0.25, SHARE;
        /// Least share of the changes that f predicts for a flipped input, for every input.
        inputs: f64 = 0.7, SHARE;
        /// For a real-valued f: the largest error of what a flipped input changes, as a share of it.
        inputs_error: f64 = 0.2, SIZE;
        /// Least share of right signs in the first s steps after fresh inputs, for every output.
        windows: f64 = 0.99, SHARE;
        /// For a real-valued f: the largest error in those steps, as a share of an output's size.
        windows_error: f64 = 0.1, SIZE;
        /// Largest difference of an output's coefficients where another linear f predicts better.
        further: f64 = 0.01, SIZE;
        /// For a truth table: the largest share of inputs in which one that f does not read may change an output.
        further_input: f64 = 0.02, SHARE;
        /// Where an output was not f's, another rule holds for rare inputs if it is seen again in more than this share of the windows
        /// that agree in the inputs that matter there.
        rare: f64 = 0.5, SHARE;
        /// Another linear f predicts better if its error is below this share of that of the f that is stated.
        better: f64 = 0.5, SHARE;
        /// When the f that is stated can be compared with another at all.
        rival: RivalParams;
        /// Least share of the variance of fresh states that the code explains.
        explained: f64 = 0.95, SHARE;
        /// Least share of right signs of every output after random contents were written into the state.
        steered: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest error of an output then, as a share of its size.
        steered_error: f64 = 0.2, SIZE;
        /// Output steps that contents written into a network of truth tables are followed for, at least: a window of one step is no
        /// time to follow anything.
        steered_steps: usize = 8, STEPS;
        /// And at most: contents are not followed beyond the end of a trial.
        steered_most: usize = 10_000, STEPS;
        /// For a real-valued f: an output that f keeps below this share of the largest must be silent beside that one.
        silent: f64 = 1e-4, SHARE;
        /// Largest that one step may move a direction of the contents otherwise than f does, as a share of its length: the operator norm
        /// of the difference.
        step_norm: f64 = 0.5, SIZE;
        /// Largest difference between the angles of an eigenvalue, learned and predicted, in radians.
        angles: f64 = 0.02, RADIANS;
        /// Largest difference between the moduli of an eigenvalue, learned and predicted.
        moduli: f64 = 0.1, SIZE;
        /// An output is held if it is right more often than this over the first s output steps. What is superposed is told apart if every
        /// content, read as a sign, is right more often than this too; chance is 0.5.
        held: f64 = 0.6, SHARE;
        /// ... and more often than this at each of these steps.
        held_step: f64 = 0.55, SHARE;
        /// For a real-valued f: an output is held if it is missed by less than this share of its size.
        held_error: f64 = 0.8, SIZE;
        /// Activity that falls below this share of its largest has died out.
        alive: f64 = 1e-3, SHARE;
        /// Noise explains why a content is read badly, if it is read at most this much less well than the noise allows.
        below_noise: f64 = 0.03, SHARE;
        /// Contents are in the states at all if the code explains this share of their variance.
        present: f64 = 0.25, SHARE;
        /// A state with fewer directions than contents is a code of them, `superposed`, if they explain at least this share of its
        /// variance ...
        superposed: f64 = 0.5, SHARE;
        /// ... and in recordings, where noise has directions too, at least this.
        superposed_in_recordings: f64 = 0.9, SHARE;
        /// ... if every output that is held is right more often than this in every quarter of a long time ...
        lasts: f64 = 0.55, SHARE;
        /// ... and if at least this share of all signs is right over the whole horizon: what errs more often has not learned its task.
        superposed_accuracy: f64 = 0.875, SHARE;
        /// Noise may hide what a recording does not show of some contents where at least this share of them stands out.
        seen_through_noise: f64 = 0.75, SHARE;
        /// Without a task: a network comes to rest if no more than this share of episodes has an output that still changes its sign in
        /// the second half of the time.
        rests: f64 = 0.01, SHARE;
        /// Of the outputs that differ between two contexts, the least share that must follow the cue.
        cue_obeyed: f64 = 0.98, SHARE;
        /// A memory of one context is shared with another from this share in the space of its memories on.
        shared: f64 = 0.9, SHARE;
    }
}

claim_tables! {
    /// What is claimed of a network.
    pub enum ClaimName;

    /// Claims about what it does: its outputs against the function, from the zero state, on fresh inputs.
    pub const OF_OUTPUTS: Grounds<'a> = {
        /// A function of the window was found that predicts every output.
        FunctionKnown = "function-known", "one function of the last inputs predicts every output",
            |of| Limit::at_least(of.recurrence.agreement), behaviour::known;
        /// Every output follows the function, in every quarter of a long time.
        FollowsFunction = "follows-function", "every output follows the function, to the last step that was run",
            |of| of.limit_of_outputs(of.claims.follows, of.claims.follows_error), behaviour::follows;
        /// No single step of the horizon is an exception.
        EveryStep = "every-step", "no single step is an exception",
            |of| of.limit_of_outputs(of.claims.step, of.claims.step_error), behaviour::every_step;
        /// No single episode is an exception.
        EveryEpisode = "every-episode", "no single input is an exception",
            |of| of.limit_of_outputs(of.claims.episode, of.claims.episode_error), behaviour::every_episode;
        /// Outputs of +-1 neither fade nor grow.
        KeepsSize = "keeps-size", "the outputs neither fade nor grow",
            |of| Limit::at_least(of.claims.keeps), behaviour::keeps_size;
        /// No direction of the contents fades by the end of the horizon.
        KeepsContents = "keeps-contents", "no direction of the contents fades",
            |of| Limit::at_least(of.claims.kept), kept::keeps_contents;
        /// Every input changes what f says it changes.
        DependsOnInputs = "depends-on-inputs", "every input changes what the function says it changes",
            |of| of.limit_of_outputs(of.claims.inputs, of.claims.inputs_error), behaviour::depends;
        /// The function is right for every fresh window.
        EveryWindow = "every-window", "the function is right for fresh inputs",
            |of| of.limit_of_outputs(of.claims.windows, of.claims.windows_error), behaviour::every_window;
        /// No other linear function, with a further term or another coefficient, predicts better.
        NoFurtherTerm = "no-further-term", "no other linear function predicts better",
            |of| Limit::at_most(of.claims.further), behaviour::no_further_term;
        /// No input that a truth table does not read changes an output.
        NoFurtherInput = "no-further-input", "no input that the function does not read changes an output",
            |of| Limit::at_most(of.claims.further_input), behaviour::no_further_input;
        /// Where an output was not f's, no other rule was found.
        NoRareRule = "no-rare-rule", "no other rule was found for rare inputs",
            |of| Limit::at_most(of.claims.rare), behaviour::no_rare_rule;
    }

    /// Claims about how it does it: what a state holds, and how a step moves it.
    pub const OF_STATES: Grounds<'a> = {
        /// Every content is read from fresh states.
        ContentsRead = "contents-read", "every content is read from the state",
            structure::enough_is_read, structure::read;
        /// The contents explain the states.
        CodeExplains = "code-explains", "the contents explain the state",
            |of| Limit::at_least(of.claims.explained), structure::explained;
        /// Every content is in recorded states, and not only those of other episodes.
        ContentsPresent = "contents-present", "the states hold the contents of their own episodes",
            |of| Limit::at_least(of.code.stands_out), structure::present;
        /// Contents move as f says, in the basis of the code.
        StepMatrix = "step-matrix", "between the memories, one step is the circuit",
            |of| Limit::at_most(of.code.row), structure::step_matrix;
        /// The same in every direction of the contents, and not only entry by entry.
        StepDirections = "step-directions", "one step moves every direction of the contents as the circuit does",
            |of| Limit::at_most(of.claims.step_norm), structure::step_directions;
        /// Contents that are written into the state come out as f says.
        Steered = "steered", "contents written into the state come out as the function says",
            |of| of.limit_of_contents(of.claims.steered, of.claims.steered_error), structure::steering;
        /// The angles of the eigenvalues are those of f.
        Spectrum = "spectrum", "the eigenvalues point where the circuit's do",
            |of| Limit::at_most(of.claims.angles), structure::angles;
        /// The moduli of the eigenvalues are those of f.
        Moduli = "moduli", "the eigenvalues last as the circuit's do",
            |of| Limit::at_most(of.claims.moduli), structure::moduli;
    }
}
